#pragma once

#include <sys/types.h>

#include <map>
#include <string>

namespace lance::safety {

/// What of a folder a power cut would leave: contents of files as they were when they were synced
/// last, and entries of folders likewise. While one is alive, it sees all calls of fsync() in the
/// process, in the place of the system.
class DurableImage {
 public:
  /// `root` itself is there for good.
  explicit DurableImage(std::string root);
  DurableImage(const DurableImage&) = delete;
  DurableImage& operator=(const DurableImage&) = delete;
  ~DurableImage();

  void NoteSync(int file);
  /// Makes what would be left as a new folder. A file whose entry is left but not its content is
  /// empty.
  void Materialize(const std::string& target) const;

 private:
  struct Entry {
    ino_t inode = 0;
    bool is_folder = false;
  };
  void Materialize(const std::string& folder, const std::string& target) const;

  const std::string root_;
  std::map<ino_t, std::string> contents_;
  std::map<std::string, std::map<std::string, Entry>> folders_;
};

}  // namespace lance::safety
