#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "schema/schema.h"

namespace lance {

// What the columns of a table mean, whatever their layout (docs/semantic-types.md). In a table that
// has the feature flag, `logical_type` names the semantic type; how values are laid out is said by
// each data file, and how they are shown by an output encoding.

/// How a semantic type goes through reads and writes.
enum class SemanticClass : uint8_t {
  kUnchanged,           ///< has one representation in Arrow
  kRepresentationOnly,  ///< several layouts hold the same values
  kValueTransforming,   ///< values are stored in another form than they are given
};

enum class SemanticKind : uint8_t { kOther, kString, kBinary, kList, kDecimal, kJson, kBlob };

struct SemanticType {
  SemanticKind kind = SemanticKind::kOther;
  /// Its canonical name: `string`, `decimal:10:2`, `int32` …
  std::string name;
  /// Of decimals.
  int32_t precision = 0;
  int32_t scale = 0;

  SemanticClass type_class() const;
  /// Whether there is a choice of layouts to show it in.
  bool has_output_encodings() const;
  /// Whether input of an Arrow type (without its extension) holds values of this one. JSON takes
  /// text and bytes that say by an extension what they are.
  bool Accepts(const arrow::DataType& input) const;
  /// What stands in the name behind the type: `precision=10, scale=2`; empty if nothing does.
  std::string ParameterText() const;
  bool operator==(const SemanticType& other) const {
    return kind == other.kind && name == other.name;
  }
};

/// Of a canonical name, or of the name that a layout has in data files (which tables used before:
/// an alias). Unsupported for a layout that belongs to no semantic type.
Result<SemanticType> ParseSemanticType(std::string_view logical_type);
/// The same of a field. Blobs keep the names that their own specification gives them.
Result<SemanticType> SemanticTypeOf(const Field& field);

/// A layout that the values of a semantic type are shown in.
struct OutputEncoding {
  /// `large_utf8`, `dictionary:int16:utf8` …
  std::string name;
  /// The logical type that data files are decoded to for it; of a list without the `.struct` that
  /// some have.
  std::string layout;
  /// Shown as views, made of what is decoded.
  bool is_view = false;
};

/// User error, which lists those that there are, for a name that the type does not have.
Result<OutputEncoding> FindOutputEncoding(const SemanticType& type, std::string_view name);
/// Names for people: `utf8, large_utf8, utf8_view, dictionary:<key>:<value>`.
std::string OutputEncodingNames(const SemanticType& type);
/// Of a type that has some.
OutputEncoding DefaultOutputEncoding(const SemanticType& type);
/// That of a field: what its metadata says, or the default if it says nothing that is known here.
/// Nothing for a type without output encodings.
std::optional<OutputEncoding> OutputEncodingOf(const Field& field);
/// The output encoding that shows values in a layout; empty if there is none.
std::string EncodingOfLayout(std::string_view logical_type);
/// The same for input in Arrow: it may be in views, or JSON of either kind.
std::string EncodingOfInput(const arrow::Field& input);

/// The output encoding that shows any values: what is rewritten is read in it. Nothing if the one
/// that the field has does so already.
std::optional<std::string> WidestEncoding(const Field& field);

}  // namespace lance
