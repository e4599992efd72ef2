#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"
#include "schema/semantic_type.h"

namespace lance {

// Schemas of tables with semantic types (Schema::semantic_types). In memory the logical type of a
// field is the layout that data files are decoded to for its output encoding, so that all code that
// reads or writes columns goes on as for other tables; its semantic type is SemanticTypeOf it. Only
// the wire has canonical names.

/// The logical type of a field on the wire of a table with semantic types.
std::string CanonicalName(const Field& field);
/// Makes of the names that were read from the wire, canonical ones or aliases, what is described
/// above. An alias implies an output encoding, which the field's metadata gets.
Status ResolveSemanticTypes(Schema* schema);
/// The schema of a table without semantic types as one with them: reads return the same types as
/// before. Unsupported if there is a type that can't be kept.
Result<Schema> WithSemanticTypes(const Schema& schema);

/// Columns of Arrow that become new ones of a table: `schema` was made of them by
/// Schema::FromArrow. Their layouts become their output encodings, where these are not the
/// defaults. Input that no semantic type accepts, an output encoding that doesn't exist and the
/// name of an extension that is reserved are user errors.
Status AdoptSemanticTypes(const arrow::Schema& input, Schema* schema);
/// The same columns as data files are to hold them: `schema` was made of them by
/// Schema::FromArrow. Views get a layout that holds every value.
Schema StoredLayouts(const arrow::Schema& input, Schema schema);
/// The fields of a table as a data file with the same layouts declares them.
Schema FileSchemaOf(Schema table);

/// That a schema of a table with semantic types may follow after `before`: fields that are new, or
/// have changed, have output encodings that exist and extensions that they may have.
Status CheckSemanticChange(const Schema& before, const Schema& schema);
/// Whether two fields of a table with semantic types have the same one; members aside.
bool SameSemanticType(const Field& a, const Field& b);

/// Field by path and the output encoding to read it in.
using OutputEncodings = std::map<std::string, std::string>;
/// The schema with other output encodings. Fields and encodings that don't exist are user errors.
Result<Schema> WithOutputEncodings(const Schema& schema, const OutputEncodings& encodings);
/// Output encodings that show any values, for those fields of a table that have others.
OutputEncodings WidestEncodings(const Schema& schema);
/// The fields of a table as files declare them when rows are read in their widest encodings and
/// written again.
Schema RewriteSchema(const Schema& table);
/// Some fields of a table in the layouts that `whole` has them in.
Schema WithLayoutsOf(const Schema& whole, Schema part);
/// Makes a field follow the output encoding that its metadata says, after that has changed. One
/// that doesn't exist is a user error at `path`.
Status UpdateOutputEncoding(const std::string& path, Field* field);

}  // namespace lance
