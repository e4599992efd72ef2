#include "table/index_section.h"

#include "gtest/gtest.h"
#include "table/fragment_bitmap.h"

namespace lance {
namespace {

std::string Covering(std::initializer_list<uint32_t> ids) {
  RoaringBitmap bitmap;
  for (uint32_t id : ids) bitmap.add(id);
  return EncodeBitmap(bitmap);
}

table::IndexMetadata* Add(IndexEntries* entries, const std::string& name, int32_t field,
                          const std::string& covered) {
  auto* entry = entries->Add();
  entry->set_name(name);
  entry->mutable_uuid()->set_uuid(name + std::to_string(entries->size()));
  entry->add_fields(field);
  entry->set_fragment_bitmap(covered);
  return entry;
}

std::vector<uint32_t> CoverageOf(const table::IndexMetadata& entry) {
  auto bitmap = DecodeFragmentBitmap(entry.fragment_bitmap()).ValueOrDie();
  std::vector<uint32_t> ids(bitmap->cardinality());
  bitmap->toUint32Array(ids.data());
  return ids;
}

using Ids = std::vector<uint32_t>;

Manifest WithFragments(std::initializer_list<uint64_t> ids) {
  Manifest manifest;
  Field field;
  field.id = 0;
  field.name = "a";
  field.logical_type = "int64";
  manifest.schema.fields.push_back(field);
  std::vector<table::DataFragment> fragments;
  for (uint64_t id : ids) {
    fragments.emplace_back().set_id(id);
    fragments.back().set_physical_rows(1);
  }
  EXPECT_TRUE(manifest.AddFragments(fragments).ok());
  return manifest;
}

TEST(IndexSection, UntouchedBytesAreKept) {
  IndexSection section("not a message \xff");
  EXPECT_EQ(section.Encode(), "not a message \xff");
  EXPECT_FALSE(section.has_covering_fields());
  EXPECT_EQ(GetErrorCode(section.Edit().status()), ErrorCode::kCorrupt);
}

TEST(IndexSection, UnknownFieldsSurviveChanges) {
  table::IndexSection message;
  Add(message.mutable_indices(), "i", 0, Covering({1, 2}));
  std::string unknown = "\x9a\x06\x01x";  // field 99
  std::string bytes = message.SerializeAsString();
  // Into the entry, whose length is one byte.
  bytes[1] = static_cast<char>(bytes[1] + static_cast<char>(unknown.size()));
  bytes += unknown;
  IndexSection section(bytes);
  ASSERT_TRUE(PruneCoverage({1}, {0}, Manifest(), section.Edit().ValueOrDie()).ok());
  std::string encoded = *section.Encode();
  EXPECT_NE(encoded.find(unknown), std::string::npos);
  EXPECT_NE(encoded, bytes);
}

TEST(IndexSection, WithoutEntriesThereIsNone) {
  IndexSection section;
  EXPECT_FALSE(section.Encode());
  ASSERT_TRUE(section.Edit().ok());
  EXPECT_FALSE(section.Encode());
}

TEST(IndexSection, PruneCoverage) {
  IndexEntries entries;
  Add(&entries, "a", 0, Covering({1, 2, 3}));
  Add(&entries, "b", 1, Covering({1, 2, 3}));
  Add(&entries, "unknown", 0, "");
  ASSERT_TRUE(PruneCoverage({2, 9}, {0}, Manifest(), &entries).ok());
  EXPECT_EQ(CoverageOf(entries[0]), (Ids{1, 3}));
  EXPECT_EQ(CoverageOf(entries[1]), (Ids{1, 2, 3}));
  EXPECT_EQ(entries[2].fragment_bitmap(), "");
}

TEST(IndexSection, PruneCoverageOfFieldsAbove) {
  Manifest manifest = WithFragments({1, 2});
  Field item = manifest.schema.fields[0];
  item.id = 1;
  manifest.schema.fields[0].children = {item, item};
  manifest.schema.fields[0].children[1].id = 2;
  IndexEntries entries;
  Add(&entries, "parent", 0, Covering({1, 2}));
  Add(&entries, "member", 1, Covering({1, 2}));
  Add(&entries, "sibling", 2, Covering({1, 2}));
  ASSERT_TRUE(PruneCoverage({2}, {1}, manifest, &entries).ok());
  EXPECT_EQ(CoverageOf(entries[0]), Ids{1});
  EXPECT_EQ(CoverageOf(entries[1]), Ids{1});
  EXPECT_EQ(CoverageOf(entries[2]), (Ids{1, 2}));
}

TEST(IndexSection, PruneCoverageThroughAReuseIndex) {
  Manifest manifest = WithFragments({3, 4});
  IndexEntries entries;
  Add(&entries, "moved", 0, Covering({1, 2, 3}));
  Add(&entries, "__lance_frag_reuse", 0, Covering({4}))->clear_fields();
  ASSERT_TRUE(PruneCoverage({3}, {0}, manifest, &entries).ok());
  EXPECT_EQ(CoverageOf(entries[0]), (Ids{1, 2})) << "which stand for 4";
  ASSERT_TRUE(PruneCoverage({4}, {0}, manifest, &entries).ok());
  EXPECT_EQ(CoverageOf(entries[0]), Ids{});
  Add(&entries, "moved", 0, Covering({1}));
  ASSERT_TRUE(DropDeadIndexes(manifest, &entries).ok());
  EXPECT_EQ(entries.size(), 3) << "segments may cover more than they say";
}

TEST(IndexSection, DropDead) {
  Manifest manifest = WithFragments({4, 5});
  IndexEntries entries;
  Add(&entries, "dropped column", 7, Covering({4}));
  Add(&entries, "alone and empty", 0, Covering({1}));
  Add(&entries, "two", 0, Covering({1}));
  Add(&entries, "two", 0, Covering({5}));
  Add(&entries, "all empty", 0, Covering({1}))->set_created_at(20);
  Add(&entries, "all empty", 0, Covering({2}))->set_created_at(10);
  auto* system = Add(&entries, "__lance_mem_wal", 0, "");
  system->clear_fields();
  ASSERT_TRUE(DropDeadIndexes(manifest, &entries).ok());
  std::vector<std::string> left;
  for (const auto& entry : entries) left.push_back(entry.uuid().uuid());
  EXPECT_EQ(left, (std::vector<std::string>{"alone and empty2", "two4", "all empty6",
                                            "__lance_mem_wal7"}));
}

TEST(IndexSection, NothingIsDroppedWithATaggedHistory) {
  Manifest manifest = WithFragments({4});
  IndexEntries entries;
  Add(&entries, "dropped column", 7, Covering({4}));
  Add(&entries, "__lance_frag_reuse", 0, "")->set_index_version(1);
  ASSERT_TRUE(DropDeadIndexes(manifest, &entries).ok());
  EXPECT_EQ(entries.size(), 2);
}

TEST(IndexSection, MovedRowsStayCovered) {
  IndexEntries entries;
  Add(&entries, "ids", 0, Covering({1, 2}));
  Add(&entries, "part", 0, Covering({1}));
  Add(&entries, "changed", 3, Covering({1, 2}));
  Add(&entries, "addresses", 0, Covering({1, 2}))
      ->mutable_index_details()
      ->set_type_url("/lance.table.ZoneMapIndexDetails");
  ASSERT_TRUE(CoverMovedRows({1, 2}, {8}, {3}, &entries).ok());
  EXPECT_EQ(CoverageOf(entries[0]), (Ids{1, 2, 8}));
  EXPECT_EQ(CoverageOf(entries[1]), Ids{1});
  EXPECT_EQ(CoverageOf(entries[2]), (Ids{1, 2}));
  EXPECT_EQ(CoverageOf(entries[3]), (Ids{1, 2}));
}

TEST(IndexSection, Compaction) {
  IndexEntries entries;
  Add(&entries, "a", 0, Covering({1, 2, 3}));
  std::vector<ReplacedFragments> groups = {{{1, 2}, {9}}};
  IndexEntries by_ids = entries;
  ASSERT_TRUE(ReplaceCoverage(groups, /*stable_row_ids=*/true, {}, &by_ids).ok());
  EXPECT_EQ(CoverageOf(by_ids[0]), (Ids{3, 9}));
  IndexEntries by_addresses = entries;
  ASSERT_TRUE(ReplaceCoverage(groups, false, {}, &by_addresses).ok());
  EXPECT_EQ(CoverageOf(by_addresses[0]), Ids{3});
  IndexEntries remapped = entries;
  ASSERT_TRUE(ReplaceCoverage(groups, false, {"a1"}, &remapped).ok());
  EXPECT_EQ(CoverageOf(remapped[0]), (Ids{3, 9}));
  std::vector<ReplacedFragments> partly = {{{3, 4}, {9}}};
  EXPECT_FALSE(ReplaceCoverage(partly, true, {}, &entries).ok());
}

}  // namespace
}  // namespace lance
