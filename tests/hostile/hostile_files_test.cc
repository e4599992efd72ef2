// Every small data file of the reference, and those of files/, damaged byte by byte: reading gives
// the data, other data that are sound, or an error that names the file; within a bound of memory,
// and of time. What reading refuses as corrupt, verification finds.

#include <gtest/gtest.h>

#include <chrono>

#include "arrow/api.h"
#include "damage.h"
#include "file/bounded_read.h"
#include "file/verify.h"
#include "fixtures.h"
#include "io/object_store.h"
#include "structure.h"

namespace lance {
namespace {

constexpr uintmax_t kMaxFileBytes = 4096;
constexpr uint64_t kVerifyEvery = 5;
constexpr int64_t kMaxVerifyBytes = 256 * BoundedRead::kMiB;
constexpr auto kMaxTime = std::chrono::seconds(5);
constexpr char kName[] = "hostile.lance";

class HostileFile {
 public:
  /// Whether this build reads files of this kind; what is undamaged must be read.
  bool Reads(std::string_view bytes) {
    Status status = Read(bytes);
    EXPECT_TRUE(status.ok() || GetErrorCode(status) == ErrorCode::kUnsupported)
        << ErrorText(status);
    return status.ok();
  }
  /// Empty if all is as it should be.
  std::string Check(std::string_view bytes) {
    const auto started = std::chrono::steady_clock::now();
    Status status = Read(bytes);
    if (read_.refused() > 0) {
      return "needed " + std::to_string(read_.refused()) + " bytes: " + ErrorText(status);
    }
    if (std::chrono::steady_clock::now() - started > kMaxTime) return "took too long";
    if (std::string wrong = CheckVerification(status); !wrong.empty()) return wrong;
    if (status.ok()) return "";
    if (unsound_) return "gave unsound data: " + status.ToString();
    const ErrorDetail* detail = GetErrorDetail(status);
    if (detail == nullptr || detail->place.path.find(kName) == std::string::npos) {
      return "gave an error without the file's name: " + ErrorText(status);
    }
    if (read_.opened() && !detail->place.column) {
      return "gave an error without its column: " + ErrorText(status);
    }
    return "";
  }

 private:
  // Of every few files: it reads them once more.
  std::string CheckVerification(const Status& read) {
    if (++count_ % kVerifyEvery != 0) return "";
    read_.pool().SetLimit(kMaxVerifyBytes);
    Context context;
    context.memory_pool = &read_.pool();
    auto verified = VerifyFile(context, store_->OpenReader(context, kName).ValueOrDie());
    const bool supported = GetErrorCode(read) != ErrorCode::kUnsupported;
    if (!verified.ok()) return supported ? "verify failed: " + ErrorText(verified.status()) : "";
    const bool corrupt = !read.ok() && !unsound_ && GetErrorCode(read) == ErrorCode::kCorrupt;
    if (corrupt && verified->findings.empty()) return "verify missed: " + ErrorText(read);
    return "";
  }

  Status Read(std::string_view bytes) {
    unsound_ = false;
    ARROW_RETURN_NOT_OK(store_->Put({}, kName, AsBytes(bytes)));
    ARROW_ASSIGN_OR_RAISE(auto object, store_->OpenReader({}, kName));
    return read_.Read(std::move(object), [this](const arrow::RecordBatch& batch) {
      for (const auto& column : batch.columns()) {
        Status sound = StructureOf(*column)->ValidateFull();
        if (sound.ok()) continue;
        unsound_ = true;
        return sound;
      }
      return Status::OK();
    });
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  BoundedRead read_;
  bool unsound_ = false;
  uint64_t count_ = 0;
};

void DamageFiles(const std::vector<std::filesystem::path>& files) {
  HostileFile hostile;
  for (const auto& path : files) {
    SCOPED_TRACE(path.string());
    const std::string bytes = ReadFile(path);
    ASSERT_TRUE(hostile.Reads(bytes));
    // One finding a file: the next is mostly the same.
    bool failed = false;
    ForEachDamage(bytes, [&](std::string_view damaged, const std::string& what) {
      if (failed) return;
      const std::string wrong = hostile.Check(damaged);
      if (wrong.empty()) return;
      failed = true;
      ADD_FAILURE() << what << ": " << wrong;
    });
  }
}

bool IsDataFile(const std::filesystem::path& path) { return path.extension() == ".lance"; }

TEST(HostileFiles, SmallFixtures) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  const auto files = FindFixtures({"files14", "files7", "hints14"}, kMaxFileBytes, IsDataFile);
  EXPECT_GT(files.size(), 60u);
  DamageFiles(files);
}

// Packed structs, blobs, maps, lists and dictionaries of all versions: files/ says how it was made.
TEST(HostileFiles, OtherKinds) {
  const auto files = FindFiles(LANCE_HOSTILE_FILES, kMaxFileBytes, IsDataFile);
  EXPECT_GT(files.size(), 40u);
  DamageFiles(files);
}

}  // namespace
}  // namespace lance
