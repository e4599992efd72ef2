// Every small data file of the reference, damaged byte by byte: reading gives the data, other data
// that are sound, or an error that names the file; within a bound of memory, and of time. What
// reading refuses as corrupt, verification finds.

#include <gtest/gtest.h>

#include <chrono>

#include "arrow/api.h"
#include "damage.h"
#include "file/file_reader.h"
#include "file/verify.h"
#include "fixtures.h"
#include "io/object_store.h"
#include "limited_pool.h"
#include "structure.h"

namespace lance {
namespace {

constexpr uintmax_t kMaxFileBytes = 4096;
constexpr uint64_t kMaxRows = 2048;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kMaxRowBytes = 64 * kMiB;
// What few bytes may hold besides rows of fixed width: levels and runs up to 1024 for one byte, LZ4
// and FSST less; zstd tells its own size.
constexpr int64_t kExpansion = 2048;
constexpr uint64_t kVerifyEvery = 5;
constexpr int64_t kMaxVerifyBytes = 256 * kMiB;
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
    if (pool_.refused() > 0) {
      return "needed " + std::to_string(pool_.refused()) + " bytes: " + ErrorText(status);
    }
    if (std::chrono::steady_clock::now() - started > kMaxTime) return "took too long";
    if (std::string wrong = CheckVerification(status); !wrong.empty()) return wrong;
    if (status.ok()) return "";
    if (unsound_) return "gave unsound data: " + status.ToString();
    if (ErrorText(status).find(kName) != std::string::npos) return "";
    return "gave an error without the file's name: " + ErrorText(status);
  }

 private:
  // Of every few files: it reads them once more.
  std::string CheckVerification(const Status& read) {
    if (++count_ % kVerifyEvery != 0) return "";
    pool_.SetLimit(kMaxVerifyBytes);
    Context context;
    context.memory_pool = &pool_;
    auto verified = VerifyFile(context, store_->OpenReader(context, kName).ValueOrDie());
    const bool supported = GetErrorCode(read) != ErrorCode::kUnsupported;
    if (!verified.ok()) return supported ? "verify failed: " + ErrorText(verified.status()) : "";
    const bool corrupt = !read.ok() && !unsound_ && GetErrorCode(read) == ErrorCode::kCorrupt;
    if (corrupt && verified->findings.empty()) return "verify missed: " + ErrorText(read);
    return "";
  }

  Status Read(std::string_view bytes) {
    unsound_ = false;
    const auto size = static_cast<int64_t>(bytes.size());
    pool_.SetLimit(16 * size + kMiB);
    ARROW_RETURN_NOT_OK(store_->Put({}, kName, AsBytes(bytes)));
    Context context;
    context.memory_pool = &pool_;
    ARROW_ASSIGN_OR_RAISE(auto object, store_->OpenReader(context, kName));
    ARROW_ASSIGN_OR_RAISE(auto reader, FileReader::Open(context, object));
    ARROW_ASSIGN_OR_RAISE(auto projection, reader->Project());
    const int64_t row_bytes = RowBytes(projection, size);
    if (pool_.refused() > 0 || row_bytes > kMaxRowBytes) return Status::OK();
    const uint64_t most = static_cast<uint64_t>(kMaxRowBytes / std::max<int64_t>(row_bytes, 1));
    const uint64_t rows = std::min({reader->num_rows(), kMaxRows, most});
    const RowRange all{0, rows};
    pool_.SetLimit(kMiB + 4 * static_cast<int64_t>(rows) * row_bytes + kExpansion * size);
    ARROW_RETURN_NOT_OK(ReadRows(context, *reader, projection, {&all, 1}));
    // Some rows alone: the last one may be far behind all bytes.
    if (reader->num_rows() < 2) return Status::OK();
    const RowRange some[] = {{0, 1}, {reader->num_rows() - 1, 1}};
    return ReadRows(context, *reader, projection, some);
  }

  Status ReadRows(const Context& context, const FileReader& reader,
                  const FileProjection& projection, std::span<const RowRange> rows) {
    ARROW_ASSIGN_OR_RAISE(auto batch, reader.Read(context, projection, rows));
    for (const auto& column : batch->columns()) {
      Status sound = StructureOf(*column)->ValidateFull();
      if (sound.ok()) continue;
      unsound_ = true;
      return sound;
    }
    return Status::OK();
  }

  static int64_t RowBytes(const FileProjection& projection, int64_t file_size) {
    int64_t bytes = 0;
    for (const auto& shape : projection.shapes) {
      int64_t value = static_cast<int64_t>(shape.value_bits / 8) + 16;
      if (shape.values == encoding::LeafShape::Values::kVariable) value += file_size;
      bytes += std::min(value, kMaxRowBytes) * static_cast<int64_t>(shape.rows_scale());
      if (bytes > kMaxRowBytes) return bytes;
    }
    return bytes;
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  LimitedPool pool_;
  bool unsound_ = false;
  uint64_t count_ = 0;
};

TEST(HostileFiles, EveryByteAndEveryLength) {
  if (FixtureRoot().empty()) GTEST_SKIP() << "fixtures are absent";
  auto is_file = [](const auto& path) { return path.extension() == ".lance"; };
  const auto files = FindFixtures({"files14", "files7", "hints14"}, kMaxFileBytes, is_file);
  HostileFile hostile;
  size_t read = 0;
  for (const auto& path : files) {
    SCOPED_TRACE(path.string());
    const std::string bytes = ReadFile(path);
    read += hostile.Reads(bytes) ? 1 : 0;
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
  EXPECT_GT(read, 20u);
}

}  // namespace
}  // namespace lance
