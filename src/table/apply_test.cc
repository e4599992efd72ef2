#include "table/apply.h"

#include "gtest/gtest.h"
#include "table/feature_flags.h"
#include "table/row_id_sequence.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

table::DataFragment NewFragment(uint64_t rows, uint32_t minor_version = 2) {
  table::DataFragment fragment;
  fragment.set_physical_rows(rows);
  auto* file = fragment.add_files();
  file->set_path("x.lance");
  file->set_file_major_version(2);
  file->set_file_minor_version(minor_version);
  file->set_file_size_bytes(1);
  return fragment;
}

Transaction Overwrite(const std::vector<uint64_t>& rows, const std::string& column = "a",
                      int32_t id = 0) {
  Transaction transaction;
  auto* overwrite = transaction.mutable_overwrite();
  for (uint64_t count : rows) *overwrite->add_fragments() = NewFragment(count);
  auto* field = overwrite->add_schema();
  field->set_name(column);
  field->set_id(id);
  field->set_parent_id(-1);
  field->set_logical_type("int64");
  (*overwrite->mutable_schema_metadata())["made for"] = column;
  return transaction;
}

Transaction Append(const std::vector<uint64_t>& rows) {
  Transaction transaction;
  transaction.mutable_append();
  for (uint64_t count : rows) *transaction.mutable_append()->add_fragments() = NewFragment(count);
  return transaction;
}

/// Without indexes.
Result<Manifest> Apply(const Manifest* newest, const Transaction& transaction,
                       const ApplyOptions& options) {
  ARROW_ASSIGN_OR_RAISE(NewVersion next, lance::Apply({.newest = newest}, transaction, options));
  return std::move(next.manifest);
}

std::vector<uint64_t> IdsOf(const Manifest& manifest) {
  std::vector<uint64_t> ids;
  for (const auto& fragment : manifest.fragments) ids.push_back(fragment.id);
  return ids;
}

using Ids = std::vector<uint64_t>;

TEST(Apply, Create) {
  ApplyOptions options;
  options.timestamp_ns = 12345;
  options.transaction_file = "0-x.txn";
  auto manifest = Apply(nullptr, Overwrite({5, 6}), options).ValueOrDie();
  EXPECT_EQ(manifest.version(), 1u);
  EXPECT_EQ(manifest.timestamp_ns(), 12345);
  EXPECT_EQ(manifest.head.transaction_file(), "0-x.txn");
  EXPECT_EQ(IdsOf(manifest), (Ids{0, 1}));
  EXPECT_EQ(manifest.head.max_fragment_id(), 1u);
  EXPECT_EQ(manifest.head.data_format().file_format(), "lance");
  EXPECT_EQ(manifest.head.data_format().version(), "2.2");
  EXPECT_EQ(manifest.head.writer_version().library(), "lance-cpp");
  EXPECT_EQ(manifest.head.reader_feature_flags(), 0u);
  EXPECT_EQ(manifest.head.writer_feature_flags(), 0u);
  EXPECT_EQ(manifest.head.fields_size(), 1);
  EXPECT_EQ(manifest.head.schema_metadata().at("made for"), "a");
}

TEST(Apply, CreateEmpty) {
  auto manifest = Apply(nullptr, Overwrite({}), {}).ValueOrDie();
  EXPECT_TRUE(manifest.fragments.empty());
  EXPECT_FALSE(manifest.head.has_max_fragment_id()) << "no id was given out";
  auto appended = Apply(&manifest, Append({3}), {}).ValueOrDie();
  EXPECT_EQ(IdsOf(appended), Ids{0});
}

TEST(Apply, AppendContinuesIds) {
  auto first = Apply(nullptr, Overwrite({5, 6}), {}).ValueOrDie();
  // Ids that were reserved count as used.
  first.head.set_max_fragment_id(7);
  (*first.head.mutable_config())["k"] = "v";
  auto second = Apply(&first, Append({1, 2}), {}).ValueOrDie();
  EXPECT_EQ(second.version(), 2u);
  EXPECT_EQ(IdsOf(second), (Ids{0, 1, 8, 9}));
  EXPECT_EQ(second.head.max_fragment_id(), 9u);
  EXPECT_EQ(second.head.config().at("k"), "v");
  EXPECT_EQ(second.head.writer_feature_flags(), feature_flag::kTableConfig);
  EXPECT_EQ(second.head.reader_feature_flags(), 0u) << "writers only";
  // Untouched fragments are the same bytes.
  EXPECT_EQ(second.fragments[0].bytes.data(), first.fragments[0].bytes.data());
}

TEST(Apply, MissingHighWaterMark) {
  auto first = Apply(nullptr, Overwrite({5, 6}), {}).ValueOrDie();
  first.head.clear_max_fragment_id();
  EXPECT_EQ(IdsOf(Apply(&first, Append({1}), {}).ValueOrDie()), (Ids{0, 1, 2}));
}

