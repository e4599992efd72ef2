#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "arrow/buffer.h"
#include "io/counters.h"
#include "io/local_file.h"
#include "io/object_store.h"
#include "io/open_file.h"

namespace lance {
namespace {

// Smaller writes are collected up to this size.
constexpr size_t kWriteBufferBytes = 256 * 1024;

class LocalReader final : public RandomReader {
 public:
  LocalReader(std::string path, uint64_t size, std::unique_ptr<OpenFile> file)
      : RandomReader(std::move(path), size), file_(std::move(file)) {}

  Status ReadAt(const Context& context, uint64_t offset, uint64_t size, uint8_t* out) override {
    ARROW_RETURN_NOT_OK(CheckRange(*this, offset, size));
    if (size == 0) return Status::OK();
    ARROW_ASSIGN_OR_RAISE(OpenFile::Pin pin, file_->Use());
    ARROW_RETURN_NOT_OK(ReadFully(pin.number(), path(), offset, size, out));
    CountRead(context.io_stats, size);
    return Status::OK();
  }

 private:
  const std::unique_ptr<OpenFile> file_;
};

class LocalWriter final : public ObjectWriter {
 public:
  LocalWriter(StagedFile staged, IoStats* io_stats)
      : staged_(std::move(staged)), io_stats_(io_stats) {}

  Status Write(Bytes bytes) override {
    ARROW_RETURN_NOT_OK(status_);
    position_ += bytes.size();
    if (buffer_.size() + bytes.size() > kWriteBufferBytes) return Flush(bytes);
    if (buffer_.capacity() == 0) buffer_.reserve(kWriteBufferBytes);
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return Status::OK();
  }

  uint64_t position() const override { return position_; }

  Status Finish() override {
    ARROW_RETURN_NOT_OK(status_);
    ARROW_RETURN_NOT_OK(Flush({}));
    status_ = staged_.Replace();
    Status result = status_;
    if (result.ok()) status_ = IoError("writer is finished: '", staged_.path(), "'");
    return result;
  }

 private:
  // Writes what is buffered, then `bytes`, as one request.
  Status Flush(Bytes bytes) {
    uint64_t size = buffer_.size() + bytes.size();
    if (size == 0) return Status::OK();
    status_ = WriteFully(staged_.file(), staged_.path(), buffer_, bytes);
    buffer_.clear();
    if (status_.ok()) CountWrite(io_stats_, size);
    return status_;
  }

  StagedFile staged_;
  IoStats* const io_stats_;
  std::vector<uint8_t> buffer_;
  uint64_t position_ = 0;
  // The first failure: what follows it would leave a hole.
  Status status_;
};

int64_t Nanoseconds(const timespec& time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

ObjectInfo InfoFrom(std::string path, const struct stat& info) {
  return {std::move(path), static_cast<uint64_t>(info.st_size), Nanoseconds(info.st_mtim)};
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

/// visit(stream, entry) for each entry of a folder; none if there is no such folder.
template <typename Visit>
Status VisitFolder(const std::string& folder, Visit visit) {
  std::unique_ptr<DIR, CloseFolder> stream(opendir(folder.empty() ? "/" : folder.c_str()));
  if (stream == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return Status::OK();
    return SystemError(errno, "cannot list the folder", folder);
  }
  while (true) {
    errno = 0;
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr && errno != 0) return SystemError(errno, "cannot list the folder", folder);
    if (entry == nullptr) return Status::OK();
    ARROW_RETURN_NOT_OK(visit(stream.get(), *entry));
  }
}

class LocalStore final : public ObjectStore {
 public:
  explicit LocalStore(Durability durability) : sync_(durability == Durability::kPower) {}

  Result<std::shared_ptr<RandomReader>> OpenReader(const Context& context, const std::string& path,
                                                   std::optional<uint64_t> known_size) override {
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<OpenFile> file, OpenFile::Open(path));
    uint64_t size = known_size.value_or(file->size());
    return std::make_shared<LocalReader>(path, size, std::move(file));
  }

  Result<std::unique_ptr<ObjectWriter>> OpenWriter(const Context& context,
                                                   const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(StagedFile staged, StagedFile::Make(path, sync_));
    return std::make_unique<LocalWriter>(std::move(staged), context.io_stats);
  }

  Result<std::shared_ptr<arrow::Buffer>> Get(const Context& context,
                                             const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(FileDescriptor file, OpenForReading(path));
    ARROW_ASSIGN_OR_RAISE(uint64_t size, FileSize(file, path));
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<arrow::Buffer> buffer,
                          arrow::AllocateBuffer(static_cast<int64_t>(size), context.pool()));
    ARROW_RETURN_NOT_OK(ReadFully(file.number(), path, 0, size, buffer->mutable_data()));
    CountRead(context.io_stats, size);
    return std::shared_ptr<arrow::Buffer>(std::move(buffer));
  }

