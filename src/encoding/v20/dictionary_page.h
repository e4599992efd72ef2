#pragma once

#include <memory>
#include <vector>

#include "encoding/read/page_reader.h"
#include "encoding/v20/buffer_table.h"

namespace lance::encodings {
class ArrayEncoding;
class Dictionary;
}  // namespace lance::encodings

namespace lance::encoding::v20 {

// Keys into a list of items that the page brings along (spec/file-format.md §9.6). In a column of
// the dictionary type the keys are the values, and rows with a null item are null; in a column of
// strings key 0 is null and key k is item k - 1. The items are decoded once and kept.
class DictionaryPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings::Dictionary& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows);
  /// Keys without nulls side by side in one buffer, of a column of the dictionary type.
  static Result<std::unique_ptr<PageReader>> MakePlain(const LeafShape& shape, PageBuffer keys,
                                                       std::shared_ptr<const DecodedBlock> items,
                                                       uint64_t num_rows);

  std::vector<NeededBytes> IndexNeeds() const override;
  Status LoadIndex(std::span<const Bytes> bytes, arrow::MemoryPool* pool) override;
  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class TypedDictionaryCursor;
  friend class StringDictionaryCursor;
  DictionaryPage(const LeafShape& shape, uint64_t num_rows) : PageReader(shape, {}, num_rows) {}

  LeafShape keys_shape_;
  LeafShape items_shape_;
  std::unique_ptr<PageReader> keys_;
  std::unique_ptr<PageReader> items_page_;  ///< until the items are loaded
  std::vector<PageBuffer> items_buffers_;
  std::shared_ptr<const DecodedBlock> items_;
};

}  // namespace lance::encoding::v20
