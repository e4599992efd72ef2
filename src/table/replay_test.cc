// Applies the transactions of tables that the reference wrote, each to the version before it, and
// compares with the version that the reference made of it.
#include <filesystem>
#include <map>

#include "base/fixtures_folder.h"
#include "gtest/gtest.h"
#include "table/apply.h"
#include "table/fragment_bitmap.h"
#include "table/index_section.h"
#include "table/manifest_file.h"
#include "table/row_id_sequence.h"
#include "table/system_index.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

namespace fs = std::filesystem;

struct Replayed {
  Context context;
  TableLocation table;

  std::map<uint64_t, std::shared_ptr<const ManifestFile>> versions;

  explicit Replayed(const fs::path& root) : table{MakeLocalStore(), root.string()} {
    for (const auto& location : ListVersions(context, *table.store, table.root).ValueOrDie()) {
      versions[location.version] = ManifestFile::Read(context, *table.store, location).ValueOrDie();
    }
  }
  std::optional<std::string> Indexes(const ManifestFile& file) {
    return file.ReadIndexSection(context, *table.store).ValueOrDie();
  }
};

template <typename Sequence>
std::vector<uint64_t> ValuesOf(const std::string& bytes) {
  auto sequence = Sequence::Decode(AsBytes(bytes)).ValueOrDie();
  std::vector<uint64_t> values(sequence.size());
  if (!values.empty()) sequence.Read(0, values);
  return values;
}

void ExpectSameFragments(const Manifest& actual, const Manifest& expected) {
  ASSERT_EQ(actual.fragments.size(), expected.fragments.size());
  for (size_t i = 0; i < actual.fragments.size(); ++i) {
    auto a = ParseFragment(actual.fragments[i]).ValueOrDie();
    auto e = ParseFragment(expected.fragments[i]).ValueOrDie();
    SCOPED_TRACE("fragment " + std::to_string(e.id()));
    EXPECT_EQ(ValuesOf<RowIdSequence>(a.inline_row_ids()),
              ValuesOf<RowIdSequence>(e.inline_row_ids()));
    EXPECT_EQ(ValuesOf<VersionSequence>(a.inline_created_at_versions()),
              ValuesOf<VersionSequence>(e.inline_created_at_versions()));
    EXPECT_EQ(ValuesOf<VersionSequence>(a.inline_last_updated_at_versions()),
              ValuesOf<VersionSequence>(e.inline_last_updated_at_versions()));
    for (auto* fragment : {&a, &e}) {
      fragment->clear_row_id_sequence();
      fragment->clear_created_at_version_sequence();
      fragment->clear_last_updated_at_version_sequence();
    }
    // Sizes that a transaction leaves out are looked up when it is committed.
    for (int k = 0; k < std::min(a.files_size(), e.files_size()); ++k) {
      if (a.files(k).file_size_bytes() == 0) {
        a.mutable_files(k)->set_file_size_bytes(e.files(k).file_size_bytes());
      }
    }
    EXPECT_EQ(a.SerializeAsString(), e.SerializeAsString());
  }
}

template <typename Map>
std::map<std::string, std::string> Ordered(const Map& map) {
  return {map.begin(), map.end()};
}

void ExpectSameHead(const Manifest& actual, const Manifest& expected, bool from_older_writer) {
  const auto& a = actual.head;
  const auto& e = expected.head;
  EXPECT_EQ(a.version(), e.version());
  ASSERT_EQ(a.fields_size(), e.fields_size());
  for (int i = 0; i < a.fields_size(); ++i) {
    EXPECT_EQ(Ordered(a.fields(i).metadata()), Ordered(e.fields(i).metadata()));
    auto x = a.fields(i);
    auto y = e.fields(i);
    x.clear_metadata();
    y.clear_metadata();
    EXPECT_EQ(x.SerializeAsString(), y.SerializeAsString()) << e.fields(i).name();
  }
  EXPECT_EQ(Ordered(a.config()), Ordered(e.config()));
  EXPECT_EQ(Ordered(a.table_metadata()), Ordered(e.table_metadata()));
  EXPECT_EQ(a.reader_feature_flags(), e.reader_feature_flags());
  EXPECT_EQ(a.writer_feature_flags(), e.writer_feature_flags());
  EXPECT_EQ(a.branch(), e.branch());
  EXPECT_EQ(a.data_format().version(), e.data_format().version());
  EXPECT_EQ(a.base_paths_size(), e.base_paths_size());
  if (from_older_writer) return;  // it counts these in another way
  EXPECT_EQ(a.next_row_id(), e.next_row_id());
  EXPECT_EQ(a.has_max_fragment_id(), e.has_max_fragment_id());
  EXPECT_EQ(a.max_fragment_id(), e.max_fragment_id());
}

