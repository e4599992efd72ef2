#include "query/expr/type_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "arrow/type.h"
#include "arrow/type_traits.h"

namespace lance::query {
namespace {

using arrow::TimeUnit;
using TypePtr = std::shared_ptr<arrow::DataType>;

struct NamedType {
  std::string_view name;
  const TypePtr& (*type)();
};

constexpr std::array<NamedType, 18> kArrowNames = {{
    {"Null", arrow::null},
    {"Boolean", arrow::boolean},
    {"Int8", arrow::int8},
    {"Int16", arrow::int16},
    {"Int32", arrow::int32},
    {"Int64", arrow::int64},
    {"UInt8", arrow::uint8},
    {"UInt16", arrow::uint16},
    {"UInt32", arrow::uint32},
    {"UInt64", arrow::uint64},
    {"Float16", arrow::float16},
    {"Float32", arrow::float32},
    {"Float64", arrow::float64},
    {"Utf8", arrow::utf8},
    {"LargeUtf8", arrow::large_utf8},
    {"Binary", arrow::binary},
    {"LargeBinary", arrow::large_binary},
    {"Date32", arrow::date32},
}};

struct NamedUnit {
  std::string_view name;
  std::string_view short_name;
  TimeUnit::type unit;
};
constexpr std::array<NamedUnit, 4> kUnits = {{
    {"Second", "s", TimeUnit::SECOND},
    {"Millisecond", "ms", TimeUnit::MILLI},
    {"Microsecond", "µs", TimeUnit::MICRO},
    {"Nanosecond", "ns", TimeUnit::NANO},
}};

std::string_view UnitName(TimeUnit::type unit) {
  return kUnits[static_cast<size_t>(unit)].short_name;
}

struct SqlInteger {
  std::string_view name;
  const TypePtr& (*with_sign)();
  const TypePtr& (*without_sign)();
};
constexpr std::array<SqlInteger, 9> kSqlIntegers = {{
    {"tinyint", arrow::int8, arrow::uint8},
    {"int1", arrow::int8, arrow::uint8},
    {"smallint", arrow::int16, arrow::uint16},
    {"int2", arrow::int16, arrow::uint16},
    {"int", arrow::int32, arrow::uint32},
    {"integer", arrow::int32, arrow::uint32},
    {"int4", arrow::int32, arrow::uint32},
    {"bigint", arrow::int64, arrow::uint64},
    {"int8", arrow::int64, arrow::uint64},
}};

constexpr std::array<NamedType, 12> kSqlNames = {{
    {"string", arrow::utf8},
    {"text", arrow::utf8},
    {"varchar", arrow::utf8},
    {"char", arrow::utf8},
    {"binary", arrow::binary},
    {"varbinary", arrow::binary},
    {"bytea", arrow::binary},
    {"real", arrow::float32},
    {"double", arrow::float64},
    {"boolean", arrow::boolean},
    {"bool", arrow::boolean},
    {"date", arrow::date32},
}};

std::optional<TimeUnit::type> UnitOfPrecision(const std::vector<int64_t>& parameters) {
  if (parameters.empty()) return TimeUnit::MICRO;
  switch (parameters[0]) {
    case 0:
      return TimeUnit::SECOND;
    case 3:
      return TimeUnit::MILLI;
    case 6:
      return TimeUnit::MICRO;
    case 9:
      return TimeUnit::NANO;
    default:
      return std::nullopt;
  }
}

TypePtr SqlDecimal(const std::vector<int64_t>& parameters) {
  constexpr int32_t kDefaultPrecision = 38;
  constexpr int32_t kDefaultScale = 10;
  if (parameters.empty()) return arrow::decimal128(kDefaultPrecision, kDefaultScale);
  int64_t scale = parameters.size() > 1 ? parameters[1] : 0;
  if (parameters[0] < 1 || parameters[0] > 76 || scale < 0 || scale > parameters[0]) return nullptr;
  auto precision = static_cast<int32_t>(parameters[0]);
  if (precision <= 38) return arrow::decimal128(precision, static_cast<int32_t>(scale));
  return arrow::decimal256(precision, static_cast<int32_t>(scale));
}

TypePtr SqlTime(TimeUnit::type unit) {
  bool is_coarse = unit == TimeUnit::SECOND || unit == TimeUnit::MILLI;
  return is_coarse ? arrow::time32(unit) : arrow::time64(unit);
}

/// Reads the names that ArrowTypeName writes, and those that older releases of the reference
/// write: `Timestamp(Second, None)`.
class ArrowTypeParser {
 public:
  explicit ArrowTypeParser(std::string_view text) : text_(text) {}

  Result<TypePtr> Run() {
    ARROW_ASSIGN_OR_RAISE(TypePtr type, Type(0));
    SkipSpaces();
    if (at_ != text_.size()) return Unknown();
    return type;
  }

