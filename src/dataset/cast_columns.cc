#include "dataset/cast_columns.h"

#include <algorithm>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "base/compute_kernels.h"
#include "dataset/column_files_writer.h"
#include "dataset/scan.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

bool IsText(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING ||
         type.id() == arrow::Type::STRING_VIEW;
}
bool IsBytes(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY ||
         type.id() == arrow::Type::BINARY_VIEW;
}
bool IsDate(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::DATE64;
}
bool IsClock(const arrow::DataType& type) {
  return type.id() == arrow::Type::TIME32 || type.id() == arrow::Type::TIME64;
}
bool IsMoment(const arrow::DataType& type) { return type.id() == arrow::Type::TIMESTAMP; }
bool IsList(const arrow::DataType& type) {
  return type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST;
}

class Caster {
 public:
  Caster(const CastFields& casts, arrow::MemoryPool* pool) : casts_(casts), exec_(pool) {}

  /// `from`: the stored field and its values. `to`: what of it the new file holds.
  Result<std::shared_ptr<arrow::ArrayData>> Cast(const Field& from, const Field& to,
                                                 const std::shared_ptr<arrow::ArrayData>& data) {
    if (casts_.contains(to.id)) {
      ARROW_ASSIGN_OR_RAISE(auto type, to.ArrowType());
      auto cast = arrow::compute::Cast(arrow::MakeArray(data), type,
                                       arrow::compute::CastOptions::Safe(), &exec_);
      if (!cast.ok()) {
        return UserError("Cannot cast column '", from.name, "' to ", type->ToString(), ": ",
                         cast.status().message());
      }
      return cast->array();
    }
    return CastChildren(from, to, data);
  }

 private:
  Result<std::shared_ptr<arrow::ArrayData>> CastChildren(
      const Field& from, const Field& to, const std::shared_ptr<arrow::ArrayData>& data) {
    auto out = data->Copy();
    out->child_data.clear();
    for (const Field& child : to.children) {
      size_t index = IndexOf(from, child);
      ARROW_ASSIGN_OR_RAISE(auto cast, Cast(from.children[index], child, data->child_data[index]));
      out->child_data.push_back(std::move(cast));
    }
    ARROW_ASSIGN_OR_RAISE(out->type, to.ArrowType());
    return out;
  }

  size_t IndexOf(const Field& from, const Field& child) const {
    auto cast = casts_.find(child.id);
    int32_t id = cast != casts_.end() ? cast->second : child.id;
    auto at = std::find_if(from.children.begin(), from.children.end(),
                           [&](const Field& field) { return field.id == id; });
    return static_cast<size_t>(at - from.children.begin());
  }

  const CastFields& casts_;
  arrow::compute::ExecContext exec_;
};

/// The stored top-level field that a new one is made of.
const Field* SourceOf(const Schema& stored, const Field& field, const CastFields& casts) {
  auto cast = casts.find(field.id);
  return stored.FindById(cast != casts.end() ? cast->second : field.id);
}

std::vector<int32_t> LeavesOf(const Schema& schema, const CastFields& casts) {
  std::vector<int32_t> ids;
  for (const auto& [new_id, old_id] : casts) {
    Schema cast;
    cast.fields.push_back(*schema.FindById(new_id));
    for (const Field* leaf : cast.Leaves()) ids.push_back(leaf->id);
  }
  return ids;
}

}  // namespace

bool CanCast(const arrow::DataType& from, const arrow::DataType& to) {
  if (from.Equals(to)) return true;
  if (arrow::is_integer(from.id())) return arrow::is_integer(to.id());
  if (arrow::is_floating(from.id())) return arrow::is_floating(to.id());
  if (arrow::is_decimal(from.id())) return arrow::is_decimal(to.id());
  if (IsText(from)) return IsText(to);
  if (IsBytes(from)) return IsBytes(to);
  if (IsDate(from)) return IsDate(to) || IsMoment(to);
  if (IsMoment(from)) return IsDate(to) || IsMoment(to) || IsClock(to);
  if (IsClock(from)) return IsClock(to);
  if (from.id() == arrow::Type::DURATION) return to.id() == from.id();
  if (IsList(from) && IsList(to)) return CanCast(*from.field(0)->type(), *to.field(0)->type());
  bool vectors = from.id() == arrow::Type::FIXED_SIZE_LIST && to.id() == from.id();
  return vectors &&
         static_cast<const arrow::FixedSizeListType&>(from).list_size() ==
             static_cast<const arrow::FixedSizeListType&>(to).list_size() &&
         CanCast(*from.field(0)->type(), *to.field(0)->type());
}

Result<std::vector<table::DataFragment>> WriteCastColumns(
    const std::shared_ptr<const Snapshot>& snapshot, const Schema& schema, const CastFields& casts,
    NewFiles* files) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  const Schema& stored = snapshot->manifest().schema;
  Schema file_schema = schema.ProjectByIds(LeavesOf(schema, casts));
  if (schema.semantic_types) file_schema = FileSchemaOf(std::move(file_schema));
  std::vector<const Field*> sources;
  std::vector<std::string> names;
  for (const Field& field : file_schema.fields) {
    sources.push_back(SourceOf(stored, field, casts));
    names.push_back(sources.back()->name);
  }
  ARROW_ASSIGN_OR_RAISE(auto file_arrow_schema, file_schema.ToArrow());
  ARROW_ASSIGN_OR_RAISE(auto scan, ScanBatches(snapshot, {.columns = names}));
  ColumnFilesWriter writer(*snapshot, file_schema, files);
  Caster caster(casts, snapshot->MakeContext().pool());
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(scan->ReadNext(&batch));
    if (batch == nullptr) return writer.Finish();
    std::vector<std::shared_ptr<arrow::ArrayData>> columns;
    std::vector<std::shared_ptr<arrow::Field>> fields;
    for (size_t i = 0; i < sources.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(auto column, caster.Cast(*sources[i], file_schema.fields[i],
                                                     batch->column_data(static_cast<int>(i))));
      fields.push_back(file_arrow_schema->field(static_cast<int>(i))->WithType(column->type));
      columns.push_back(std::move(column));
    }
    ARROW_RETURN_NOT_OK(writer.Write(arrow::RecordBatch::Make(
        arrow::schema(std::move(fields)), batch->num_rows(), std::move(columns))));
  }
}

}  // namespace lance
