#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance {

/// System calls on local files with our errors: the path, what was tried, the system's reason.
/// A missing file or folder is NotFound.

/// An open file, closed with the object. A value that can be moved.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Leaves closing to the caller.
  int Release() { return std::exchange(number_, -1); }
  /// Network file systems report failed writes here.
  Status Close(const std::string& path);

 private:
  int number_ = -1;
};

/// The error for a failed call, from `error_number` (an errno).
Status SystemError(int error_number, std::string_view attempt, const std::string& path);

/// `error_number` gets the errno of a failure.
Result<FileDescriptor> OpenForReading(const std::string& path, int* error_number = nullptr);
Result<uint64_t> FileSize(const FileDescriptor& file, const std::string& path);
/// Reads exactly `size` bytes; an end before that is an I/O error.
Status ReadFully(int file, const std::string& path, uint64_t offset, uint64_t size, uint8_t* out);
/// Appends `first`, then `second`.
Status WriteFully(const FileDescriptor& file, const std::string& path, Bytes first, Bytes second);
Status SyncFile(const FileDescriptor& file, const std::string& path);

/// The part before the last '/'; "/" for files in the root.
std::string ParentFolder(const std::string& path);
/// Creates the folder and its parents; with `sync`, each new entry is synced.
Status MakeFolders(const std::string& folder, bool sync);
Status SyncFolder(const std::string& folder);

/// A file that is written under a temporary name beside `path` and then given its own name. If
/// it isn't, the destructor deletes it.
class StagedFile {
 public:
  /// Folders are made as needed.
  static Result<StagedFile> Make(const std::string& path, bool sync);

  StagedFile(StagedFile&& other) noexcept;
  StagedFile& operator=(StagedFile&&) = delete;
  ~StagedFile();

  const FileDescriptor& file() const { return file_; }
  /// The file as called in errors.
  const std::string& path() const { return path_; }

  /// Gives the file its name, replacing a file that has it.
  Status Replace();
  /// The same, but AlreadyExists if there is such a file.
  Status CreateNew();

 private:
  StagedFile(std::string path, std::string staged_path, FileDescriptor file, bool sync);
  Status FinishContent();

  std::string path_;
  /// Empty once there is nothing left to delete.
  std::string staged_path_;
  FileDescriptor file_;
  bool sync_;
};

}  // namespace lance