 private:
  static constexpr int kMaxNesting = 16;

  Status Unknown() const {
    return UserError(
        "'", text_.substr(0, 80),
        "' is not the name of an Arrow type; there are "
        "Int32, Float64, Utf8, Timestamp(Second, None), Decimal128(10, 2) and the like");
  }
  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  std::string_view Word() {
    SkipSpaces();
    size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("(), ").find(text_[at_]) == std::string_view::npos) {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  bool Take(char c) {
    SkipSpaces();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Status Expect(char c) { return Take(c) ? Status::OK() : Unknown(); }
  Result<int32_t> Number() {
    std::string_view word = Word();
    int32_t number = 0;
    auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) return Unknown();
    return number;
  }
  Result<TimeUnit::type> Unit() {
    std::string_view word = Word();
    for (const NamedUnit& unit : kUnits) {
      if (word == unit.name || word == unit.short_name) return unit.unit;
    }
    if (word == "us") return TimeUnit::MICRO;
    return Unknown();
  }

  Result<TypePtr> Type(int nesting) {
    if (nesting > kMaxNesting) return Unknown();
    std::string_view word = Word();
    for (const NamedType& named : kArrowNames) {
      if (word == named.name) return named.type();
    }
    if (word == "Date64") return arrow::date64();
    if (word == "Utf8View") return arrow::utf8();
    if (word == "BinaryView") return arrow::binary();
    ARROW_RETURN_NOT_OK(Expect('('));
    ARROW_ASSIGN_OR_RAISE(TypePtr type, Parameterised(word, nesting));
    ARROW_RETURN_NOT_OK(Expect(')'));
    return type;
  }

  Result<TypePtr> Parameterised(std::string_view word, int nesting) {
    if (word == "Timestamp") return Timestamp();
    if (word == "Time32" || word == "Time64" || word == "Duration") return TimeOfUnit(word);
    if (word.starts_with("Decimal")) return Decimal(word);
    if (word == "Dictionary") return DictionaryValue(nesting);
    if (word == "List" || word == "LargeList") {
      ARROW_ASSIGN_OR_RAISE(TypePtr item, Type(nesting + 1));
      return word == "List" ? arrow::list(item) : arrow::large_list(item);
    }
    if (word == "FixedSizeBinary") {
      ARROW_ASSIGN_OR_RAISE(int32_t width, Number());
      if (width < 0) return Unknown();
      return arrow::fixed_size_binary(width);
    }
    return Unknown();
  }

  Result<TypePtr> Timestamp() {
    ARROW_ASSIGN_OR_RAISE(TimeUnit::type unit, Unit());
    if (!Take(',')) return arrow::timestamp(unit);
    if (Take('"')) return TimestampOfZone(unit);
    if (Word() == "None") return arrow::timestamp(unit);
    // Some("UTC"): the word was Some.
    ARROW_RETURN_NOT_OK(Expect('('));
    ARROW_RETURN_NOT_OK(Expect('"'));
    ARROW_ASSIGN_OR_RAISE(TypePtr type, TimestampOfZone(unit));
    ARROW_RETURN_NOT_OK(Expect(')'));
    return type;
  }

  Result<TypePtr> TimestampOfZone(TimeUnit::type unit) {
    size_t end = text_.find('"', at_);
    if (end == std::string_view::npos) return Unknown();
    std::string zone(text_.substr(at_, end - at_));
    at_ = end + 1;
    return arrow::timestamp(unit, zone);
  }

  Result<TypePtr> TimeOfUnit(std::string_view word) {
    ARROW_ASSIGN_OR_RAISE(TimeUnit::type unit, Unit());
    if (word == "Duration") return arrow::duration(unit);
    bool is_coarse = unit == TimeUnit::SECOND || unit == TimeUnit::MILLI;
    if (is_coarse != (word == "Time32")) return Unknown();
    return SqlTime(unit);
  }

  Result<TypePtr> DictionaryValue(int nesting) {
    ARROW_ASSIGN_OR_RAISE(TypePtr index, Type(nesting + 1));
    if (!arrow::is_integer(index->id())) return Unknown();
    ARROW_RETURN_NOT_OK(Expect(','));
    return Type(nesting + 1);
  }

  Result<TypePtr> Decimal(std::string_view word) {
    const int32_t most_digits = word == "Decimal32"    ? 9
                                : word == "Decimal64"  ? 18
                                : word == "Decimal128" ? 38
                                : word == "Decimal256" ? 76
                                                       : 0;
    ARROW_ASSIGN_OR_RAISE(int32_t precision, Number());
    ARROW_RETURN_NOT_OK(Expect(','));
    ARROW_ASSIGN_OR_RAISE(int32_t scale, Number());
    if (precision < 1 || precision > most_digits || scale < 0 || scale > precision) {
      return Unknown();
    }
    if (word == "Decimal256") return arrow::decimal256(precision, scale);
    return arrow::decimal128(precision, scale);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

TypePtr SqlType(std::string_view name, const std::vector<int64_t>& parameters, bool is_unsigned) {
  for (const SqlInteger& integer : kSqlIntegers) {
    if (name == integer.name) return is_unsigned ? integer.without_sign() : integer.with_sign();
  }
  if (is_unsigned) return nullptr;
  for (const NamedType& named : kSqlNames) {
    if (name == named.name) return named.type();
  }
  if (name == "float") {
    constexpr int64_t kFloat32Bits = 24;
    bool is_double = !parameters.empty() && parameters[0] > kFloat32Bits && parameters[0] != 32;
    return is_double ? arrow::float64() : arrow::float32();
  }
  if (name == "decimal" || name == "numeric") return SqlDecimal(parameters);
  std::optional<TimeUnit::type> unit = UnitOfPrecision(parameters);
  if (!unit) return nullptr;
  if (name == "timestamp" || name == "datetime") return arrow::timestamp(*unit);
  if (name == "time") return SqlTime(*unit);
  return nullptr;
}

std::string SqlTypeName(const arrow::DataType& type) {
  for (const SqlInteger& integer : kSqlIntegers) {
    if (integer.with_sign()->id() == type.id()) return std::string(integer.name);
    if (integer.without_sign()->id() == type.id()) return std::string(integer.name) + " unsigned";
  }
  constexpr std::array<int, 4> kPrecision = {0, 3, 6, 9};
  auto with_precision = [&](std::string_view name, TimeUnit::type unit) {
    return lance::internal::Concat(name, "(", kPrecision[static_cast<size_t>(unit)], ")");
  };
  switch (type.id()) {
    case arrow::Type::FLOAT:
      return "float";
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.scale() < 0 ||
          !SqlDecimal({decimal.precision(), decimal.scale()})->Equals(type)) {
        return "";
      }
      return lance::internal::Concat("decimal(", decimal.precision(), ", ", decimal.scale(), ")");
    }
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      return timestamp.timezone().empty() ? with_precision("timestamp", timestamp.unit()) : "";
    }
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return with_precision("time", static_cast<const arrow::TimeType&>(type).unit());
    default:
      break;
  }
  for (const NamedType& named : kSqlNames) {
    if (named.type()->id() == type.id()) return std::string(named.name);
  }
  return "";
}

Result<TypePtr> ParseArrowTypeName(std::string_view name) { return ArrowTypeParser(name).Run(); }

std::string ArrowTypeName(const arrow::DataType& type) {
  using lance::internal::Concat;
  switch (type.id()) {
    case arrow::Type::DATE64:
      return "Date64";
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      std::string zone = timestamp.timezone().empty() ? "" : ", \"" + timestamp.timezone() + "\"";
      return Concat("Timestamp(", UnitName(timestamp.unit()), zone, ")");
    }
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return Concat(type.id() == arrow::Type::TIME32 ? "Time32(" : "Time64(",
                    UnitName(static_cast<const arrow::TimeType&>(type).unit()), ")");
    case arrow::Type::DURATION:
      return Concat("Duration(", UnitName(static_cast<const arrow::DurationType&>(type).unit()),
                    ")");
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return Concat(type.id() == arrow::Type::DECIMAL128 ? "Decimal128(" : "Decimal256(",
                    decimal.precision(), ", ", decimal.scale(), ")");
    }
    case arrow::Type::FIXED_SIZE_BINARY:
      return Concat("FixedSizeBinary(",
                    static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width(), ")");
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
      return Concat(type.id() == arrow::Type::LIST ? "List(" : "LargeList(",
                    ArrowTypeName(*type.field(0)->type()), ")");
    case arrow::Type::FIXED_SIZE_LIST:
      return Concat("FixedSizeList(",
                    static_cast<const arrow::FixedSizeListType&>(type).list_size(), " x ",
                    ArrowTypeName(*type.field(0)->type()), ")");
    case arrow::Type::STRUCT: {
      std::string members;
      for (const auto& field : type.fields()) {
        members +=
            Concat(members.empty() ? "" : ", ", "\"", field->name(),
                   "\": ", field->nullable() ? "" : "non-null ", ArrowTypeName(*field->type()));
      }
      return "Struct(" + members + ")";
    }
    default:
      break;
  }
  for (const NamedType& named : kArrowNames) {
    if (named.type()->id() == type.id()) return std::string(named.name);
  }
  return type.ToString();
}

}  // namespace lance::query
