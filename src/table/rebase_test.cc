#include "table/rebase.h"

#include <map>

#include "gtest/gtest.h"
#include "table/conflict_matrix.h"
#include "table/fragment_bitmap.h"

namespace lance {
namespace {

constexpr uint32_t kRows = 10;

table::DataFragment Fragment(uint64_t id) {
  table::DataFragment fragment;
  fragment.set_id(id);
  fragment.set_physical_rows(kRows);
  fragment.add_files()->set_path("f" + std::to_string(id));
  return fragment;
}

table::DataFragment WithDeletion(uint64_t id, uint64_t row) {
  auto fragment = Fragment(id);
  fragment.mutable_deletion_file()->set_id(row);
  return fragment;
}

Manifest TwoFragments() {
  Manifest manifest;
  EXPECT_TRUE(manifest.AddFragments({Fragment(0), Fragment(1)}).ok());
  return manifest;
}

/// An operation of each kind that touches fragment `at` or, where it touches none, a name made of
/// it; all are on field 0. `row` is a row that it deletes or moves.
Transaction Make(OperationKind kind, uint64_t at, uint64_t row) {
  Transaction made;
  std::string name = std::to_string(at);
  switch (kind) {
    case OperationKind::kAppend:
      *made.mutable_append()->add_fragments() = Fragment(0);
      break;
    case OperationKind::kDelete:
      *made.mutable_delete_()->add_updated_fragments() = WithDeletion(at, row);
      break;
    case OperationKind::kOverwrite:
      made.mutable_overwrite();
      break;
    case OperationKind::kCreateIndex: {
      auto* index = made.mutable_create_index()->add_new_indices();
      index->set_name("index" + name);
      index->add_fields(0);
      index->set_fragment_bitmap(
          EncodeBitmap(RoaringBitmap::bitmapOf(1, static_cast<uint32_t>(at))));
      break;
    }
    case OperationKind::kRewrite:
      *made.mutable_rewrite()->add_groups()->add_old_fragments() = Fragment(at);
      break;
    case OperationKind::kMerge:
      made.mutable_merge()->set_preserves_nullability(true);
      break;
    case OperationKind::kRestore:
      made.mutable_restore();
      break;
    case OperationKind::kReserveFragments:
      made.mutable_reserve_fragments();
      break;
    case OperationKind::kUpdate:
      *made.mutable_update()->add_updated_fragments() = WithDeletion(at, row);
      *made.mutable_update()->add_new_fragments() = Fragment(0);
      break;
    case OperationKind::kProject:
      made.mutable_project()->set_preserves_nullability(true);
      made.mutable_project()->add_schema()->set_id(0);
      break;
    case OperationKind::kUpdateConfig: {
      auto* entry = made.mutable_update_config()->mutable_config_updates()->add_update_entries();
      entry->set_key("key" + name);
      entry->set_value("v");
      break;
    }
    case OperationKind::kDataReplacement: {
      auto* group = made.mutable_data_replacement()->add_replacements();
      group->set_fragment_id(at);
      group->mutable_new_file()->add_fields(0);
      break;
    }
    case OperationKind::kUpdateMemWalState:
      made.mutable_update_mem_wal_state();
      break;
    case OperationKind::kClone:
      made.mutable_clone();
      break;
    case OperationKind::kUpdateBases:
      made.mutable_update_bases()->add_new_bases()->set_path("base" + name);
      break;
    case OperationKind::kDataOverlay:
      made.mutable_data_overlay()->add_groups()->set_fragment_id(at);
      break;
    case OperationKind::kUnknown:
      // Field 150, an operation of the future.
      EXPECT_TRUE(made.ParseFromString(std::string("\xb2\x09\x00", 3)));
      break;
  }
  return made;
}

char VerdictOf(const Transaction& ours, const Transaction& theirs,
               const RowAddressSet* affected_rows = nullptr) {
  Manifest read = TwoFragments();
  std::set<uint64_t> shared;
  Status status = CheckConflict({ours, &read, affected_rows}, theirs, 9, &shared);
  if (status.ok()) return shared.empty() ? '.' : 'M';
  EXPECT_NE(status.message().find("version 9"), std::string::npos);
  return GetErrorCode(status) == ErrorCode::kRetryableConflict ? 'R' : 'X';
}

/// For each operation of ours that is written by this code, the verdict over each of theirs in the
/// order of the matrix: `.` compatible, `M` the deletions have to be merged, `R` to be done anew,
/// `X` never.
using Verdicts = std::map<OperationKind, std::string_view>;

const Verdicts kSameFragment = {
    //                                    ADOC RMRR UPUD MCBO
    {OperationKind::kAppend, /*         */ "..X. ..X. .... X..."},
    {OperationKind::kDelete, /*         */ ".MX. RRX. M..R X..."},
    {OperationKind::kOverwrite, /*      */ "..R. .... .... X..."},
    {OperationKind::kCreateIndex, /*    */ "..XR R.X. ...R X..."},
    {OperationKind::kRewrite, /*        */ ".RXR RRX. R..R ...R"},
    {OperationKind::kMerge, /*          */ "RRX. RRX. RX.R X..R"},
    {OperationKind::kRestore, /*        */ ".... .... .... X..."},
    {OperationKind::kReserveFragments, /**/ "..X. ..X. .... ...."},
    {OperationKind::kUpdate, /*         */ ".MX. RRX. M..R ...R"},
    {OperationKind::kProject, /*        */ "..X. .RX. .R.. X..."},
    {OperationKind::kUpdateConfig, /*   */ ".... .... ..X. ...."},
    {OperationKind::kDataReplacement, /**/ "..XR RRX. R..R X..."},
    {OperationKind::kClone, /*          */ ".... .... .... ...."},
    {OperationKind::kUpdateBases, /*    */ ".... .... .... ..X."},
};

const Verdicts kOtherFragment = {
    {OperationKind::kAppend, /*         */ "..X. ..X. .... X..."},
    {OperationKind::kDelete, /*         */ "..X. .RX. .... X..."},
    {OperationKind::kOverwrite, /*      */ "..R. .... .... X..."},
    {OperationKind::kCreateIndex, /*    */ "..X. ..X. ...R X..."},
    {OperationKind::kRewrite, /*        */ "..X. .RX. .... ...."},
    {OperationKind::kMerge, /*          */ "RRX. RRX. RX.R X..R"},
    {OperationKind::kRestore, /*        */ ".... .... .... X..."},
    {OperationKind::kReserveFragments, /**/ "..X. ..X. .... ...."},
    {OperationKind::kUpdate, /*         */ "..X. .RX. .... ...."},
    {OperationKind::kProject, /*        */ "..X. .RX. .R.. X..."},
    {OperationKind::kUpdateConfig, /*   */ ".... .... .... ...."},
    {OperationKind::kDataReplacement, /**/ "..XR .RX. .... X..."},
    {OperationKind::kClone, /*          */ ".... .... .... ...."},
    {OperationKind::kUpdateBases, /*    */ ".... .... .... ...."},
};

void ExpectVerdicts(const Verdicts& expected, uint64_t their_fragment) {
  RowAddressSet affected_rows;
  affected_rows.Add(MakeRowAddress(0, 1));
  for (const auto& [kind, row] : expected) {
    std::string verdicts;
    for (char verdict : row) {
      if (verdict != ' ') verdicts.push_back(verdict);
    }
    ASSERT_EQ(verdicts.size(), kKnownOperations);
    for (size_t other = 0; other < kKnownOperations; ++other) {
      Transaction ours = Make(kind, 0, 1);
      Transaction theirs = Make(static_cast<OperationKind>(other), their_fragment, 2);
      EXPECT_EQ(VerdictOf(ours, theirs, &affected_rows), verdicts[other])
          << OperationName(ours) << " over " << OperationName(theirs);
    }
    EXPECT_EQ(VerdictOf(Make(kind, 0, 1), Make(OperationKind::kUnknown, 0, 0), &affected_rows),
              'X');
  }
}

TEST(Rebase, SameFragment) { ExpectVerdicts(kSameFragment, 0); }
TEST(Rebase, OtherFragment) { ExpectVerdicts(kOtherFragment, 1); }

TEST(Rebase, KindsAreNamedInOrder) {
  for (size_t kind = 0; kind < kKnownOperations; ++kind) {
    EXPECT_EQ(KindOf(Make(static_cast<OperationKind>(kind), 0, 0)),
              static_cast<OperationKind>(kind));
  }
}

TEST(Rebase, DeletionsMeet) {
  RowAddressSet rows;
  rows.Add(MakeRowAddress(0, 1));
  auto ours = Make(OperationKind::kDelete, 0, 1);
  EXPECT_EQ(VerdictOf(ours, Make(OperationKind::kDelete, 0, 2)), 'R') << "rows unknown";
  // They removed the fragment.
  Transaction removed;
  removed.mutable_delete_()->add_deleted_fragment_ids(0);
  EXPECT_EQ(VerdictOf(ours, removed, &rows), 'R');
  Transaction ours_removed = removed;
  EXPECT_EQ(VerdictOf(ours_removed, Make(OperationKind::kDelete, 0, 2), &rows), 'M');
  // They changed its files too.
  auto columns = Make(OperationKind::kUpdate, 0, 2);
  columns.mutable_update()->mutable_updated_fragments(0)->add_files()->set_path("more");
  EXPECT_EQ(VerdictOf(ours, columns, &rows), 'R');
}

TEST(Rebase, NullabilityAgainstValues) {
  using Kind = OperationKind;
  for (Kind change : {Kind::kMerge, Kind::kProject}) {
    Transaction tightens = Make(change, 0, 0);
    if (change == Kind::kMerge) tightens.mutable_merge()->set_preserves_nullability(false);
    if (change == Kind::kProject) tightens.mutable_project()->set_preserves_nullability(false);
    for (Kind values : {Kind::kAppend, Kind::kUpdate, Kind::kDataReplacement}) {
      EXPECT_EQ(VerdictOf(Make(values, 0, 0), tightens), 'R');
      EXPECT_EQ(VerdictOf(tightens, Make(values, 0, 0)), 'R');
    }
    EXPECT_EQ(VerdictOf(Make(Kind::kReserveFragments, 0, 0), tightens), '.');
  }
}

TEST(Rebase, SchemaMetadataAgainstSchemas) {
  using Kind = OperationKind;
  Transaction field;
  (*field.mutable_update_config()->mutable_field_metadata_updates())[0].set_replace(true);
  Transaction schema;
  schema.mutable_update_config()->mutable_schema_metadata_updates()->add_update_entries()->set_key(
      "a");
  Transaction older;
  (*older.mutable_update_config()->mutable_schema_metadata())["a"] = "b";
  Transaction empty;
  (*empty.mutable_update_config()->mutable_field_metadata_updates())[0];
  EXPECT_EQ(VerdictOf(empty, Make(Kind::kMerge, 0, 0)), '.');
  for (const Transaction& change : {field, schema, older}) {
    EXPECT_EQ(VerdictOf(change, Make(Kind::kMerge, 0, 0)), 'R');
    EXPECT_EQ(VerdictOf(Make(Kind::kMerge, 0, 0), change), 'R');
    EXPECT_EQ(VerdictOf(change, Make(Kind::kRestore, 0, 0)), 'X');
    EXPECT_EQ(VerdictOf(Make(Kind::kRestore, 0, 0), change), 'X');
    EXPECT_EQ(VerdictOf(change, Make(Kind::kOverwrite, 0, 0)), 'X');
    EXPECT_EQ(VerdictOf(Make(Kind::kOverwrite, 0, 0), change), '.');
    EXPECT_EQ(VerdictOf(change, change), 'X');
  }
  EXPECT_EQ(VerdictOf(field, schema), '.');
}

TEST(Rebase, ConfigKeys) {
  auto sets = Make(OperationKind::kUpdateConfig, 0, 0);
  Transaction deletes;
  deletes.mutable_update_config()->mutable_config_updates()->add_update_entries()->set_key("key0");
  Transaction older;
  older.mutable_update_config()->add_delete_keys("key0");
  EXPECT_EQ(VerdictOf(sets, deletes), 'X');
  EXPECT_EQ(VerdictOf(older, sets), 'X');
  EXPECT_EQ(VerdictOf(deletes, older), '.') << "both delete it";
  Transaction overwrite;
  (*overwrite.mutable_overwrite()->mutable_config_upsert_values())["key0"] = "w";
  EXPECT_EQ(VerdictOf(overwrite, sets), 'X');
  EXPECT_EQ(VerdictOf(sets, overwrite), 'X');
  EXPECT_EQ(VerdictOf(overwrite, overwrite), 'X');
}

TEST(Rebase, TableMetadata) {
  auto set = [](const std::string& key, bool replace) {
    Transaction made;
    auto* map = made.mutable_update_config()->mutable_table_metadata_updates();
    map->set_replace(replace);
    auto* entry = map->add_update_entries();
    entry->set_key(key);
    entry->set_value("v");
    return made;
  };
  EXPECT_EQ(VerdictOf(set("a", false), set("b", false)), '.');
  EXPECT_EQ(VerdictOf(set("a", false), set("a", false)), 'X');
  EXPECT_EQ(VerdictOf(set("a", false), set("b", true)), 'X');
}

TEST(Rebase, DataReplacementMeetsUpdates) {
  auto ours = Make(OperationKind::kDataReplacement, 0, 0);
  Transaction removed;
  removed.mutable_delete_()->add_deleted_fragment_ids(0);
  EXPECT_EQ(VerdictOf(ours, removed), 'X');
  Transaction update;
  update.mutable_update()->add_removed_fragment_ids(0);
  EXPECT_EQ(VerdictOf(ours, update), 'X');
  Transaction columns;
  *columns.mutable_update()->add_updated_fragments() = Fragment(0);
  columns.mutable_update()->set_update_mode(table::Transaction::Update::REWRITE_COLUMNS);
  columns.mutable_update()->add_fields_modified(3);
  EXPECT_EQ(VerdictOf(ours, columns), '.');
  columns.mutable_update()->add_fields_modified(0);
  EXPECT_EQ(VerdictOf(ours, columns), 'R');
}

TEST(Rebase, DroppedFields) {
  Transaction drops;
  drops.mutable_project()->set_preserves_nullability(true);
  drops.mutable_project()->add_schema()->set_id(5);
  EXPECT_EQ(VerdictOf(Make(OperationKind::kDataReplacement, 0, 0), drops), 'X');
  auto update = Make(OperationKind::kUpdate, 0, 0);
  EXPECT_EQ(VerdictOf(update, drops), '.');
  update.mutable_update()->add_fields_modified(0);
  EXPECT_EQ(VerdictOf(update, drops), 'R');
}

TEST(Rebase, InsertedKeys) {
  auto inserts = [](uint64_t hash) {
    Transaction made;
    auto* filter = made.mutable_update()->mutable_inserted_rows();
    filter->add_field_ids(0);
    filter->mutable_exact()->add_key_hashes(hash);
    return made;
  };
  EXPECT_EQ(VerdictOf(inserts(1), inserts(2)), '.');
  EXPECT_EQ(VerdictOf(inserts(1), inserts(1)), 'R');
  EXPECT_EQ(VerdictOf(inserts(1), Make(OperationKind::kAppend, 0, 0)), 'R');
  EXPECT_EQ(VerdictOf(inserts(1), Make(OperationKind::kUpdate, 1, 0)), 'R') << "no filter";
  auto other_fields = inserts(2);
  other_fields.mutable_update()->mutable_inserted_rows()->add_field_ids(1);
  EXPECT_EQ(VerdictOf(inserts(1), other_fields), 'R');
  auto blooms = [](const std::string& bits) {
    Transaction made;
    made.mutable_update()->mutable_inserted_rows()->mutable_bloom()->set_bitmap(bits);
    return made;
  };
  EXPECT_EQ(VerdictOf(blooms("\x01\x02"), blooms("\x02\x01")), '.');
  EXPECT_EQ(VerdictOf(blooms("\x01\x02"), blooms("\x03\x01")), 'R');
  EXPECT_EQ(VerdictOf(blooms("\x01\x02"), blooms("\x02")), 'R') << "can't be compared";
}

/// A cast gives a column another field id, and a new column may get the id of a dropped one.
TEST(Rebase, AppendsToColumnsThatChangedTheirIds) {
  auto schema_of = [](const std::vector<int32_t>& ids) {
    Schema schema;
    for (int32_t id : ids) {
      schema.fields.emplace_back().id = id;
      schema.fields.back().name = "c" + std::to_string(id);
    }
    return schema;
  };
  Transaction append;
  for (int32_t id : {0, 1}) {
    append.mutable_append()->add_fragments()->add_files()->add_fields(id);
  }
  auto verdict = [&](const std::vector<int32_t>& before, const std::vector<int32_t>& after) {
    Transaction merge;
    schema_of(after).ToProto(merge.mutable_merge()->mutable_schema());
    merge.mutable_merge()->set_preserves_nullability(true);
    Manifest manifest;
    manifest.schema = schema_of(before);
    std::set<uint64_t> shared;
    Status status = CheckConflict({append, nullptr, nullptr, &manifest}, merge, 9, &shared);
    return status.ok() ? '.' : GetErrorCode(status) == ErrorCode::kRetryableConflict ? 'R' : 'X';
  };
  EXPECT_EQ(verdict({0, 1}, {0, 1, 2}), '.') << "a new column";
  EXPECT_EQ(verdict({0}, {0, 2}), '.') << "dropped before";
  EXPECT_EQ(verdict({0, 1}, {0, 2}), 'R') << "cast";
  EXPECT_EQ(verdict({0}, {0, 1}), 'R') << "the id is in use again";
}

TEST(Rebase, WhatDependsOnAllRows) {
  Manifest manifest = TwoFragments();
  auto verdict = [&](const Transaction& theirs) {
    std::set<uint64_t> shared;
    RowAddressSet rows;
    return CheckConflict({Make(OperationKind::kUpdate, 1, 0), &manifest, &rows, &manifest, true},
                         theirs, 9, &shared)
        .ok();
  };
  EXPECT_FALSE(verdict(Make(OperationKind::kAppend, 0, 0)));
  EXPECT_TRUE(verdict(Make(OperationKind::kDelete, 0, 0)));
  auto moves = Make(OperationKind::kUpdate, 0, 0);
  moves.mutable_update()->clear_new_fragments();
  EXPECT_TRUE(verdict(moves));
  *moves.mutable_update()->add_new_fragments() = Fragment(0);
  EXPECT_FALSE(verdict(moves));
}

TEST(Rebase, IndexesWithUnknownCoverage) {
  auto index = Make(OperationKind::kCreateIndex, 1, 0);
  index.mutable_create_index()->mutable_new_indices(0)->clear_fragment_bitmap();
  EXPECT_EQ(VerdictOf(index, Make(OperationKind::kRewrite, 0, 0)), 'R');
  EXPECT_EQ(VerdictOf(Make(OperationKind::kRewrite, 0, 0), index), 'R');
}

TEST(Rebase, BrokenBitmapIsAnError) {
  auto index = Make(OperationKind::kCreateIndex, 1, 0);
  index.mutable_create_index()->mutable_new_indices(0)->set_fragment_bitmap("xx");
  std::set<uint64_t> shared;
  Status status = CheckConflict({Make(OperationKind::kRewrite, 0, 0)}, index, 9, &shared);
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
}

TEST(Transaction, Names) {
  EXPECT_EQ(OperationName(Make(OperationKind::kDelete, 0, 0)), "Delete");
  EXPECT_EQ(OperationName(Make(OperationKind::kDataReplacement, 0, 0)), "DataReplacement");
  EXPECT_EQ(OperationName(Make(OperationKind::kUnknown, 0, 0)), "Unknown");
}

TEST(Transaction, BrokenBytes) {
  EXPECT_EQ(GetErrorCode(DecodeTransaction(AsBytes("\xff\xff\xff")).status()), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace lance
