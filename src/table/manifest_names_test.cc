#include "table/manifest_names.h"

#include "arrow/buffer.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

TEST(ManifestNames, BothSchemes) {
  EXPECT_EQ(ManifestFileName(1, ManifestNaming::kV1), "1.manifest");
  EXPECT_EQ(ManifestFileName(1, ManifestNaming::kV2), "18446744073709551614.manifest");
  EXPECT_EQ(ManifestFileName((1ull << 63) - 1, ManifestNaming::kV2),
            "09223372036854775808.manifest" + std::string())
      << "zero padded to 20 digits";
  EXPECT_EQ(ManifestFileName(kDetachedBit | 5, ManifestNaming::kV2),
            "d9223372036854775813.manifest");
  for (auto naming : {ManifestNaming::kV1, ManifestNaming::kV2}) {
    for (uint64_t version : {uint64_t{1}, uint64_t{77}, (uint64_t{1} << 63) - 1}) {
      auto parsed = ParseManifestName(ManifestFileName(version, naming));
      ASSERT_TRUE(parsed);
      EXPECT_EQ(parsed->version, version);
      EXPECT_EQ(parsed->naming, naming);
    }
  }
}

TEST(ManifestNames, OtherNamesAreNone) {
  for (const char* name :
       {"", ".manifest", "x.manifest", "1.manifest-3f2c", "d9223372036854775813.manifest",
        "latest_version_hint.json", "-1.manifest", "+1.manifest", " 1.manifest", "1.manifest.tmp",
        "99999999999999999999.manifest", "999999999999999999999.manifest"}) {
    EXPECT_FALSE(ParseManifestName(name)) << name;
  }
}

class Listing : public ::testing::Test {
 protected:
  void Add(const std::string& name) {
    ASSERT_TRUE(store_->Put(context_, "/t/_versions/" + name, AsBytes("x")).ok());
  }
  std::shared_ptr<ObjectStore> store_ = MakeMemoryStore();
  Context context_;
};

TEST_F(Listing, NoTable) { EXPECT_FALSE(FindLatestVersion(context_, *store_, "/t").ValueOrDie()); }

TEST_F(Listing, NumericOrder) {
  for (const char* name : {"9.manifest", "10.manifest", "2.manifest", "latest_version_hint.json",
                           "11.manifest-tmp", "d9223372036854775813.manifest"}) {
    Add(name);
  }
  auto versions = ListVersions(context_, *store_, "/t").ValueOrDie();
  ASSERT_EQ(versions.size(), 3u);
  EXPECT_EQ(versions[1].version, 9u);
  auto latest = FindLatestVersion(context_, *store_, "/t").ValueOrDie();
  EXPECT_EQ(latest->version, 10u);
  EXPECT_EQ(latest->path, "/t/_versions/10.manifest");
}

TEST_F(Listing, InterruptedRenaming) {
  const auto naming = [&] { return FindNaming(context_, *store_, "/t").ValueOrDie(); };
  EXPECT_EQ(naming(), ManifestNaming::kV2);
  for (const char* name : {"1.manifest", "2.manifest", "3.manifest"}) Add(name);
  EXPECT_EQ(naming(), ManifestNaming::kV1);
  Add("18446744073709551612.manifest");
  EXPECT_EQ(naming(), ManifestNaming::kV2);
  const auto versions = ListVersions(context_, *store_, "/t").ValueOrDie();
  ASSERT_EQ(versions.size(), 3u);
  EXPECT_EQ(versions[1].naming, ManifestNaming::kV1);
  EXPECT_EQ(versions[2].naming, ManifestNaming::kV2);
  EXPECT_EQ(FindLatestVersion(context_, *store_, "/t").ValueOrDie()->naming, ManifestNaming::kV2);
  Add("4.manifest");
  EXPECT_EQ(FindLatestVersion(context_, *store_, "/t").ValueOrDie()->version, 4u);
}

TEST_F(Listing, Hint) {
  WriteVersionHint(context_, *store_, "/t", 12);
  EXPECT_EQ(store_->Get(context_, "/t/_versions/latest_version_hint.json").ValueOrDie()->ToString(),
            "{\"version\":12}");
  WriteVersionHint(context_, *store_, "/t", kDetachedBit | 3);
  EXPECT_EQ(store_->Get(context_, "/t/_versions/latest_version_hint.json").ValueOrDie()->ToString(),
            "{\"version\":12}");
}

}  // namespace
}  // namespace lance
