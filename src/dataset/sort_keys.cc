#include "dataset/sort_keys.h"

#include <bit>
#include <limits>
#include <string>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "base/compute_kernels.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/gather.h"

namespace lance {
namespace {

using arrow::Type;

/// Each key takes two columns: whether it is null, and the value.
constexpr int kColumnsPerKey = 2;

/// Integers in the order of the floats, NaN being the last.
template <typename Float, typename Integer>
Result<std::shared_ptr<arrow::Array>> OrderOfFloats(const arrow::Array& values,
                                                    std::shared_ptr<arrow::DataType> type,
                                                    arrow::MemoryPool* pool) {
  const auto* floats = values.data()->GetValues<Float>(1);
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> buffer,
      arrow::AllocateBuffer(values.length() * static_cast<int64_t>(sizeof(Integer)), pool));
  auto* out = buffer->mutable_data_as<Integer>();
  constexpr Integer kMax = std::numeric_limits<Integer>::max();
  for (int64_t i = 0; i < values.length(); ++i) {
    const auto bits = std::bit_cast<Integer>(floats[i]);
    // The larger the magnitude of a negative number, the smaller it is. Nulls are all alike.
    const Integer order = floats[i] != floats[i] ? kMax : bits < 0 ? bits ^ kMax : bits;
    out[i] = values.IsNull(i) ? 0 : order;
  }
  return arrow::MakeArray(
      arrow::ArrayData::Make(std::move(type), values.length(), {nullptr, std::move(buffer)}));
}

Result<std::shared_ptr<arrow::Array>> Sortable(const std::shared_ptr<arrow::Array>& values,
                                               arrow::MemoryPool* pool) {
  switch (values->type_id()) {
    case Type::HALF_FLOAT: {
      ARROW_ASSIGN_OR_RAISE(
          auto floats, query::CastArray(pool, values, arrow::float32(), query::CastMode::kStrict));
      return Sortable(floats, pool);
    }
    case Type::FLOAT:
      return OrderOfFloats<float, int32_t>(*values, arrow::int32(), pool);
    case Type::DOUBLE:
      return OrderOfFloats<double, int64_t>(*values, arrow::int64(), pool);
    default:
      return values;
  }
}

/// 0 where the row comes before those with 1.
Result<std::shared_ptr<arrow::Array>> NullOrder(const arrow::Array& values, bool nulls_first,
                                                arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> buffer,
                        arrow::AllocateBuffer(values.length(), pool));
  uint8_t* out = buffer->mutable_data();
  for (int64_t i = 0; i < values.length(); ++i) {
    out[i] = static_cast<uint8_t>(values.IsNull(i) != nulls_first);
  }
  return std::make_shared<arrow::UInt8Array>(values.length(), std::move(buffer));
}

Status CheckOrdered(const SortKey& key, const arrow::DataType& type) {
  if (!arrow::is_nested(type.id())) return Status::OK();
  return UserError("rows can't be ordered by column '", key.column, "' of type ", type.ToString(),
                   "; order by a column of plain values, or by a member of a struct");
}

}  // namespace

Result<std::shared_ptr<arrow::RecordBatch>> SortableKeys(const std::vector<SortKey>& keys,
                                                         const arrow::ArrayVector& values,
                                                         int64_t rows, arrow::MemoryPool* pool) {
  arrow::ArrayVector columns;
  arrow::FieldVector fields;
  auto add = [&](std::shared_ptr<arrow::Array> column) {
    fields.push_back(arrow::field(std::to_string(columns.size()), column->type()));
    columns.push_back(std::move(column));
  };
  for (size_t i = 0; i < keys.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto plain, query::Plain(pool, values[i]));
    ARROW_RETURN_NOT_OK(CheckOrdered(keys[i], *plain->type()));
    ARROW_ASSIGN_OR_RAISE(auto nulls, NullOrder(*plain, keys[i].nulls_first, pool));
    add(std::move(nulls));
    ARROW_ASSIGN_OR_RAISE(auto sortable, Sortable(plain, pool));
    add(std::move(sortable));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(columns));
}

Result<std::shared_ptr<arrow::UInt64Array>> SortedRows(const std::vector<SortKey>& keys,
                                                       const arrow::RecordBatch& rows,
                                                       arrow::MemoryPool* pool) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  using arrow::compute::SortOrder;
  std::vector<arrow::compute::SortKey> columns;
  for (size_t i = 0; i < keys.size(); ++i) {
    const int column = static_cast<int>(i) * kColumnsPerKey;
    columns.emplace_back(arrow::FieldRef(column), SortOrder::Ascending);
    columns.emplace_back(arrow::FieldRef(column + 1),
                         keys[i].ascending ? SortOrder::Ascending : SortOrder::Descending);
  }
  arrow::compute::ExecContext exec(pool);
  ARROW_ASSIGN_OR_RAISE(
      auto order,
      arrow::compute::SortIndices(rows.Slice(0), arrow::compute::SortOptions(columns), &exec));
  return std::static_pointer_cast<arrow::UInt64Array>(std::move(order));
}

}  // namespace lance
