#include "io/open_file.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "io/object_store.h"
#include "io/temporary_folder.h"

namespace lance {
namespace {

class OpenFileTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &previous_), 0); }
  void TearDown() override { setrlimit(RLIMIT_NOFILE, &previous_); }

  void LimitDescriptors(rlim_t count) {
    rlimit limit = {count, previous_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  }

  std::vector<std::shared_ptr<RandomReader>> OpenMany(int count) {
    std::vector<std::shared_ptr<RandomReader>> readers;
    for (int i = 0; i < count; ++i) {
      std::string path = folder_.path() + "/" + std::to_string(i);
      EXPECT_TRUE(store_->Put(context_, path, AsBytes(path)).ok());
      auto reader = store_->OpenReader(context_, path);
      EXPECT_TRUE(reader.ok()) << reader.status();
      readers.push_back(*reader);
    }
    return readers;
  }

  bool ReadsItself(RandomReader& reader) {
    std::string text(reader.size(), ' ');
    auto* out = reinterpret_cast<uint8_t*>(text.data());
    return reader.ReadAt(context_, 0, text.size(), out).ok() && text == reader.path();
  }

  rlimit previous_;
  TemporaryFolder folder_;
  Context context_;
  std::shared_ptr<ObjectStore> store_ = MakeLocalStore();
};

TEST_F(OpenFileTest, MoreReadersThanDescriptors) {
  LimitDescriptors(128);
  std::vector<std::shared_ptr<RandomReader>> readers = OpenMany(500);
  EXPECT_LE(OpenFile::CountOpen(), 64u);
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 3000; ++i) {
        if (!ReadsItself(*readers[random() % readers.size()])) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_LE(OpenFile::CountOpen(), 64u);
  readers.clear();
  EXPECT_EQ(OpenFile::CountOpen(), 0u);
}

TEST_F(OpenFileTest, MakesRoomWhenOthersHoldTheDescriptors) {
  LimitDescriptors(64);
  std::vector<std::shared_ptr<RandomReader>> readers = OpenMany(20);
  std::vector<int> others;
  while (true) {
    int copy = dup(0);
    if (copy < 0) break;
    others.push_back(copy);
  }
  std::string path = folder_.path() + "/0";
  Result<std::shared_ptr<RandomReader>> reader = store_->OpenReader(context_, path);
  EXPECT_TRUE(reader.ok()) << reader.status();
  for (const std::shared_ptr<RandomReader>& one : readers) EXPECT_TRUE(ReadsItself(*one));
  for (int other : others) close(other);
}

TEST_F(OpenFileTest, AReplacedFileIsNotTakenForTheOld) {
  LimitDescriptors(32);
  std::vector<std::shared_ptr<RandomReader>> readers = OpenMany(60);
  std::string path = folder_.path() + "/0";
  ASSERT_TRUE(store_->Put(context_, path, AsBytes(path)).ok());
  std::vector<uint8_t> out(readers[0]->size());
  Status status = readers[0]->ReadAt(context_, 0, out.size(), out.data());
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
  EXPECT_NE(status.message().find("was replaced"), std::string::npos) << status;
}

TEST_F(OpenFileTest, PinnedFilesStayOpen) {
  LimitDescriptors(32);
  std::string path = folder_.path() + "/pinned";
  ASSERT_TRUE(store_->Put(context_, path, AsBytes("x")).ok());
  std::unique_ptr<OpenFile> file = OpenFile::Open(path).ValueOrDie();
  EXPECT_EQ(file->size(), 1u);
  OpenFile::Pin pin = file->Use().ValueOrDie();
  int number = pin.number();
  OpenMany(100);
  EXPECT_EQ(pin.number(), number);
  char letter = ' ';
  EXPECT_EQ(pread(number, &letter, 1, 0), 1);
  EXPECT_EQ(letter, 'x');
}

}  // namespace
}  // namespace lance
