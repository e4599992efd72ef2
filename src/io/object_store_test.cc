#include "io/object_store.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

#include "arrow/buffer.h"
#include "gtest/gtest.h"
#include "io/temporary_folder.h"

namespace lance {
namespace {

std::string Text(const arrow::Buffer& buffer) { return buffer.ToString(); }

// What every store must do. Local stores run with both durabilities.
class ObjectStoreTest : public testing::TestWithParam<std::string> {
 protected:
  ObjectStoreTest() {
    context_.io_stats = &stats_;
    if (GetParam() == "memory") {
      store_ = MakeMemoryStore();
      root_ = "root";
    } else {
      store_ = MakeLocalStore(GetParam() == "power" ? Durability::kPower : Durability::kProcess);
      root_ = folder_.path();
    }
  }

  std::string Path(const std::string& name) const { return root_ + "/" + name; }

  std::set<std::string> Names(const std::string& folder) {
    std::set<std::string> names;
    std::vector<ObjectInfo> objects = store_->List(context_, folder).ValueOrDie();
    for (const ObjectInfo& object : objects) {
      EXPECT_TRUE(object.path.starts_with(folder + "/"));
      names.insert(object.path.substr(folder.size() + 1));
    }
    return names;
  }

  TemporaryFolder folder_;
  IoStats stats_;
  Context context_;
  std::shared_ptr<ObjectStore> store_;
  std::string root_;
};

TEST_P(ObjectStoreTest, PutGetHeadDelete) {
  std::string path = Path("a/b/c.txt");
  ASSERT_TRUE(store_->Put(context_, path, AsBytes("hello")).ok());
  EXPECT_EQ(Text(*store_->Get(context_, path).ValueOrDie()), "hello");
  ObjectInfo info = store_->Head(context_, path).ValueOrDie();
  EXPECT_EQ(info.path, path);
  EXPECT_EQ(info.size, 5u);
  EXPECT_GT(info.modified_ns, int64_t{1'600'000'000} * 1'000'000'000);
  ASSERT_TRUE(store_->Put(context_, path, AsBytes("")).ok());
  EXPECT_EQ(store_->Get(context_, path).ValueOrDie()->size(), 0);
  ASSERT_TRUE(store_->Delete(context_, path).ok());
  ASSERT_TRUE(store_->Delete(context_, path).ok());
  EXPECT_TRUE(Names(Path("a/b")).empty());
}

TEST_P(ObjectStoreTest, MissingObjectsAreNotFoundAndNamed) {
  std::string path = Path("missing/x");
  for (const Status& status :
       {store_->Get(context_, path).status(), store_->Head(context_, path).status(),
        store_->OpenReader(context_, path).status()}) {
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kNotFound);
    EXPECT_NE(status.message().find(path), std::string::npos) << status;
    ASSERT_NE(GetErrorDetail(status), nullptr);
    EXPECT_EQ(GetErrorDetail(status)->place.path, path);
  }
  EXPECT_TRUE(store_->Delete(context_, path).ok());
  EXPECT_TRUE(store_->DeleteFolder(context_, Path("missing")).ok());
  EXPECT_TRUE(Names(Path("missing")).empty());
}

TEST_P(ObjectStoreTest, PutIfAbsentDoesNotReplace) {
  std::string path = Path("_versions/1.manifest");
  ASSERT_TRUE(store_->PutIfAbsent(context_, path, AsBytes("first")).ok());
  Status status = store_->PutIfAbsent(context_, path, AsBytes("second"));
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kAlreadyExists);
  EXPECT_NE(status.message().find(path), std::string::npos);
  EXPECT_EQ(Text(*store_->Get(context_, path).ValueOrDie()), "first");
  EXPECT_EQ(Names(Path("_versions")), std::set<std::string>{"1.manifest"});
}

TEST_P(ObjectStoreTest, PutIfAbsentHasOneWinner) {
  constexpr int kThreads = 8;
  for (int round = 0; round < 20; ++round) {
    std::string path = Path("race/" + std::to_string(round) + ".manifest");
    std::atomic<bool> go{false};
    std::atomic<int> winner{-1};
    std::atomic<int> wins{0};
    std::atomic<int> other_errors{0};
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        std::string content = "writer " + std::to_string(thread);
        while (!go) std::this_thread::yield();
        Status status = store_->PutIfAbsent(context_, path, AsBytes(content));
        if (status.ok()) {
          ++wins;
          winner = thread;
        } else if (GetErrorCode(status) != ErrorCode::kAlreadyExists) {
          ++other_errors;
        }
      });
    }
    go = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wins, 1);
    EXPECT_EQ(other_errors, 0);
    EXPECT_EQ(Text(*store_->Get(context_, path).ValueOrDie()), "writer " + std::to_string(winner));
  }
  EXPECT_EQ(Names(Path("race")).size(), 20u);
}

