#include "dataset/write_targets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class WriteTargetsTest : public ::testing::Test {
 protected:
  WriteTargetsTest() {
    bases_ = ToBasePaths(std::vector<BasePathInfo>{
                             {.id = 4, .name = "two", .is_dataset_root = true, .path = "/b/two"},
                             {.id = 1, .name = "one", .path = "file:///b/one/"}})
                 .ValueOrDie();
  }

  /// Paths of the folders, or the message of the error.
  std::vector<std::string> Paths(const WriteTargets& targets) {
    auto folders = ChooseFolders("file:///t", table_, bases_, targets);
    if (!folders.ok()) return {folders.status().message()};
    std::vector<std::string> paths;
    for (const DataFolder& folder : *folders) {
      paths.push_back(folder.location.path +
                      (folder.base_id ? " " + std::to_string(*folder.base_id) : ""));
    }
    return paths;
  }

  TableLocation table_{MakeMemoryStore(), "/t"};
  BasePaths bases_;
};

TEST_F(WriteTargetsTest, OneOrMoreInTheOrderGiven) {
  EXPECT_THAT(Paths({}), ElementsAre("/t/data"));
  EXPECT_THAT(Paths({.bases = {"two", "one", "two"}}),
              ElementsAre("/b/two/data 4", "/b/one 1", "/b/two/data 4"));
  EXPECT_THAT(Paths({.bases = {"/t", "/b/one", "file:///b/two"}}),
              ElementsAre("/t/data", "/b/one 1", "/b/two/data 4"));
}

TEST_F(WriteTargetsTest, AllById) {
  EXPECT_THAT(Paths({.all_bases = true}), ElementsAre("/t/data", "/b/one 1", "/b/two/data 4"));
  EXPECT_THAT(Paths({.all_bases = false}), ElementsAre("/b/one 1", "/b/two/data 4"));
}

TEST_F(WriteTargetsTest, Refused) {
  EXPECT_THAT(Paths({.bases = {"three"}}), ElementsAre(HasSubstr("'three' not found")));
  EXPECT_THAT(Paths({.bases = {"memory:///t"}}), ElementsAre(HasSubstr("not found")));
  EXPECT_THAT(Paths({.bases = {"one"}, .all_bases = true}), ElementsAre(HasSubstr("together")));
  bases_.Clear();
  EXPECT_THAT(Paths({.all_bases = false}), ElementsAre(HasSubstr("no registered bases")));
}

TEST(ToBasePaths, MakesRelativePathsAbsolute) {
  auto bases = ToBasePaths(std::vector<BasePathInfo>{{.path = "near/by"}, {.path = "s3://far"}});
  EXPECT_TRUE(bases->Get(0).path().starts_with("/"));
  EXPECT_TRUE(bases->Get(0).path().ends_with("/near/by"));
  EXPECT_EQ(bases->Get(1).path(), "s3://far");
}

}  // namespace
}  // namespace lance
