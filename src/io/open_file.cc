#include "io/open_file.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

namespace lance {
namespace {

// Half of the descriptors that the process may have: others need some too.
size_t MostOpenFiles() {
  constexpr rlim_t kMost = 16'384;
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  return static_cast<size_t>(std::clamp<rlim_t>(limit.rlim_cur / 2, 8, kMost));
}

Status ErrorAt(ErrorCode code, const std::string& path, std::string message) {
  ErrorPlace place;
  place.path = path;
  return MakeError(code, std::move(message), std::move(place));
}

}  // namespace

// The open files, in the order in which they are looked at when one must be closed. Thread-safe.
class OpenFile::Registry {
 public:
  // Never destroyed: files may be closed while the process ends.
  static Registry& Get() {
    static auto* const registry = new Registry();
    static const int registered = pthread_atfork(
        [] { Get().mutex_.lock(); }, [] { Get().mutex_.unlock(); }, [] { Get().mutex_.unlock(); });
    static_cast<void>(registered);
    return *registry;
  }

  void Add(OpenFile* file) {
    std::lock_guard lock(mutex_);
    while (files_.size() >= MostOpenFiles() && CloseOne()) {
    }
    files_.push_back(file);
  }

  void Remove(OpenFile* file) {
    std::lock_guard lock(mutex_);
    auto found = std::find(files_.begin(), files_.end(), file);
    if (found == files_.end()) return;
    if (found - files_.begin() < static_cast<ptrdiff_t>(hand_)) --hand_;
    files_.erase(found);
  }

  // For a process that has run out of descriptors.
  bool MakeRoom() {
    std::lock_guard lock(mutex_);
    return CloseOne();
  }

  size_t size() {
    std::lock_guard lock(mutex_);
    return files_.size();
  }

 private:
  // Closes the next file that wasn't used since it was looked at last. Needs mutex_.
  bool CloseOne() {
    // After one round no file counts as used.
    for (size_t looked_at = 0; looked_at < 2 * files_.size(); ++looked_at) {
      if (hand_ >= files_.size()) hand_ = 0;
      OpenFile* file = files_[hand_];
      bool used = file->recently_used_.exchange(false, std::memory_order_relaxed);
      if (used || !file->CloseUnlessPinned()) {
        ++hand_;
        continue;
      }
      files_.erase(files_.begin() + static_cast<ptrdiff_t>(hand_));
      return true;
    }
    return false;
  }

  std::mutex mutex_;
  std::vector<OpenFile*> files_;
  size_t hand_ = 0;
};

Result<std::unique_ptr<OpenFile>> OpenFile::Open(const std::string& path) {
  std::unique_ptr<OpenFile> file(new OpenFile(path));
  ARROW_ASSIGN_OR_RAISE(FileDescriptor descriptor, file->OpenDescriptor());
  struct stat info;
  if (fstat(descriptor.number(), &info) != 0) {
    return SystemError(errno, "cannot get the size of", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return ErrorAt(ErrorCode::kNotFound, path, "not a regular file: '" + path + "'");
  }
  file->size_ = static_cast<uint64_t>(info.st_size);
  file->device_ = info.st_dev;
  file->inode_ = info.st_ino;
  file->state_.store(StateOf(descriptor.Release()), std::memory_order_release);
  Registry::Get().Add(file.get());
  return file;
}

OpenFile::~OpenFile() {
  Registry::Get().Remove(this);
  CloseUnlessPinned();
}

Result<OpenFile::Pin> OpenFile::Use() {
  uint64_t before = state_.fetch_add(1, std::memory_order_acquire);
  Pin pin(this);
  recently_used_.store(true, std::memory_order_relaxed);
  if (NumberIn(before) < 0) ARROW_RETURN_NOT_OK(OpenAgain());
  return pin;
}

uint64_t OpenFile::CountOpen() { return Registry::Get().size(); }

Result<FileDescriptor> OpenFile::OpenDescriptor() {
  int error_number = 0;
  Result<FileDescriptor> opened = OpenForReading(path_, &error_number);
  while (!opened.ok() && (error_number == EMFILE || error_number == ENFILE) &&
         Registry::Get().MakeRoom()) {
    opened = OpenForReading(path_, &error_number);
  }
  return opened;
}

Status OpenFile::OpenAgain() {
  ARROW_ASSIGN_OR_RAISE(FileDescriptor descriptor, OpenDescriptor());
  struct stat info;
  if (fstat(descriptor.number(), &info) != 0 || info.st_dev != device_ || info.st_ino != inode_) {
    return ErrorAt(ErrorCode::kIo, path_,
                   "object was replaced since it was opened: '" + path_ + "'");
  }
  uint64_t state = state_.load(std::memory_order_relaxed);
  while (NumberIn(state) < 0) {
    uint64_t opened = state + StateOf(descriptor.number());
    if (!state_.compare_exchange_weak(state, opened, std::memory_order_acq_rel)) continue;
    descriptor.Release();
    Registry::Get().Add(this);
    return Status::OK();
  }
  // Another thread was faster.
  return Status::OK();
}

bool OpenFile::CloseUnlessPinned() {
  uint64_t state = state_.load(std::memory_order_relaxed);
  int number = NumberIn(state);
  if (number < 0) return true;
  state = StateOf(number);
  if (!state_.compare_exchange_strong(state, 0, std::memory_order_acq_rel)) return false;
  // Closed with the object.
  FileDescriptor closing(number);
  return true;
}

}  // namespace lance
