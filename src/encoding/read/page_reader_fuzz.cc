// Any bytes as a page with its description (page_fuzz_input.h): opening it and reading all of its
// rows, and some of them, gives values or an error, and nothing else.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/memory_pool.h"
#include "encoding/read/page_fuzz_input.h"
#include "encoding/read/page_reader.h"
#include "encoding/read/planar_layout.h"
#include "encoding/read/unravel.h"
#include "encodings21.pb.h"
#include "encodings23.pb.h"
#include "proto/parse.h"

namespace lance::encoding {
namespace {

// Constant pages can claim any number of rows in a few bytes.
constexpr uint64_t kMaxRows = 8192;

/// Bytes of buffers that lie one after the other, as in a file.
class PageBytes {
 public:
  explicit PageBytes(const std::vector<std::string>& buffers) {
    for (const std::string& buffer : buffers) {
      places_.push_back({bytes_.size(), buffer.size()});
      bytes_ += buffer;
    }
  }
  const std::vector<PageBuffer>& places() const { return places_; }

  /// Copies, so that an address sanitizer sees reads beyond their ends.
  Status Get(const std::vector<NeededBytes>& needs) {
    got_.clear();
    views_.clear();
    for (const NeededBytes& need : needs) {
      if (need.offset > bytes_.size() || need.size > bytes_.size() - need.offset) {
        return Corrupt("bytes outside of the page");
      }
      const auto* begin = reinterpret_cast<const uint8_t*>(bytes_.data()) + need.offset;
      got_.push_back(std::make_unique<std::vector<uint8_t>>(begin, begin + need.size));
      if (need.into != nullptr) std::copy_n(begin, need.size, need.into);
      views_.push_back(need.into != nullptr ? Bytes(need.into, need.size) : Bytes(*got_.back()));
    }
    return Status::OK();
  }
  std::span<const Bytes> views() const { return views_; }
  /// Keeps what was got last until the end.
  void KeepViews() {
    for (auto& one : got_) kept_.push_back(std::move(one));
    got_.clear();
  }

 private:
  std::string bytes_;
  std::vector<PageBuffer> places_;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> got_;
  std::vector<std::unique_ptr<std::vector<uint8_t>>> kept_;
  std::vector<Bytes> views_;
};

Status ReadRows(const PageReader& page, const std::vector<RowRange>& rows, PageBytes* bytes) {
  arrow::MemoryPool* pool = arrow::default_memory_pool();
  const uint64_t count = CountRows(rows);
  ARROW_ASSIGN_OR_RAISE(auto sink, LeafSink::Make(page.shape(), count, pool));
  if (page.shape().values != LeafShape::Values::kVariable && !page.shape().has_lists()) {
    ARROW_RETURN_NOT_OK(sink->AppendFixed(count).status());
  }
  auto cursor = page.Start(rows);
  std::vector<NeededBytes> needs;
  for (;;) {
    needs.clear();
    ARROW_RETURN_NOT_OK(cursor->Needs(*sink, 0, &needs));
    if (needs.empty()) break;
    ARROW_RETURN_NOT_OK(bytes->Get(needs));
    bytes->KeepViews();
    ARROW_RETURN_NOT_OK(cursor->Feed(bytes->views()));
  }
  ARROW_RETURN_NOT_OK(cursor->DecodeInto(*sink, 0));
  const uint64_t scale = page.shape().rows_scale();
  if (count % scale != 0) return Status::OK();
  return Unravel(*sink, count / scale, pool).status();
}

Result<std::unique_ptr<PageReader>> OpenPage(const FuzzPage& input,
                                             std::vector<PageBuffer> buffers) {
  if (input.minor_version == 3) {
    encodings23::PlanarLayout layout;
    if (!ParseMessage(input.layout, &layout)) return Corrupt("no message");
    return MakePlanarPage(layout, input.shape, std::move(buffers), input.num_rows);
  }
  encodings21::PageLayout layout;
  if (!ParseMessage(input.layout, &layout)) return Corrupt("no message");
  return PageReader::Make(layout, input.shape, std::move(buffers), input.num_rows,
                          input.minor_version == 1);
}

Status ReadPage(const FuzzPage& input) {
  PageBytes bytes(input.buffers);
  ARROW_ASSIGN_OR_RAISE(auto page, OpenPage(input, bytes.places()));
  ARROW_RETURN_NOT_OK(bytes.Get(page->IndexNeeds()));
  ARROW_RETURN_NOT_OK(page->LoadIndex(bytes.views(), arrow::default_memory_pool()));
  const uint64_t rows = std::min<uint64_t>(input.num_rows, kMaxRows);
  static_cast<void>(ReadRows(*page, {{0, rows}}, &bytes));
  std::vector<RowRange> some;
  for (uint64_t row = rows / 7; row < rows; row += 1 + rows / 3) some.push_back({row, 1});
  if (some.empty()) return Status::OK();
  return ReadRows(*page, some, &bytes);
}

}  // namespace
}  // namespace lance::encoding

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (auto page = lance::encoding::ParseFuzzPage({data, size})) {
    static_cast<void>(lance::encoding::ReadPage(*page));
  }
  return 0;
}
