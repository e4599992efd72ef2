// Reads the tables that the reference implementation wrote and compares with what it read back.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "arrow/api.h"
#include "arrow/io/file.h"
#include "arrow/ipc/reader.h"
#include "base/fixtures_folder.h"
#include "gtest/gtest.h"
#include "lance/dataset.h"

namespace lance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<uint64_t> ExpandRuns(const Json& runs) {
  std::vector<uint64_t> values;
  for (const Json& run : runs) {
    if (run.is_array()) {
      for (uint64_t i = 0; i < run[1].get<uint64_t>(); ++i) {
        values.push_back(run[0].get<uint64_t>() + i);
      }
    } else {
      values.push_back(run.get<uint64_t>());
    }
  }
  return values;
}

std::shared_ptr<arrow::Table> ReadArrowFile(const fs::path& path) {
  auto file = arrow::io::ReadableFile::Open(path.string()).ValueOrDie();
  auto reader = arrow::ipc::RecordBatchFileReader::Open(file).ValueOrDie();
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  batches.reserve(static_cast<size_t>(reader->num_record_batches()));
  for (int i = 0; i < reader->num_record_batches(); ++i) {
    batches.push_back(reader->ReadRecordBatch(i).ValueOrDie());
  }
  return arrow::Table::FromRecordBatches(reader->schema(), batches).ValueOrDie();
}

void ExpectSameTable(const arrow::Table& expected, const arrow::Table& actual) {
  ASSERT_TRUE(actual.ValidateFull().ok()) << actual.ValidateFull();
  ASSERT_EQ(actual.num_rows(), expected.num_rows());
  ASSERT_TRUE(actual.schema()->Equals(*expected.schema(), /*check_metadata=*/true))
      << actual.schema()->ToString(true) << "\nexpected " << expected.schema()->ToString(true);
  auto options = arrow::EqualOptions::Defaults().nans_equal(true).signed_zeros_equal(false);
  for (int i = 0; i < expected.num_columns(); ++i) {
    EXPECT_TRUE(actual.column(i)->Equals(*expected.column(i), options))
        << "column " << expected.field(i)->ToString() << "\nexpected "
        << expected.column(i)->ToString() << "\nactual " << actual.column(i)->ToString();
  }
}

std::vector<uint64_t> NumbersOf(const arrow::Table& table, const std::string& name) {
  std::vector<uint64_t> values;
  for (const auto& chunk : table.GetColumnByName(name)->chunks()) {
    const auto& array = static_cast<const arrow::UInt64Array&>(*chunk);
    for (int64_t i = 0; i < array.length(); ++i) values.push_back(array.Value(i));
  }
  return values;
}

struct Case {
  std::string section;
  std::string name;
};

void PrintTo(const Case& fixture, std::ostream* out) { *out << fixture.section << fixture.name; }

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* section : {"tables14", "tables7"}) {
    if (!fs::exists(FixturesFolder() / section)) continue;
    for (const auto& entry : fs::directory_iterator(FixturesFolder() / section)) {
      std::string name = entry.path().filename().string();
      cases.push_back({section, name});
    }
  }
  return cases;
}

/// Where the table can be read: tables with absolute paths are copied to where they were made.
fs::path Place(const fs::path& folder, const Json& info) {
  if (!info.contains("place_at")) return folder / "data.lance";
  fs::path target = info["place_at"].get<std::string>();
  fs::remove_all(target);
  fs::create_directories(target.parent_path());
  fs::copy(folder, target, fs::copy_options::recursive);
  return target / "data.lance";
}

