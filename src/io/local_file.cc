#include "io/local_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace lance {
namespace {

constexpr mode_t kFileMode = 0666;
constexpr mode_t kFolderMode = 0777;
// Others may delete a folder while it is empty (ObjectStore::DeleteEmptyFolder).
constexpr int kMaxFolderTries = 10;

// Repeats a call that a signal interrupted.
template <typename Call>
auto Retry(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result == -1 && errno == EINTR);
  return result;
}

// The name ends in neither `.manifest` nor `.lance`, so that no reader takes it for an object,
// and starts like the object, so that a person sees what it was.
Result<std::string> StagedName(const std::string& path) {
  std::array<unsigned char, 8> random;
  if (Retry([&] { return getrandom(random.data(), random.size(), 0); }) !=
      static_cast<ssize_t>(random.size())) {
    return SystemError(errno, "cannot make a temporary name for", path);
  }
  std::string name = path + ".";
  for (unsigned char byte : random) {
    std::array<char, 3> digits;
    std::snprintf(digits.data(), digits.size(), "%02x", byte);
    name += digits.data();
  }
  return name + ".tmp";
}

uint64_t CountLinks(const FileDescriptor& file) {
  struct stat info;
  return fstat(file.number(), &info) == 0 ? info.st_nlink : 0;
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (is_open()) close(number_);
}

Status FileDescriptor::Close(const std::string& path) {
  int number = std::exchange(number_, -1);
  // Not repeated after a signal: the number is free in any case.
  if (number >= 0 && close(number) != 0 && errno != EINTR) {
    return SystemError(errno, "cannot close", path);
  }
  return Status::OK();
}

Status SystemError(int error_number, std::string_view attempt, const std::string& path) {
  std::string reason = std::generic_category().message(error_number);
  ErrorCode code =
      error_number == ENOENT || error_number == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  ErrorPlace place;
  place.path = path;
  return MakeError(code, internal::Concat(attempt, " '", path, "': ", reason), std::move(place));
}

