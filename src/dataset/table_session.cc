#include "dataset/table_session.h"

#include <sys/resource.h>

#include <algorithm>

namespace lance {
namespace {

constexpr size_t kMinOpenFiles = 64;
constexpr size_t kMaxOpenFiles = 4096;
/// Part of the process's file descriptors that one table may keep.
constexpr size_t kDescriptorShare = 4;
constexpr size_t kMaxDeletionVectors = 4096;

}  // namespace

size_t TableSession::MaxOpenFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMinOpenFiles;
  return std::clamp<size_t>(limit.rlim_cur / kDescriptorShare, kMinOpenFiles, kMaxOpenFiles);
}

TableSession::TableSession()
    : files_(MaxOpenFiles()), deletions_(kMaxDeletionVectors), blob_files_(kMinOpenFiles) {}

Context TableSession::MakeContext() const {
  Context context;
  context.io_stats = &io_stats_;
  return context;
}

}  // namespace lance
