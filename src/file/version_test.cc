#include "file/version.h"

#include <vector>

#include "gtest/gtest.h"

namespace lance {
namespace {

TEST(FileVersionTest, NamesGoBothWays) {
  for (FileVersion version : {FileVersion::kV0_1, FileVersion::kV2_0, FileVersion::kV2_1,
                              FileVersion::kV2_2, FileVersion::kV2_3}) {
    EXPECT_EQ(ParseFileVersion(FileVersionName(version)).ValueOrDie(), version);
    FileVersionNumbers numbers = DataFileVersionNumbers(version);
    EXPECT_EQ(FileVersionFromNumbers(numbers.major_version, numbers.minor_version).ValueOrDie(),
              version);
  }
  EXPECT_EQ(FileVersionName(kDefaultFileVersion), "2.2");
}

TEST(FileVersionTest, Aliases) {
  EXPECT_EQ(ParseFileVersion("Legacy").ValueOrDie(), FileVersion::kV0_1);
  EXPECT_EQ(ParseFileVersion("0.3").ValueOrDie(), FileVersion::kV2_0);
  EXPECT_EQ(ParseFileVersion("STABLE").ValueOrDie(), FileVersion::kV2_2);
  EXPECT_EQ(ParseFileVersion("next").ValueOrDie(), FileVersion::kV2_3);
}

TEST(FileVersionTest, OthersAreRefused) {
  for (const char* name : {"", "2", "2.9", "v2.1", " 2.1", "0.2"}) {
    Status status = ParseFileVersion(name).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUserInput) << name;
    EXPECT_NE(status.message().find("Unknown Lance storage version"), std::string::npos);
  }
}

TEST(FileVersionTest, NumbersOfFooters) {
  struct Case {
    uint32_t major_version, minor_version;
    FileVersion version;
  };
  for (const Case& test : std::vector<Case>{{0, 0, FileVersion::kV0_1},
                                            {0, 1, FileVersion::kV0_1},
                                            {0, 2, FileVersion::kV0_1},
                                            {0, 3, FileVersion::kV2_0},
                                            {2, 0, FileVersion::kV2_0},
                                            {2, 1, FileVersion::kV2_1},
                                            {2, 2, FileVersion::kV2_2},
                                            {2, 3, FileVersion::kV2_3}}) {
    EXPECT_EQ(FileVersionFromNumbers(test.major_version, test.minor_version).ValueOrDie(),
              test.version);
  }
  for (auto [major_version, minor_version] : std::vector<std::pair<uint32_t, uint32_t>>{
           {0, 4}, {1, 0}, {2, 4}, {2, 9}, {3, 0}, {65535, 65535}, {0x10002, 1}}) {
    Status status = FileVersionFromNumbers(major_version, minor_version).status();
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
    EXPECT_EQ(status.message(), internal::Concat("Unknown Lance storage version: ", major_version,
                                                 ".", minor_version));
  }
}

}  // namespace
}  // namespace lance
