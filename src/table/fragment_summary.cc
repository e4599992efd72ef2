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
Status ReadVarintField(Bytes message, uint32_t number, uint64_t* value) {
  *value = 0;
  WireScanner scanner(message);
  WireScanner::Field field;
  while (scanner.Next(&field)) {
    if (field.number == number && field.type == WireScanner::Type::kVarint) *value = field.varint;
  }
  return scanner.status();
}

void AddNumber(const WireScanner::Field& field, FragmentSummary* summary) {
  if (field.number == kFragmentId) summary->id = field.varint;
  if (field.number == kFragmentPhysicalRows) summary->physical_rows = field.varint;
}

Status AddMessage(const WireScanner::Field& field, FragmentSummary* summary) {
  switch (field.number) {
    case kFragmentFiles: {
      uint64_t size = 0;
      ARROW_RETURN_NOT_OK(ReadVarintField(field.bytes, kFileSizeBytes, &size));
      ++summary->num_data_files;
      if (size == 0) summary->has_all_file_sizes = false;
      if (size > std::numeric_limits<uint64_t>::max() - summary->data_bytes) {
        return Corrupt("data files of a fragment have more than 2^64 bytes");
      }
      summary->data_bytes += size;
      return Status::OK();
    }
    case kFragmentDeletionFile:
      summary->has_deletion_file = true;
      return ReadVarintField(field.bytes, kDeletedRows, &summary->num_deleted_rows);
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
  WireScanner scanner(bytes);
  WireScanner::Field field;
  while (scanner.Next(&field)) {
    if (field.type == WireScanner::Type::kVarint) AddNumber(field, &summary);
    if (field.type == WireScanner::Type::kBytes) {
      ARROW_RETURN_NOT_OK(AddMessage(field, &summary));
    }
  }
  ARROW_RETURN_NOT_OK(scanner.status());
  if (summary.id > std::numeric_limits<uint32_t>::max()) {
    return Corrupt("fragment id has more than 32 bits: ", summary.id);
  }
  if (summary.physical_rows > kMaxFragmentRows) {
    return Corrupt("fragment ", summary.id, " has more than 2^32 rows: ", summary.physical_rows);
  }
  if (summary.physical_rows != 0 && summary.num_deleted_rows > summary.physical_rows) {
    return Corrupt("fragment ", summary.id,
                   " has more deleted rows than rows: ", summary.num_deleted_rows, " of ",
                   summary.physical_rows);
  }
  return summary;
}

}  // namespace lance
