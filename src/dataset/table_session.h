#pragma once

#include <memory>
#include <string>

#include "base/context.h"
#include "dataset/lru_cache.h"
#include "file/file_reader.h"
#include "io/object_store.h"
#include "table/deletion_vector.h"

namespace lance {

/// What the versions of one table share while they are open: read counters, open data files,
/// loaded deletion files. Files never change, so that their path is their identity.
class TableSession {
 public:
  TableSession();

  /// A context whose requests are counted here.
  Context MakeContext() const;
  IoStats& io_stats() const { return io_stats_; }

  LruCache<std::string, FileReader>& files() const { return files_; }
  LruCache<std::string, const DeletionVector>& deletions() const { return deletions_; }
  /// Objects that hold the bytes of blobs.
  LruCache<std::string, RandomReader>& blob_files() const { return blob_files_; }
  /// How many open files may be kept.
  static size_t MaxOpenFiles();

 private:
  mutable IoStats io_stats_;
  mutable LruCache<std::string, FileReader> files_;
  mutable LruCache<std::string, const DeletionVector> deletions_;
  mutable LruCache<std::string, RandomReader> blob_files_;
};

}  // namespace lance
