#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "arrow/record_batch.h"
#include "base/limited_pool.h"
#include "file/file_reader.h"
#include "io/object_store.h"

namespace lance {

/// For tests: reads files whose bytes nobody has checked, with no more memory than they justify.
class BoundedRead {
 public:
  static constexpr int64_t kMiB = 1 << 20;
  static constexpr uint64_t kMaxRows = 2048;
  /// Rows that take more are left alone.
  static constexpr int64_t kMaxRowBytes = 64 * kMiB;
  /// What few bytes may hold besides rows of fixed width: levels and runs up to 1024 for one byte,
  /// LZ4 and FSST less; zstd tells its own size.
  static constexpr int64_t kExpansion = 2048;

  /// The first rows, then the first and the last one alone; the last may be far behind all bytes.
  /// `check` gets each batch.
  template <typename Check>
  Status Read(std::shared_ptr<RandomReader> object, const Check& check) {
    const auto size = static_cast<int64_t>(object->size());
    opened_ = false;
    pool_.SetLimit(16 * size + kMiB);
    Context context;
    context.memory_pool = &pool_;
    ARROW_ASSIGN_OR_RAISE(auto reader, FileReader::Open(context, std::move(object)));
    ARROW_ASSIGN_OR_RAISE(auto projection, reader->Project());
    opened_ = true;
    const int64_t row_bytes = RowBytes(projection, size);
    if (pool_.refused() > 0 || row_bytes > kMaxRowBytes) return Status::OK();
    const auto most = static_cast<uint64_t>(kMaxRowBytes / std::max<int64_t>(row_bytes, 1));
    const uint64_t rows = std::min({reader->num_rows(), kMaxRows, most});
    pool_.SetLimit(kMiB + 4 * static_cast<int64_t>(rows) * row_bytes + kExpansion * size);
    const RowRange all{0, rows};
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Read(context, projection, {&all, 1}));
    ARROW_RETURN_NOT_OK(check(*batch));
    if (reader->num_rows() < 2) return Status::OK();
    const RowRange some[] = {{0, 1}, {reader->num_rows() - 1, 1}};
    ARROW_ASSIGN_OR_RAISE(batch, reader->Read(context, projection, some));
    return check(*batch);
  }

  /// Bytes that the last read wanted and should not have; 0: none.
  int64_t refused() const { return pool_.refused(); }
  /// Whether the last read came to the columns.
  bool opened() const { return opened_; }
  LimitedPool& pool() { return pool_; }

 private:
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

  LimitedPool pool_;
  bool opened_ = false;
};

}  // namespace lance