class TableFixtures : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    folder_ = FixturesFolder() / GetParam().section / GetParam().name;
    std::ifstream file(folder_ / "expected.json");
    info_ = Json::parse(file);
    uri_ = Place(folder_, info_).string();
  }

  fs::path ExpectedFile(uint64_t version) const {
    if (version != info_["latest_version"].get<uint64_t>()) {
      return folder_ / ("version_" + std::to_string(version) + ".arrow");
    }
    return folder_ / "expected.arrow";
  }

  void CheckFragments(const Dataset& dataset, const Json& expected) {
    ASSERT_EQ(dataset.fragments().size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const FragmentInfo& fragment = dataset.fragments()[i];
      EXPECT_EQ(fragment.id, expected[i]["id"].get<uint64_t>());
      EXPECT_EQ(fragment.physical_rows, expected[i]["physical_rows"].get<uint64_t>());
      EXPECT_EQ(fragment.num_deletions, expected[i]["deletions"].get<uint64_t>());
      ASSERT_EQ(fragment.files.size(), expected[i]["files"].size());
      for (size_t k = 0; k < fragment.files.size(); ++k) {
        const Json& file = expected[i]["files"][k];
        EXPECT_EQ(fragment.files[k].fields, file["fields"].get<std::vector<int32_t>>());
        EXPECT_EQ(fragment.files[k].column_indices,
                  file["column_indices"].get<std::vector<int32_t>>());
      }
    }
  }

  fs::path folder_;
  Json info_;
  std::string uri_;
};

TEST_P(TableFixtures, EveryVersion) {
  for (const auto& [number, expected] : info_["by_version"].items()) {
    SCOPED_TRACE("version " + number);
    uint64_t version = std::stoull(number);
    auto dataset = Dataset::Open(uri_, {.version = version}).ValueOrDie();
    EXPECT_EQ(dataset->version(), version);
    EXPECT_EQ(dataset->CountRows().ValueOrDie(), expected["rows"].get<uint64_t>());
    EXPECT_EQ(dataset->max_field_id(), expected["max_field_id"].get<int32_t>());
    CheckFragments(*dataset, expected["fragments"]);

    ScanOptions rows;
    rows.columns = {"_rowid", "_rowaddr"};
    auto words = dataset->ToTable(rows).ValueOrDie();
    EXPECT_EQ(NumbersOf(*words, "_rowid"), ExpandRuns(expected["row_ids"]));
    // A string there says that the addresses are the ids.
    const char* addresses = expected["row_addrs"].is_string() ? "row_ids" : "row_addrs";
    EXPECT_EQ(NumbersOf(*words, "_rowaddr"), ExpandRuns(expected[addresses]));

    auto table = dataset->ToTable();
    ASSERT_TRUE(table.ok()) << table.status();
    auto wanted = ReadArrowFile(ExpectedFile(version));
    ExpectSameTable(*wanted, **table);
  }
}

TEST_P(TableFixtures, Newest) {
  auto dataset = Dataset::Open(uri_).ValueOrDie();
  EXPECT_EQ(dataset->version(), info_["latest_version"].get<uint64_t>());
  EXPECT_EQ(dataset->LatestVersion().ValueOrDie(), dataset->version());
  EXPECT_EQ(dataset->data_storage_version(), info_["data_storage_version"].get<std::string>());
  EXPECT_EQ(dataset->has_stable_row_ids(), info_["stable_row_ids"].get<bool>());
  std::map<std::string, std::string> config;
  for (const auto& [key, value] : info_["config"].items()) config[key] = value;
  EXPECT_EQ(dataset->config(), config);

  std::vector<uint64_t> versions;
  auto listed = dataset->Versions().ValueOrDie();
  versions.reserve(listed.size());
  for (const VersionInfo& version : listed) versions.push_back(version.version);
  EXPECT_EQ(versions, info_["versions"].get<std::vector<uint64_t>>());

  auto tags = dataset->Tags().ValueOrDie();
  EXPECT_EQ(tags.size(), info_["tags"].size());
  for (const auto& [name, expected] : info_["tags"].items()) {
    ASSERT_TRUE(tags.contains(name)) << name;
    EXPECT_EQ(tags[name].version, expected["version"].get<uint64_t>());
    if (!expected["branch"].is_null()) {
      EXPECT_EQ(tags[name].branch, expected["branch"].get<std::string>());
    }
    EXPECT_EQ(dataset->Checkout(name).ValueOrDie()->version(), tags[name].version);
  }
}

