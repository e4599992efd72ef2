#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arrow/memory_pool.h"
#include "encoding/read/leaf_sink.h"
#include "encoding/read/page_reader.h"

namespace lance::encoding {

/// For tests and fuzz targets: the bytes of a page's buffers, one after the other as in a file.
class PageBytes {
 public:
  explicit PageBytes(const std::vector<std::string>& buffers) {
    for (const std::string& buffer : buffers) {
      places_.push_back({bytes_.size(), buffer.size()});
      bytes_ += buffer;
    }
  }
  const std::vector<PageBuffer>& places() const { return places_; }

  /// Gets what was asked for, in copies, so that an address sanitizer sees reads beyond their ends.
  /// They stay as long as this.
  Result<std::vector<Bytes>> Get(const std::vector<NeededBytes>& needs) {
    // As the files do: no byte is wanted more than twice.
    uint64_t left = 2 * bytes_.size();
    std::vector<Bytes> views;
    for (const NeededBytes& need : needs) {
      if (need.size > left || need.offset > bytes_.size() ||
          need.size > bytes_.size() - need.offset) {
        return Corrupt("bytes outside of the page");
      }
      left -= need.size;
      const auto* begin = reinterpret_cast<const uint8_t*>(bytes_.data()) + need.offset;
      if (need.into != nullptr) {
        std::copy_n(begin, need.size, need.into);
        views.emplace_back(need.into, need.size);
      } else {
        got_.push_back(std::make_unique<std::vector<uint8_t>>(begin, begin + need.size));
        views.emplace_back(*got_.back());
      }
    }
    return views;
  }

 private:
  std::string bytes_;
  std::vector<PageBuffer> places_;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> got_;
};

/// Reads rows of a page whose index is loaded.
inline Result<std::unique_ptr<LeafSink>> DecodePageRows(const PageReader& page,
                                                        const std::vector<RowRange>& rows,
                                                        PageBytes* bytes) {
  const uint64_t count = CountRows(rows);
  ARROW_ASSIGN_OR_RAISE(auto sink,
                        LeafSink::Make(page.shape(), count, arrow::default_memory_pool()));
  if (page.shape().values != LeafShape::Values::kVariable && !page.shape().has_lists()) {
    ARROW_RETURN_NOT_OK(sink->AppendFixed(count).status());
  }
  auto cursor = page.Start(rows);
  std::vector<NeededBytes> needs;
  for (;;) {
    needs.clear();
    ARROW_RETURN_NOT_OK(cursor->Needs(*sink, 0, &needs));
    if (needs.empty()) break;
    ARROW_ASSIGN_OR_RAISE(auto got, bytes->Get(needs));
    ARROW_RETURN_NOT_OK(cursor->Feed(got));
  }
  ARROW_RETURN_NOT_OK(cursor->DecodeInto(*sink, 0));
  return sink;
}

/// Constant pages can claim any number of rows in a few bytes: only so many are read.
constexpr uint64_t kMaxFuzzRows = 8192;

inline std::vector<RowRange> FirstRows(const PageReader& page) {
  if (page.num_rows() == 0) return {};
  return {{0, std::min(page.num_rows(), kMaxFuzzRows)}};
}

/// A few single rows; none of a page of few rows.
inline std::vector<RowRange> SomeRows(const PageReader& page) {
  const uint64_t rows = std::min(page.num_rows(), kMaxFuzzRows);
  std::vector<RowRange> some;
  for (uint64_t row = rows / 7; row < rows; row += 1 + rows / 3) some.push_back({row, 1});
  return some;
}

}  // namespace lance::encoding