  Status Put(const Context& context, const std::string& path, Bytes bytes) override {
    ARROW_ASSIGN_OR_RAISE(StagedFile staged, Stage(context, path, bytes));
    return staged.Replace();
  }

  Status PutIfAbsent(const Context& context, const std::string& path, Bytes bytes) override {
    ARROW_ASSIGN_OR_RAISE(StagedFile staged, Stage(context, path, bytes));
    return staged.CreateNew();
  }

  Result<ObjectInfo> Head(const Context& context, const std::string& path) override {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) return SystemError(errno, "cannot find", path);
    if (!S_ISREG(info.st_mode)) {
      return SystemError(ENOENT, "cannot find (not a regular file)", path);
    }
    return InfoFrom(path, info);
  }

  Status VisitNames(const Context& context, const std::string& folder,
                    const std::function<void(std::string_view name)>& visit) override {
    return VisitFolder(folder, [&](DIR*, const dirent& entry) {
      if (entry.d_type != DT_DIR) visit(entry.d_name);
      return Status::OK();
    });
  }

  Result<std::vector<std::string>> ListFolders(const Context& context,
                                               const std::string& folder) override {
    std::vector<std::string> folders;
    auto visit = [&](DIR*, const dirent& entry) -> Status {
      std::string_view name = entry.d_name;
      if (name == "." || name == "..") return Status::OK();
      std::string path = folder + "/" + std::string(name);
      struct stat info;
      if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) folders.push_back(path);
      return Status::OK();
    };
    ARROW_RETURN_NOT_OK(VisitFolder(folder, visit));
    return folders;
  }

  Result<std::vector<ObjectInfo>> List(const Context& context, const std::string& folder) override {
    std::vector<ObjectInfo> objects;
    auto visit = [&](DIR* stream, const dirent& entry) -> Status {
      if (entry.d_type == DT_DIR) return Status::OK();
      std::string path = folder + "/" + entry.d_name;
      struct stat info;
      if (fstatat(dirfd(stream), entry.d_name, &info, 0) != 0) {
        // Deleted since, or a link to nowhere.
        return errno == ENOENT ? Status::OK() : SystemError(errno, "cannot find", path);
      }
      if (S_ISREG(info.st_mode)) objects.push_back(InfoFrom(std::move(path), info));
      return Status::OK();
    };
    ARROW_RETURN_NOT_OK(VisitFolder(folder, visit));
    return objects;
  }

  Status Delete(const Context& context, const std::string& path) override {
    if (unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
      return SystemError(errno, "cannot delete", path);
    }
    return Status::OK();
  }

  Status DeleteFolder(const Context& context, const std::string& folder) override {
    struct stat info;
    if (stat(folder.c_str(), &info) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return Status::OK();
      return SystemError(errno, "cannot find", folder);
    }
    if (!S_ISDIR(info.st_mode)) return SystemError(EIO, "cannot delete (not a folder)", folder);
    std::error_code error;
    std::filesystem::remove_all(folder, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      return SystemError(error.value(), "cannot delete the folder", folder);
    }
    return Status::OK();
  }

  std::vector<std::string> MissingFolders(const std::string& path) override {
    std::vector<std::string> missing;
    std::string folder = ParentFolder(path);
    for (struct stat info; stat(folder.c_str(), &info) != 0; folder = ParentFolder(folder)) {
      if (errno != ENOENT) break;
      missing.push_back(folder);
    }
    std::reverse(missing.begin(), missing.end());
    return missing;
  }

  void DeleteEmptyFolder(const std::string& folder) override { (void)rmdir(folder.c_str()); }

  bool HasLexicalListing() const override { return false; }

 private:
  Result<StagedFile> Stage(const Context& context, const std::string& path, Bytes bytes) {
    ARROW_ASSIGN_OR_RAISE(StagedFile staged, StagedFile::Make(path, sync_));
    ARROW_RETURN_NOT_OK(WriteFully(staged.file(), path, bytes, {}));
    CountWrite(context.io_stats, bytes.size());
    return staged;
  }

  const bool sync_;
};

}  // namespace

std::shared_ptr<ObjectStore> MakeLocalStore(Durability durability) {
  return std::make_shared<LocalStore>(durability);
}

}  // namespace lance
