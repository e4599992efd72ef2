#include "dataset/inserted_key_filter.h"

#include <algorithm>
#include <string>

#include "arrow/api.h"
#include "query/expr/kernel/gather.h"

namespace lance {
namespace {

using arrow::Type;

template <typename T>
void AppendInteger(const arrow::Array& array, int64_t row, std::string* key) {
  auto value = static_cast<uint64_t>(int64_t{array.data()->GetValues<T>(1)[row]});
  for (int shift = 0; shift < 64; shift += 8) {
    key->push_back(static_cast<char>((value >> shift) & 0xff));
  }
}

bool IsNarrow(const arrow::DataType& decimal) {
  return static_cast<const arrow::DecimalType&>(decimal).precision() <=
         arrow::Decimal128Type::kMaxPrecision;
}

void AppendStored(const arrow::Array& array, int64_t row, std::string* key) {
  int64_t width = static_cast<const arrow::FixedWidthType&>(*array.type()).bit_width() / 8;
  const uint8_t* value = array.data()->buffers[1]->data() + (array.offset() + row) * width;
  // The same key whatever the width of a decimal.
  constexpr int64_t kNarrowBytes = 16;
  if (array.type_id() == Type::DECIMAL256 && IsNarrow(*array.type())) width = kNarrowBytes;
  key->append(reinterpret_cast<const char*>(value), static_cast<size_t>(width));
}

/// Whether the values of a type can be told apart by AppendValue.
bool IsKnown(const arrow::DataType& type) {
  return arrow::is_base_binary_like(type.id()) ||
         (arrow::is_fixed_width(type.id()) && !arrow::is_nested(type.id()) &&
          type.id() != Type::DICTIONARY);
}

/// Integers of 32 and 64 bits as 8 bytes, little-endian; text and binary as they are. The reference
/// has no others; for those, the bytes that Arrow stores.
void AppendValue(const arrow::Array& array, int64_t row, std::string* key) {
  switch (array.type_id()) {
    case Type::INT32:
      return AppendInteger<int32_t>(array, row, key);
    case Type::UINT32:
      return AppendInteger<uint32_t>(array, row, key);
    case Type::STRING:
    case Type::BINARY:
      key->append(static_cast<const arrow::BinaryArray&>(array).GetView(row));
      return;
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      key->append(static_cast<const arrow::LargeBinaryArray&>(array).GetView(row));
      return;
    case Type::BOOL:
      key->push_back(static_cast<const arrow::BooleanArray&>(array).Value(row) ? 1 : 0);
      return;
    default:
      return AppendStored(array, row, key);
  }
}

void AddKeys(const arrow::ArrayVector& columns, int64_t rows, InsertedKeys* keys) {
  std::string key;
  for (int64_t row = 0; row < rows; ++row) {
    // A key with a null equals no other.
    if (std::any_of(columns.begin(), columns.end(),
                    [&](const auto& column) { return column->IsNull(row); })) {
      continue;
    }
    key.clear();
    for (const auto& column : columns) {
      AppendValue(*column, row, &key);
      if (columns.size() > 1) key.push_back('\0');
    }
    keys->Add(key);
  }
}

}  // namespace

Status AddKeysOf(const arrow::RecordBatch& rows, arrow::MemoryPool* pool, InsertedKeys* keys) {
  arrow::ArrayVector plain;
  for (const auto& column : rows.columns()) {
    ARROW_ASSIGN_OR_RAISE(plain.emplace_back(), query::Plain(pool, column));
  }
  if (std::all_of(plain.begin(), plain.end(),
                  [](const auto& column) { return IsKnown(*column->type()); })) {
    AddKeys(plain, rows.num_rows(), keys);
  } else {
    keys->AddEvery();
  }
  return Status::OK();
}

}  // namespace lance