TEST_P(ObjectStoreTest, ListsOnlyTheFolderItself) {
  for (const char* name : {"f/a", "f/b", "f/sub/c", "fa", "f2/d"}) {
    ASSERT_TRUE(store_->Put(context_, Path(name), AsBytes(name)).ok());
  }
  EXPECT_EQ(Names(Path("f")), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(Names(Path("f/sub")), (std::set<std::string>{"c"}));
  ASSERT_TRUE(store_->DeleteFolder(context_, Path("f")).ok());
  EXPECT_TRUE(Names(Path("f")).empty());
  EXPECT_TRUE(Names(Path("f/sub")).empty());
  EXPECT_EQ(Names(Path("f2")), (std::set<std::string>{"d"}));
  EXPECT_TRUE(store_->Head(context_, Path("fa")).ok());
}

TEST_P(ObjectStoreTest, WriterMakesTheObjectAtFinish) {
  std::string path = Path("data/x.lance");
  auto writer = store_->OpenWriter(context_, path).ValueOrDie();
  std::string expected;
  // Around the buffer size of the local writer, and more than it.
  for (size_t size : {1u, 0u, 10u, 262'133u, 262'144u, 262'145u, 100u, 1'000'000u, 5u}) {
    std::string piece(size, static_cast<char>('a' + expected.size() % 26));
    ASSERT_TRUE(writer->Write(AsBytes(piece)).ok());
    expected += piece;
    EXPECT_EQ(writer->position(), expected.size());
  }
  EXPECT_EQ(GetErrorCode(store_->Head(context_, path).status()), ErrorCode::kNotFound);
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_FALSE(writer->Write(AsBytes("late")).ok());
  EXPECT_FALSE(writer->Finish().ok());
  writer.reset();
  EXPECT_EQ(Text(*store_->Get(context_, path).ValueOrDie()), expected);
  EXPECT_EQ(Names(Path("data")), std::set<std::string>{"x.lance"});
  EXPECT_EQ(stats_.written_bytes, expected.size());
}

TEST_P(ObjectStoreTest, AbandonedWriterLeavesNothing) {
  std::string path = Path("data/x.lance");
  auto writer = store_->OpenWriter(context_, path).ValueOrDie();
  ASSERT_TRUE(writer->Write(AsBytes(std::string(1'000'000, 'x'))).ok());
  writer.reset();
  EXPECT_EQ(GetErrorCode(store_->Head(context_, path).status()), ErrorCode::kNotFound);
  EXPECT_TRUE(Names(Path("data")).empty());
}

TEST_P(ObjectStoreTest, EmptyWriterMakesAnEmptyObject) {
  auto writer = store_->OpenWriter(context_, Path("empty")).ValueOrDie();
  ASSERT_TRUE(writer->Finish().ok());
  EXPECT_EQ(store_->Get(context_, Path("empty")).ValueOrDie()->size(), 0);
}

TEST_P(ObjectStoreTest, ReaderReadsRangesAndRefusesOthers) {
  ASSERT_TRUE(store_->Put(context_, Path("r"), AsBytes("0123456789")).ok());
  auto reader = store_->OpenReader(context_, Path("r")).ValueOrDie();
  EXPECT_EQ(reader->size(), 10u);
  EXPECT_EQ(reader->path(), Path("r"));
  std::string out(4, ' ');
  auto* data = reinterpret_cast<uint8_t*>(out.data());
  ASSERT_TRUE(reader->ReadAt(context_, 6, 4, data).ok());
  EXPECT_EQ(out, "6789");
  EXPECT_TRUE(reader->ReadAt(context_, 10, 0, data).ok());
  for (auto [offset, size] : std::vector<std::pair<uint64_t, uint64_t>>{
           {10, 1}, {7, 4}, {11, 0}, {UINT64_MAX, 2}, {2, UINT64_MAX}}) {
    Status status = reader->ReadAt(context_, offset, size, data);
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt) << offset << " " << size;
    EXPECT_NE(status.message().find(std::to_string(offset)), std::string::npos);
    EXPECT_NE(status.message().find("object size 10"), std::string::npos);
  }
}

TEST_P(ObjectStoreTest, KnownSizeIsTrustedUntilAReadShowsItWrong) {
  ASSERT_TRUE(store_->Put(context_, Path("r"), AsBytes("0123456789")).ok());
  auto reader = store_->OpenReader(context_, Path("r"), 20).ValueOrDie();
  EXPECT_EQ(reader->size(), 20u);
  std::vector<uint8_t> out(20);
  EXPECT_TRUE(reader->ReadAt(context_, 0, 10, out.data()).ok());
  Status status = reader->ReadAt(context_, 8, 4, out.data());
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
  EXPECT_EQ(GetErrorDetail(status)->place.path, Path("r"));
  EXPECT_TRUE(GetErrorDetail(status)->place.offset.has_value());
}

TEST_P(ObjectStoreTest, ReaderKeepsItsObjectWhenItIsReplacedOrDeleted) {
  ASSERT_TRUE(store_->Put(context_, Path("r"), AsBytes("old")).ok());
  auto reader = store_->OpenReader(context_, Path("r")).ValueOrDie();
  ASSERT_TRUE(store_->Put(context_, Path("r"), AsBytes("new")).ok());
  ASSERT_TRUE(store_->Delete(context_, Path("r")).ok());
  std::string out(3, ' ');
  ASSERT_TRUE(reader->ReadAt(context_, 0, 3, reinterpret_cast<uint8_t*>(out.data())).ok());
  EXPECT_EQ(out, "old");
}

TEST_P(ObjectStoreTest, CountsRequestsExactly) {
  ASSERT_TRUE(store_->Put(context_, Path("r"), AsBytes("0123456789")).ok());
  ASSERT_TRUE(store_->PutIfAbsent(context_, Path("s"), AsBytes("01")).ok());
  EXPECT_EQ(stats_.writes, 2u);
  EXPECT_EQ(stats_.written_bytes, 12u);
  EXPECT_EQ(stats_.reads, 0u);
  auto reader = store_->OpenReader(context_, Path("r")).ValueOrDie();
  EXPECT_EQ(stats_.reads, 0u);
  std::vector<uint8_t> out(10);
  ASSERT_TRUE(reader->ReadAt(context_, 2, 3, out.data()).ok());
  ASSERT_TRUE(reader->ReadAt(context_, 0, 0, out.data()).ok());
  ASSERT_FALSE(reader->ReadAt(context_, 9, 3, out.data()).ok());
  EXPECT_EQ(stats_.reads, 1u);
  EXPECT_EQ(stats_.read_bytes, 3u);
  ASSERT_TRUE(store_->Get(context_, Path("r")).ok());
  EXPECT_EQ(stats_.reads, 2u);
  EXPECT_EQ(stats_.read_bytes, 13u);
  // Nothing breaks where nobody counts.
  EXPECT_TRUE(reader->ReadAt(Context(), 0, 1, out.data()).ok());
  EXPECT_TRUE(store_->Put(Context(), Path("r"), AsBytes("1")).ok());
  EXPECT_EQ(stats_.reads, 2u);
}

INSTANTIATE_TEST_SUITE_P(Stores, ObjectStoreTest, testing::Values("memory", "process", "power"),
                         [](const auto& info) { return info.param; });

TEST(ResolveUriTest, LocalPaths) {
  std::string cwd = std::filesystem::current_path().string();
  auto path = [](const std::string& uri) { return ResolveUri(uri).ValueOrDie().path; };
  EXPECT_EQ(path("/a/b.lance"), "/a/b.lance");
  EXPECT_EQ(path("/a//b/./c/"), "/a/b/c");
  EXPECT_EQ(path("/a/../b"), "/a/../b");
  EXPECT_EQ(path("x.lance"), cwd + "/x.lance");
  EXPECT_EQ(path("./x"), cwd + "/x");
  EXPECT_EQ(path("~/x"), cwd + "/~/x");
  EXPECT_EQ(path("/a b%20c"), "/a b%20c");
  EXPECT_EQ(path("/"), "");
  EXPECT_EQ(path("/tmp/1://2"), "/tmp/1:/2");
}

TEST(ResolveUriTest, FileUris) {
  auto path = [](const std::string& uri) { return ResolveUri(uri).ValueOrDie().path; };
  EXPECT_EQ(path("file:///a/b%20c/"), "/a/b c");
  EXPECT_EQ(path("file://localhost/a"), "/a");
  EXPECT_EQ(path("file:///a%2"), "/a%2");
  EXPECT_EQ(path("FILE:///a"), "/a");
  EXPECT_EQ(GetErrorCode(ResolveUri("file://host/a").status()), ErrorCode::kUserInput);
  EXPECT_EQ(GetErrorCode(ResolveUri("file://").status()), ErrorCode::kUserInput);
}

TEST(ResolveUriTest, NulIsRefused) {
  for (const std::string& uri :
       {std::string("a\0b", 3), std::string("file:///a%00b"), std::string("memory://a\0b", 12)}) {
    EXPECT_EQ(GetErrorCode(ResolveUri(uri).status()), ErrorCode::kUserInput);
  }
}

TEST(ResolveUriTest, MemoryIsOneStoreForTheProcess) {
  StoreLocation first = ResolveUri("memory://a/b/").ValueOrDie();
  StoreLocation second = ResolveUri("memory://a").ValueOrDie();
  EXPECT_EQ(first.path, "a/b");
  EXPECT_EQ(second.path, "a");
  EXPECT_EQ(first.store, second.store);
}

TEST(ResolveUriTest, OthersAreRefusedByName) {
  Status status = ResolveUri("s3://bucket/x").status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_NE(status.message().find("'s3'"), std::string::npos);
  EXPECT_EQ(GetErrorCode(ResolveUri("").status()), ErrorCode::kUserInput);
}

TEST(ResolveUri, DurabilityOfTheProcess) {
  for (const char* known : {"", "process", "power"}) {
    ASSERT_EQ(setenv("LANCE_DURABILITY", known, 1), 0);
    EXPECT_TRUE(ResolveUri("/a").ok()) << known;
  }
  ASSERT_EQ(setenv("LANCE_DURABILITY", "fire", 1), 0);
  EXPECT_EQ(GetErrorCode(ResolveUri("/a").status()), ErrorCode::kUserInput);
  EXPECT_TRUE(ResolveUri("memory://a").ok());
  ASSERT_EQ(unsetenv("LANCE_DURABILITY"), 0);
}

}  // namespace
}  // namespace lance
