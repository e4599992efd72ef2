#include "query/expr/kernel/gather.h"

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/cast.h"
#include "arrow/compute/exec.h"
#include "arrow/extension_type.h"
#include "base/compute_kernels.h"
#include "base/take_rows.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;

Result<std::shared_ptr<Array>> TakeAt(arrow::MemoryPool* pool, const std::shared_ptr<Array>& array,
                                      const std::shared_ptr<Array>& indices) {
  return TakeRows(array, indices, pool);
}

}  // namespace

Result<std::shared_ptr<Array>> Gather(arrow::MemoryPool* pool, const std::shared_ptr<Array>& array,
                                      const std::vector<int64_t>& rows) {
  auto indices = std::make_shared<arrow::Int64Array>(static_cast<int64_t>(rows.size()),
                                                     arrow::Buffer::Wrap(rows));
  return TakeAt(pool, array, indices);
}

std::shared_ptr<arrow::DataType> PlainType(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case Type::EXTENSION:
      return PlainType(static_cast<const arrow::ExtensionType&>(*type).storage_type());
    case Type::DICTIONARY:
      return PlainType(static_cast<const arrow::DictionaryType&>(*type).value_type());
    case Type::STRING_VIEW:
      return arrow::utf8();
    case Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

Result<std::shared_ptr<Array>> Plain(arrow::MemoryPool* pool, const std::shared_ptr<Array>& array) {
  switch (array->type_id()) {
    case Type::EXTENSION:
      return Plain(pool, static_cast<const arrow::ExtensionArray&>(*array).storage());
    case Type::DICTIONARY: {
      const auto& dictionary = static_cast<const arrow::DictionaryArray&>(*array);
      ARROW_ASSIGN_OR_RAISE(auto values,
                            TakeAt(pool, dictionary.dictionary(), dictionary.indices()));
      return Plain(pool, values);
    }
    case Type::STRING_VIEW:
    case Type::BINARY_VIEW: {
      ARROW_RETURN_NOT_OK(InitializeComputeKernels());
      arrow::compute::ExecContext exec(pool);
      return arrow::compute::Cast(*array, PlainType(array->type()),
                                  arrow::compute::CastOptions::Safe(), &exec);
    }
    default:
      return array;
  }
}

}  // namespace lance::query
