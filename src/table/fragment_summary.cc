#include "table/fragment_summary.h"

#include <limits>

#include "table/row_words.h"
#include "table/wire_scanner.h"

namespace lance {
namespace {

// Field numbers of lance.table.DataFragment, DataFile and DeletionFile.
constexpr uint32_t kFragmentId = 1;
constexpr uint32_t kFragmentFiles = 2;
constexpr uint32_t kFragmentDeletionFile = 3;
constexpr uint32_t kFragmentPhysicalRows = 4;
constexpr uint32_t kFragmentInlineRowIds = 5;
constexpr uint32_t kFragmentOverlays = 11;
constexpr uint32_t kFragmentColumnRowIds = 12;
constexpr uint32_t kFragmentColumnLastUpdated = 13;
constexpr uint32_t kFragmentColumnCreated = 14;
constexpr uint32_t kFileSizeBytes = 6;
constexpr uint32_t kDeletedRows = 4;

/// The last varint field `number` of a message, 0 if absent.
Result<uint64_t> VarintField(Bytes message, uint32_t number) {
  uint64_t value = 0;
  for (WireScanner scanner(message); !scanner.done();) {
    ARROW_ASSIGN_OR_RAISE(auto field, scanner.Next());
    if (field.number == number && field.type == WireScanner::Type::kVarint) value = field.varint;
  }
  return value;
}

Status AddField(const WireScanner::Field& field, FragmentSummary* summary) {
  bool is_varint = field.type == WireScanner::Type::kVarint;
  if (!is_varint && field.type != WireScanner::Type::kBytes) return Status::OK();
  switch (field.number) {
    case kFragmentId:
      if (is_varint) summary->id = field.varint;
      return Status::OK();
    case kFragmentPhysicalRows:
      if (is_varint) summary->physical_rows = field.varint;
      return Status::OK();
    case kFragmentFiles: {
      if (is_varint) return Status::OK();
      ARROW_ASSIGN_OR_RAISE(uint64_t size, VarintField(field.bytes, kFileSizeBytes));
      ++summary->num_data_files;
      if (size == 0) summary->has_all_file_sizes = false;
      if (size > std::numeric_limits<uint64_t>::max() - summary->data_bytes) {
        return Corrupt("data files of a fragment have more than 2^64 bytes");
      }
      summary->data_bytes += size;
      return Status::OK();
    }
    case kFragmentDeletionFile: {
      if (is_varint) return Status::OK();
      summary->has_deletion_file = true;
      ARROW_ASSIGN_OR_RAISE(summary->num_deleted_rows, VarintField(field.bytes, kDeletedRows));
      return Status::OK();
    }
    case kFragmentInlineRowIds:
      summary->has_row_ids = true;
      return Status::OK();
    case kFragmentColumnRowIds:
      summary->has_row_ids = true;
      summary->has_spilled_lineage = true;
      return Status::OK();
    case kFragmentColumnLastUpdated:
    case kFragmentColumnCreated:
      summary->has_spilled_lineage = true;
      return Status::OK();
    case kFragmentOverlays:
      summary->has_overlays = true;
      return Status::OK();
    default:
      return Status::OK();
  }
}

}  // namespace

Result<FragmentSummary> SummarizeFragment(Bytes bytes) {
  FragmentSummary summary;
  summary.bytes = bytes;
  for (WireScanner scanner(bytes); !scanner.done();) {
    ARROW_ASSIGN_OR_RAISE(auto field, scanner.Next());
    ARROW_RETURN_NOT_OK(AddField(field, &summary));
  }
  if (summary.id > std::numeric_limits<uint32_t>::max()) {
    return Corrupt("fragment id has more than 32 bits: ", summary.id);
  }
  if (summary.physical_rows > kMaxFragmentRows) {
    return Corrupt("fragment ", summary.id, " has more than 2^32 rows: ", summary.physical_rows);
  }
  if (summary.physical_rows != 0 && summary.num_deleted_rows > summary.physical_rows) {
    return Corrupt("fragment ", summary.id, " has more deleted rows than rows: ",
                   summary.num_deleted_rows, " of ", summary.physical_rows);
  }
  return summary;
}

}  // namespace lance
