#include "encoding/v20/make_page.h"

#include "encoding/v20/binary_page.h"
#include "encoding/v20/blob_page.h"
#include "encoding/v20/dictionary_page.h"
#include "encoding/v20/empty_page.h"
#include "encoding/v20/encoding_kind.h"
#include "encoding/v20/fixed_page.h"
#include "encoding/v20/fixed_size_binary_page.h"
#include "encoding/v20/packed_page.h"
#include "encodings20.pb.h"

namespace lance::encoding::v20 {
namespace {

Result<std::unique_ptr<PageReader>> MakeVariablePage(const encodings::ArrayEncoding& encoding,
                                                     const LeafShape& shape,
                                                     const BufferTable& buffers,
                                                     uint64_t num_rows) {
  if (encoding.has_nullable() && encoding.nullable().has_some_nulls()) {
    return Unsupported("strings with a bitmap of nulls in a file of version 2.0");
  }
  ARROW_ASSIGN_OR_RAISE(const auto* values, WithoutNulls(encoding));
  if (values->has_binary()) return BinaryPage::Make(values->binary(), shape, buffers, num_rows);
  if (values->has_fsst()) return BinaryPage::Make(values->fsst(), shape, buffers, num_rows);
  if (values->has_fixed_size_binary()) {
    return FixedSizeBinaryPage::Make(values->fixed_size_binary(), shape, buffers, num_rows);
  }
  if (values->has_dictionary()) {
    return DictionaryPage::Make(values->dictionary(), shape, buffers, num_rows);
  }
  return NotOfTheType(*values);
}

}  // namespace

Result<std::unique_ptr<PageReader>> MakePage(const encodings::ArrayEncoding& encoding,
                                             const LeafShape& shape, const BufferTable& buffers,
                                             uint64_t num_rows) {
  const bool all_null = encoding.nullable().has_all_nulls();
  switch (shape.values) {
    case LeafShape::Values::kNone:
      return all_null ? EmptyPage::Make(shape, num_rows)
                      : Result<std::unique_ptr<PageReader>>(NotOfTheType(encoding));
    case LeafShape::Values::kEmptyStruct:
      return encoding.has_simple_struct()
                 ? EmptyPage::Make(shape, num_rows)
                 : Result<std::unique_ptr<PageReader>>(NotOfTheType(encoding));
    case LeafShape::Values::kVariable:
      if (all_null) return EmptyPage::Make(shape, num_rows);
      return MakeVariablePage(encoding, shape, buffers, num_rows);
    case LeafShape::Values::kFixed:
      if (!shape.is_dictionary) return FixedPage::Make(encoding, shape, buffers, num_rows);
      if (all_null) return EmptyPage::Make(shape, num_rows);
      if (!encoding.has_dictionary()) return NotOfTheType(encoding);
      return DictionaryPage::Make(encoding.dictionary(), shape, buffers, num_rows);
    case LeafShape::Values::kPackedStruct: {
      ARROW_ASSIGN_OR_RAISE(const auto* values, WithoutNulls(encoding));
      if (!values->has_packed_struct()) return NotOfTheType(*values);
      return PackedPage::Make(values->packed_struct(), shape, buffers, num_rows);
    }
  }
  return NotOfTheType(encoding);
}

Result<std::unique_ptr<PageReader>> MakeBlobPage(const encodings::ArrayEncoding& encoding,
                                                 const LeafShape& shape, const BufferTable& buffers,
                                                 uint64_t num_rows) {
  if (!shape.is_blob) return Corrupt("column of blobs in a field that is none");
  ARROW_ASSIGN_OR_RAISE(const auto* places, WithoutNulls(encoding));
  if (!places->has_packed_struct()) return NotOfTheType(*places);
  return BlobPage::Make(places->packed_struct(), shape, buffers, num_rows);
}

}  // namespace lance::encoding::v20
