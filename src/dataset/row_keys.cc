#include "dataset/row_keys.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <memory>
#include <span>

#include "arrow/api.h"
#include "arrow/extension_type.h"
#include "query/expr/kernel/gather.h"
#include "query/expr/kernel/reading.h"

namespace lance {
namespace {

using arrow::Array;
using arrow::Type;

/// Lengths of values and counts of items, before them.
using Length = uint64_t;
/// Nested values are no deeper than this, as Arrow types may be of any depth.
constexpr int kMaxDepth = 64;

bool IsBytes(const arrow::DataType& type) { return arrow::is_base_binary_like(type.id()); }

/// Bytes of a value of fixed width, 0 for other types. Booleans have none of their own.
int64_t FixedWidth(const arrow::DataType& type) {
  if (type.id() == Type::BOOL) return 1;
  if (type.id() == Type::DICTIONARY || arrow::is_nested(type.id()) ||
      !arrow::is_fixed_width(type.id()))
    return 0;
  return static_cast<const arrow::FixedWidthType&>(type).bit_width() / 8;
}

bool IsWordWidth(int64_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }

/// Booleans as a byte each; other values of fixed width where they are.
class FixedValues {
 public:
  explicit FixedValues(const Array& array) : width_(FixedWidth(*array.type())) {
    if (array.type_id() == Type::BOOL) {
      const auto& booleans = static_cast<const arrow::BooleanArray&>(array);
      expanded_.resize(static_cast<size_t>(array.length()));
      for (size_t row = 0; row < expanded_.size(); ++row) {
        expanded_[row] = booleans.Value(static_cast<int64_t>(row)) ? 1 : 0;
      }
      values_ = expanded_.data();
    } else if (array.length() > 0) {
      values_ = array.data()->buffers[1]->data() + array.offset() * width_;
    }
  }
  int64_t width() const { return width_; }
  const uint8_t* at(int64_t row) const { return values_ + row * width_; }