TEST(Apply, OverwriteKeepsTheTableAndItsNumbers) {
  auto first = Apply(nullptr, Overwrite({5, 6}), {}).ValueOrDie();
  (*first.head.mutable_table_metadata())["t"] = "m";
  first.head.add_base_paths()->set_id(4);
  first.head.set_branch("dev");
  ApplyOptions options;
  options.data_version = FileVersion::kV2_1;
  auto transaction = Overwrite({}, "b");
  *transaction.mutable_overwrite()->add_fragments() = NewFragment(4, 1);
  (*transaction.mutable_overwrite()->mutable_config_upsert_values())["c"] = "1";
  auto second = Apply(&first, transaction, options).ValueOrDie();
  EXPECT_EQ(IdsOf(second), Ids{2}) << "ids never restart";
  EXPECT_EQ(second.schema.fields[0].name, "b");
  EXPECT_EQ(second.head.schema_metadata().size(), 1u);
  EXPECT_EQ(second.head.schema_metadata().at("made for"), "b");
  EXPECT_EQ(second.head.table_metadata().at("t"), "m");
  EXPECT_EQ(second.head.branch(), "dev");
  EXPECT_EQ(second.head.data_format().version(), "2.1");
  EXPECT_EQ(second.head.config().at("c"), "1");
  EXPECT_EQ(second.head.reader_feature_flags(), feature_flag::kBasePaths);
  EXPECT_EQ(second.head.writer_feature_flags(),
            feature_flag::kBasePaths | feature_flag::kTableConfig);
}

TEST(Apply, StableRowIds) {
  ApplyOptions options;
  options.stable_row_ids = true;
  auto first = Apply(nullptr, Overwrite({5, 6}), options).ValueOrDie();
  EXPECT_EQ(first.head.next_row_id(), 11u);
  EXPECT_EQ(first.head.reader_feature_flags(), feature_flag::kStableRowIds);
  EXPECT_EQ(first.head.writer_feature_flags(), feature_flag::kStableRowIds);
  // Later versions inherit it.
  auto second = Apply(&first, Append({2}), {}).ValueOrDie();
  EXPECT_TRUE(second.has_stable_row_ids());
  EXPECT_EQ(second.head.next_row_id(), 13u);
  auto fragment = ParseFragment(second.fragments[2]).ValueOrDie();
  EXPECT_EQ(fragment.inline_row_ids(), RowIdSequence::Range(11, 2).Encode());
  EXPECT_EQ(fragment.inline_created_at_versions(), VersionSequence::Uniform(2, 2).Encode());
  EXPECT_EQ(fragment.inline_last_updated_at_versions(), VersionSequence::Uniform(2, 2).Encode());
  auto third = Apply(&second, Overwrite({1}), {}).ValueOrDie();
  EXPECT_EQ(third.head.next_row_id(), 14u) << "row ids never restart";
  EXPECT_TRUE(third.has_stable_row_ids());
  // Not by itself.
  EXPECT_FALSE(Apply(nullptr, Overwrite({5}), {})->has_stable_row_ids());
}

table::BasePath NewBase(uint32_t id, const std::string& path) {
  table::BasePath base;
  base.set_id(id);
  base.set_path(path);
  return base;
}

TEST(Apply, BasePathsOfANewTable) {
  auto transaction = Overwrite({5});
  auto* overwrite = transaction.mutable_overwrite();
  *overwrite->add_initial_bases() = NewBase(0, "/one");
  *overwrite->add_initial_bases() = NewBase(0, "/two");
  overwrite->mutable_fragments(0)->mutable_files(0)->set_base_id(2);
  auto first = Apply(nullptr, transaction, {}).ValueOrDie();
  EXPECT_EQ(first.head.base_paths(1).id(), 2u);
  EXPECT_EQ(first.head.reader_feature_flags(), feature_flag::kBasePaths);
  EXPECT_FALSE(Apply(&first, transaction, {}).ok()) << "of new tables only";

  auto append = Append({1});
  append.mutable_append()->mutable_fragments(0)->mutable_files(0)->set_base_id(2);
  EXPECT_TRUE(Apply(&first, append, {}).ok());
  append.mutable_append()->mutable_fragments(0)->mutable_files(0)->set_base_id(3);
  EXPECT_EQ(GetErrorCode(Apply(&first, append, {}).status()), ErrorCode::kUserInput);

  // An id of 0 that files name is one.
  overwrite->mutable_initial_bases(1)->set_id(5);
  overwrite->mutable_fragments(0)->mutable_files(0)->set_base_id(0);
  auto zero = Apply(nullptr, transaction, {}).ValueOrDie();
  EXPECT_EQ(zero.head.base_paths(0).id(), 0u);
}

