#pragma once

#include <cstdint>
#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/dictionary.h"
#include "encoding/write/encoded_page.h"
#include "encoding/write/encoding_hints.h"
#include "encoding/write/mini_block_values.h"
#include "encoding/write/shredder.h"
#include "encoding/write/value_block.h"

namespace lance::encoding {

// The layouts of spec/encodings.md §3. Each function makes the layout and the buffers of a page.

/// What every layout needs.
struct PageContext {
  const ShreddedRows& rows;
  uint32_t minor_version;
  const EncodingHints& hints;
  arrow::MemoryPool* pool;
};

/// The largest number of items that a chunk may hold, whatever its values are.
uint64_t MaxChunkItems(const ShreddedRows& rows);
/// Whether chunks of values can't get more items than MaxChunkItems.
bool FitsMiniBlocks(const ShreddedRows& rows);

/// Narrow values in chunks. `dictionary` may be null; if not, `values` are its indices.
Result<EncodedPage> EncodeMiniBlockPage(const PageContext& context, const MiniBlockValues& values,
                                        const DictionaryBlock* dictionary);

/// Wide values one by one; strings without FSST if `fsst` is null.
Result<EncodedPage> EncodeFullZipFixedPage(const PageContext& context, const LeafBlock& block);
Result<EncodedPage> EncodeFullZipVariablePage(const PageContext& context,
                                              const VariableBlock& block, FsstLearner* fsst);

/// Rows of any width, one by one, each behind its length of `length_bits`; `encoding` says what
/// they hold.
Result<EncodedPage> EncodeFullZipRowsPage(const PageContext& context, const VariableBlock& rows,
                                          uint32_t length_bits,
                                          const encodings21::CompressiveEncoding& encoding);

/// Packed structs: in chunks if all members are numbers, else one by one (2.2).
Result<EncodedPage> EncodePackedStructPage(const PageContext& context, const LeafPath& path);

/// Where the blobs of a column are, and which are null. The leaves of the context are structs of
/// position and size.
Result<EncodedPage> EncodeBlobPage(const PageContext& context);

/// No leaf value is valid.
Result<EncodedPage> EncodeAllNullPage(const PageContext& context);
/// All valid leaf values equal that of `slot` (2.2).
Result<EncodedPage> EncodeConstantPage(const PageContext& context, const LeafBlock& block,
                                       uint64_t slot);

/// The layers of a page in the terms of the format, innermost first.
void DescribeLayers(const ShreddedRows& rows, google::protobuf::RepeatedField<int>* out);

}  // namespace lance::encoding
