#include "table/row_id_sequence.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "proto/parse.h"
#include "rowids.pb.h"

namespace lance {
namespace {

constexpr uint64_t kBlockBytes = 64;

// Sizes by which the reference chooses a form: a fixed part and a part per element.
constexpr uint64_t kFormFixedCost = 24;
constexpr uint64_t kHoleCost = 4;
constexpr uint64_t kSortedValueCost = 2;

template <typename T>
Status AppendOffsets(uint64_t base, std::string_view bytes, std::vector<uint64_t>* out) {
  if (bytes.size() % sizeof(T) != 0) {
    return Corrupt("id array is not a whole number of values: ", bytes.size(), " bytes of ",
                   sizeof(T), "-byte values");
  }
  size_t count = bytes.size() / sizeof(T);
  out->reserve(count);
  const uint8_t* data = AsBytes(bytes).data();
  for (size_t i = 0; i < count; ++i) {
    uint64_t offset = LoadLittleEndian<T>(data + i * sizeof(T));
    if (offset > std::numeric_limits<uint64_t>::max() - base) {
      return Corrupt("id array value overflows: base ", base, ", offset ", offset);
    }
    out->push_back(base + offset);
  }
  return Status::OK();
}

Result<std::vector<uint64_t>> DecodeArray(const table::EncodedU64Array& proto) {
  std::vector<uint64_t> values;
  switch (proto.array_case()) {
    case table::EncodedU64Array::kU16Array:
      ARROW_RETURN_NOT_OK(
          AppendOffsets<uint16_t>(proto.u16_array().base(), proto.u16_array().offsets(), &values));
      return values;
    case table::EncodedU64Array::kU32Array:
      ARROW_RETURN_NOT_OK(
          AppendOffsets<uint32_t>(proto.u32_array().base(), proto.u32_array().offsets(), &values));
      return values;
    case table::EncodedU64Array::kU64Array:
      ARROW_RETURN_NOT_OK(AppendOffsets<uint64_t>(0, proto.u64_array().values(), &values));
      return values;
    case table::EncodedU64Array::ARRAY_NOT_SET:
      break;
  }
  return Corrupt("id array has no values of a known kind");
}

template <typename T>
std::string EncodeOffsets(uint64_t base, std::span<const uint64_t> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (size_t i = 0; i < values.size(); ++i) {
    StoreLittleEndian<T>(static_cast<T>(values[i] - base),
                         reinterpret_cast<uint8_t*>(bytes.data()) + i * sizeof(T));
  }
  return bytes;
}

void EncodeArray(std::span<const uint64_t> values, table::EncodedU64Array* proto) {
  if (values.empty()) {
    proto->mutable_u16_array();
    return;
  }
  auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  uint64_t base = *least;
  uint64_t spread = *greatest - base;
  if (spread <= std::numeric_limits<uint16_t>::max()) {
    proto->mutable_u16_array()->set_base(base);
    proto->mutable_u16_array()->set_offsets(EncodeOffsets<uint16_t>(base, values));
  } else if (spread <= std::numeric_limits<uint32_t>::max()) {
    proto->mutable_u32_array()->set_base(base);
    proto->mutable_u32_array()->set_offsets(EncodeOffsets<uint32_t>(base, values));
  } else {
    proto->mutable_u64_array()->set_values(EncodeOffsets<uint64_t>(0, values));
  }
}

Status CheckRange(uint64_t start, uint64_t end) {
  if (end >= start) return Status::OK();
  return Corrupt("id range ends before it starts: ", start, " … ", end);
}

Status CheckAscending(const std::vector<uint64_t>& values, std::string_view what) {
  for (size_t i = 1; i < values.size(); ++i) {
    if (values[i] <= values[i - 1]) {
      return Corrupt(what, " are not strictly ascending: ", values[i], " after ", values[i - 1]);
    }
  }
  return Status::OK();
}

bool IsSet(const std::string& bits, uint64_t index) {
  return (static_cast<uint8_t>(bits[index / 8]) >> (index % 8)) & 1;
}

uint64_t CountSetBits(std::string_view bytes) {
  uint64_t count = 0;
  for (char byte : bytes) count += std::popcount(static_cast<uint8_t>(byte));
  return count;
}

/// Adds values that may continue the last run.
void AddRun(const IdRun& run, std::vector<IdRun>* runs) {
  if (run.count == 0) return;
  if (!runs->empty() && runs->back().start + runs->back().count == run.start) {
    runs->back().count += run.count;
  } else {
    runs->push_back(run);
  }
}

std::vector<uint64_t> ValuesOf(std::span<const IdRun> runs) {
  std::vector<uint64_t> values;
  for (const IdRun& run : runs) {
    for (uint64_t i = 0; i < run.count; ++i) values.push_back(run.start + i);
  }
  return values;
}

/// Ids that don't ascend are one array up to so many, as other writers have it; above, what ascends
/// of them are segments of their own.
constexpr uint64_t kMaxUnsortedIds = 1 << 16;
/// Ids that are looked at together.
constexpr uint64_t kChunk = 4096;

}  // namespace

U64Segment U64Segment::Range(uint64_t start, uint64_t count) {
  U64Segment segment;
  segment.size_ = count;
  segment.form_ = RangeForm{start};
  return segment;
}

U64Segment U64Segment::FromArray(std::vector<uint64_t> values, bool sorted) {
  U64Segment segment;
  segment.size_ = values.size();
  segment.form_ = ArrayForm{std::move(values), sorted};
  return segment;
}

U64Segment U64Segment::FromValues(std::span<const uint64_t> values) {
  // Repeated values are no set, so only the array form holds them.
  bool ascending =
      std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  if (!ascending) return FromArray({values.begin(), values.end()}, false);
  std::vector<IdRun> runs;
  for (uint64_t value : values) AddRun({value, 1}, &runs);
  return FromAscendingRuns(runs);
}

U64Segment U64Segment::FromAscendingRuns(std::span<const IdRun> runs) {
  if (runs.empty()) return Range(0, 0);
  uint64_t start = runs.front().start;
  uint64_t last = runs.back().start + (runs.back().count - 1);
  if (last == std::numeric_limits<uint64_t>::max()) return FromArray(ValuesOf(runs), true);
  uint64_t end = last + 1;
  uint64_t slots = end - start;
  uint64_t count = 0;
  for (const IdRun& run : runs) count += run.count;
  if (slots == count) return Range(start, count);

  // In double, because slots may be near 2^64.
  auto cost = [](double per_element, double elements) {
    return kFormFixedCost + per_element * elements;
  };
  double holes_cost = cost(kHoleCost, static_cast<double>(slots - count));
  uint64_t bitmap_bytes = slots / 8 + (slots % 8 != 0);
  double bitmap_cost = cost(1, static_cast<double>(bitmap_bytes));
  double sorted_cost = cost(kSortedValueCost, static_cast<double>(count));
  if (holes_cost <= bitmap_cost && holes_cost <= sorted_cost) {
    HolesForm form{start, end, {}};
    form.holes.reserve(slots - count);
    for (size_t i = 1; i < runs.size(); ++i) {
      uint64_t hole = runs[i - 1].start + runs[i - 1].count;
      for (; hole < runs[i].start; ++hole) form.holes.push_back(hole);
    }
    U64Segment segment;
    segment.size_ = count;
    segment.form_ = std::move(form);
    return segment;
  }
  if (bitmap_cost <= sorted_cost) {
    std::string bits(bitmap_bytes, '\0');
    for (const IdRun& run : runs) {
      for (uint64_t bit = run.start - start; bit < run.start - start + run.count; ++bit) {
        bits[bit / 8] = static_cast<char>(static_cast<uint8_t>(bits[bit / 8]) | (1u << (bit % 8)));
      }
    }
    return *FromBitmap(start, end, std::move(bits));
  }
  return FromArray(ValuesOf(runs), true);
}

Result<U64Segment> U64Segment::FromBitmap(uint64_t start, uint64_t end, std::string bits) {
  uint64_t slots = end - start;
  uint64_t expected = slots / 8 + (slots % 8 != 0);
  if (bits.size() != expected) {
    return Corrupt("id bitmap has the wrong size for its range: ", bits.size(), " bytes, ",
                   expected, " expected for ", slots, " slots");
  }
  if (slots % 8 != 0 && (static_cast<uint8_t>(bits.back()) >> (slots % 8)) != 0) {
    return Corrupt("id bitmap has bits set behind its range of ", slots, " slots");
  }
  BitmapForm form{start, end, std::move(bits), {}};
  U64Segment segment;
  for (uint64_t at = 0; at < form.bits.size(); at += kBlockBytes) {
    form.block_ranks.push_back(segment.size_);
    segment.size_ += CountSetBits(std::string_view(form.bits).substr(at, kBlockBytes));
  }
  segment.form_ = std::move(form);
  return segment;
}

Result<U64Segment> U64Segment::FromProto(const table::U64Segment& proto) {
  switch (proto.segment_case()) {
    case table::U64Segment::kRange: {
      ARROW_RETURN_NOT_OK(CheckRange(proto.range().start(), proto.range().end()));
      return Range(proto.range().start(), proto.range().end() - proto.range().start());
    }
    case table::U64Segment::kRangeWithHoles: {
      const auto& wire = proto.range_with_holes();
      ARROW_RETURN_NOT_OK(CheckRange(wire.start(), wire.end()));
      ARROW_ASSIGN_OR_RAISE(auto holes, DecodeArray(wire.holes()));
      ARROW_RETURN_NOT_OK(CheckAscending(holes, "holes of an id range"));
      if (!holes.empty() && (holes.front() < wire.start() || holes.back() >= wire.end())) {
        return Corrupt("hole lies outside its id range: ", holes.front(), " … ", holes.back(),
                       " in ", wire.start(), " … ", wire.end());
      }
      U64Segment segment;
      segment.size_ = wire.end() - wire.start() - holes.size();
      segment.form_ = HolesForm{wire.start(), wire.end(), std::move(holes)};
      return segment;
    }
    case table::U64Segment::kRangeWithBitmap: {
      const auto& wire = proto.range_with_bitmap();
      ARROW_RETURN_NOT_OK(CheckRange(wire.start(), wire.end()));
      return FromBitmap(wire.start(), wire.end(), wire.bitmap());
    }
    case table::U64Segment::kSortedArray: {
      ARROW_ASSIGN_OR_RAISE(auto values, DecodeArray(proto.sorted_array()));
      ARROW_RETURN_NOT_OK(CheckAscending(values, "ids of a sorted array"));
      U64Segment segment;
      segment.size_ = values.size();
      segment.form_ = ArrayForm{std::move(values), true};
      return segment;
    }
    case table::U64Segment::kArray: {
      ARROW_ASSIGN_OR_RAISE(auto values, DecodeArray(proto.array()));
      U64Segment segment;
      segment.size_ = values.size();
      segment.form_ = ArrayForm{std::move(values), false};
      return segment;
    }
    case table::U64Segment::SEGMENT_NOT_SET:
      break;
  }
  return Corrupt("id segment has none of the known forms");
}

void U64Segment::ToProto(table::U64Segment* proto) const {
  if (const auto* range = std::get_if<RangeForm>(&form_)) {
    proto->mutable_range()->set_start(range->start);
    proto->mutable_range()->set_end(range->start + size_);
  } else if (const auto* holes = std::get_if<HolesForm>(&form_)) {
    auto* wire = proto->mutable_range_with_holes();
    wire->set_start(holes->start);
    wire->set_end(holes->end);
    EncodeArray(holes->holes, wire->mutable_holes());
  } else if (const auto* bitmap = std::get_if<BitmapForm>(&form_)) {
    auto* wire = proto->mutable_range_with_bitmap();
    wire->set_start(bitmap->start);
    wire->set_end(bitmap->end);
    wire->set_bitmap(bitmap->bits);
  } else {
    const auto& array = std::get<ArrayForm>(form_);
    EncodeArray(array.values,
                array.sorted ? proto->mutable_sorted_array() : proto->mutable_array());
  }
}

void U64Segment::Read(uint64_t first, std::span<uint64_t> out) const {
  if (out.empty()) return;
  std::visit([&](const auto& form) { ReadFrom(form, first, out); }, form_);
}

void U64Segment::AppendRuns(uint64_t first, uint64_t count, std::vector<IdRun>* runs) const {
  if (const auto* range = std::get_if<RangeForm>(&form_)) {
    AddRun({range->start + first, count}, runs);
    return;
  }
  std::vector<uint64_t> values(std::min(count, kChunk));
  while (count > 0) {
    uint64_t some = std::min(count, kChunk);
    Read(first, std::span(values).first(some));
    for (uint64_t i = 0; i < some; ++i) AddRun({values[i], 1}, runs);
    first += some;
    count -= some;
  }
}

void U64Segment::ReadFrom(const RangeForm& form, uint64_t first, std::span<uint64_t> out) const {
  for (size_t i = 0; i < out.size(); ++i) out[i] = form.start + first + i;
}

void U64Segment::ReadFrom(const HolesForm& form, uint64_t first, std::span<uint64_t> out) const {
  // The k-th hole takes position hole - start - k out of the sequence, so that many values come
  // before it.
  const auto& holes = form.holes;
  size_t low = 0;
  size_t high = holes.size();
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (holes[middle] - form.start - middle <= first) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  size_t hole = low;
  uint64_t value = form.start + first + hole;
  for (uint64_t& slot : out) {
    while (hole < holes.size() && holes[hole] == value) {
      ++hole;
      ++value;
    }
    slot = value++;
  }
}

void U64Segment::ReadFrom(const BitmapForm& form, uint64_t first, std::span<uint64_t> out) const {
  auto block = std::upper_bound(form.block_ranks.begin(), form.block_ranks.end(), first) - 1;
  uint64_t rank = *block;
  uint64_t bit = static_cast<uint64_t>(block - form.block_ranks.begin()) * kBlockBytes * 8;
  size_t written = 0;
  for (; written < out.size(); ++bit) {
    if (!IsSet(form.bits, bit)) continue;
    if (rank++ >= first) out[written++] = form.start + bit;
  }
}

void U64Segment::ReadFrom(const ArrayForm& form, uint64_t first, std::span<uint64_t> out) const {
  std::copy_n(form.values.begin() + static_cast<ptrdiff_t>(first), out.size(), out.begin());
}

void RowIdSequence::Add(U64Segment segment) {
  starts_.push_back(size_);
  size_ += segment.size();
  segments_.push_back(std::move(segment));
}

RowIdSequence RowIdSequence::Range(uint64_t start, uint64_t count) {
  RowIdSequence sequence;
  sequence.Add(U64Segment::Range(start, count));
  return sequence;
}

RowIdSequence RowIdSequence::FromValues(std::span<const uint64_t> values) {
  RowIdSequence sequence;
  sequence.Add(U64Segment::FromValues(values));
  return sequence;
}

RowIdSequence RowIdSequence::FromRuns(std::span<const IdRun> runs) {
  std::vector<size_t> starts;  // of what ascends
  uint64_t count = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    bool ascends = i > 0 && runs[i].start > runs[i - 1].start + (runs[i - 1].count - 1);
    if (!ascends) starts.push_back(i);
    count += runs[i].count;
  }
  if (starts.size() > 1 && count <= kMaxUnsortedIds) return FromValues(ValuesOf(runs));
  RowIdSequence sequence;
  for (size_t i = 0; i < starts.size(); ++i) {
    size_t end = i + 1 < starts.size() ? starts[i + 1] : runs.size();
    sequence.Add(U64Segment::FromAscendingRuns(runs.subspan(starts[i], end - starts[i])));
  }
  return sequence;
}

