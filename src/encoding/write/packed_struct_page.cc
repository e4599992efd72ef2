#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/type.h"
#include "base/byte_reader.h"
#include "encoding/write/fixed_value_writer.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/packed_rows.h"
#include "encoding/write/page_layouts.h"
#include "encoding/write/scratch_array.h"

namespace lance::encoding {
namespace {

using Kind = LeafBlock::Kind;
using Members = std::vector<LeafBlock>;

Result<Members> GatherMembers(const PageContext& context, const LeafPath& path) {
  Members members;
  for (size_t i = 0; i < path.members.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(LeafBlock member,
                          GatherMember(*path.members[i].type, i, context.rows, context.pool));
    members.push_back(std::move(member));
  }
  return members;
}

bool AllArePlain(const Members& members) {
  for (const LeafBlock& member : members) {
    if (member.kind != Kind::kFixed) return false;
  }
  return true;
}

// ---- rows of one width -------------------------------------------------------------------------

Result<EncodedPage> EncodePlainPage(const PageContext& context, const Members& members) {
  std::vector<uint64_t> member_bits;
  for (const LeafBlock& member : members) member_bits.push_back(member.fixed.bits);
  const uint64_t count = context.rows.num_values;
  ARROW_ASSIGN_OR_RAISE(PackedRows packed, PackedRows::Make(members, count, context.pool));
  const FixedBlock rows = {count, packed.row_bytes * 8, packed.bytes.data()};
  ARROW_ASSIGN_OR_RAISE(auto values, EncodePackedStructs(rows, std::move(member_bits)));
  return EncodeMiniBlockPage(context, *values, nullptr);
}

// ---- rows of any width -------------------------------------------------------------------------

// Writes one member of a row.
class MemberWriter {
 public:
  static Result<MemberWriter> Make(const PageContext& context, const arrow::DataType& type,
                                   const LeafBlock& block) {
    MemberWriter writer;
    if (block.kind != Kind::kVariable) {
      writer.fixed_ = std::make_unique<FixedValueWriter>(block);
      writer.max_bytes_ = block.count * writer.fixed_->bytes();
      return writer;
    }
    const bool is_text = type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING;
    if (is_text && context.hints.compression != EncodingHints::Compression::kNone) {
      ARROW_ASSIGN_OR_RAISE(
          writer.fsst_,
          FsstLearner(context.hints.fsst_effort()).Compress(block.variable, context.pool));
    }
    writer.strings_ = writer.fsst_ == nullptr ? &block.variable : &writer.fsst_->block;
    writer.length_bytes_ = block.variable.offset_bits / 8;
    writer.max_bytes_ = writer.strings_->num_bytes() + block.count * writer.length_bytes_;
    return writer;
  }

  void Describe(const LeafBlock& block,
                encodings21::VariablePackedStruct::FieldEncoding* out) const {
    encodings21::CompressiveEncoding* value = out->mutable_value();
    if (fixed_ != nullptr) {
      DescribeFixed(block, value);
      out->set_bits_per_value(fixed_->bytes() * 8);
      return;
    }
    if (fsst_ != nullptr) {
      value->mutable_fsst()->set_symbol_table(fsst_->symbol_table);
      value = value->mutable_fsst()->mutable_values();
    }
    value->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(length_bytes_ *
                                                                                     8);
    out->set_bits_per_length(length_bytes_ * 8);
  }

  uint64_t max_bytes() const { return max_bytes_; }
  uint8_t* Write(uint64_t slot, uint8_t* out) const {
    if (fixed_ != nullptr) return fixed_->Write(slot, out);
    const uint64_t start = strings_->offset(slot);
    const uint64_t size = strings_->offset(slot + 1) - start;
    // Little-endian, so that the low bytes come first.
    std::memcpy(out, &size, length_bytes_);
    out += length_bytes_;
    if (size > 0) std::memcpy(out, strings_->bytes + start, size);
    return out + size;
  }

 private:
  std::unique_ptr<FixedValueWriter> fixed_;
  std::shared_ptr<FsstBlock> fsst_;
  const VariableBlock* strings_ = nullptr;
  uint64_t length_bytes_ = 0;
  uint64_t max_bytes_ = 0;
};

// The rows as strings; those of null structs are empty.
struct Rows {
  VariableBlock block;
  ScratchArray<uint8_t> bytes;
  ScratchArray<uint64_t> offsets;
};

Result<Rows> JoinRows(const PageContext& context, const std::vector<MemberWriter>& writers) {
  Rows rows;
  const uint64_t count = context.rows.num_values;
  uint64_t capacity = 0;
  for (const MemberWriter& writer : writers) capacity += writer.max_bytes();
  ARROW_ASSIGN_OR_RAISE(rows.bytes, ScratchArray<uint8_t>::Allocate(capacity, context.pool));
  ARROW_ASSIGN_OR_RAISE(rows.offsets, ScratchArray<uint64_t>::Allocate(count + 1, context.pool));
  std::vector<bool> is_null(count, false);
  ForEachNullLeaf(context.rows, [&](uint64_t slot) { is_null[slot] = true; });
  uint8_t* const begin = rows.bytes.data();
  uint8_t* at = begin;
  for (uint64_t slot = 0; slot < count; ++slot) {
    rows.offsets[slot] = static_cast<uint64_t>(at - begin);
    if (is_null[slot]) continue;
    for (const MemberWriter& writer : writers) at = writer.Write(slot, at);
  }
  rows.offsets[count] = static_cast<uint64_t>(at - begin);
  rows.block.count = count;
  rows.block.offset_bits = 64;
  rows.block.offsets = reinterpret_cast<const uint8_t*>(rows.offsets.data());
  rows.block.bytes = begin;
  return rows;
}

// Lengths of 32 bits, where they suffice.
void NarrowOffsets(Rows* rows) {
  if (rows->block.num_bytes() > std::numeric_limits<uint32_t>::max()) return;
  auto* bytes = reinterpret_cast<uint8_t*>(rows->offsets.data());
  for (uint64_t i = 0; i <= rows->block.count; ++i) {
    StoreLittleEndian(static_cast<uint32_t>(rows->offsets[i]), bytes + i * sizeof(uint32_t));
  }
  rows->block.offset_bits = 32;
}

Result<EncodedPage> EncodeRowsPage(const PageContext& context, const LeafPath& path,
                                   const Members& members) {
  encodings21::CompressiveEncoding encoding;
  std::vector<MemberWriter> writers;
  for (size_t i = 0; i < members.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(MemberWriter writer,
                          MemberWriter::Make(context, *path.members[i].type, members[i]));
    writer.Describe(members[i], encoding.mutable_variable_packed_struct()->add_fields());
    writers.push_back(std::move(writer));
  }
  ARROW_ASSIGN_OR_RAISE(Rows rows, JoinRows(context, writers));
  NarrowOffsets(&rows);
  return EncodeFullZipRowsPage(context, rows.block, rows.block.offset_bits, encoding);
}

}  // namespace

Result<EncodedPage> EncodePackedStructPage(const PageContext& context, const LeafPath& path) {
  ARROW_ASSIGN_OR_RAISE(Members members, GatherMembers(context, path));
  if (AllArePlain(members)) return EncodePlainPage(context, members);
  return EncodeRowsPage(context, path, members);
}

}  // namespace lance::encoding
