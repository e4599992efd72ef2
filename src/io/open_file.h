#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "io/local_file.h"

namespace lance {

/// A file for reading that need not stay open: a process may have fewer descriptors than a table
/// has files. All such files together hold at most half of the descriptors that the process may
/// have; the ones unused for longest are closed, and opened again at need. Thread-safe.
class OpenFile {
 public:
  /// NotFound also for what is no regular file.
  static Result<std::unique_ptr<OpenFile>> Open(const std::string& path);
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();

  /// When it was opened.
  uint64_t size() const { return size_; }

  /// Keeps the file open for a read.
  class Pin {
   public:
    explicit Pin(OpenFile* file) : file_(file) {}
    Pin(Pin&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}
    Pin& operator=(Pin&&) = delete;
    ~Pin() {
      if (file_ != nullptr) file_->state_.fetch_sub(1, std::memory_order_release);
    }
    int number() const { return NumberIn(file_->state_.load(std::memory_order_relaxed)); }

   private:
    OpenFile* file_;
  };
  /// Opening again fails if there is another file under the name by now.
  Result<Pin> Use();

  /// How many of these files are open in this process.
  static uint64_t CountOpen();

 private:
  class Registry;

  // The descriptor's number + 1 (0: closed) in the upper half, the count of pins in the lower. One
  // word without a lock, so that a fork at any moment leaves it usable.
  static constexpr int kPinBits = 32;
  static int NumberIn(uint64_t state) { return static_cast<int>(state >> kPinBits) - 1; }
  static uint64_t StateOf(int number) { return static_cast<uint64_t>(number + 1) << kPinBits; }

  explicit OpenFile(std::string path) : path_(std::move(path)) {}
  Result<FileDescriptor> OpenDescriptor();
  // Called with a pin held.
  Status OpenAgain();
  // False while it is pinned.
  bool CloseUnlessPinned();

  const std::string path_;
  uint64_t size_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::atomic<uint64_t> state_{0};
  // Set by each use, cleared when the registry looks for something to close.
  std::atomic<bool> recently_used_{true};
};

}  // namespace lance
