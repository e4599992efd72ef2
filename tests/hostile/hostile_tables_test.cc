// The small files of tables (manifests, transactions, deletion files, tags, branches), damaged byte
// by byte: reading gives values or an error that names the file.

#include <gtest/gtest.h>

#include <chrono>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "damage.h"
#include "fixtures.h"
#include "io/object_store.h"
#include "table/branches.h"
#include "table/deletion_file.h"
#include "table/feature_flags.h"
#include "table/manifest_file.h"
#include "table/refs.h"
#include "table/row_id_sequence.h"
#include "table/transaction.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

// Hundreds of the reference's are alike: the smallest do.
constexpr size_t kFilesOfAKind = 30;
constexpr uintmax_t kMaxFileBytes = 16 * 1024;
constexpr int64_t kMiB = 1 << 20;
constexpr uint64_t kPhysicalRows = 100'000;
constexpr auto kMaxTime = std::chrono::seconds(5);

class HostileTables : public ::testing::Test {
 protected:
  using Reader = std::function<Status(const std::string& path)>;

  /// Damages files with this ending; `read` gets the path of each in the store.
  void Damage(const std::string& folder, const std::string& ending, const std::string& path,
              const Reader& read, const std::string& name_in_errors) {
    if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
    auto files = FindFixtures({"tables14"}, kMaxFileBytes, [&](const auto& file) {
      const std::string text = file.string();
      return text.ends_with(ending) && text.find(folder) != std::string::npos;
    });
    ASSERT_FALSE(files.empty());
    files.resize(std::min(files.size(), kFilesOfAKind));
    for (const auto& file : files) {
      SCOPED_TRACE(file.string());
      const std::string bytes = ReadFile(file);
      ASSERT_EQ(Check(bytes, path, read, name_in_errors), "");
      bool failed = false;
      ForEachDamage(bytes, [&](std::string_view damaged, const std::string& what) {
        if (failed) return;
        const std::string wrong = Check(damaged, path, read, name_in_errors);
        if (wrong.empty()) return;
        failed = true;
        ADD_FAILURE() << what << ": " << wrong;
      });
    }
  }

  std::string Check(std::string_view bytes, const std::string& path, const Reader& read,
                    const std::string& name_in_errors) {
    const auto started = std::chrono::steady_clock::now();
    arrow::MemoryPool* pool = arrow::default_memory_pool();
    const int64_t before = pool->total_bytes_allocated();
    if (!store_->Put({}, path, AsBytes(bytes)).ok()) return "could not be stored";
    Status status = read(path);
    const int64_t needed = pool->total_bytes_allocated() - before;
    if (needed > 16 * static_cast<int64_t>(bytes.size()) + kMiB) {
      return "needed " + std::to_string(needed) + " bytes";
    }
    if (std::chrono::steady_clock::now() - started > kMaxTime) return "took too long";
    if (status.ok() || ErrorText(status).find(name_in_errors) != std::string::npos) return "";
    return "gave an error without the file's name: " + ErrorText(status);
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
};

// Everything that is decoded of a fragment when a table is scanned.
Status DecodeFragment(const FragmentSummary& summary) {
  ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
  std::vector<uint64_t> values;
  if (auto ids = RowIdSequence::Decode(AsBytes(fragment.inline_row_ids())); ids.ok()) {
    values.resize(std::min(ids->size(), kPhysicalRows));
    ids->Read(0, values);
    ids->Read(ids->size() - values.size(), values);
  }
  for (const std::string* bytes :
       {&fragment.inline_created_at_versions(), &fragment.inline_last_updated_at_versions()}) {
    auto versions = VersionSequence::Decode(AsBytes(*bytes));
    if (!versions.ok()) continue;
    values.resize(std::min(versions->size(), kPhysicalRows));
    versions->Read(0, values);
    versions->Read(versions->size() - values.size(), values);
  }
  return Status::OK();
}

TEST_F(HostileTables, Manifests) {
  Damage(
      "_versions", ".manifest", "t/_versions/hostile.manifest",
      [&](const std::string& path) -> Status {
        const ManifestLocation location{1, ManifestNaming::kV2, path, 0};
        ARROW_ASSIGN_OR_RAISE(auto file, ManifestFile::Read({}, *store_, location));
        (void)CheckWritable(file->manifest());
        for (const FragmentSummary& summary : file->manifest().fragments) {
          (void)DecodeFragment(summary);
        }
        ARROW_RETURN_NOT_OK(file->ReadIndexSection({}, *store_).status());
        return file->ReadTransactionSection({}, *store_).status();
      },
      "hostile.manifest");
}

TEST_F(HostileTables, Transactions) {
  // The caller knows which file the bytes are of.
  Damage(
      "_transactions", ".txn", "t/_transactions/hostile.txn",
      [&](const std::string& path) -> Status {
        ARROW_ASSIGN_OR_RAISE(auto bytes, store_->Get({}, path));
        ARROW_ASSIGN_OR_RAISE(
            Transaction transaction,
            DecodeTransaction({bytes->data(), static_cast<size_t>(bytes->size())}));
        (void)OperationName(transaction);
        return Status::OK();
      },
      "ransaction");
}

TEST_F(HostileTables, DeletionArrays) {
  Damage(
      "_deletions", ".arrow", "t/_deletions/hostile.arrow",
      [&](const std::string& path) -> Status {
        table::DeletionFile file;
        file.set_file_type(table::DeletionFile::ARROW_ARRAY);
        return ReadDeletionFile({}, *store_, path, file, kPhysicalRows).status();
      },
      "hostile.arrow");
}

TEST_F(HostileTables, DeletionBitmaps) {
  Damage(
      "_deletions", ".bin", "t/_deletions/hostile.bin",
      [&](const std::string& path) -> Status {
        table::DeletionFile file;
        file.set_file_type(table::DeletionFile::BITMAP);
        return ReadDeletionFile({}, *store_, path, file, kPhysicalRows).status();
      },
      "hostile.bin");
}

TEST_F(HostileTables, Tags) {
  Damage(
      "_refs/tags", ".json", "t/_refs/tags/hostile.json",
      [&](const std::string&) { return ReadTag({}, *store_, "t", "hostile").status(); },
      "hostile.json");
}

TEST_F(HostileTables, Branches) {
  Damage(
      "_refs/branches", ".json", "t/_refs/branches/hostile.json",
      [&](const std::string&) { return ReadBranch({}, *store_, "t", "hostile").status(); },
      "hostile.json");
}

}  // namespace
}  // namespace lance
