#include "table/fragment_deletions.h"

#include "table/deletion_file.h"

namespace lance {

Result<RoaringBitmap> ReadDeletedOffsets(const Context& context, const TableLocation& table,
                                         const Manifest& manifest,
                                         const table::DataFragment& fragment) {
  if (!fragment.has_deletion_file()) return RoaringBitmap();
  const auto& file = fragment.deletion_file();
  ARROW_ASSIGN_OR_RAISE(StoreLocation location,
                        LocateDeletionFile(table, manifest, fragment.id(), file));
  ARROW_ASSIGN_OR_RAISE(auto vector, ReadDeletionFile(context, *location.store, location.path, file,
                                                      fragment.physical_rows()));
  RoaringBitmap deleted;
  for (const RowRange& range : vector->DeletedRanges()) deleted.addRange(range.start, range.end());
  return deleted;
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