Result<FileDescriptor> OpenForReading(const std::string& path, int* error_number) {
  // O_NONBLOCK: a named pipe would wait for its writer; FileSize() refuses it then.
  int number = Retry([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (number < 0) {
    int error = errno;
    if (error_number != nullptr) *error_number = error;
    return SystemError(error, "cannot open", path);
  }
  return FileDescriptor(number);
}

Result<uint64_t> FileSize(const FileDescriptor& file, const std::string& path) {
  struct stat info;
  if (fstat(file.number(), &info) != 0) return SystemError(errno, "cannot get the size of", path);
  if (!S_ISREG(info.st_mode)) return SystemError(ENOENT, "cannot open (not a regular file)", path);
  return static_cast<uint64_t>(info.st_size);
}

Status ReadFully(int file, const std::string& path, uint64_t offset, uint64_t size, uint8_t* out) {
  uint64_t done = 0;
  while (done < size) {
    ssize_t count = Retry(
        [&] { return pread(file, out + done, size - done, static_cast<off_t>(offset + done)); });
    if (count < 0) return SystemError(errno, "cannot read", path);
    if (count == 0) {
      ErrorPlace place;
      place.path = path;
      place.offset = offset + done;
      return MakeError(
          ErrorCode::kIo,
          internal::Concat("object is shorter than it was when opened: ", size,
                           " bytes expected at offset ", offset, ", only ", done, " found"),
          std::move(place));
    }
    done += static_cast<uint64_t>(count);
  }
  return Status::OK();
}

Status WriteFully(const FileDescriptor& file, const std::string& path, Bytes first, Bytes second) {
  while (!first.empty() || !second.empty()) {
    std::array<iovec, 2> parts = {{{const_cast<uint8_t*>(first.data()), first.size()},
                                   {const_cast<uint8_t*>(second.data()), second.size()}}};
    ssize_t count = Retry([&] { return writev(file.number(), parts.data(), parts.size()); });
    if (count < 0) return SystemError(errno, "cannot write", path);
    size_t of_first = std::min(static_cast<size_t>(count), first.size());
    first = first.subspan(of_first);
    second = second.subspan(static_cast<size_t>(count) - of_first);
  }
  return Status::OK();
}

Status SyncFile(const FileDescriptor& file, const std::string& path) {
  if (Retry([&] { return fsync(file.number()); }) != 0) {
    return SystemError(errno, "cannot sync", path);
  }
  return Status::OK();
}

std::string ParentFolder(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status MakeFolders(const std::string& folder, bool sync) {
  if (mkdir(folder.c_str(), kFolderMode) != 0) {
    int error = errno;
    if (error == EEXIST) return Status::OK();
    if (error != ENOENT || folder == "/" || folder == ".") {
      return SystemError(error, "cannot make the folder", folder);
    }
    ARROW_RETURN_NOT_OK(MakeFolders(ParentFolder(folder), sync));
    if (mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) {
      return SystemError(errno, "cannot make the folder", folder);
    }
  }
  return sync ? SyncFolder(ParentFolder(folder)) : Status::OK();
}

Status SyncFolder(const std::string& folder) {
  int number = Retry([&] { return open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (number < 0) return SystemError(errno, "cannot open the folder", folder);
  FileDescriptor descriptor(number);
  return SyncFile(descriptor, folder);
}

Result<StagedFile> StagedFile::Make(const std::string& path, bool sync) {
  int made_folders = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(std::string staged_path, StagedName(path));
    int number = Retry([&] {
      return open(staged_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
    });
    if (number >= 0) return StagedFile(path, std::move(staged_path), FileDescriptor(number), sync);
    if (errno == EEXIST) continue;
    if (errno != ENOENT || made_folders == kMaxFolderTries) {
      return SystemError(errno, "cannot create", path);
    }
    Status made = MakeFolders(ParentFolder(path), sync);
    if (!made.ok() && GetErrorCode(made) != ErrorCode::kNotFound) return made;
    ++made_folders;
  }
}

StagedFile::StagedFile(std::string path, std::string staged_path, FileDescriptor file, bool sync)
    : path_(std::move(path)),
      staged_path_(std::move(staged_path)),
      file_(std::move(file)),
      sync_(sync) {}

StagedFile::StagedFile(StagedFile&& other) noexcept
    : path_(std::move(other.path_)),
      staged_path_(std::exchange(other.staged_path_, {})),
      file_(std::move(other.file_)),
      sync_(other.sync_) {}

StagedFile::~StagedFile() {
  if (!staged_path_.empty()) unlink(staged_path_.c_str());
}

Status StagedFile::FinishContent() {
  if (sync_) ARROW_RETURN_NOT_OK(SyncFile(file_, path_));
  return Status::OK();
}

Status StagedFile::Replace() {
  ARROW_RETURN_NOT_OK(FinishContent());
  ARROW_RETURN_NOT_OK(file_.Close(path_));
  if (rename(staged_path_.c_str(), path_.c_str()) != 0) {
    return SystemError(errno, "cannot create", path_);
  }
  staged_path_.clear();
  return sync_ ? SyncFolder(ParentFolder(path_)) : Status::OK();
}

Status StagedFile::CreateNew() {
  ARROW_RETURN_NOT_OK(FinishContent());
  int error = link(staged_path_.c_str(), path_.c_str()) == 0 ? 0 : errno;
  // File systems without hard links.
  if (error == EPERM || error == EOPNOTSUPP || error == ENOSYS) {
    error =
        renameat2(AT_FDCWD, staged_path_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0
            ? 0
            : errno;
    if (error == 0) staged_path_.clear();
  } else if (error != 0 && CountLinks(file_) > 1) {
    // A network file system repeated the request: the link that is in the way is ours.
    error = 0;
  }
  if (error == EEXIST) {
    // What is said to exist must not vanish either: a writer may have to find out whether it is its
    // own, when it was not told that it is stored.
    if (sync_) ARROW_RETURN_NOT_OK(SyncFolder(ParentFolder(path_)));
    return WithPlace(AlreadyExists("object already exists: '", path_, "'"), {.path = path_});
  }
  if (error != 0) return SystemError(error, "cannot create", path_);
  Status rest = file_.Close(path_);
  if (rest.ok() && sync_) rest = SyncFolder(ParentFolder(path_));
  if (rest.ok()) return rest;
  return MakeError(ErrorCode::kCommitUnknown,
                   "object was created, but perhaps not stored: " + rest.message(),
                   {.path = path_});
}

}  // namespace lance
