#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/context.h"
#include "io/object_store.h"

namespace lance {

/// Files written for a version that is not committed yet. Unless Keep() is called, they are deleted
/// with this object, and so are the folders that were made for them. Not thread-safe.
class NewFiles {
 public:
  explicit NewFiles(const Context& context) : context_(context) {}
  ~NewFiles() {
    for (const StoreLocation& file : files_) (void)file.store->Delete(context_, file.path);
    for (auto folder = folders_.rbegin(); folder != folders_.rend(); ++folder) {
      folder->store->DeleteEmptyFolder(folder->path);
    }
  }
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  /// To be called before the file is written.
  void Add(StoreLocation file) {
    for (std::string& folder : file.store->MissingFolders(file.path)) {
      folders_.push_back({file.store, std::move(folder)});
    }
    files_.push_back(std::move(file));
  }
  /// The files belong to a version now, or may do so.
  void Keep() {
    files_.clear();
    folders_.clear();
  }

 private:
  Context context_;
  std::vector<StoreLocation> files_;
  /// Those outside come first.
  std::vector<StoreLocation> folders_;
};

}  // namespace lance
