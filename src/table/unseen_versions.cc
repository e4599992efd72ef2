#include "table/unseen_versions.h"

#include <algorithm>
#include <string>

#include "arrow/util/key_value_metadata.h"
#include "table/operation_footprint.h"

namespace lance {
namespace {

using Metadata = std::shared_ptr<const arrow::KeyValueMetadata>;
using Strings = google::protobuf::Map<std::string, std::string>;

bool SameMetadata(const Metadata& a, const Metadata& b) {
  const bool a_is_empty = a == nullptr || a->size() == 0;
  const bool b_is_empty = b == nullptr || b->size() == 0;
  if (a_is_empty || b_is_empty) return a_is_empty == b_is_empty;
  return a->Equals(*b);
}

bool SameSchema(const Schema& a, const Schema& b) {
  const auto fields = a.PreOrder();
  const auto others = b.PreOrder();
  return a.semantic_types == b.semantic_types && SameMetadata(a.metadata, b.metadata) &&
         std::equal(fields.begin(), fields.end(), others.begin(), others.end(),
                    [](const Field* one, const Field* other) {
                      return one->id == other->id && one->name == other->name &&
                             one->logical_type == other->logical_type &&
                             one->nullable == other->nullable &&
                             one->children.size() == other->children.size() &&
                             SameMetadata(one->metadata, other->metadata);
                    });
}

bool SameValue(const std::string& key, const Strings& a, const Strings& b) {
  const auto one = a.find(key);
  const auto other = b.find(key);
  if (one == a.end() || other == b.end()) return one == a.end() && other == b.end();
  return one->second == other->second;
}

bool SameValues(const MapChange& change, const Strings& before, const Strings& after) {
  const auto is_same = [&](const auto& entry) { return SameValue(entry.first, before, after); };
  if (change.replace) {
    return std::all_of(before.begin(), before.end(), is_same) &&
           std::all_of(after.begin(), after.end(), is_same);
  }
  return std::all_of(change.upserts.begin(), change.upserts.end(), is_same) &&
         std::all_of(change.deletes.begin(), change.deletes.end(),
                     [&](const std::string& key) { return SameValue(key, before, after); });
}

}  // namespace

bool CommutesWithUnseen(const Transaction& ours, const Manifest& before, const Manifest& after) {
  const ConfigChanges changes = ConfigChangesOf(ours);
  const bool same_config = SameValues(changes.config, before.head.config(), after.head.config());
  switch (ours.operation_case()) {
    case Transaction::kOverwrite:
      return same_config;
    case Transaction::kUpdateConfig: {
      const bool keeps_schema = changes.schema_metadata.empty() && changes.field_metadata.empty();
      return same_config && (keeps_schema || SameSchema(before.schema, after.schema)) &&
             SameValues(changes.table_metadata, before.head.table_metadata(),
                        after.head.table_metadata());
    }
    case Transaction::kAppend:
      return SameSchema(before.schema, after.schema);
    case Transaction::kProject:
      return ours.project().preserves_nullability() && SameSchema(before.schema, after.schema);
    default:
      return false;
  }
}

}  // namespace lance
