#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/error.h"
#include "file/version.h"
#include "schema/schema.h"
#include "table.pb.h"
#include "table/fragment_summary.h"

namespace lance {

/// One version of a table. Fragments are kept as the bytes they were stored as, so that a version
/// built on another copies the untouched ones whole, fields that this code doesn't know included.
struct Manifest {
  /// Everything but the fragments; fields that this code doesn't know are kept in it.
  table::Manifest head;
  /// From head.fields and head.schema_metadata.
  Schema schema;
  /// Ascending by id.
  std::vector<FragmentSummary> fragments;
  /// The memory that FragmentSummary::bytes point into.
  std::vector<std::shared_ptr<const arrow::Buffer>> fragment_owners;

  uint64_t version() const { return head.version(); }
  /// Commit time in nanoseconds since the epoch.
  int64_t timestamp_ns() const;
  void set_timestamp_ns(int64_t timestamp);
  bool has_stable_row_ids() const;
  bool has_semantic_types() const;
  /// Of a table with semantic types: whether the message names all of them so, none by an alias.
  bool HasCanonicalNames() const;
  /// The version that new data files have.
  Result<FileVersion> data_version() const;
  /// The largest fragment id ever given out, or nothing.
  std::optional<uint32_t> max_fragment_id() const;

  /// The largest field id that the schema or a data file uses, or that was ever given out where the
  /// table keeps count of that.
  Result<int32_t> MaxFieldId() const;
  /// The first id for new fields.
  Result<int32_t> NextFieldId() const;

  /// Decodes the message (without framing). `owner` holds the bytes.
  static Result<Manifest> Decode(Bytes message, std::shared_ptr<const arrow::Buffer> owner);
  uint64_t EncodedSize() const;
  void AppendEncoded(std::string* out) const;

  /// Null if there is none of that id.
  const FragmentSummary* FindFragment(uint64_t id) const;
  /// Adds fragments as messages of their own.
  Status AddFragments(const std::vector<table::DataFragment>& added);
  /// Puts these in the place of the fragments with their ids, all of which must exist.
  Status ReplaceFragments(const std::vector<table::DataFragment>& replacements);
  void RemoveFragments(const std::set<uint64_t>& ids);
  /// Sets schema, head.fields and head.schema_metadata.
  void SetSchema(Schema new_schema);
};

/// The whole message of a fragment.
Result<table::DataFragment> ParseFragment(const FragmentSummary& summary);

/// The schema of a list of stored fields with stored schema metadata, of a table with semantic
/// types or without.
Result<Schema> SchemaFromProto(const google::protobuf::RepeatedPtrField<lance::file::Field>& fields,
                               const google::protobuf::Map<std::string, std::string>& metadata,
                               bool semantic_types);
void SchemaMetadataToProto(const Schema& schema,
                           google::protobuf::Map<std::string, std::string>* metadata);

}  // namespace lance
