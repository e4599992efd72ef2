#include "encoding/read/packed_struct.h"

#include <cstring>

#include "encoding/read/encoding_name.h"
#include "encodings21.pb.h"

namespace lance::encoding {
namespace {

constexpr uint64_t kMaxChunkBytes = uint64_t{1} << 31;

// Copies the members of `count` rows, `row_bytes` apart, to their own places.
void Scatter(const uint8_t* rows, uint64_t row_bytes, uint64_t count, uint64_t at, LeafSink& sink) {
  for (size_t i = 0; i < sink.shape().members.size(); ++i) {
    const LeafShape& member = sink.shape().members[i];
    const uint64_t width = member.value_bits / 8;
    if (member.values == LeafShape::Values::kPackedStruct) {
      Scatter(rows, row_bytes, count, at, sink.member(i));
    } else {
      uint8_t* to = sink.member(i).fixed_data() + at * width;
      for (uint64_t row = 0; row < count; ++row) {
        std::memcpy(to + row * width, rows + row * row_bytes, width);
      }
    }
    rows += width;
  }
}

class PackedStructDecoder final : public FixedDecoder {
 public:
  explicit PackedStructDecoder(std::unique_ptr<FixedDecoder> rows)
      : FixedDecoder(rows->value_bits(), rows->num_buffers()), rows_(std::move(rows)) {}

  Status Decode(std::span<const Bytes> buffers, uint32_t num_values, std::span<const ValueRun> runs,
                const FixedTarget& target) const override {
    uint64_t count = 0;
    for (const ValueRun& run : runs) count += run.count;
    const uint64_t row_bytes = value_bits() / 8;
    if (row_bytes > kMaxChunkBytes / (count + 1)) {
      return Corrupt("a chunk with ", count, " packed rows of ", row_bytes, " bytes");
    }
    thread_local std::vector<uint8_t> rows;
    if (rows.size() < count * row_bytes) rows.resize(count * row_bytes);
    ARROW_RETURN_NOT_OK(rows_->Decode(buffers, num_values, runs, {rows.data(), 0, nullptr}));
    Scatter(rows.data(), row_bytes, count, target.at, *target.sink);
    return Status::OK();
  }

 private:
  std::unique_ptr<FixedDecoder> rows_;
};

Status NotTheColumn(const std::string& encoding) {
  return Corrupt("page holds ", encoding, ", which is not the column's type");
}

}  // namespace

Result<uint64_t> PackedRowBytes(const encodings21::PackedStruct& encoding, const LeafShape& shape) {
  bool fits = shape.values == LeafShape::Values::kPackedStruct &&
              static_cast<size_t>(encoding.bits_per_value_size()) == shape.members.size();
  for (size_t i = 0; fits && i < shape.members.size(); ++i) {
    fits = shape.members[i].value_bits % 8 == 0 &&
           encoding.bits_per_value(static_cast<int>(i)) == shape.members[i].value_bits;
  }
  // Rows of variable width have no number of bits.
  if (!fits || shape.value_bits == 0) {
    return NotTheColumn("packed_struct(" + EncodingName(encoding.values()) + ")");
  }
  return shape.value_bits / 8;
}

void UnpackFixedRow(const uint8_t* row, uint64_t at, LeafSink& sink) {
  Scatter(row, sink.shape().value_bits / 8, 1, at, sink);
}

Result<std::unique_ptr<FixedDecoder>> MakePackedStructDecoder(
    const encodings21::PackedStruct& encoding, const LeafShape& shape) {
  ARROW_ASSIGN_OR_RAISE(uint64_t row_bytes, PackedRowBytes(encoding, shape));
  // A row is a plain number of so many bits, whatever the column's type.
  ARROW_ASSIGN_OR_RAISE(auto rows, FixedDecoder::Make(encoding.values(), LeafShape{}));
  if (rows->value_bits() != row_bytes * 8) {
    return NotTheColumn("packed_struct(" + EncodingName(encoding.values()) + ")");
  }
  return std::make_unique<PackedStructDecoder>(std::move(rows));
}

Result<PackedRowDecoder> PackedRowDecoder::Make(const encodings21::VariablePackedStruct& encoding,
                                                const LeafShape& shape) {
  if (shape.values != LeafShape::Values::kPackedStruct ||
      static_cast<size_t>(encoding.fields_size()) != shape.members.size()) {
    return NotTheColumn("variable_packed_struct of " + std::to_string(encoding.fields_size()) +
                        " members");
  }
  PackedRowDecoder out;
  for (size_t i = 0; i < shape.members.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(Member member,
                          MakeMember(encoding.fields(static_cast<int>(i)), shape.members[i]));
    out.members_.push_back(std::move(member));
  }
  return out;
}

Result<PackedRowDecoder::Member> PackedRowDecoder::MakeMember(
    const encodings21::VariablePackedStruct_FieldEncoding& field, const LeafShape& shape) {
  Member member;
  if (field.has_bits_per_value()) {
    ARROW_ASSIGN_OR_RAISE(member.fixed, FixedValueDecoder::Make(field.value(), shape));
    if (field.bits_per_value() != member.fixed->stored_bytes() * 8) {
      return Corrupt("packed member of ", field.bits_per_value(), " bits, ",
                     EncodingName(field.value()), " has ", member.fixed->stored_bytes() * 8);
    }
    return member;
  }
  if (field.bits_per_length() != 32 && field.bits_per_length() != 64) {
    return Corrupt("packed member with lengths of ", field.bits_per_length(), " bits");
  }
  member.length_bytes = field.bits_per_length() / 8;
  if (field.value().has_variable_packed_struct()) {
    ARROW_ASSIGN_OR_RAISE(auto rows, Make(field.value().variable_packed_struct(), shape));
    member.rows.push_back(std::move(rows));
    return member;
  }
  if (shape.values != LeafShape::Values::kVariable) {
    return NotTheColumn("packed member as " + EncodingName(field.value()));
  }
  ARROW_ASSIGN_OR_RAISE(member.variable, VariableValueDecoder::Make(field.value()));
  return member;
}

Status PackedRowDecoder::Decode(Bytes row, uint64_t at, LeafSink& sink) const {
  ByteReader reader(row);
  for (size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (member.fixed) {
      ARROW_ASSIGN_OR_RAISE(Bytes stored,
                            reader.ReadBytes(member.fixed->stored_bytes(), "packed member"));
      ARROW_RETURN_NOT_OK(member.fixed->Decode(stored.data(), at, sink.member(i)));
      continue;
    }
    uint64_t length = 0;
    if (member.length_bytes == sizeof(uint32_t)) {
      ARROW_ASSIGN_OR_RAISE(length, reader.Read<uint32_t>("length of a packed member"));
    } else {
      ARROW_ASSIGN_OR_RAISE(length, reader.Read<uint64_t>("length of a packed member"));
    }
    ARROW_ASSIGN_OR_RAISE(Bytes stored, reader.ReadBytes(length, "packed member"));
    if (member.variable) {
      ARROW_RETURN_NOT_OK(member.variable->Decode(stored, sink.member(i)));
    } else {
      ARROW_RETURN_NOT_OK(member.rows[0].Decode(stored, at, sink.member(i)));
    }
  }
  if (!reader.done()) {
    return Corrupt("packed row of ", row.size(), " bytes has ", reader.remaining(), " too many");
  }
  return Status::OK();
}

}  // namespace lance::encoding