/// Positions first to last, some twice, backwards: must equal the rows of the scan.
TEST_P(TableFixtures, TakeIsLikeScan) {
  auto dataset = Dataset::Open(uri_).ValueOrDie();
  auto table = dataset->ToTable().ValueOrDie()->CombineChunks().ValueOrDie();
  auto rows = static_cast<uint64_t>(table->num_rows());
  std::vector<uint64_t> positions;
  for (uint64_t i = 0; i < rows; i += 7) positions.push_back(rows - 1 - i);
  if (rows > 0) positions.push_back(rows - 1);
  auto taken = dataset->Take(positions).ValueOrDie();
  ASSERT_TRUE(taken->ValidateFull().ok()) << taken->ValidateFull();
  ASSERT_EQ(static_cast<size_t>(taken->num_rows()), positions.size());
  for (size_t i = 0; i < positions.size(); ++i) {
    auto row = static_cast<int64_t>(positions[i]);
    for (int c = 0; c < table->num_columns(); ++c) {
      ASSERT_TRUE(taken->column(c)->RangeEquals(
          *table->column(c)->chunk(0), static_cast<int64_t>(i), static_cast<int64_t>(i) + 1, row))
          << table->field(c)->name() << " of row " << row;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TableFixtures, ::testing::ValuesIn(Cases()), [](const auto& info) {
  std::string name = info.param.section + "_" + info.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TableFixtures);

TEST(Fixtures, ArePresent) {
  if (!Cases().empty()) return;
  const char* ci = std::getenv("CI");
  if (ci != nullptr && std::string(ci) == "true") FAIL() << "no fixtures at " << FixturesFolder();
  GTEST_SKIP() << "no fixtures at " << FixturesFolder() << "; set LANCE_FIXTURES";
}

TEST(Fixtures, Detached) {
  fs::path folder = FixturesFolder() / "tables14/detached";
  if (!fs::exists(folder)) GTEST_SKIP() << "no fixtures";
  std::ifstream file(folder / "expected.json");
  Json info = Json::parse(file);
  uint64_t version = std::stoull(info["detached_version"].get<std::string>());
  auto dataset = Dataset::Open((folder / "data.lance").string(), {.version = version}).ValueOrDie();
  ExpectSameTable(*ReadArrowFile(folder / "detached.arrow"), *dataset->ToTable().ValueOrDie());
  EXPECT_EQ(dataset->LatestVersion().ValueOrDie(), 1u);
}

TEST(Fixtures, Branches) {
  fs::path folder = FixturesFolder() / "tables14/tags_branches";
  if (!fs::exists(folder)) GTEST_SKIP() << "no fixtures";
  std::ifstream file(folder / "expected.json");
  fs::path table = Place(folder, Json::parse(file));
  auto branch = Dataset::Open((table / "tree/dev").string()).ValueOrDie();
  ExpectSameTable(*ReadArrowFile(folder / "branch_dev.arrow"), *branch->ToTable().ValueOrDie());
  // Tags lie under the main root, and lead from a branch to the main table and back.
  EXPECT_EQ(branch->Tags().ValueOrDie().size(), 3u);
  auto main = branch->Checkout("first").ValueOrDie();
  EXPECT_EQ(main->uri(), table.string());
  auto back = main->Checkout("on-branch").ValueOrDie();
  EXPECT_EQ(back->uri(), (table / "tree/dev").string());
  ExpectSameTable(*ReadArrowFile(folder / "branch_dev.arrow"), *back->ToTable().ValueOrDie());
}

TEST(Fixtures, RowVersions) {
  for (const char* section : {"tables14", "tables7"}) {
    fs::path folder = FixturesFolder() / section / "update_stable";
    if (!fs::exists(folder)) GTEST_SKIP() << "no fixtures";
    std::ifstream file(folder / "expected.json");
    Json info = Json::parse(file);
    auto dataset = Dataset::Open((folder / "data.lance").string()).ValueOrDie();
    ScanOptions options;
    options.columns = {"_row_created_at_version", "_row_last_updated_at_version"};
    auto table = dataset->ToTable(options).ValueOrDie();
    for (const std::string& name : *options.columns) {
      ASSERT_TRUE(info["lineage"].contains(name)) << info["lineage"].dump().substr(0, 300);
      EXPECT_EQ(NumbersOf(*table, name), ExpandRuns(info["lineage"][name])) << name;
    }
  }
}

}  // namespace
}  // namespace lance
