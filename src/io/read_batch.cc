#include "io/read_batch.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "arrow/buffer.h"
#include "arrow/util/int_util_overflow.h"
#include "base/executor.h"
#include "io/counters.h"

namespace lance {
namespace {

// Scratch addresses equal the offsets in the object modulo this, so that what is aligned in the
// object is aligned in memory.
constexpr uint64_t kScratchAlignment = 64;
// More requests than this are made by several threads, this many at a time.
constexpr size_t kInlineRequests = 64;
constexpr size_t kRequestsPerTask = 16;

// One request: the bytes of the tickets order[first] … order[last - 1].
struct Request {
  uint64_t offset = 0;
  uint64_t size = 0;
  size_t first = 0;
  size_t last = 0;
  // Where the bytes go: the destination of the only ticket, or a place in the scratch buffer.
  uint8_t* into = nullptr;
  uint64_t scratch_position = 0;
};

// Tickets with bytes to read, by ascending offset.
std::vector<uint32_t> OrderByOffset(const std::vector<ByteRange>& ranges) {
  std::vector<uint32_t> order;
  order.reserve(ranges.size());
  for (uint32_t ticket = 0; ticket < ranges.size(); ++ticket) {
    if (ranges[ticket].size != 0) order.push_back(ticket);
  }
  auto before = [&ranges](uint32_t a, uint32_t b) { return ranges[a].offset < ranges[b].offset; };
  if (!std::is_sorted(order.begin(), order.end(), before)) {
    std::stable_sort(order.begin(), order.end(), before);
  }
  return order;
}

// The ranges have been checked: offset + size doesn't overflow.
std::vector<Request> Merge(const std::vector<ByteRange>& ranges, const std::vector<uint8_t*>& into,
                           const std::vector<uint32_t>& order) {
  std::vector<Request> requests;
  bool open = false;
  for (size_t i = 0; i < order.size(); ++i) {
    ByteRange range = ranges[order[i]];
    bool direct = into[order[i]] != nullptr && range.size >= kDirectReadBytes;
    if (open && !direct) {
      Request& last = requests.back();
      uint64_t end = last.offset + last.size;
      uint64_t new_size = std::max(end, range.offset + range.size) - last.offset;
      bool near = range.offset <= end || range.offset - end <= kCoalesceGapBytes;
      if (near && new_size <= std::max(kMaxCoalescedBytes, last.size)) {
        last.size = new_size;
        last.last = i + 1;
        continue;
      }
    }
    requests.push_back({range.offset, range.size, i, i + 1});
    open = !direct;
  }
  return requests;
}

}  // namespace

ReadBatch::Ticket ReadBatch::Add(ByteRange range) { return AddInto(range, nullptr); }

ReadBatch::Ticket ReadBatch::AddInto(ByteRange range, uint8_t* into) {
  ranges_.push_back(range);
  into_.push_back(into);
  return static_cast<Ticket>(ranges_.size() - 1);
}

Status ReadBatch::Execute(const Context& context, RandomReader& reader) {
  for (const ByteRange& range : ranges_) {
    if (range.size != 0) ARROW_RETURN_NOT_OK(CheckRange(reader, range.offset, range.size));
  }
  std::vector<uint32_t> order = OrderByOffset(ranges_);
  std::vector<Request> requests = Merge(ranges_, into_, order);
  results_.assign(ranges_.size(), Bytes());
  num_requests_ = requests.size();

  uint64_t scratch_size = 0;
  for (Request& request : requests) {
    request.into = request.last - request.first == 1 ? into_[order[request.first]] : nullptr;
    if (request.into != nullptr) continue;
    uint64_t gap = (request.offset - scratch_size) % kScratchAlignment;
    request.scratch_position = scratch_size + gap;
    if (arrow::internal::AddWithOverflow(scratch_size, gap + request.size, &scratch_size) ||
        scratch_size > static_cast<uint64_t>(INT64_MAX)) {
      return WithPlace(Corrupt("byte ranges add up to more than memory"), {.path = reader.path()});
    }
  }
  if (scratch_size != 0) {
    ARROW_ASSIGN_OR_RAISE(
        std::shared_ptr<arrow::Buffer> scratch,
        arrow::AllocateBuffer(static_cast<int64_t>(scratch_size), context.pool()));
    for (Request& request : requests) {
      if (request.into == nullptr) {
        request.into = scratch->mutable_data() + request.scratch_position;
      }
    }
    buffers_.push_back(std::move(scratch));
  }

  auto perform = [&](const Request& request) -> Status {
    ARROW_RETURN_NOT_OK(reader.ReadAt(context, request.offset, request.size, request.into));
    for (size_t i = request.first; i < request.last; ++i) {
      uint32_t ticket = order[i];
      ByteRange range = ranges_[ticket];
      uint8_t* found = request.into + (range.offset - request.offset);
      uint8_t* wanted = into_[ticket] != nullptr ? into_[ticket] : found;
      if (wanted != found) std::memcpy(wanted, found, range.size);
      results_[ticket] = Bytes(wanted, range.size);
    }
    return Status::OK();
  };
  auto perform_some = [&](size_t first, size_t last) -> Status {
    for (size_t i = first; i < last; ++i) {
      ARROW_RETURN_NOT_OK(context.CheckStop());
      ARROW_RETURN_NOT_OK(perform(requests[i]));
    }
    return Status::OK();
  };
  if (requests.size() <= kInlineRequests) return perform_some(0, requests.size());
  size_t tasks = (requests.size() + kRequestsPerTask - 1) / kRequestsPerTask;
  return ParallelFor(context, tasks, [&](size_t task) {
    size_t first = task * kRequestsPerTask;
    return perform_some(first, std::min(first + kRequestsPerTask, requests.size()));
  });
}

}  // namespace lance