void RowIdSequence::AppendRange(uint64_t start, uint64_t count) {
  Add(U64Segment::Range(start, count));
}

Result<RowIdSequence> RowIdSequence::Decode(Bytes bytes) {
  table::RowIdSequence proto;
  if (!ParseMessage(bytes, &proto)) {
    return Corrupt("row id sequence is not a valid message of ", bytes.size(), " bytes");
  }
  RowIdSequence sequence;
  for (const auto& wire : proto.segments()) {
    ARROW_ASSIGN_OR_RAISE(auto segment, U64Segment::FromProto(wire));
    if (segment.size() > std::numeric_limits<uint64_t>::max() - sequence.size_) {
      return Corrupt("row id sequence has more than 2^64 rows");
    }
    sequence.Add(std::move(segment));
  }
  return sequence;
}

std::string RowIdSequence::Encode() const {
  table::RowIdSequence proto;
  for (const auto& segment : segments_) segment.ToProto(proto.add_segments());
  return proto.SerializeAsString();
}

size_t RowIdSequence::SegmentAt(uint64_t row) const {
  return static_cast<size_t>(std::upper_bound(starts_.begin(), starts_.end(), row) -
                             starts_.begin()) -
         1;
}

void RowIdSequence::AppendRuns(uint64_t first, uint64_t count, std::vector<IdRun>* runs) const {
  for (size_t index = count > 0 ? SegmentAt(first) : 0; count > 0; ++index) {
    const U64Segment& segment = segments_[index];
    uint64_t from = first - starts_[index];
    uint64_t some = std::min(count, segment.size() - from);
    segment.AppendRuns(from, some, runs);
    first += some;
    count -= some;
  }
}

void RowIdSequence::Read(uint64_t first, std::span<uint64_t> out) const {
  if (out.empty()) return;
  size_t index = SegmentAt(first);
  while (!out.empty()) {
    const U64Segment& segment = segments_[index];
    uint64_t from = first - starts_[index];
    uint64_t count = std::min<uint64_t>(out.size(), segment.size() - from);
    segment.Read(from, out.first(count));
    out = out.subspan(count);
    first += count;
    ++index;
  }
}

}  // namespace lance
