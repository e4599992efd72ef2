#include "table/fragment_deletions.h"

#include "table/deletion_file.h"

namespace lance {

namespace {

Result<std::shared_ptr<const DeletionVector>> ReadVector(const Context& context,
                                                         const TableLocation& table,
                                                         const Manifest& manifest,
                                                         const table::DataFragment& fragment) {
  const auto& file = fragment.deletion_file();
  ARROW_ASSIGN_OR_RAISE(StoreLocation location,
                        LocateDeletionFile(table, manifest, fragment.id(), file));
  return ReadDeletionFile(context, *location.store, location.path, file, fragment.physical_rows());
}

}  // namespace

Result<RoaringBitmap> ReadDeletedOffsets(const Context& context, const TableLocation& table,
                                         const Manifest& manifest,
                                         const table::DataFragment& fragment) {
  if (!fragment.has_deletion_file()) return RoaringBitmap();
  ARROW_ASSIGN_OR_RAISE(auto vector, ReadVector(context, table, manifest, fragment));
  RoaringBitmap deleted;
  for (const RowRange& range : vector->DeletedRanges()) deleted.addRange(range.start, range.end());
  return deleted;
}

Result<std::vector<RowRange>> ReadLiveRanges(const Context& context, const TableLocation& table,
                                             const Manifest& manifest,
                                             const table::DataFragment& fragment) {
  if (!fragment.has_deletion_file()) return std::vector<RowRange>{{0, fragment.physical_rows()}};
  ARROW_ASSIGN_OR_RAISE(auto vector, ReadVector(context, table, manifest, fragment));
  std::vector<RowRange> ranges;
  vector->AppendPhysicalRanges({0, vector->num_live()}, &ranges);
  return ranges;
}

Result<bool> SetDeletedOffsets(const Context& context, const TableLocation& table,
                               uint64_t read_version, const RoaringBitmap& deleted,
                               table::DataFragment* fragment, std::vector<std::string>* written) {
  if (deleted.cardinality() >= fragment->physical_rows()) return false;
  ARROW_ASSIGN_OR_RAISE(std::string content, EncodeDeletionFile(deleted, read_version,
                                                                fragment->mutable_deletion_file()));
  std::string name = DeletionFileName(fragment->id(), fragment->deletion_file());
  std::string path = NewDeletionFilePath(table.root, name);
  written->push_back(path);
  ARROW_RETURN_NOT_OK(table.store->Put(context, path, AsBytes(content)));
  return true;
}

}  // namespace lance
