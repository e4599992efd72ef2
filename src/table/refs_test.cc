#include "table/refs.h"

#include "gtest/gtest.h"

namespace lance {
namespace {

constexpr char kFull[] = R"({
  "branch": "dev", "version": 3, "createdAt": "2026-01-02T03:04:05.000000006Z",
  "updatedAt": null, "manifestSize": 1234, "metadata": {"why": "release"}, "future": [1]
})";

TEST(Refs, DecodesTags) {
  Tag tag = DecodeTag(AsBytes(kFull)).ValueOrDie();
  EXPECT_EQ(tag.branch, "dev");
  EXPECT_EQ(tag.version, 3u);
  EXPECT_EQ(tag.manifest_size, 1234u);
  EXPECT_EQ(tag.created_at, "2026-01-02T03:04:05.000000006Z");
  EXPECT_FALSE(tag.updated_at);
  EXPECT_EQ(tag.metadata.at("why"), "release");
  EXPECT_FALSE(DecodeTag(AsBytes(R"({"version":1,"branch":"main"})"))->branch);
  EXPECT_FALSE(DecodeTag(AsBytes(R"({"version":1,"branch":null})"))->branch);
}

TEST(Refs, BrokenTags) {
  for (const char* json :
       {"", "[]", "{}", "{\"version\":-1}", "{\"version\":\"1\"}", "{\"version\""}) {
    EXPECT_EQ(GetErrorCode(DecodeTag(AsBytes(json)).status()), ErrorCode::kCorrupt) << json;
  }
}

TEST(Refs, ListAndRead) {
  auto store = MakeMemoryStore();
  Context context;
  EXPECT_TRUE(ListTags(context, *store, "/t").ValueOrDie().empty());
  ASSERT_TRUE(store->Put(context, "/t/_refs/tags/v1.0.json", AsBytes(kFull)).ok());
  ASSERT_TRUE(store->Put(context, "/t/_refs/tags/other.txt", AsBytes("x")).ok());
  auto tags = ListTags(context, *store, "/t").ValueOrDie();
  ASSERT_EQ(tags.size(), 1u);
  EXPECT_EQ(tags["v1.0"].version, 3u);
  EXPECT_EQ(ReadTag(context, *store, "/t", "v1.0")->version, 3u);
  Status missing = ReadTag(context, *store, "/t", "v2").status();
  EXPECT_EQ(GetErrorCode(missing), ErrorCode::kNotFound);
  EXPECT_NE(missing.message().find("'v2'"), std::string::npos);
  for (const char* name : {"", "../x", "a/b"}) {
    EXPECT_EQ(GetErrorCode(ReadTag(context, *store, "/t", name).status()), ErrorCode::kUserInput);
  }
}

}  // namespace
}  // namespace lance
