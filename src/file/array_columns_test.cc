// Files of version 2.0 that no writer at hand makes: large ones of lists of structs, and those that
// claim more than they hold.

#include "file/array_columns.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "base/limited_pool.h"
#include "encodings20.pb.h"
#include "file.pb.h"
#include "file/file_reader.h"
#include "file_v2.pb.h"
#include "io/object_store.h"
#include "io/read_batch.h"
#include "wire.pb.h"

namespace lance {
namespace {

using Encoding = encodings::ArrayEncoding;

template <typename T>
void Append(T number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Puts together a file of version 2.0, one page a column.
class ArrayFile {
 public:
  explicit ArrayFile(const arrow::Schema& schema)
      : schema_(Schema::FromArrow(schema).ValueOrDie()) {}

  /// The next column in pre-order.
  void AddColumn(uint64_t rows, const Encoding& encoding, const std::string& buffer = "") {
    file::v2::ColumnMetadata column;
    SetDirect("/lance.encodings.ColumnEncoding", std::string("\x0a\x00", 2),
              column.mutable_encoding());
    auto* page = column.add_pages();
    page->set_length(rows);
    page->add_buffer_offsets(bytes_.size());
    page->add_buffer_sizes(buffer.size());
    SetDirect("/lance.encodings.ArrayEncoding", encoding.SerializeAsString(),
              page->mutable_encoding());
    bytes_ += buffer;
    columns_.push_back(column.SerializeAsString());
  }

  std::shared_ptr<FileReader> Open(uint64_t rows, IoStats* stats = nullptr) {
    file::FileDescriptor descriptor;
    schema_.ToProto(descriptor.mutable_schema()->mutable_fields());
    descriptor.set_length(rows);
    const uint64_t descriptor_at = bytes_.size();
    bytes_ += descriptor.SerializeAsString();
    const uint64_t columns_at = bytes_.size();
    std::string table;
    for (const std::string& column : columns_) {
      Append(uint64_t{bytes_.size()}, &table);
      Append(uint64_t{column.size()}, &table);
      bytes_ += column;
    }
    const uint64_t table_at = bytes_.size();
    bytes_ += table;
    const uint64_t buffers_at = bytes_.size();
    Append(descriptor_at, &bytes_);
    Append(columns_at - descriptor_at, &bytes_);
    for (const uint64_t position : {columns_at, table_at, buffers_at}) Append(position, &bytes_);
    Append(uint32_t{1}, &bytes_);
    Append(static_cast<uint32_t>(columns_.size()), &bytes_);
    Append(uint16_t{0}, &bytes_);
    Append(uint16_t{3}, &bytes_);
    bytes_ += "LANC";
    EXPECT_TRUE(store_->Put({}, "/f", AsBytes(bytes_)).ok());
    Context context;
    context.io_stats = stats;
    return FileReader::Open(context, store_->OpenReader({}, "/f").ValueOrDie()).ValueOrDie();
  }

 private:
  static void SetDirect(const std::string& type_url, const std::string& value,
                        file::v2::Encoding* out) {
    wire::Any any;
    any.set_type_url(type_url);
    any.set_value(value);
    out->mutable_direct()->set_encoding(any.SerializeAsString());
  }

  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  Schema schema_;
  std::string bytes_;
  std::vector<std::string> columns_;
};

Encoding NoNulls(const Encoding& values) {
  Encoding encoding;
  *encoding.mutable_nullable()->mutable_no_nulls()->mutable_values() = values;
  return encoding;
}

/// Values of so many bits in the page's only buffer.
Encoding Flat(uint64_t bits) {
  Encoding encoding;
  encoding.mutable_flat()->set_bits_per_value(bits);
  encoding.mutable_flat()->mutable_buffer();
  return NoNulls(encoding);
}

Encoding Lists(uint64_t num_items) {
  Encoding encoding;
  *encoding.mutable_list()->mutable_offsets() = Flat(64);
  encoding.mutable_list()->set_num_items(num_items);
  encoding.mutable_list()->set_null_offset_adjustment(num_items + 1);
  return encoding;
}

Encoding AllNulls() {
  Encoding encoding;
  encoding.mutable_nullable()->mutable_all_nulls();
  return encoding;
}

TEST(ArrayColumns, MembersOfStructsInListsAreReadAlone) {
  constexpr uint64_t kRows = 20000;
  auto item = arrow::struct_({arrow::field("u", arrow::int64()), arrow::field("v", arrow::int64()),
                              arrow::field("w", arrow::int64())});
  ArrayFile file(*arrow::schema({arrow::field("l", arrow::list(item))}));
  std::vector<uint64_t> ends;
  for (uint64_t i = 1; i <= kRows; ++i) ends.push_back(i);
  std::mt19937_64 random(3);
  std::vector<std::vector<int64_t>> members(3, std::vector<int64_t>(kRows));
  for (auto& member : members) {
    for (int64_t& value : member) value = static_cast<int64_t>(random());
  }
  file.AddColumn(kRows, Lists(kRows), BytesOf(ends));
  Encoding header;
  header.mutable_simple_struct();
  file.AddColumn(kRows, header);
  for (const auto& member : members) file.AddColumn(kRows, Flat(64), BytesOf(member));

  IoStats stats;
  Context context;
  context.io_stats = &stats;
  auto reader = file.Open(kRows);
  const RowRange all{0, kRows};
  struct Case {
    std::vector<std::string> columns;
    std::vector<size_t> members;
  };
  for (const Case& test_case : std::vector<Case>{
           {{"l.item.v"}, {1}}, {{"l.item.u", "l.item.w"}, {0, 2}}, {{"l"}, {0, 1, 2}}}) {
    SCOPED_TRACE(test_case.columns[0]);
    auto projection = reader->Project(test_case.columns).ValueOrDie();
    // The columns' metadata came with the tail of the file.
    stats.reads = 0;
    stats.read_bytes = 0;
    auto batch = reader->Read(context, projection, {&all, 1}).ValueOrDie();
    const uint64_t column_bytes = kRows * sizeof(int64_t);
    EXPECT_EQ(stats.read_bytes.load(), (1 + test_case.members.size()) * column_bytes);
    const auto& list = static_cast<const arrow::ListArray&>(*batch->column(0));
    const auto& items = static_cast<const arrow::StructArray&>(*list.values());
    ASSERT_EQ(static_cast<size_t>(items.num_fields()), test_case.members.size());
    for (size_t i = 0; i < test_case.members.size(); ++i) {
      const auto& values = static_cast<const arrow::Int64Array&>(*items.field(static_cast<int>(i)));
      EXPECT_EQ(std::vector<int64_t>(values.raw_values(), values.raw_values() + kRows),
                members[test_case.members[i]]);
    }
  }

  // A row: the ends of it and of the one before, then its items.
  auto projection = reader->Project({"l.item.v"}).ValueOrDie();
  stats.reads = 0;
  stats.read_bytes = 0;
  const RowRange row{12345, 1};
  EXPECT_TRUE(reader->Read(context, projection, {&row, 1}).ok());
  EXPECT_EQ(stats.reads.load(), 2u);
  EXPECT_EQ(stats.read_bytes.load(), 3 * sizeof(uint64_t));
}

/// One list of so many items, which have no bytes in the file.
Result<std::shared_ptr<arrow::RecordBatch>> ReadClaim(const std::shared_ptr<arrow::DataType>& item,
                                                      const Encoding& items, uint64_t count,
                                                      LimitedPool* pool) {
  ArrayFile file(*arrow::schema({arrow::field("l", arrow::large_list(item))}));
  file.AddColumn(1, Lists(count), BytesOf<uint64_t>({count}));
  file.AddColumn(count, items);
  auto reader = file.Open(1);
  pool->SetLimit(64 << 20);
  Context context;
  context.memory_pool = pool;
  ARROW_ASSIGN_OR_RAISE(auto projection, reader->Project());
  const RowRange row{0, 1};
  auto batch = reader->Read(context, projection, {&row, 1});
  EXPECT_EQ(pool->refused(), 0);
  return batch;
}

TEST(ArrayColumns, ItemsWithoutBytesAreBounded) {
  Encoding no_bits;
  no_bits.mutable_bitpacked()->set_uncompressed_bits_per_value(64);
  no_bits.mutable_bitpacked()->mutable_buffer();
  Encoding empty_texts;
  *empty_texts.mutable_fixed_size_binary()->mutable_bytes() = Flat(8);
  const struct {
    std::shared_ptr<arrow::DataType> item;
    Encoding items;
  } claims[] = {
      {arrow::int64(), AllNulls()},
      {arrow::boolean(), AllNulls()},
      {arrow::utf8(), AllNulls()},
      {arrow::dictionary(arrow::int8(), arrow::utf8()), AllNulls()},
      {arrow::fixed_size_list(arrow::float32(), 1000), AllNulls()},
      {arrow::int64(), NoNulls(no_bits)},
      {arrow::utf8(), empty_texts},
  };
  LimitedPool pool;
  for (const auto& claim : claims) {
    SCOPED_TRACE(claim.item->ToString() + " " + claim.items.ShortDebugString());
    for (const uint64_t count : {uint64_t{1} << 28, uint64_t{1} << 40, uint64_t{1} << 61}) {
      Status status = ReadClaim(claim.item, claim.items, count, &pool).status();
      ASSERT_FALSE(status.ok()) << count;
      EXPECT_NE(ErrorText(status).find("/f"), std::string::npos) << ErrorText(status);
      EXPECT_NE(ErrorText(status).find("column 1"), std::string::npos) << ErrorText(status);
    }
  }
}

TEST(ArrayColumns, FewItemsWithoutBytesAreRead) {
  constexpr int64_t kItems = 1 << 20;
  LimitedPool pool;
  for (const auto& item : {arrow::int64(), arrow::boolean(), arrow::utf8()}) {
    auto batch = ReadClaim(item, AllNulls(), kItems, &pool).ValueOrDie();
    const auto& list = static_cast<const arrow::LargeListArray&>(*batch->column(0));
    EXPECT_EQ(list.values()->null_count(), kItems) << item->ToString();
    EXPECT_TRUE(batch->ValidateFull().ok());
  }
  // Nulls of the null type take no room at all.
  constexpr int64_t kMany = int64_t{1} << 40;
  auto batch = ReadClaim(arrow::null(), AllNulls(), kMany, &pool).ValueOrDie();
  EXPECT_EQ(static_cast<const arrow::LargeListArray&>(*batch->column(0)).values()->length(), kMany);
}

}  // namespace
}  // namespace lance
