#include "table/rebase.h"

#include <map>

#include "gtest/gtest.h"

namespace lance {
namespace {

constexpr ErrorCode kRetry = ErrorCode::kRetryableConflict;
constexpr ErrorCode kNever = ErrorCode::kIncompatibleConflict;

/// Every kind of operation, and the variants that the verdict depends on.
std::map<std::string, Transaction> Theirs() {
  std::map<std::string, Transaction> all;
  all["Append"].mutable_append();
  all["Delete"].mutable_delete_();
  all["Overwrite"].mutable_overwrite();
  (*all["Overwrite of config a"].mutable_overwrite()->mutable_config_upsert_values())["a"] = "1";
  all["CreateIndex"].mutable_create_index();
  all["Rewrite"].mutable_rewrite();
  all["Merge, may tighten"].mutable_merge();
  all["Merge"].mutable_merge()->set_preserves_nullability(true);
  all["Restore"].mutable_restore();
  all["ReserveFragments"].mutable_reserve_fragments();
  all["Update"].mutable_update();
  all["Project, may tighten"].mutable_project();
  all["Project"].mutable_project()->set_preserves_nullability(true);
  all["UpdateConfig"].mutable_update_config();
  all["UpdateConfig sets a"]
      .mutable_update_config()
      ->mutable_config_updates()
      ->add_update_entries()
      ->set_key("a");
  (*all["old UpdateConfig sets a"].mutable_update_config()->mutable_upsert_values())["a"] = "2";
  all["old UpdateConfig deletes a"].mutable_update_config()->add_delete_keys("a");
  all["UpdateConfig sets schema metadata"]
      .mutable_update_config()
      ->mutable_schema_metadata_updates()
      ->add_update_entries()
      ->set_key("a");
  all["DataReplacement"].mutable_data_replacement();
  all["UpdateMemWalState"].mutable_update_mem_wal_state();
  all["Clone"].mutable_clone();
  all["UpdateBases"].mutable_update_bases();
  all["DataOverlay"].mutable_data_overlay();
  // Field 150, an operation of the future.
  EXPECT_TRUE(all["Unknown"].ParseFromString(std::string("\xb2\x09\x00", 3)));
  return all;
}

void ExpectVerdicts(const Transaction& ours, const std::map<std::string, ErrorCode>& conflicts) {
  auto all = Theirs();
  for (const auto& [name, code] : conflicts) ASSERT_TRUE(all.contains(name)) << name;
  for (const auto& [name, theirs] : all) {
    SCOPED_TRACE(name);
    auto rebased = Rebase(ours, theirs, 9);
    auto conflict = conflicts.find(name);
    if (conflict == conflicts.end()) {
      ASSERT_TRUE(rebased.ok()) << rebased.status();
      EXPECT_EQ(rebased->SerializeAsString(), ours.SerializeAsString());
      continue;
    }
    ASSERT_FALSE(rebased.ok());
    EXPECT_EQ(GetErrorCode(rebased.status()), conflict->second) << rebased.status();
    EXPECT_NE(rebased.status().message().find("version 9"), std::string::npos);
  }
}

TEST(Rebase, Append) {
  Transaction ours;
  ours.mutable_append()->add_fragments()->set_physical_rows(3);
  ExpectVerdicts(ours, {{"Overwrite", kNever},
                        {"Overwrite of config a", kNever},
                        {"Merge, may tighten", kRetry},
                        {"Restore", kNever},
                        {"Project, may tighten", kRetry},
                        {"UpdateMemWalState", kNever},
                        {"Unknown", kNever}});
}

TEST(Rebase, Overwrite) {
  Transaction ours;
  ours.mutable_overwrite();
  ExpectVerdicts(ours, {{"Overwrite", kRetry},
                        {"Overwrite of config a", kRetry},
                        {"UpdateMemWalState", kNever},
                        {"Unknown", kNever}});
}

TEST(Rebase, OverwriteOfConfig) {
  Transaction ours;
  (*ours.mutable_overwrite()->mutable_config_upsert_values())["a"] = "3";
  ExpectVerdicts(ours, {{"Overwrite", kRetry},
                        {"Overwrite of config a", kNever},
                        {"UpdateConfig sets a", kNever},
                        {"old UpdateConfig sets a", kNever},
                        {"old UpdateConfig deletes a", kNever},
                        {"UpdateMemWalState", kNever},
                        {"Unknown", kNever}});
}

TEST(Transaction, Names) {
  for (const auto& [name, transaction] : Theirs()) {
    std::string_view operation = OperationName(transaction);
    EXPECT_NE(name.find(operation), std::string::npos) << name << " is called " << operation;
  }
}

TEST(Transaction, BrokenBytes) {
  EXPECT_EQ(GetErrorCode(DecodeTransaction(AsBytes("\xff\xff\xff")).status()), ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace lance
