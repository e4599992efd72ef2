#include "table/branches.h"

#include "gtest/gtest.h"
#include "table/ref_json.h"
#include "table/ref_names.h"

namespace lance {
namespace {

constexpr char kStored[] = R"({
  "parentBranch": null,
  "identifier": {
    "version_mapping": [
      [
        2,
        "d0184b40c7fa4ebcbfefdf043825e684"
      ]
    ]
  },
  "parentVersion": 2,
  "createAt": 1795999689,
  "manifestSize": 541,
  "metadata": {}
})";

TEST(Branches, Json) {
  Branch branch = DecodeBranch("dev", AsBytes(kStored)).ValueOrDie();
  EXPECT_FALSE(branch.parent);
  EXPECT_EQ(branch.parent_version, 2u);
  EXPECT_EQ(branch.created_at, 1795999689);
  EXPECT_EQ(branch.manifest_size, 541u);
  EXPECT_EQ(branch.identifier, (BranchIdentifier{{2, "d0184b40c7fa4ebcbfefdf043825e684"}}));
  EXPECT_EQ(EncodeBranch(branch), kStored);
}

TEST(Branches, WithoutIdentifier) {
  constexpr char kOld[] = R"({"parentBranch":"a","parentVersion":1,"createAt":5})";
  Branch one = DecodeBranch("dev", AsBytes(kOld)).ValueOrDie();
  ASSERT_EQ(one.identifier.size(), 1u);
  EXPECT_EQ(one.identifier[0].first, 0u);
  EXPECT_EQ(one.identifier[0].second.size(), 32u);
  EXPECT_NE(one.identifier, DecodeBranch("other", AsBytes(kOld))->identifier);
}

TEST(Branches, Broken) {
  for (const char* json : {"", "[]", "{}", "{\"parentVersion\":\"1\"}",
                           "{\"parentVersion\":1,\"identifier\":{\"version_mapping\":[[1]]}}"}) {
    EXPECT_EQ(GetErrorCode(DecodeBranch("x", AsBytes(json)).status()), ErrorCode::kCorrupt) << json;
  }
}

TEST(Branches, NestedDeeply) {
  constexpr size_t kDepth = 300'000;
  const std::string nested = std::string(kDepth, '[') + std::string(kDepth, ']');
  const std::string json = R"({"parentVersion":1,"identifier":{"version_mapping":)" + nested + "}}";
  EXPECT_EQ(GetErrorCode(DecodeBranch("x", AsBytes(json)).status()), ErrorCode::kCorrupt);
}

TEST(Branches, Ancestry) {
  BranchIdentifier main;
  BranchIdentifier child = {{3, "a"}};
  BranchIdentifier grandchild = {{3, "a"}, {5, "b"}};
  EXPECT_EQ(ReferencedVersion(main, grandchild), 3u);
  EXPECT_EQ(ReferencedVersion(child, grandchild), 5u);
  EXPECT_FALSE(ReferencedVersion(child, {{3, "x"}, {5, "b"}}));
  EXPECT_FALSE(ReferencedVersion(grandchild, child));
  EXPECT_FALSE(ReferencedVersion(child, child));
}

TEST(Branches, Files) {
  auto store = MakeMemoryStore();
  Context context;
  Branch branch = DecodeBranch("dev", AsBytes(kStored)).ValueOrDie();
  ASSERT_TRUE(CreateBranchFile(context, *store, "/t", "feature/x", branch).ok());
  EXPECT_TRUE(store->Head(context, "/t/_refs/branches/feature%2Fx.json").ok());
  EXPECT_TRUE(CreateBranchFile(context, *store, "/t", "feature/x", branch).ok())
      << "a request that was repeated: the file is ours";
  Branch other = branch;
  other.identifier.back().second = std::string(32, '0');
  Status again = CreateBranchFile(context, *store, "/t", "feature/x", other);
  EXPECT_EQ(GetErrorCode(again), ErrorCode::kAlreadyExists);
  EXPECT_EQ(ListBranches(context, *store, "/t")->count("feature/x"), 1u);
  ASSERT_TRUE(DeleteBranchFile(context, *store, "/t", "feature/x").ok());
  Status missing = ReadBranch(context, *store, "/t", "feature/x").status();
  EXPECT_EQ(GetErrorCode(missing), ErrorCode::kNotFound);
}

TEST(RefNames, Tags) {
  for (const char* name : {"v1", "v1.0-rc_2", "größe"})
    EXPECT_TRUE(CheckTagName(name).ok()) << name;
  for (const char* name : {"", ".a", "a.", "a..b", "a.lock", "a/b", "a b", "a\\b"}) {
    EXPECT_EQ(GetErrorCode(CheckTagName(name)), ErrorCode::kUserInput) << name;
  }
}

TEST(RefNames, Branches) {
  for (const char* name : {"dev", "feature/x", "a.b/c-d"}) {
    EXPECT_TRUE(CheckBranchName(name).ok()) << name;
  }
  for (const char* name : {"", "main", "/a", "a/", "a//b", "a..b", "a.lock", "a b", "a\\b"}) {
    EXPECT_EQ(GetErrorCode(CheckBranchName(name)), ErrorCode::kUserInput) << name;
  }
}

TEST(RefJson, Timestamps) {
  EXPECT_EQ(FormatTimestamp(0), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(FormatTimestamp(1767323045000000006), "2026-01-02T03:04:05.000000006Z");
}

}  // namespace
}  // namespace lance