std::map<std::string, table::IndexMetadata> EntriesOf(const std::optional<std::string>& section) {
  std::map<std::string, table::IndexMetadata> entries;
  lance::IndexSection decoded(section);
  for (const auto& entry : *decoded.Edit().ValueOrDie()) entries[entry.uuid().uuid()] = entry;
  return entries;
}

void ExpectSameIndexes(const std::optional<std::string>& actual,
                       const std::optional<std::string>& expected) {
  auto a = EntriesOf(actual);
  auto e = EntriesOf(expected);
  ASSERT_EQ(a.size(), e.size());
  for (auto& [uuid, entry] : e) {
    ASSERT_TRUE(a.contains(uuid)) << entry.name();
    EXPECT_EQ(DecodeFragmentBitmap(a[uuid].fragment_bitmap()).ValueOrDie(),
              DecodeFragmentBitmap(entry.fragment_bitmap()).ValueOrDie())
        << entry.name();
    a[uuid].clear_fragment_bitmap();
    entry.clear_fragment_bitmap();
    EXPECT_EQ(a[uuid].SerializeAsString(), entry.SerializeAsString()) << entry.name();
  }
}

struct Case {
  std::string section;
  std::string name;
};
void PrintTo(const Case& fixture, std::ostream* out) { *out << fixture.section << fixture.name; }

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const char* section : {"tables14", "tables7", "indexes14", "indexes7"}) {
    if (!fs::exists(FixturesFolder() / section)) continue;
    for (const auto& entry : fs::directory_iterator(FixturesFolder() / section)) {
      cases.push_back({section, entry.path().filename().string()});
    }
  }
  return cases;
}

class Replay : public ::testing::TestWithParam<Case> {};

/// The reuse index that a compaction without remapping writes is not part of its transaction.
bool WritesReuseIndex(const Transaction& transaction, const std::optional<std::string>& after) {
  if (!transaction.has_rewrite()) return false;
  auto entries = EntriesOf(after);
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    return entry.second.name() == kFragmentReuseIndexName;
  });
}

TEST_P(Replay, EveryVersion) {
  Replayed replayed(FixturesFolder() / GetParam().section / GetParam().name / "data.lance");
  for (const auto& [version, file] : replayed.versions) {
    auto before = replayed.versions.find(version - 1);
    if (before == replayed.versions.end()) continue;
    SCOPED_TRACE("version " + std::to_string(version));
    auto bytes = ReadTransactionBytes(replayed.context, replayed.table, *file).ValueOrDie();
    ASSERT_TRUE(bytes);
    Transaction transaction = DecodeTransaction(AsBytes(*bytes)).ValueOrDie();
    SCOPED_TRACE(std::string(OperationName(transaction)));

    ApplyInput input;
    input.newest = &before->second->manifest();
    input.index_section = replayed.Indexes(*before->second);
    if (transaction.has_restore()) {
      const auto& source = replayed.versions.at(transaction.restore().version());
      input.source = &source->manifest();
      input.source_index_section = replayed.Indexes(*source);
    }
    ApplyOptions options;
    options.data_version = file->manifest().data_version().ValueOrDie();
    auto next = Apply(input, transaction, options);
    ASSERT_TRUE(next.ok()) << next.status();
    bool older = GetParam().section.ends_with("7");
    // The older writer gave out ids anew after these.
    bool renumbered = older && (transaction.has_overwrite() || transaction.has_restore());
    if (!renumbered) ExpectSameFragments(next->manifest, file->manifest());
    ExpectSameHead(next->manifest, file->manifest(), older);
    auto indexes = replayed.Indexes(*file);
    if (!WritesReuseIndex(transaction, indexes)) ExpectSameIndexes(next->index_section, indexes);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, Replay, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<Case>& param) {
                           std::string name = param.param.section + "_" + param.param.name;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace lance
