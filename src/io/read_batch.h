#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/context.h"
#include "io/object_store.h"

namespace lance {

struct ByteRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

/// Ranges closer than this are read as one request (local files).
constexpr uint64_t kCoalesceGapBytes = 8 * 1024;
/// A range of this size with its own destination is always read straight into it: the copy
/// out of a merged read would cost more than the request saved.
constexpr uint64_t kDirectReadBytes = 128 * 1024;
/// Merging stops at requests of this size.
constexpr uint64_t kMaxCoalescedBytes = 16 * 1024 * 1024;

/// One round of reads from one object: collect ranges, execute them together, look at the bytes.
/// Neighbouring ranges are merged; ranges with their own destination are read straight into it
/// when they stand alone. Not thread-safe; the bytes live as long as the batch.
class ReadBatch {
 public:
  using Ticket = uint32_t;

  /// The bytes will be held by the batch.
  Ticket Add(ByteRange range);
  /// The bytes will be put at `into`, which the caller keeps alive and which has room for
  /// range.size bytes.
  Ticket AddInto(ByteRange range, uint8_t* into);

  /// Plans and performs the requests. Call once. Ranges outside the object are Corrupt.
  Status Execute(const Context& context, RandomReader& reader);

  /// After Execute.
  Bytes bytes(Ticket ticket) const { return results_[ticket]; }
  size_t size() const { return ranges_.size(); }
  /// Requests made by Execute: what the counters of IoStats went up by.
  uint64_t num_requests() const { return num_requests_; }

 private:
  std::vector<ByteRange> ranges_;
  std::vector<uint8_t*> into_;
  std::vector<Bytes> results_;
  std::vector<std::shared_ptr<arrow::Buffer>> buffers_;
  uint64_t num_requests_ = 0;
};

}  // namespace lance
