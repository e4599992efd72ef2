#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "arrow/buffer.h"
#include "gtest/gtest.h"
#include "io/local_file.h"
#include "io/object_store.h"
#include "io/temporary_folder.h"

namespace lance {
namespace {

std::set<std::string> FilesIn(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

class LocalStoreTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }

  TemporaryFolder folder_;
  Context context_;
  std::shared_ptr<ObjectStore> store_ = MakeLocalStore();
};

TEST_F(LocalStoreTest, EmptyFolders) {
  EXPECT_EQ(store_->MissingFolders(Path("x")), std::vector<std::string>());
  EXPECT_EQ(store_->MissingFolders(Path("a/b/x")),
            (std::vector<std::string>{Path("a"), Path("a/b")}));
  ASSERT_TRUE(store_->Put(context_, Path("a/b/x"), AsBytes("1")).ok());
  EXPECT_EQ(store_->MissingFolders(Path("a/b/y")), std::vector<std::string>());
  for (const char* folder : {"a/b", "a", "a/b/x", "nope"}) {
    store_->DeleteEmptyFolder(Path(folder));
  }
  ASSERT_TRUE(store_->Head(context_, Path("a/b/x")).ok()) << "nothing was empty";
  ASSERT_TRUE(store_->Delete(context_, Path("a/b/x")).ok());
  store_->DeleteEmptyFolder(Path("a/b"));
  EXPECT_EQ(store_->MissingFolders(Path("a/b/x")), std::vector<std::string>{Path("a/b")});
}

TEST_F(LocalStoreTest, TruncatedFileIsAnErrorWithPathAndOffset) {
  std::string path = Path("x");
  ASSERT_TRUE(store_->Put(context_, path, AsBytes(std::string(10'000, 'x'))).ok());
  auto reader = store_->OpenReader(context_, path).ValueOrDie();
  ASSERT_EQ(truncate(path.c_str(), 6'000), 0);
  std::vector<uint8_t> out(10'000);
  EXPECT_TRUE(reader->ReadAt(context_, 0, 6'000, out.data()).ok());
  Status status = reader->ReadAt(context_, 5'000, 2'000, out.data());
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
  ASSERT_NE(GetErrorDetail(status), nullptr);
  EXPECT_EQ(GetErrorDetail(status)->place.path, path);
  EXPECT_EQ(GetErrorDetail(status)->place.offset, 6'000u);
  EXPECT_NE(status.message().find("2000"), std::string::npos) << status;
}

TEST_F(LocalStoreTest, ErrorsCarryThePathAndTheSystemsReason) {
  if (geteuid() != 0) {
    std::filesystem::create_directory(Path("closed"));
    std::filesystem::permissions(Path("closed"), std::filesystem::perms::owner_read);
    Status status = store_->Put(context_, Path("closed/x"), AsBytes("1"));
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
    EXPECT_NE(status.message().find("Permission denied"), std::string::npos);
    std::filesystem::permissions(Path("closed"), std::filesystem::perms::owner_all);
  }
  ASSERT_TRUE(store_->Put(context_, Path("file"), AsBytes("1")).ok());
  Status status = store_->Put(context_, Path("file/x"), AsBytes("1"));
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find(Path("file/x")), std::string::npos) << status;
  EXPECT_NE(status.message().find("Not a directory"), std::string::npos) << status;
  // A table's path that is a file holds no versions.
  EXPECT_TRUE(store_->List(context_, Path("file")).ValueOrDie().empty());
  EXPECT_EQ(GetErrorCode(store_->Get(context_, Path("file/x")).status()), ErrorCode::kNotFound);
}

TEST_F(LocalStoreTest, FoldersAreNotObjects) {
  std::filesystem::create_directory(Path("folder"));
  EXPECT_EQ(GetErrorCode(store_->Head(context_, Path("folder")).status()), ErrorCode::kNotFound);
  EXPECT_EQ(GetErrorCode(store_->Get(context_, Path("folder")).status()), ErrorCode::kNotFound);
  EXPECT_EQ(GetErrorCode(store_->OpenReader(context_, Path("folder")).status()),
            ErrorCode::kNotFound);
  EXPECT_TRUE(store_->List(context_, folder_.path()).ValueOrDie().empty());
  EXPECT_FALSE(store_->Delete(context_, Path("folder")).ok());
  ASSERT_TRUE(store_->Put(context_, Path("object"), AsBytes("1")).ok());
  EXPECT_FALSE(store_->DeleteFolder(context_, Path("object")).ok());
  EXPECT_TRUE(store_->Head(context_, Path("object")).ok());
}

TEST_F(LocalStoreTest, LinksAreFollowedAndBrokenOnesSkipped) {
  ASSERT_TRUE(store_->Put(context_, Path("object"), AsBytes("12")).ok());
  std::filesystem::create_symlink(Path("object"), Path("link"));
  std::filesystem::create_symlink(Path("nowhere"), Path("broken"));
  std::vector<ObjectInfo> objects = store_->List(context_, folder_.path()).ValueOrDie();
  ASSERT_EQ(objects.size(), 2u);
  EXPECT_EQ(objects[0].size, 2u);
  EXPECT_EQ(objects[1].size, 2u);
}

TEST_F(LocalStoreTest, NamesKeepTheirSpecialCharacters) {
  for (const char* name : {"with blank", "ünï", "a%20b", "#hash", "new\nline"}) {
    ASSERT_TRUE(store_->Put(context_, Path(name), AsBytes(name)).ok());
    EXPECT_EQ(store_->Get(context_, Path(name)).ValueOrDie()->ToString(), name);
  }
  EXPECT_EQ(store_->List(context_, folder_.path()).ValueOrDie().size(), 5u);
}

TEST_F(LocalStoreTest, FailedWritesLeaveNothing) {
  // A file may not grow beyond this, as on a full disk.
  rlimit previous;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &previous), 0);
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {100'000, previous.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::string large(500'000, 'x');
  Status put = store_->Put(context_, Path("d/put"), AsBytes(large));
  Status put_if_absent = store_->PutIfAbsent(context_, Path("d/absent"), AsBytes(large));
  auto writer = store_->OpenWriter(context_, Path("d/writer")).ValueOrDie();
  Status write = writer->Write(AsBytes(large));
  // The writer stays broken: a second try would leave a hole.
  Status finish = writer->Finish();
  writer.reset();
  setrlimit(RLIMIT_FSIZE, &previous);
  for (const Status& status : {put, put_if_absent, write, finish}) {
    EXPECT_EQ(GetErrorCode(status), ErrorCode::kIo);
    EXPECT_NE(status.message().find("File too large"), std::string::npos) << status;
  }
  EXPECT_TRUE(FilesIn(Path("d")).empty());
}

// A process that dies in the middle leaves at most a temporary file, and that is neither a
// manifest nor a data file by its name.
TEST_F(LocalStoreTest, KilledWriterLeavesNoObject) {
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto data = store_->OpenWriter(context_, Path("t/data/x.lance"));
    auto manifest = StagedFile::Make(Path("t/_versions/1.manifest"), false);
    if (!data.ok() || !manifest.ok()) _exit(1);
    if (!(*data)->Write(AsBytes(std::string(1'000'000, 'x'))).ok()) _exit(1);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (const std::string& folder : {Path("t/data"), Path("t/_versions")}) {
    std::set<std::string> names = FilesIn(folder);
    ASSERT_EQ(names.size(), 1u);
    EXPECT_TRUE(names.begin()->ends_with(".tmp")) << *names.begin();
  }
  // The next writer isn't disturbed.
  EXPECT_TRUE(store_->PutIfAbsent(context_, Path("t/_versions/1.manifest"), AsBytes("m")).ok());
  EXPECT_TRUE(store_->Put(context_, Path("t/data/x.lance"), AsBytes("d")).ok());
}

TEST_F(LocalStoreTest, ProcessesRaceForOneName) {
  constexpr int kProcesses = 6;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Status status =
          store_->PutIfAbsent(context_, Path("v/1.manifest"), AsBytes(std::to_string(i)));
      _exit(status.ok() ? 0 : GetErrorCode(status) == ErrorCode::kAlreadyExists ? 1 : 2);
    }
    children.push_back(child);
  }
  int winners = 0;
  for (int i = 0; i < kProcesses; ++i) {
    int status = 0;
    ASSERT_EQ(waitpid(children[static_cast<size_t>(i)], &status, 0),
              children[static_cast<size_t>(i)]);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_LT(WEXITSTATUS(status), 2);
    if (WEXITSTATUS(status) != 0) continue;
    ++winners;
    EXPECT_EQ(store_->Get(context_, Path("v/1.manifest")).ValueOrDie()->ToString(),
              std::to_string(i));
  }
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(FilesIn(Path("v")), std::set<std::string>{"1.manifest"});
}

TEST_F(LocalStoreTest, FilesGetTheUsualPermissions) {
  mode_t mask = umask(022);
  ASSERT_TRUE(store_->Put(context_, Path("d/x"), AsBytes("1")).ok());
  umask(mask);
  struct stat info;
  ASSERT_EQ(stat(Path("d/x").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
  ASSERT_EQ(stat(Path("d").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0755u);
}

}  // namespace
}  // namespace lance
