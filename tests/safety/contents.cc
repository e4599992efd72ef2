#include "safety/contents.h"

#include <algorithm>
#include <set>

#include "arrow/api.h"
#include "dataset/cleanup.h"
#include "dataset/scan.h"

namespace lance::safety {
namespace {

std::optional<int64_t> Value(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  if (array.type_id() == arrow::Type::INT32) {
    return static_cast<const arrow::Int32Array&>(array).Value(row);
  }
  return static_cast<const arrow::Int64Array&>(array).Value(row);
}

Status CheckCount(const TableHandle& handle, const std::string& folder, size_t expected) {
  ARROW_ASSIGN_OR_RAISE(auto objects,
                        handle.table.store->List(Context(), handle.table.root + "/" + folder));
  std::erase_if(objects,
                [](const ObjectInfo& object) { return object.path.ends_with("hint.json"); });
  if (objects.size() == expected) return Status::OK();
  std::string names;
  for (const ObjectInfo& object : objects) names.append("\n  ").append(object.path);
  return IoError(folder, " has ", objects.size(), " files, ", expected, " needed:", names);
}

}  // namespace

std::string Contents::ToText() const {
  std::string text;
  for (const std::string& column : columns) text.append(column).append(" ");
  for (const auto& row : rows) {
    text += "\n ";
    for (const auto& value : row) text.append(" ").append(value ? std::to_string(*value) : "null");
  }
  for (const auto& [key, value] : config) {
    text.append("\n  ").append(key).append(" = ").append(value);
  }
  return text;
}

Contents ContentsOf(const ModelVersion& version) {
  Contents contents;
  for (const ModelColumn& column : version.columns) contents.columns.push_back(column.name);
  for (const ModelRow& row : version.rows) {
    auto& values = contents.rows.emplace_back();
    for (const ModelColumn& column : version.columns) values.push_back(row.values[column.column]);
  }
  std::sort(contents.rows.begin(), contents.rows.end());
  contents.config = version.config;
  return contents;
}

Result<Contents> ContentsOf(const std::shared_ptr<const Snapshot>& snapshot) {
  ARROW_ASSIGN_OR_RAISE(auto table, ScanTable(snapshot, {}));
  ARROW_ASSIGN_OR_RAISE(auto batch, table->CombineChunksToBatch());
  Contents contents;
  contents.columns = batch->schema()->field_names();
  for (int64_t row = 0; row < batch->num_rows(); ++row) {
    auto& values = contents.rows.emplace_back();
    for (const auto& column : batch->columns()) values.push_back(Value(*column, row));
  }
  std::sort(contents.rows.begin(), contents.rows.end());
  const auto& config = snapshot->manifest().head.config();
  contents.config.insert(config.begin(), config.end());
  return contents;
}

Status CheckEveryVersion(const TableLocation& table) {
  TableHandle handle{"memory://table", table, std::make_shared<TableSession>()};
  ARROW_ASSIGN_OR_RAISE(auto locations, handle.Versions());
  for (const ManifestLocation& location : locations) {
    ARROW_ASSIGN_OR_RAISE(auto snapshot, handle.Open(location));
    ARROW_RETURN_NOT_OK(ContentsOf(snapshot).status());
  }
  return Status::OK();
}

Status CheckLeftovers(const TableLocation& table) {
  TableHandle handle{"memory://table", table, std::make_shared<TableSession>()};
  ARROW_ASSIGN_OR_RAISE(auto newest, handle.OpenNewest());
  CleanupPolicy policy;
  policy.retain_versions = 1;
  policy.delete_unverified = true;
  policy.error_if_tagged_old_versions = false;
  ARROW_RETURN_NOT_OK(CleanUpOldVersions(*newest, policy).status());
  ARROW_ASSIGN_OR_RAISE(auto locations, handle.Versions());
  std::set<std::string> data;
  std::set<std::string> deletions;
  for (const ManifestLocation& location : locations) {
    ARROW_ASSIGN_OR_RAISE(auto snapshot, handle.Open(location));
    for (const FragmentSummary& summary : snapshot->fragments()) {
      ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
      for (const auto& file : fragment.files()) data.insert(file.path());
      if (fragment.has_deletion_file()) {
        deletions.insert(fragment.deletion_file().SerializeAsString());
      }
    }
  }
  ARROW_RETURN_NOT_OK(CheckCount(handle, "data", data.size()));
  ARROW_RETURN_NOT_OK(CheckCount(handle, "_deletions", deletions.size()));
  ARROW_RETURN_NOT_OK(CheckCount(handle, "_transactions", locations.size()));
  return CheckCount(handle, "_versions", locations.size());
}

}  // namespace lance::safety
