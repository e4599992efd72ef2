#include "table/base_paths.h"

#include "gtest/gtest.h"

namespace lance {
namespace {

table::BasePath Base(uint32_t id, const std::string& path, const std::string& name = "") {
  table::BasePath base;
  base.set_id(id);
  base.set_path(path);
  if (!name.empty()) base.set_name(name);
  return base;
}

BasePaths List(const std::vector<table::BasePath>& bases) {
  return BasePaths(bases.begin(), bases.end());
}

std::vector<uint32_t> Ids(const BasePaths& bases) {
  std::vector<uint32_t> ids;
  for (const auto& base : bases) ids.push_back(base.id());
  return ids;
}

TEST(BasePaths, GetTheSmallestUnusedIds) {
  BasePaths bases = List({Base(0, "/clone"), Base(2, "/two")});
  ASSERT_TRUE(AddBasePaths(List({Base(0, "/a"), Base(7, "/b"), Base(0, "/c")}), &bases).ok());
  EXPECT_EQ(Ids(bases), (std::vector<uint32_t>{0, 2, 1, 7, 3}));
  EXPECT_EQ(FindBasePath(bases, 7)->path(), "/b");
  EXPECT_EQ(FindBasePath(bases, 8), nullptr);
}

TEST(BasePaths, Differ) {
  const BasePaths bases = List({Base(1, "/a", "x"), Base(2, "/b")});
  for (const auto& other :
       {Base(1, "/c"), Base(0, "/a"), Base(0, "/c", "x"), Base(0, ""), Base(2, "/c", "y")}) {
    BasePaths changed = bases;
    EXPECT_EQ(GetErrorCode(AddBasePaths(List({other}), &changed)), ErrorCode::kUserInput);
  }
  BasePaths changed = bases;
  EXPECT_TRUE(AddBasePaths(List({Base(0, "/c"), Base(0, "/d", "y")}), &changed).ok());
}

}  // namespace
}  // namespace lance
