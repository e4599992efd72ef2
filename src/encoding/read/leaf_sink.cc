#include "encoding/read/leaf_sink.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/bitmap_ops.h"
#include "encoding/read/bit_copy.h"

namespace lance::encoding {
namespace {

constexpr int64_t kMaxSmallOffset = std::numeric_limits<int32_t>::max();

// Values after which their average length tells what the others will take.
constexpr uint64_t kValuesThatTell = 64;
constexpr double kExpectedSlack = 1.03;
constexpr uint64_t kMaxGrowth = 512;

bool IsIdentity(const std::vector<uint16_t>& mapping) {
  for (size_t i = 0; i < mapping.size(); ++i) {
    if (mapping[i] != i) return false;
  }
  return true;
}

}  // namespace

const int64_t* DecodedBlock::offset_data() const {
  return reinterpret_cast<const int64_t*>(offsets->data());
}

LeafSink::LeafSink(const LeafShape& shape, arrow::MemoryPool* pool)
    : shape_(&shape),
      pool_(pool),
      values_(pool),
      offsets_(pool),
      data_(pool),
      rep_(pool),
      def_(pool),
      item_validity_(shape.dimensions.size()) {
  uint64_t items = 1;
  for (uint32_t dimension : shape.dimensions) {
    items *= dimension;
    items_per_value_.push_back(items);
  }
}

Result<std::unique_ptr<LeafSink>> LeafSink::Make(const LeafShape& shape, uint64_t num_rows,
                                                 arrow::MemoryPool* pool) {
  std::unique_ptr<LeafSink> sink(new LeafSink(shape, pool));
  sink->max_items_ = num_rows;
  for (const LeafShape& member : shape.members) {
    ARROW_ASSIGN_OR_RAISE(auto member_sink, Make(member, shape.has_lists() ? 0 : num_rows, pool));
    sink->members_.push_back(std::move(member_sink));
  }
  if (shape.values == LeafShape::Values::kVariable) {
    const int64_t zero = 0;
    ARROW_RETURN_NOT_OK(sink->offsets_.Reserve(static_cast<int64_t>(
        ((shape.has_lists() ? 0 : num_rows) + 1) * (shape.large_offsets ? 8 : 4))));
    sink->offsets_.UnsafeAppend(&zero, shape.large_offsets ? 8 : 4);
    if (!shape.has_lists()) sink->expected_values_ = num_rows;
  } else if (shape.values == LeafShape::Values::kFixed && !shape.has_lists()) {
    if (shape.value_bits != 0 &&
        num_rows > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / shape.value_bits) {
      return MakeError(ErrorCode::kOverBudget, "too many rows in one batch");
    }
    ARROW_RETURN_NOT_OK(
        sink->values_.Reserve(arrow::bit_util::BytesForBits(num_rows * shape.value_bits)));
  }
  return sink;
}

Result<uint64_t> LeafSink::AppendFixed(uint64_t count) {
  const uint64_t at = num_values_;
  if (shape_->values == LeafShape::Values::kPackedStruct) {
    for (auto& member : members_) {
      if (member->shape().values == LeafShape::Values::kVariable) continue;
      ARROW_RETURN_NOT_OK(member->AppendFixed(count).status());
    }
    num_values_ += count;
    return at;
  }
  const int64_t bytes =
      arrow::bit_util::BytesForBits(static_cast<int64_t>((at + count) * shape_->value_bits));
  const int64_t more = bytes - values_.length();
  ARROW_RETURN_NOT_OK(values_.Reserve(more));
  // A byte shared with the values before keeps their bits; a fresh one must not hold garbage.
  if (shape_->value_bits % 8 != 0) {
    std::memset(values_.mutable_data() + values_.length(), 0, static_cast<size_t>(more));
  }
  values_.UnsafeAdvance(more);
  for (size_t depth = 0; depth < item_validity_.size(); ++depth) {
    if (item_validity_[depth] == nullptr) continue;
    auto& buffer = static_cast<arrow::ResizableBuffer&>(*item_validity_[depth]);
    const int64_t old_bits = static_cast<int64_t>(at * items_per_value_[depth]);
    const int64_t bits = static_cast<int64_t>((at + count) * items_per_value_[depth]);
    ARROW_RETURN_NOT_OK(buffer.Resize(arrow::bit_util::BytesForBits(bits), false));
    arrow::bit_util::SetBitsTo(buffer.mutable_data(), old_bits, bits - old_bits, true);
  }
  num_values_ += count;
  return at;
}

Result<uint8_t*> LeafSink::ItemValidity(size_t depth) {
  if (item_validity_[depth] == nullptr) {
    const auto bits = static_cast<int64_t>(num_values_ * items_per_value_[depth]);
    ARROW_ASSIGN_OR_RAISE(
        auto buffer, arrow::AllocateResizableBuffer(arrow::bit_util::BytesForBits(bits), pool_));
    std::memset(buffer->mutable_data(), 0xff, static_cast<size_t>(buffer->size()));
    item_validity_[depth] = std::move(buffer);
  }
  return item_validity_[depth]->mutable_data();
}

Status LeafSink::ReserveVariable(uint64_t count, uint64_t bytes) {
  const uint64_t total = static_cast<uint64_t>(data_.length()) + bytes;
  if (total < bytes || total > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return MakeError(ErrorCode::kOverBudget, "the bytes of a column exceed 2^63");
  }
  if (!shape_->large_offsets && total > static_cast<uint64_t>(kMaxSmallOffset)) {
    return MakeError(ErrorCode::kOverBudget,
                     internal::Concat("a batch of this column has ", total,
                                      " bytes, more than the 2 GiB that 32-bit offsets can "
                                      "address; read fewer rows at a time"));
  }
  ARROW_RETURN_NOT_OK(
      offsets_.Reserve(static_cast<int64_t>(count * (shape_->large_offsets ? 8 : 4))));
  if (total <= static_cast<uint64_t>(data_.capacity())) return Status::OK();
  return data_.Resize(static_cast<int64_t>(std::max(total, ExpectedBytes(bytes))),
                      /*shrink_to_fit=*/false);
}

uint64_t LeafSink::ExpectedBytes(uint64_t next_bytes) const {
  const auto have = static_cast<uint64_t>(data_.length());
  const uint64_t doubled = 2 * have;
  if (num_values_ < kValuesThatTell || num_values_ >= expected_values_) return doubled;
  const double per_value = static_cast<double>(have) / static_cast<double>(num_values_);
  const double expected = per_value * static_cast<double>(expected_values_) * kExpectedSlack;
  // An estimate from unusually long values must not ask for more than doubling some times would.
  const auto bounded = std::min(expected, static_cast<double>(kMaxGrowth * doubled));
  return std::max(have + have / 4, static_cast<uint64_t>(bounded)) + next_bytes;
}

Status LeafSink::ReserveItems(uint64_t count) {
  // Empty lists and nulls take levels too.
  const auto level_bytes = static_cast<int64_t>((count + count / 4) * sizeof(uint16_t));
  ARROW_RETURN_NOT_OK(rep_.Reserve(level_bytes));
  ARROW_RETURN_NOT_OK(def_.Reserve(level_bytes));
  if (shape_->values == LeafShape::Values::kFixed) {
    return values_.Reserve(
        arrow::bit_util::BytesForBits(static_cast<int64_t>(count * shape_->value_bits)));
  }
  expected_values_ = std::max(expected_values_, num_values_ + count);
  return offsets_.Reserve(static_cast<int64_t>(count * (shape_->large_offsets ? 8 : 4)));
}

Status LeafSink::PutEmptyValues(uint64_t at, uint64_t count) {
  for (auto& member : members_) ARROW_RETURN_NOT_OK(member->PutEmptyValues(at, count));
  if (shape_->values == LeafShape::Values::kVariable) {
    ARROW_RETURN_NOT_OK(ReserveVariable(count, 0));
    for (uint64_t i = 0; i < count; ++i) EndValue(0);
  } else if (shape_->values == LeafShape::Values::kFixed) {
    arrow::bit_util::SetBitsTo(values_.mutable_data(),
                               static_cast<int64_t>(at * shape_->value_bits),
                               static_cast<int64_t>(count * shape_->value_bits), false);
  }
  return Status::OK();
}

Status LeafSink::AppendLevels(const uint16_t* rep, const uint16_t* def,
                              const std::vector<uint16_t>& to_canonical, uint64_t count) {
  if (ignore_levels_) return Status::OK();
  const auto bytes = static_cast<int64_t>(count * sizeof(uint16_t));
  if (rep != nullptr) ARROW_RETURN_NOT_OK(rep_.Append(rep, bytes));
  if (def != nullptr && !has_def_) {
    const auto before = static_cast<int64_t>(num_items_ * sizeof(uint16_t));
    ARROW_RETURN_NOT_OK(def_.Reserve(before + bytes));
    std::memset(def_.mutable_data(), 0, static_cast<size_t>(before));
    def_.UnsafeAdvance(before);
    has_def_ = true;
  }
  if (has_def_) {
    ARROW_RETURN_NOT_OK(def_.Reserve(bytes));
    auto* out = reinterpret_cast<uint16_t*>(def_.mutable_data() + def_.length());
    if (def == nullptr) {
      std::memset(out, 0, static_cast<size_t>(bytes));
    } else if (IsIdentity(to_canonical)) {
      std::memcpy(out, def, static_cast<size_t>(bytes));
    } else {
      for (uint64_t i = 0; i < count; ++i) out[i] = to_canonical[def[i]];
    }
    def_.UnsafeAdvance(bytes);
  }
  num_items_ += count;
  return Status::OK();
}

Status LeafSink::MakeValidity() {
  if (validity_ != nullptr) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(
      validity_, arrow::AllocateBuffer(
                     arrow::bit_util::BytesForBits(static_cast<int64_t>(max_items_)), pool_));
  // Also the bits of the last byte that stand for no item.
  std::memset(validity_->mutable_data(), 0xff, static_cast<size_t>(validity_->size()));
  return Status::OK();
}

Status LeafSink::AppendValidity(const uint8_t* bits, uint64_t first_bit, uint64_t count) {
  if (bits != nullptr) {
    ARROW_RETURN_NOT_OK(MakeValidity());
    CopyBits(bits, first_bit, count, validity_->mutable_data(), num_items_);
  }
  num_items_ += count;
  return Status::OK();
}

Status LeafSink::AppendNulls(uint64_t count) {
  ARROW_RETURN_NOT_OK(MakeValidity());
  arrow::bit_util::SetBitsTo(validity_->mutable_data(), static_cast<int64_t>(num_items_),
                             static_cast<int64_t>(count), false);
  num_items_ += count;
  return Status::OK();
}

Status LeafSink::SetNull(uint64_t item) {
  ARROW_RETURN_NOT_OK(MakeValidity());
  arrow::bit_util::ClearBit(validity_->mutable_data(), static_cast<int64_t>(item));
  return Status::OK();
}

std::shared_ptr<arrow::Buffer> LeafSink::FinishValidity(int64_t* null_count) {
  *null_count = 0;
  if (validity_ == nullptr) return nullptr;
  const auto items = static_cast<int64_t>(num_items_);
  *null_count = items - arrow::internal::CountSetBits(validity_->data(), 0, items);
  return *null_count == 0 ? nullptr : std::move(validity_);
}

void LeafSink::StartDictionary(std::shared_ptr<const DecodedBlock> items, uint64_t first_value) {
  dictionaries_.push_back({.first_value = first_value, .items = std::move(items)});
}

Result<std::shared_ptr<arrow::Buffer>> LeafSink::FinishFixed() {
  return values_.Finish(/*shrink_to_fit=*/false);
}
Result<std::shared_ptr<arrow::Buffer>> LeafSink::FinishOffsets() {
  return offsets_.Finish(/*shrink_to_fit=*/false);
}
Result<std::shared_ptr<arrow::Buffer>> LeafSink::FinishData() {
  return data_.Finish(/*shrink_to_fit=*/false);
}

}  // namespace lance::encoding
