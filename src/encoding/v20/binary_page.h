#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "encoding/codec/fsst_decoder.h"
#include "encoding/read/page_reader.h"
#include "encoding/v20/end_offsets.h"
#include "encoding/v20/fixed_source.h"

namespace lance::encodings {
class Binary;
class Fsst;
}  // namespace lance::encodings

namespace lance::encoding::v20 {

// Strings and binaries, perhaps behind FSST (spec/file-format.md §9.5, §9.7): the ends of the
// values, then their bytes. Reading takes two rounds, one for each.
class BinaryPage final : public PageReader {
 public:
  static Result<std::unique_ptr<PageReader>> Make(const encodings::Binary& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows);
  static Result<std::unique_ptr<PageReader>> Make(const encodings::Fsst& encoding,
                                                  const LeafShape& shape,
                                                  const BufferTable& buffers, uint64_t num_rows);

  std::unique_ptr<PageCursor> Start(std::vector<RowRange> rows) const override;

 private:
  friend class BinaryCursor;
  BinaryPage(const LeafShape& shape, uint64_t num_rows, EndOffsets ends, FixedSource bytes,
             uint64_t null_adjustment)
      : PageReader(shape, {}, num_rows),
        ends_(ends),
        bytes_(bytes),
        null_adjustment_(null_adjustment) {}

  EndOffsets ends_;
  FixedSource bytes_;
  uint64_t null_adjustment_;
  std::optional<FsstDecoder> fsst_;
};

}  // namespace lance::encoding::v20