 private:
  int64_t width_;
  std::vector<uint8_t> expanded_;
  const uint8_t* values_ = nullptr;
};

template <typename T>
void CopyWords(const uint8_t* values, std::vector<uint64_t>* words) {
  for (size_t row = 0; row < words->size(); ++row) {
    T value;
    std::memcpy(&value, values + row * sizeof(T), sizeof(T));
    (*words)[row] = value;
  }
}

std::vector<uint64_t> WordsOf(const Array& array) {
  FixedValues values(array);
  std::vector<uint64_t> words(static_cast<size_t>(array.length()));
  if (words.empty()) return words;
  switch (values.width()) {
    case 1:
      CopyWords<uint8_t>(values.at(0), &words);
      break;
    case 2:
      CopyWords<uint16_t>(values.at(0), &words);
      break;
    case 4:
      CopyWords<uint32_t>(values.at(0), &words);
      break;
    default:
      CopyWords<uint64_t>(values.at(0), &words);
      break;
  }
  return words;
}

void AppendLength(uint64_t length, std::string* out) {
  out->append(reinterpret_cast<const char*>(&length), sizeof(length));
}

Status AppendNested(const Array& array, int64_t row, int depth, std::string* out);

/// A byte for validity, then the value.
Status AppendMember(const Array& array, int64_t row, int depth, std::string* out) {
  bool is_valid = array.IsValid(row) && array.type_id() != Type::NA;
  out->push_back(is_valid ? 1 : 0);
  return is_valid ? AppendNested(array, row, depth + 1, out) : Status::OK();
}

Status AppendItems(const Array& items, int64_t begin, int64_t end, int depth, std::string* out) {
  AppendLength(static_cast<uint64_t>(end - begin), out);
  for (int64_t item = begin; item < end; ++item) {
    ARROW_RETURN_NOT_OK(AppendMember(items, item, depth, out));
  }
  return Status::OK();
}

template <typename List>
Status AppendList(const Array& array, int64_t row, int depth, std::string* out) {
  const auto& list = static_cast<const List&>(array);
  int64_t begin = list.value_offset(row);
  return AppendItems(*list.values(), begin, begin + list.value_length(row), depth, out);
}

Status AppendBytes(const Array& array, int64_t row, std::string* out) {
  query::BytesValues values({array.Slice(row, 1), false});
  std::string_view value = values[0];
  AppendLength(value.size(), out);
  out->append(value);
  return Status::OK();
}

/// One valid value of any type.
Status AppendNested(const Array& array, int64_t row, int depth, std::string* out) {
  if (depth > kMaxDepth) return Unsupported("a key nested deeper than ", kMaxDepth);
  switch (array.type_id()) {
    case Type::STRUCT: {
      const auto& members = static_cast<const arrow::StructArray&>(array);
      for (int i = 0; i < members.num_fields(); ++i) {
        ARROW_RETURN_NOT_OK(AppendMember(*members.field(i), row, depth, out));
      }
      return Status::OK();
    }
    case Type::LIST:
    case Type::MAP:
      return AppendList<arrow::ListArray>(array, row, depth, out);
    case Type::LARGE_LIST:
      return AppendList<arrow::LargeListArray>(array, row, depth, out);
    case Type::FIXED_SIZE_LIST:
      return AppendList<arrow::FixedSizeListArray>(array, row, depth, out);
    case Type::DICTIONARY: {
      const auto& indices = static_cast<const arrow::DictionaryArray&>(array);
      return AppendMember(*indices.dictionary(), indices.GetValueIndex(row), depth, out);
    }
    case Type::EXTENSION:
      return AppendNested(*static_cast<const arrow::ExtensionArray&>(array).storage(), row,
                          depth + 1, out);
    default:
      break;
  }
  if (IsBytes(*array.type())) return AppendBytes(array, row, out);
  if (FixedWidth(*array.type()) == 0) {
    return Unsupported("columns of type ", array.type()->ToString(), " can't be keys");
  }
  FixedValues value(*array.Slice(row, 1));
  out->append(reinterpret_cast<const char*>(value.at(0)), static_cast<size_t>(value.width()));
  return Status::OK();
}

}  // namespace

/// One column of several, or one that has no words.
class RowKeys::Column {
 public:
  virtual ~Column() = default;
  /// Of all rows.
  virtual void AddHashes(std::span<uint64_t> hashes) const = 0;
  /// How many bytes the values of these rows take.
  virtual void AddSizes(std::span<const int64_t> rows, std::span<uint64_t> sizes) const = 0;
  /// Writes each value where its row's cursor is, and moves that on.
  virtual void Write(std::span<const int64_t> rows, std::span<char*> cursors) const = 0;
};

namespace {

uint64_t HashOf(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

uint64_t Combine(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

void Append(std::string_view value, char** cursor) {
  if (!value.empty()) std::memcpy(*cursor, value.data(), value.size());
  *cursor += value.size();
}

class FixedColumn final : public RowKeys::Column {
 public:
  explicit FixedColumn(const Array& array) : values_(array) {
    if (IsWordWidth(values_.width())) words_ = WordsOf(array);
  }
  void AddHashes(std::span<uint64_t> hashes) const override {
    for (size_t row = 0; row < hashes.size(); ++row) {
      uint64_t value = words_.empty() ? HashOf(At(static_cast<int64_t>(row))) : words_[row];
      hashes[row] = Combine(hashes[row], value);
    }
  }
  void AddSizes(std::span<const int64_t> /*rows*/, std::span<uint64_t> sizes) const override {
    for (uint64_t& size : sizes) size += static_cast<uint64_t>(values_.width());
  }
  void Write(std::span<const int64_t> rows, std::span<char*> cursors) const override {
    for (size_t i = 0; i < rows.size(); ++i) Append(At(rows[i]), &cursors[i]);
  }

 private:
  std::string_view At(int64_t row) const {
    return {reinterpret_cast<const char*>(values_.at(row)), static_cast<size_t>(values_.width())};
  }

  FixedValues values_;
  std::vector<uint64_t> words_;
};

class BytesColumn final : public RowKeys::Column {
 public:
  explicit BytesColumn(std::shared_ptr<Array> array) : values_({std::move(array), false}) {}
  void AddHashes(std::span<uint64_t> hashes) const override {
    for (size_t row = 0; row < hashes.size(); ++row) {
      hashes[row] = Combine(hashes[row], HashOf(values_[static_cast<int64_t>(row)]));
    }
  }
  void AddSizes(std::span<const int64_t> rows, std::span<uint64_t> sizes) const override {
    for (size_t i = 0; i < rows.size(); ++i) sizes[i] += sizeof(Length) + values_[rows[i]].size();
  }
  void Write(std::span<const int64_t> rows, std::span<char*> cursors) const override {
    for (size_t i = 0; i < rows.size(); ++i) {
      std::string_view value = values_[rows[i]];
      Length length = value.size();
      Append({reinterpret_cast<const char*>(&length), sizeof(length)}, &cursors[i]);
      Append(value, &cursors[i]);
    }
  }

 private:
  query::BytesValues values_;
};

class NestedColumn final : public RowKeys::Column {
 public:
  static Result<std::unique_ptr<RowKeys::Column>> Make(const Array& array) {
    auto column = std::make_unique<NestedColumn>();
    for (int64_t row = 0; row < array.length(); ++row) {
      ARROW_RETURN_NOT_OK(AppendMember(array, row, 0, &column->bytes_));
      column->ends_.push_back(column->bytes_.size());
    }
    return column;
  }
  void AddHashes(std::span<uint64_t> hashes) const override {
    for (size_t row = 0; row < hashes.size(); ++row) {
      hashes[row] = Combine(hashes[row], HashOf(At(static_cast<int64_t>(row))));
    }
  }
  void AddSizes(std::span<const int64_t> rows, std::span<uint64_t> sizes) const override {
    for (size_t i = 0; i < rows.size(); ++i) sizes[i] += At(rows[i]).size();
  }
  void Write(std::span<const int64_t> rows, std::span<char*> cursors) const override {
    for (size_t i = 0; i < rows.size(); ++i) Append(At(rows[i]), &cursors[i]);
  }

 private:
  std::string_view At(int64_t row) const {
    auto at = static_cast<size_t>(row);
    return std::string_view(bytes_).substr(ends_[at], ends_[at + 1] - ends_[at]);
  }

  std::string bytes_;
  std::vector<size_t> ends_ = {0};
};

Result<std::unique_ptr<RowKeys::Column>> MakeColumn(const std::shared_ptr<Array>& array) {
  if (FixedWidth(*array->type()) > 0) return std::make_unique<FixedColumn>(*array);
  if (IsBytes(*array->type())) return std::make_unique<BytesColumn>(array);
  return NestedColumn::Make(*array);
}

void NoteNulls(const Array& array, std::vector<uint8_t>* nulls) {
  bool all = array.type_id() == Type::NA;
  if (!all && array.null_count() == 0) return;
  nulls->resize(static_cast<size_t>(array.length()));
  for (size_t row = 0; row < nulls->size(); ++row) {
    if (all || array.IsNull(static_cast<int64_t>(row))) (*nulls)[row] = 1;
  }
}

}  // namespace

KeyBytes::KeyBytes(std::span<const uint64_t> sizes) {
  for (uint64_t size : sizes) ends_.push_back(ends_.back() + size);
  bytes_ = std::make_unique_for_overwrite<char[]>(ends_.back());
}

RowKeys::RowKeys() = default;
RowKeys::RowKeys(RowKeys&&) noexcept = default;
RowKeys& RowKeys::operator=(RowKeys&&) noexcept = default;
RowKeys::~RowKeys() = default;

Result<RowKeys> RowKeys::Of(const arrow::ArrayVector& columns, arrow::MemoryPool* pool) {
  RowKeys keys;
  for (const auto& column : columns) {
    ARROW_ASSIGN_OR_RAISE(keys.arrays_.emplace_back(), query::Plain(pool, column));
    NoteNulls(*keys.arrays_.back(), &keys.nulls_);
  }
  const Array& first = *keys.arrays_[0];
  keys.are_words_ = columns.size() == 1 && IsWordWidth(FixedWidth(*first.type()));
  if (keys.are_words_) {
    keys.tags_ = WordsOf(first);
    return keys;
  }
  keys.tags_.resize(static_cast<size_t>(first.length()));
  for (const auto& array : keys.arrays_) {
    ARROW_ASSIGN_OR_RAISE(keys.columns_.emplace_back(), MakeColumn(array));
    keys.columns_.back()->AddHashes(keys.tags_);
  }
  return keys;
}

KeyBytes RowKeys::BytesOf(std::span<const int64_t> rows) const {
  std::vector<uint64_t> sizes(rows.size());
  for (const auto& column : columns_) column->AddSizes(rows, sizes);
  KeyBytes bytes(sizes);
  std::vector<char*> cursors(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) cursors[i] = bytes.at(i);
  for (const auto& column : columns_) column->Write(rows, cursors);
  return bytes;
}

}  // namespace lance