TEST(Apply, MigratesToStableRowIds) {
  auto first = Apply(nullptr, Overwrite({5, 6}), {}).ValueOrDie();
  Transaction transaction;
  auto* merge = transaction.mutable_merge();
  *merge->mutable_schema() = first.head.fields();
  uint64_t next_id = 0;
  for (const auto& summary : first.fragments) {
    auto& fragment = *merge->add_fragments() = ParseFragment(summary).ValueOrDie();
    fragment.set_inline_row_ids(RowIdSequence::Range(next_id, summary.physical_rows).Encode());
    next_id += summary.physical_rows;
  }
  ApplyOptions options;
  options.migrates_row_ids = true;
  auto second = Apply(&first, transaction, options).ValueOrDie();
  EXPECT_TRUE(second.has_stable_row_ids());
  EXPECT_EQ(second.head.next_row_id(), 11u);
  auto fragment = ParseFragment(second.fragments[1]).ValueOrDie();
  EXPECT_EQ(fragment.inline_row_ids(), RowIdSequence::Range(5, 6).Encode());
  EXPECT_FALSE(fragment.has_inline_created_at_versions()) << "they count as made by version 1";
  EXPECT_EQ(Apply(&second, Append({2}), {}).ValueOrDie().head.next_row_id(), 13u);

  table::IndexSection indexes;
  indexes.add_indices()->set_name("old");
  ApplyInput input{.newest = &first, .index_section = indexes.SerializeAsString()};
  EXPECT_EQ(GetErrorCode(lance::Apply(input, transaction, options).status()),
            ErrorCode::kUserInput);
  indexes.mutable_indices(0)->set_name("__lance_frag_reuse");
  input.index_section = indexes.SerializeAsString();
  EXPECT_FALSE(lance::Apply(input, transaction, options).ValueOrDie().index_section.has_value());
}

TEST(Apply, FlagsAreDerivedAnewOrKept) {
  auto first = Apply(nullptr, Overwrite({5}), {}).ValueOrDie();
  auto deleted = NewFragment(3);
  deleted.set_id(9);
  deleted.mutable_deletion_file()->set_num_deleted_rows(1);
  ASSERT_TRUE(first.AddFragments({deleted}).ok());
  uint64_t kept = feature_flag::kMixedFileVersions | feature_flag::kTaggedReuseHistory;
  uint64_t covering = feature_flag::kCoveringIndexColumns;
  first.head.set_reader_feature_flags(kept | covering);
  first.head.set_writer_feature_flags(kept | covering | feature_flag::kNoTransactionFiles);
  uint64_t expected = kept | covering | feature_flag::kDeletionFiles;
  auto appended = Apply(&first, Append({1}), {}).ValueOrDie();
  EXPECT_EQ(appended.head.reader_feature_flags(), expected);
  EXPECT_EQ(appended.head.writer_feature_flags(), expected);
  // An overwrite drops the fragments and the indexes.
  auto overwritten = Apply(&first, Overwrite({1}), {}).ValueOrDie();
  EXPECT_EQ(overwritten.head.reader_feature_flags(), kept);
}

TEST(Apply, FilesOfAnotherVersionSetAFlagForGood) {
  auto first = Apply(nullptr, Overwrite({5}), {}).ValueOrDie();
  EXPECT_EQ(first.head.reader_feature_flags(), 0u);
  auto other = Append({1});
  *other.mutable_append()->mutable_fragments(0) = NewFragment(4, 1);
  auto second = Apply(&first, other, {}).ValueOrDie();
  EXPECT_EQ(second.head.reader_feature_flags(), feature_flag::kMixedFileVersions);
  EXPECT_EQ(second.head.writer_feature_flags(), feature_flag::kMixedFileVersions);
  EXPECT_EQ(second.head.data_format().version(), "2.2") << "the table's own version stays";
  auto third = Apply(&second, Append({1}), {}).ValueOrDie();
  EXPECT_EQ(third.head.reader_feature_flags(), feature_flag::kMixedFileVersions);

  auto legacy = other;
  auto* file = legacy.mutable_append()->mutable_fragments(0)->mutable_files(0);
  file->set_file_major_version(0);
  file->set_file_minor_version(2);
  EXPECT_EQ(GetErrorCode(Apply(&first, legacy, {}).status()), ErrorCode::kUserInput);
}

TEST(Apply, NonReusableFieldIds) {
  auto first = Apply(nullptr, Overwrite({5}), {}).ValueOrDie();
  first.head.set_max_allocated_field_id(3);
  first.head.set_writer_feature_flags(feature_flag::kNonReusableFieldIds);
  Status used = Apply(&first, Overwrite({1}, "b", 3), {}).status();
  EXPECT_EQ(GetErrorCode(used), ErrorCode::kRetryableConflict);
  auto second = Apply(&first, Overwrite({1}, "b", 4), {}).ValueOrDie();
  EXPECT_EQ(second.head.max_allocated_field_id(), 4);
  EXPECT_EQ(second.head.writer_feature_flags(), feature_flag::kNonReusableFieldIds);
  EXPECT_EQ(second.head.reader_feature_flags(), 0u);
}

TEST(Apply, Refuses) {
  auto first = Apply(nullptr, Overwrite({5}), {}).ValueOrDie();
  EXPECT_FALSE(Apply(nullptr, Append({1}), {}).ok()) << "nothing to append to";
  EXPECT_FALSE(Apply(&first, Append({0}), {}).ok()) << "a fragment without rows";
  first.head.set_max_fragment_id(~0u);
  EXPECT_FALSE(Apply(&first, Append({1}), {}).ok()) << "fragment ids are used up";
  Transaction other;
  other.mutable_data_overlay();
  EXPECT_EQ(GetErrorCode(Apply(&first, other, {}).status()), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace lance
