#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/util/bit_util.h"
#include "base/byte_reader.h"
#include "encoding/write/fixed_value_writer.h"
#include "encoding/write/fsst_block.h"
#include "encoding/write/page_layouts.h"
#include "encoding/write/zstd_block.h"

namespace lance::encoding {
namespace {

using arrow::bit_util::GetBit;
using encodings21::CompressiveEncoding;
using encodings21::FullZipLayout;

// The word in front of each item: `repetition << bits_definition | definition`.
class ControlWords {
 public:
  explicit ControlWords(const ShreddedRows& rows) : rows_(rows) {
    uint32_t definitions = 0;
    for (uint16_t level : rows.definition.view()) definitions |= level;
    bits_repetition_ = static_cast<uint32_t>(std::bit_width(rows.max_repetition));
    bits_definition_ = static_cast<uint32_t>(std::bit_width(definitions));
    const uint32_t bits = bits_repetition_ + bits_definition_;
    width_ = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
  }

  uint64_t width() const { return width_; }
  void Describe(FullZipLayout* layout) const {
    layout->set_bits_rep(bits_repetition_);
    layout->set_bits_def(bits_definition_);
  }
  uint8_t* Write(uint64_t item, uint8_t* out) const {
    const uint32_t repetition = rows_.repetition.empty() ? 0 : rows_.repetition[item];
    const uint32_t definition = bits_definition_ == 0 ? 0 : rows_.definition[item];
    const uint32_t word = repetition << bits_definition_ | definition;
    std::memcpy(out, &word, width_);
    return out + width_;
  }

 private:
  const ShreddedRows& rows_;
  uint32_t bits_repetition_;
  uint32_t bits_definition_;
  uint64_t width_;
};

template <typename Word>
Result<std::shared_ptr<arrow::Buffer>> NarrowIndex(const ScratchArray<uint64_t>& starts,
                                                   arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto out, ScratchArray<Word>::Allocate(starts.size(), pool));
  for (uint64_t i = 0; i < starts.size(); ++i) out[i] = static_cast<Word>(starts[i]);
  return out.buffer();
}

// rows + 1 positions in the zipped buffer, as narrow as the last one allows.
Result<std::shared_ptr<arrow::Buffer>> IndexBuffer(const ScratchArray<uint64_t>& starts,
                                                   arrow::MemoryPool* pool) {
  const uint64_t last = starts[starts.size() - 1];
  if (last <= std::numeric_limits<uint8_t>::max()) return NarrowIndex<uint8_t>(starts, pool);
  if (last <= std::numeric_limits<uint16_t>::max()) return NarrowIndex<uint16_t>(starts, pool);
  if (last <= std::numeric_limits<uint32_t>::max()) return NarrowIndex<uint32_t>(starts, pool);
  return starts.buffer();
}

// Writes all items; `write_value(slot, item, at)` puts a visible item's value and returns the end.
template <typename WriteValue>
Status Zip(const PageContext& context, const ControlWords& control, uint64_t max_value_bytes,
           bool indexed, WriteValue&& write_value, EncodedPage* page) {
  const ShreddedRows& rows = context.rows;
  const uint64_t capacity = rows.num_items * control.width() + max_value_bytes;
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::ResizableBuffer> zipped,
      arrow::AllocateResizableBuffer(static_cast<int64_t>(capacity), context.pool));
  // Below a fixed-size list of structs every slot counts as a row.
  const uint64_t num_rows = rows.repetition.empty() ? rows.num_items : rows.num_rows;
  ScratchArray<uint64_t> starts;
  if (indexed) {
    ARROW_ASSIGN_OR_RAISE(starts, ScratchArray<uint64_t>::Allocate(num_rows + 1, context.pool));
  }
  uint8_t* begin = zipped->mutable_data();
  uint8_t* at = begin;
  uint64_t row = 0;
  uint64_t slot = 0;
  for (uint64_t item = 0; item < rows.num_items; ++item) {
    const bool starts_row = rows.repetition.empty() || rows.repetition[item] == rows.max_repetition;
    if (indexed && starts_row) starts[row++] = static_cast<uint64_t>(at - begin);
    at = control.Write(item, at);
    if (rows.is_visible(item)) at = write_value(slot++, item, at);
  }
  const auto size = static_cast<uint64_t>(at - begin);
  ARROW_RETURN_NOT_OK(zipped->Resize(static_cast<int64_t>(size), /*shrink_to_fit=*/false));
  page->buffers.push_back(std::move(zipped));
  if (indexed) {
    starts[row] = size;
    ARROW_ASSIGN_OR_RAISE(auto index, IndexBuffer(starts, context.pool));
    page->buffers.push_back(std::move(index));
  }
  return Status::OK();
}

Status Describe(const PageContext& context, const ControlWords& control, FullZipLayout* layout) {
  const ShreddedRows& rows = context.rows;
  if (rows.num_items > std::numeric_limits<uint32_t>::max()) {
    return Unsupported("a page of ", rows.num_items,
                       " items can't be stored: the limit is 2^32 - 1; write smaller batches");
  }
  control.Describe(layout);
  layout->set_num_items(static_cast<uint32_t>(rows.num_items));
  layout->set_num_visible_items(static_cast<uint32_t>(rows.num_values));
  DescribeLayers(rows, layout->mutable_layers());
  return Status::OK();
}

}  // namespace

