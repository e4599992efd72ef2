#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "io/object_store.h"

namespace lance {

/// Files written for a version that is not committed yet. Unless Keep() is called, they are deleted
/// with this object. Not thread-safe.
class NewFiles {
 public:
  NewFiles(const Context& context, std::shared_ptr<ObjectStore> store)
      : context_(context), store_(std::move(store)) {}
  ~NewFiles() {
    for (const std::string& path : paths_) (void)store_->Delete(context_, path);
  }
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  void Add(std::string path) { paths_.push_back(std::move(path)); }
  std::vector<std::string>* paths() { return &paths_; }
  /// The files belong to a version now, or may do so.
  void Keep() { paths_.clear(); }

 private:
  Context context_;
  std::shared_ptr<ObjectStore> store_;
  std::vector<std::string> paths_;
};

}  // namespace lance
