#include "encoding/write/leaf_path.h"

#include <utility>

#include "arrow/type.h"
#include "arrow/type_traits.h"

namespace lance::encoding {
namespace {

bool IsFixedWidthItem(const arrow::DataType& type) {
  if (type.id() == arrow::Type::FIXED_SIZE_LIST) {
    const auto& list = static_cast<const arrow::FixedSizeListType&>(type);
    return list.list_size() >= 1 && IsFixedWidthItem(*list.value_type());
  }
  if (type.id() == arrow::Type::FIXED_SIZE_BINARY) return type.bit_width() > 0;
  return arrow::is_primitive(type.id()) || type.id() == arrow::Type::DECIMAL128 ||
         type.id() == arrow::Type::DECIMAL256;
}

bool IsBinaryLike(arrow::Type::type id) {
  return id == arrow::Type::STRING || id == arrow::Type::BINARY ||
         id == arrow::Type::LARGE_STRING || id == arrow::Type::LARGE_BINARY;
}

bool IsWritableLeaf(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
      return true;
    case arrow::Type::STRUCT:
      return type.num_fields() == 0;
    case arrow::Type::DICTIONARY: {
      const auto& value = static_cast<const arrow::DictionaryType&>(type).value_type();
      return IsBinaryLike(value->id()) ||
             (value->id() != arrow::Type::BOOL && value->id() != arrow::Type::FIXED_SIZE_LIST &&
              IsFixedWidthItem(*value));
    }
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
      return false;
    default:
      return IsBinaryLike(type.id()) || IsFixedWidthItem(type);
  }
}

class PathFinder {
 public:
  PathFinder(uint32_t minor_version, std::vector<LeafPath>* found)
      : minor_version_(minor_version), found_(found) {}

  Status Visit(const arrow::Field& field, const std::string& parent) {
    PathStep step;
    step.nullable = field.nullable();
    step.name = parent.empty() ? field.name() : parent + "." + field.name();
    const arrow::DataType& type = *field.type();
    switch (type.id()) {
      case arrow::Type::STRUCT:
        if (type.num_fields() == 0) break;
        step.kind = StepKind::kStruct;
        for (int i = 0; i < type.num_fields(); ++i) {
          step.child = i;
          ARROW_RETURN_NOT_OK(Descend(step, *type.field(i)));
        }
        return Status::OK();
      case arrow::Type::MAP:
        if (minor_version_ < kMinorVersion2_2) {
          return Unsupported("maps need file version 2.2 or later: field '", step.name,
                             "', version 2.", minor_version_);
        }
        step.kind = StepKind::kList;
        return Descend(step, *type.field(0));
      case arrow::Type::LIST:
        step.kind = StepKind::kList;
        return Descend(step, *type.field(0));
      case arrow::Type::LARGE_LIST:
        step.kind = StepKind::kLargeList;
        return Descend(step, *type.field(0));
      case arrow::Type::FIXED_SIZE_LIST:
        if (type.field(0)->type()->id() != arrow::Type::STRUCT) break;
        return VisitListOfStructs(std::move(step), type);
      default:
        break;
    }
    return AddLeaf(std::move(step), field.type());
  }

 private:
  Status Descend(const PathStep& step, const arrow::Field& child) {
    steps_.push_back(step);
    Status status = Visit(child, step.name);
    steps_.pop_back();
    return status;
  }

  Status VisitListOfStructs(PathStep step, const arrow::DataType& type) {
    if (minor_version_ < kMinorVersion2_2) {
      return Unsupported("fixed-size lists of structs need file version 2.2 or later: field '",
                         step.name, "', version 2.", minor_version_);
    }
    step.kind = StepKind::kFixedSizeList;
    step.dimension =
        static_cast<uint32_t>(static_cast<const arrow::FixedSizeListType&>(type).list_size());
    return Descend(step, *type.field(0));
  }

  Status AddLeaf(PathStep step, std::shared_ptr<arrow::DataType> type) {
    if (!IsWritableLeaf(*type)) {
      return Unsupported("type can't be stored in a data file: field '", step.name, "' of type ",
                         type->ToString());
    }
    LeafPath path;
    path.steps = steps_;
    path.steps.push_back(std::move(step));
    path.type = std::move(type);
    bool lists = false;
    bool lists_of_structs = false;
    for (const PathStep& above : path.steps) {
      lists |= IsList(above.kind);
      lists_of_structs |= above.kind == StepKind::kFixedSizeList;
      path.slots_per_row *= above.dimension;
    }
    if (lists && lists_of_structs) {
      return Unsupported(
          "a fixed-size list of structs inside or around a list can't be stored in "
          "file version 2.2: field '",
          path.name(), "'");
    }
    found_->push_back(std::move(path));
    return Status::OK();
  }

  const uint32_t minor_version_;
  std::vector<LeafPath>* const found_;
  std::vector<PathStep> steps_;
};

}  // namespace

bool LeafPath::is_empty_struct() const { return type->id() == arrow::Type::STRUCT; }

Result<std::vector<LeafPath>> LeafPathsOf(const arrow::Field& field, uint32_t minor_version) {
  std::vector<LeafPath> found;
  ARROW_RETURN_NOT_OK(PathFinder(minor_version, &found).Visit(field, ""));
  return found;
}

}  // namespace lance::encoding
