#include "file/column_read.h"

#include <algorithm>

#include "base/executor.h"
#include "io/read_batch.h"

namespace lance {
namespace {

using encoding::NeededBytes;
using encoding::PageReader;

// Reads of at most so many ranges and rows are decoded on the caller's thread.
constexpr size_t kInlineRequests = 64;
constexpr uint64_t kInlineRows = 16 * 1024;

Status AtColumn(const Status& status, const std::string& path, const ColumnRead& read) {
  if (status.ok()) return status;
  return WithPlace(status, {.path = path, .column = read.index});
}

Status AtPage(const Status& status, const std::string& path, const ColumnRead& read, size_t page) {
  if (status.ok()) return status;
  return WithPlace(status,
                   {.path = path, .column = read.index, .page = static_cast<int64_t>(page)});
}

// One round of reads for the indexes of all pages that have none yet.
Status OpenPages(const Context& context, RandomReader& reader, std::span<ColumnRead* const> reads) {
  struct Opening {
    ColumnRead* read;
    PageRead* page;
    std::unique_ptr<PageReader> reader;
    size_t num_tickets = 0;
  };
  std::vector<Opening> openings;
  ReadBatch batch;
  for (ColumnRead* read : reads) {
    for (PageRead& page : read->pages) {
      page.reader = read->column->page(page.page);
      if (page.reader != nullptr) continue;
      auto opened = read->column->OpenPage(page.page);
      if (!opened.ok()) return AtPage(opened.status(), reader.path(), *read, page.page);
      Opening opening{read, &page, *std::move(opened)};
      for (const NeededBytes& need : opening.reader->IndexNeeds()) {
        batch.Add({need.offset, need.size});
        ++opening.num_tickets;
      }
      openings.push_back(std::move(opening));
    }
  }
  if (openings.empty()) return Status::OK();
  ARROW_RETURN_NOT_OK(batch.Execute(context, reader));
  ReadBatch::Ticket next = 0;
  std::vector<Bytes> bytes;
  for (Opening& opening : openings) {
    bytes.clear();
    for (size_t i = 0; i < opening.num_tickets; ++i) bytes.push_back(batch.bytes(next++));
    ARROW_RETURN_NOT_OK(AtPage(opening.reader->LoadIndex(bytes, context.pool()), reader.path(),
                               *opening.read, opening.page->page));
    opening.page->reader =
        opening.read->column->Keep(opening.page->page, std::move(opening.reader));
  }
  return Status::OK();
}

// Made-up places of blobs may be outside of the file. No byte of a page is wanted more than twice,
// so that they can't ask for memory without end.
Status CheckNeeds(std::span<const NeededBytes> needs, uint64_t file_size) {
  uint64_t left = 2 * file_size;
  for (const NeededBytes& need : needs) {
    if (need.offset > file_size || need.size > file_size - need.offset) {
      return Corrupt("rows of a page take ", need.size, " bytes at ", need.offset,
                     ", in a file of ", file_size);
    }
    if (need.size > left) return Corrupt("rows of a page take more bytes than the file has");
    left -= need.size;
  }
  return Status::OK();
}

// Asks all pages what they need next.
Status CollectNeeds(const RandomReader& reader, std::span<ColumnRead* const> reads,
                    ReadBatch* batch) {
  std::vector<NeededBytes> needs;
  for (ColumnRead* read : reads) {
    for (PageRead& page : read->pages) {
      needs.clear();
      Status asked = page.cursor->Needs(*read->sink, page.at, &needs);
      if (asked.ok()) asked = CheckNeeds(needs, reader.size());
      ARROW_RETURN_NOT_OK(AtPage(asked, reader.path(), *read, page.page));
      page.first_ticket = batch->size();
      page.num_tickets = needs.size();
      for (const NeededBytes& need : needs) {
        batch->AddInto({need.offset, need.size}, need.into);
      }
    }
  }
  return Status::OK();
}

Status FeedPages(const std::string& path, std::span<ColumnRead* const> reads,
                 const ReadBatch& batch) {
  std::vector<Bytes> bytes;
  for (ColumnRead* read : reads) {
    for (PageRead& page : read->pages) {
      if (page.num_tickets == 0) continue;
      bytes.clear();
      for (size_t i = 0; i < page.num_tickets; ++i) {
        bytes.push_back(batch.bytes(static_cast<ReadBatch::Ticket>(page.first_ticket + i)));
      }
      ARROW_RETURN_NOT_OK(AtPage(page.cursor->Feed(bytes), path, *read, page.page));
    }
  }
  return Status::OK();
}

// Where the column is decoded to, with the place of values whose number is known made beforehand.
Status MakeSink(ColumnRead* read, arrow::MemoryPool* pool) {
  const encoding::LeafShape& shape = read->column->shape();
  ARROW_ASSIGN_OR_RAISE(read->sink, encoding::LeafSink::Make(shape, read->num_values, pool));
  if (shape.values == encoding::LeafShape::Values::kVariable || shape.has_lists()) {
    return Status::OK();
  }
  return read->sink->AppendFixed(read->num_values).status();
}

// Rounds of reads, until no page needs more. Returns how many ranges were asked for.
Result<size_t> ReadPages(const Context& context, RandomReader& reader,
                         std::span<ColumnRead* const> reads,
                         std::vector<std::unique_ptr<ReadBatch>>* rounds) {
  size_t requests = 0;
  for (;;) {
    auto batch = std::make_unique<ReadBatch>();
    ARROW_RETURN_NOT_OK(CollectNeeds(reader, reads, batch.get()));
    if (batch->size() == 0) return requests;
    requests += batch->size();
    ARROW_RETURN_NOT_OK(batch->Execute(context, reader));
    ARROW_RETURN_NOT_OK(FeedPages(reader.path(), reads, *batch));
    rounds->push_back(std::move(batch));
  }
}

Status DecodePages(const Context& context, const std::string& path, ColumnRead& read) {
  ARROW_RETURN_NOT_OK(context.CheckStop());
  for (PageRead& page : read.pages) {
    ARROW_RETURN_NOT_OK(
        AtPage(page.cursor->DecodeInto(*read.sink, page.at), path, read, page.page));
  }
  return Status::OK();
}

}  // namespace

std::vector<PageRead> SplitAtPages(const std::vector<uint64_t>& page_starts,
                                   std::span<const RowRange> rows) {
  std::vector<PageRead> out;
  size_t page = 0;
  uint64_t done = 0;
  for (const RowRange& range : rows) {
    uint64_t row = range.start;
    while (row < range.end()) {
      if (row < page_starts[page] || row >= page_starts[page + 1]) {
        const auto after = std::upper_bound(page_starts.begin(), page_starts.end(), row);
        page = static_cast<size_t>(after - page_starts.begin()) - 1;
      }
      if (out.empty() || out.back().page != page) {
        out.emplace_back();
        out.back().page = page;
        out.back().at = done;
      }
      const uint64_t count = std::min(range.end(), page_starts[page + 1]) - row;
      out.back().rows.push_back({row - page_starts[page], count});
      row += count;
      done += count;
    }
  }
  return out;
}

Status ReadColumns(const Context& context, RandomReader& reader, std::span<ColumnRead* const> reads,
                   const std::function<Status(size_t)>& finish) {
  ARROW_RETURN_NOT_OK(OpenPages(context, reader, reads));
  uint64_t most_values = 0;
  for (ColumnRead* read : reads) {
    // Only now: the indexes have shown that the pages hold so many rows.
    ARROW_RETURN_NOT_OK(AtColumn(MakeSink(read, context.pool()), reader.path(), *read));
    for (PageRead& page : read->pages) page.cursor = page.reader->Start(std::move(page.rows));
    most_values = std::max(most_values, read->num_values);
  }
  // The bytes stay until they are decoded.
  std::vector<std::unique_ptr<ReadBatch>> rounds;
  ARROW_ASSIGN_OR_RAISE(size_t requests, ReadPages(context, reader, reads, &rounds));
  const auto decode = [&](size_t i) -> Status {
    ARROW_RETURN_NOT_OK(DecodePages(context, reader.path(), *reads[i]));
    return AtColumn(finish(i), reader.path(), *reads[i]);
  };
  // A hop to another thread costs more than decoding a few rows.
  if (requests > kInlineRequests || most_values > kInlineRows) {
    return ParallelFor(context, reads.size(), decode);
  }
  for (size_t i = 0; i < reads.size(); ++i) ARROW_RETURN_NOT_OK(decode(i));
  return Status::OK();
}

}  // namespace lance
