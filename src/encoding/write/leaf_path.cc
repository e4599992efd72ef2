#include "encoding/write/leaf_path.h"

#include <algorithm>
#include <utility>

#include "arrow/type.h"
#include "arrow/type_traits.h"
#include "encoding/write/only_nulls.h"

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

const arrow::DataType& InnermostItem(const arrow::DataType& type) {
  if (type.id() != arrow::Type::FIXED_SIZE_LIST) return type;
  return InnermostItem(*static_cast<const arrow::FixedSizeListType&>(type).value_type());
}

bool IsBinaryLike(arrow::Type::type id) {
  return id == arrow::Type::STRING || id == arrow::Type::BINARY ||
         id == arrow::Type::LARGE_STRING || id == arrow::Type::LARGE_BINARY;
}

bool HasNoBytes(const arrow::DataType& type) {
  return type.id() == arrow::Type::FIXED_SIZE_BINARY && type.bit_width() == 0;
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
      return IsBinaryLike(type.id()) || IsFixedWidthItem(type) || HasNoBytes(type) ||
             IsListWithoutWidth(type);
  }
}

class PathFinder {
 public:
  PathFinder(uint32_t minor_version, IsPackedStruct is_packed, std::vector<LeafPath>* found)
      : minor_version_(minor_version),
        trees_(minor_version == kMinorVersion2_0),
        is_packed_(is_packed),
        found_(found) {}

  Status Visit(const arrow::Field& field, const std::string& parent) {
    PathStep step;
    step.nullable = field.nullable();
    step.name = parent.empty() ? field.name() : parent + "." + field.name();
    const arrow::DataType& type = *field.type();
    switch (type.id()) {
      case arrow::Type::STRUCT:
        // 2.0 has no place for the nulls of structs.
        if (trees_) step.nullable = false;
        if (type.num_fields() == 0) break;
        if (is_packed_(field)) return AddPackedStruct(step, field.type());
        if (trees_) ARROW_RETURN_NOT_OK(Add(step, arrow::struct_({}), {}));
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
        if (trees_) ARROW_RETURN_NOT_OK(Add(step, arrow::list(arrow::null()), {}));
        step.kind = StepKind::kList;
        return Descend(step, *type.field(0));
      case arrow::Type::LARGE_LIST:
        if (trees_) ARROW_RETURN_NOT_OK(Add(step, arrow::large_list(arrow::null()), {}));
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
    if (trees_ && IsListWithoutWidth(*type) && InnermostItem(*type).id() != arrow::Type::NA) {
      return Unsupported(type->ToString(), " needs file version 2.1 or later: field '", step.name,
                         "', version 2.", minor_version_);
    }
    return Add(std::move(step), std::move(type), {});
  }

  Status AddPackedStruct(const PathStep& step, const std::shared_ptr<arrow::DataType>& type) {
    std::vector<LeafPath> members;
    for (int i = 0; i < type->num_fields(); ++i) {
      const arrow::Field& member = *type->field(i);
      LeafPath path;
      path.steps = steps_;
      path.steps.push_back(step);
      path.steps.back().kind = StepKind::kStruct;
      path.steps.back().child = i;
      // Only the struct itself has a place for nulls.
      path.steps.push_back({.nullable = false, .name = step.name + "." + member.name()});
      path.type = member.type();
      ARROW_RETURN_NOT_OK(CheckPackedMember(path));
      members.push_back(std::move(path));
    }
    return Add(step, type, std::move(members));
  }

  // What the reference can read back.
  Status CheckPackedMember(const LeafPath& member) const {
    const arrow::DataType& type = *member.type;
    const bool list = type.id() == arrow::Type::FIXED_SIZE_LIST;
    const bool wide = list || IsBinaryLike(type.id());
    if (type.id() == arrow::Type::BOOL || (!wide && !IsFixedWidthItem(type)) ||
        (list && (!IsFixedWidthItem(type) || InnermostItem(type).bit_width() % 8 != 0))) {
      return Unsupported("type can't be stored in a packed struct: field '", member.name(),
                         "' of type ", type.ToString());
    }
    const bool fits = minor_version_ >= kMinorVersion2_2 || (list && trees_);
    if (wide && !fits) {
      return Unsupported("packed structs with members of type ", type.ToString(),
                         " need file version 2.2 or later: field '", member.name(), "', version 2.",
                         minor_version_);
    }
    return Status::OK();
  }

  Status Add(PathStep step, std::shared_ptr<arrow::DataType> type, std::vector<LeafPath> members) {
    LeafPath path;
    path.steps = steps_;
    path.steps.push_back(std::move(step));
    path.type = std::move(type);
    path.members = std::move(members);
    bool lists = false;
    bool lists_of_structs = false;
    for (const PathStep& above : path.steps) {
      lists |= IsList(above.kind);
      lists_of_structs |= above.kind == StepKind::kFixedSizeList;
      path.slots_per_row *= above.dimension;
    }
    // Others than 2.2 have no encoding of values of no bytes that the reference can read.
    path.only_nulls = IsListWithoutWidth(*path.type) ||
                      (HasNoBytes(*path.type) && minor_version_ != kMinorVersion2_2);
    path.structure_apart = lists && lists_of_structs;
    if (path.structure_apart && minor_version_ < kMinorVersion2_3) {
      return Unsupported(
          "fixed-size lists of structs inside or around lists need file version 2.3 or later: "
          "field '",
          path.name(), "', version 2.", minor_version_);
    }
    found_->push_back(std::move(path));
    return Status::OK();
  }

  const uint32_t minor_version_;
  /// 2.0: structs and lists have columns of their own.
  const bool trees_;
  const IsPackedStruct is_packed_;
  std::vector<LeafPath>* const found_;
  std::vector<PathStep> steps_;
};

}  // namespace

bool LeafPath::is_empty_struct() const {
  return type->id() == arrow::Type::STRUCT && !is_packed_struct();
}

bool LeafPath::is_list() const {
  return type->id() == arrow::Type::LIST || type->id() == arrow::Type::LARGE_LIST;
}

bool LeafPath::has_plain_members() const {
  return std::all_of(members.begin(), members.end(), [](const LeafPath& member) {
    return member.type->id() != arrow::Type::FIXED_SIZE_LIST && !IsBinaryLike(member.type->id());
  });
}

LeafPath BlobPathOf(LeafPath column) {
  column.is_blob = true;
  for (const char* name : {"position", "size"}) {
    LeafPath member = {.steps = column.steps, .type = arrow::uint64()};
    member.steps.back().kind = StepKind::kStruct;
    member.steps.back().child = static_cast<int>(column.members.size());
    member.steps.push_back({.nullable = false, .name = column.name() + "." + name});
    column.members.push_back(std::move(member));
  }
  column.type = arrow::struct_(
      {arrow::field("position", arrow::uint64()), arrow::field("size", arrow::uint64())});
  return column;
}

Result<std::vector<LeafPath>> LeafPathsOf(const arrow::Field& field, uint32_t minor_version,
                                          IsPackedStruct is_packed) {
  std::vector<LeafPath> found;
  ARROW_RETURN_NOT_OK(PathFinder(minor_version, is_packed, &found).Visit(field, ""));
  return found;
}

}  // namespace lance::encoding
