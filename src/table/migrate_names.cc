#include "table/migrate_names.h"

#include "arrow/buffer.h"
#include "table/manifest_names.h"

namespace lance {

Status MigrateManifestNames(const Context& context, const TableLocation& table) {
  ObjectStore& store = *table.store;
  ARROW_ASSIGN_OR_RAISE(auto objects, store.List(context, VersionsFolder(table.root)));
  for (const ObjectInfo& object : objects) {
    auto parsed = ParseManifestName(object.path.substr(object.path.rfind('/') + 1));
    if (!parsed || parsed->naming != ManifestNaming::kV1) continue;
    ARROW_ASSIGN_OR_RAISE(auto content, store.Get(context, object.path));
    std::string target = ManifestPath(table.root, parsed->version, ManifestNaming::kV2);
    Status put =
        store.PutIfAbsent(context, target, {content->data(), static_cast<size_t>(content->size())});
    // Left by an earlier try that was interrupted.
    if (!put.ok() && GetErrorCode(put) != ErrorCode::kAlreadyExists) return put;
    ARROW_RETURN_NOT_OK(store.Delete(context, object.path));
  }
  return Status::OK();
}

}  // namespace lance