Result<EncodedPage> EncodeFullZipFixedPage(const PageContext& context, const LeafBlock& block) {
  EncodedPage page;
  const ControlWords control(context.rows);
  auto* layout = page.layout().mutable_full_zip_layout();
  ARROW_RETURN_NOT_OK(Describe(context, control, layout));
  DescribeFixed(block, layout->mutable_value_compression());
  const bool indexed = !context.rows.repetition.empty();
  if (block.kind == LeafBlock::Kind::kFixed && block.fixed.bits == 1) {
    layout->set_bits_per_value(8);
    auto write = [&](uint64_t slot, uint64_t, uint8_t* at) {
      *at = GetBit(block.fixed.data, static_cast<int64_t>(slot)) ? 1 : 0;
      return at + 1;
    };
    ARROW_RETURN_NOT_OK(Zip(context, control, block.count, indexed, write, &page));
    return page;
  }
  const FixedValueWriter value(block);
  const uint64_t width = value.bytes();
  layout->set_bits_per_value(static_cast<uint32_t>(width * 8));
  const bool plain = value.is_plain();
  if (plain && control.width() == 0) {
    // The values are stored as they lie in memory.
    page.buffers.push_back(std::make_shared<arrow::Buffer>(
        block.fixed.data, static_cast<int64_t>(block.count * width)));
    return page;
  }
  if (plain) {
    auto write = [&](uint64_t slot, uint64_t, uint8_t* at) {
      std::memcpy(at, block.fixed.data + slot * width, width);
      return at + width;
    };
    ARROW_RETURN_NOT_OK(Zip(context, control, block.count * width, indexed, write, &page));
    return page;
  }
  auto write = [&](uint64_t slot, uint64_t, uint8_t* at) { return value.Write(slot, at); };
  ARROW_RETURN_NOT_OK(Zip(context, control, block.count * width, indexed, write, &page));
  return page;
}

namespace {

template <typename Length>
Status ZipStrings(const PageContext& context, const ControlWords& control,
                  const VariableBlock& block, EncodedPage* page) {
  const ShreddedRows& rows = context.rows;
  auto write = [&](uint64_t slot, uint64_t item, uint8_t* at) {
    if (!rows.definition.empty() && rows.definition[item] != 0) return at;
    const uint64_t start = block.offset(slot);
    const uint64_t size = block.offset(slot + 1) - start;
    StoreLittleEndian(static_cast<Length>(size), at);
    at += sizeof(Length);
    if (size > 0) std::memcpy(at, block.bytes + start, size);
    return at + size;
  };
  const uint64_t capacity = block.num_bytes() + block.count * sizeof(Length);
  return Zip(context, control, capacity, /*indexed=*/true, write, page);
}

}  // namespace

Result<EncodedPage> EncodeFullZipRowsPage(const PageContext& context, const VariableBlock& rows,
                                          uint32_t length_bits,
                                          const CompressiveEncoding& encoding) {
  EncodedPage page;
  const ControlWords control(context.rows);
  auto* layout = page.layout().mutable_full_zip_layout();
  ARROW_RETURN_NOT_OK(Describe(context, control, layout));
  layout->set_bits_per_offset(length_bits);
  *layout->mutable_value_compression() = encoding;
  if (length_bits == 32) {
    ARROW_RETURN_NOT_OK(ZipStrings<uint32_t>(context, control, rows, &page));
  } else {
    ARROW_RETURN_NOT_OK(ZipStrings<uint64_t>(context, control, rows, &page));
  }
  return page;
}

Result<EncodedPage> EncodeFullZipVariablePage(const PageContext& context,
                                              const VariableBlock& block, FsstLearner* learner) {
  CompressiveEncoding description;
  CompressiveEncoding* encoding = &description;
  const VariableBlock* stored = &block;
  std::optional<ZstdBlock> zstd;
  if (context.hints.compression != EncodingHints::Compression::kNone) {
    ARROW_ASSIGN_OR_RAISE(zstd, CompressWithZstd(block, context.hints, context.pool));
  }
  std::shared_ptr<FsstBlock> fsst;
  if (zstd) {
    stored = &zstd->block;
    auto* general = encoding->mutable_general();
    general->mutable_compression()->set_scheme(encodings21::COMPRESSION_ALGORITHM_ZSTD);
    general->mutable_compression()->set_level(zstd->level);
    encoding = general->mutable_values();
  } else if (learner != nullptr) {
    ARROW_ASSIGN_OR_RAISE(fsst, learner->Compress(block, context.pool));
    if (fsst != nullptr) {
      stored = &fsst->block;
      encoding->mutable_fsst()->set_symbol_table(fsst->symbol_table);
      encoding = encoding->mutable_fsst()->mutable_values();
    }
  }
  encoding->mutable_variable()->mutable_offsets()->mutable_flat()->set_bits_per_value(
      block.offset_bits);
  return EncodeFullZipRowsPage(context, *stored, block.offset_bits, description);
}

}  // namespace lance::encoding
