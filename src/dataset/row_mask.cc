#include "dataset/row_mask.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "base/byte_reader.h"
#include "base/roaring_bitmap.h"
#include "table/roaring_walk.h"
#include "table/row_words.h"

namespace lance {
namespace {

using query::OffsetSet;
using query::RowSet;

/// Ids that are read and looked up at once.
constexpr uint64_t kRowsAtOnce = 1 << 16;

/// A treemap: u32 count, then for each upper half of an id: itself (u32), the size of its bitmap
/// (u32; 0 for all lower halves), the bitmap.
Result<RowSet> DecodeTreemap(const std::string& bytes) {
  ByteReader reader{AsBytes(bytes)};
  RowSet rows = RowSet::None();
  ARROW_ASSIGN_OR_RAISE(auto count, reader.Read<uint32_t>("the number of bitmaps"));
  for (uint32_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(auto upper, reader.Read<uint32_t>("the upper half of an id"));
    ARROW_ASSIGN_OR_RAISE(auto size, reader.Read<uint32_t>("the size of a bitmap"));
    if (size == 0) {
      rows.Set(upper, OffsetSet::All());
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(Bytes content, reader.ReadBytes(size, "a bitmap"));
    RoaringBitmap bitmap;
    ARROW_ASSIGN_OR_RAISE(uint64_t used, WalkRoaring(content, [&](uint32_t first, uint64_t length) {
                            bitmap.addRange(first, first + length);
                          }));
    if (used != size) {
      return UserError("the bitmap of ", upper, " ends after ", used, " bytes, not ", size);
    }
    rows.Set(upper, OffsetSet(std::move(bitmap)));
  }
  if (!reader.done()) return UserError(reader.remaining(), " bytes are left behind the bitmaps");
  return rows;
}

Result<RowSet> ReadList(const char* name, const std::string& bytes) {
  auto rows = DecodeTreemap(bytes);
  if (rows.ok()) return rows;
  return UserError(name, " is not a serialized set of row ids: ", ErrorText(rows.status()));
}

}  // namespace

Result<std::shared_ptr<const RowMask>> RowMask::Make(const ScanOptions& options) {
  if (!options.row_allowlist && !options.row_blocklist) return std::shared_ptr<const RowMask>();
  auto mask = std::make_shared<RowMask>();
  mask->ids_ = RowSet::All();
  if (options.row_allowlist) {
    ARROW_ASSIGN_OR_RAISE(mask->ids_, ReadList("row_addr_allowlist", *options.row_allowlist));
    mask->text_ = "those of a list";
  }
  if (options.row_blocklist) {
    ARROW_ASSIGN_OR_RAISE(auto blocked, ReadList("row_addr_blocklist", *options.row_blocklist));
    mask->ids_ = Without(mask->ids_, blocked);
    mask->text_ = options.row_allowlist ? "those of a list and not of another" : "not of a list";
  }
  return mask;
}

Result<OffsetSet> RowMask::RowsOf(const Context& context, const Snapshot& snapshot,
                                  size_t fragment_index) const {
  // Without stable row ids they are the addresses.
  if (!snapshot.manifest().has_stable_row_ids()) {
    return ids_.Of(static_cast<uint32_t>(snapshot.fragments()[fragment_index].id));
  }
  ARROW_ASSIGN_OR_RAISE(auto ids, snapshot.Select({.columns = std::vector<std::string>{"_rowid"}}));
  ARROW_ASSIGN_OR_RAISE(auto reader, snapshot.OpenFragment(context, ids, fragment_index));
  OffsetSet rows = OffsetSet::None();
  for (uint64_t start = 0; start < reader->physical_rows(); start += kRowsAtOnce) {
    ARROW_RETURN_NOT_OK(context.CheckStop());
    const RowRange range{start, std::min(kRowsAtOnce, reader->physical_rows() - start)};
    ARROW_ASSIGN_OR_RAISE(auto batch, reader->Read(context, {&range, 1}));
    const auto& values = static_cast<const arrow::UInt64Array&>(*batch->column(0));
    for (int64_t i = 0; i < values.length(); ++i) {
      // Ids are looked up like addresses, by their halves.
      const RowAddress id{values.Value(i)};
      if (ids_.Contains(FragmentIdOf(id), OffsetOf(id))) {
        rows.Add(static_cast<uint32_t>(start + static_cast<uint64_t>(i)));
      }
    }
  }
  return rows;
}

std::string SerializeRowIds(std::span<const uint64_t> row_ids) {
  std::map<uint32_t, RoaringBitmap> bitmaps;
  for (uint64_t id : row_ids) {
    bitmaps[FragmentIdOf(RowAddress{id})].add(OffsetOf(RowAddress{id}));
  }
  std::string bytes;
  auto append = [&bytes](uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(number >> shift));
  };
  append(static_cast<uint32_t>(bitmaps.size()));
  for (const auto& [upper, bitmap] : bitmaps) {
    std::string content(bitmap.getSizeInBytes(), '\0');
    bitmap.write(content.data());
    append(upper);
    append(static_cast<uint32_t>(content.size()));
    bytes += content;
  }
  return bytes;
}

}  // namespace lance
