#include "encoding/v20/end_offsets.h"

#include "encoding/v20/encoding_kind.h"

namespace lance::encoding::v20 {
namespace {

constexpr uint64_t kOffsetBits = 64;

// The row before a range goes with it.
std::vector<RowRange> WithRowBefore(std::span<const RowRange> rows) {
  std::vector<RowRange> out;
  out.reserve(rows.size());
  for (const RowRange& range : rows) {
    out.push_back(range.start == 0 ? range : RowRange{range.start - 1, range.count + 1});
  }
  return out;
}

}  // namespace

Result<EndOffsets> EndOffsets::Make(const encodings::ArrayEncoding& encoding,
                                    const BufferTable& buffers, uint64_t num_rows) {
  ARROW_ASSIGN_OR_RAISE(const auto* values, WithoutNulls(encoding));
  ARROW_ASSIGN_OR_RAISE(auto source, FixedSource::Make(*values, buffers, kOffsetBits, num_rows));
  return EndOffsets(source);
}

void EndOffsets::AddNeeds(std::span<const RowRange> rows, std::vector<NeededBytes>* needs) const {
  source_.AddNeeds(WithRowBefore(rows), nullptr, needs);
}

Result<std::vector<uint64_t>> EndOffsets::Decode(std::span<const Bytes> stored,
                                                 std::span<const RowRange> rows,
                                                 arrow::MemoryPool* pool) const {
  std::vector<uint64_t> out(CountRows(rows) + rows.size());
  // The only range that can start a page is the first: ranges ascend.
  const uint64_t at = !rows.empty() && rows[0].start == 0 ? 1 : 0;
  ARROW_RETURN_NOT_OK(source_.Decode(stored, WithRowBefore(rows),
                                     reinterpret_cast<uint8_t*>(out.data()), at, pool));
  return out;
}

}  // namespace lance::encoding::v20
