#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "dataset/column_selection.h"
#include "dataset/fragment_reader.h"
#include "dataset/table_session.h"
#include "table/manifest_file.h"
#include "table/table_paths.h"

namespace lance {

/// Live rows of a version: before each fragment, and in all.
struct RowCounts {
  /// One more than there are fragments.
  std::vector<uint64_t> starts;

  uint64_t total() const { return starts.back(); }
  uint64_t of_fragment(size_t index) const { return starts[index + 1] - starts[index]; }
  /// The fragment that holds a live position below total().
  size_t FragmentAt(uint64_t position) const;
};

/// One version of a table, with what was worked out about it so far: column selections, fragment
/// readers. Thread-safe; the version itself never changes.
class Snapshot {
 public:
  Snapshot(std::string uri, TableLocation table, std::shared_ptr<const ManifestFile> file,
           std::shared_ptr<const TableSession> session);

  const std::string& uri() const { return uri_; }
  const TableLocation& table() const { return table_; }
  const std::shared_ptr<const ManifestFile>& file() const { return file_; }
  const Manifest& manifest() const { return file_->manifest(); }
  const std::vector<FragmentSummary>& fragments() const { return manifest().fragments; }
  const std::shared_ptr<const TableSession>& session() const { return session_; }
  Context MakeContext() const { return session_->MakeContext(); }

  /// Read from the manifest, except for very old tables, where files must be opened once.
  Result<std::shared_ptr<const RowCounts>> Counts() const;
  /// The same with the deleted rows.
  Result<std::shared_ptr<const RowCounts>> PhysicalCounts() const;
  Result<std::shared_ptr<const ColumnSelection>> Select(const ColumnRequest& request) const;
  Result<std::shared_ptr<FragmentReader>> OpenFragment(
      const Context& context, const std::shared_ptr<const ColumnSelection>& selection,
      size_t fragment_index) const;
  /// Index of the fragment with this id; NotFound if there is none.
  Result<size_t> FindFragment(uint64_t fragment_id) const;

 private:
  Result<std::shared_ptr<const RowCounts>> CountRows(bool with_deleted) const;

  std::string uri_;
  TableLocation table_;
  std::shared_ptr<const ManifestFile> file_;
  std::shared_ptr<const TableSession> session_;

  mutable std::mutex counts_mutex_;
  mutable std::shared_ptr<const RowCounts> counts_;

  struct CachedSelection {
    ColumnRequest request;
    std::shared_ptr<const ColumnSelection> selection;
  };
  mutable std::mutex selections_mutex_;
  mutable std::vector<CachedSelection> selections_;  // the one used last is in front

  struct ReaderKey {
    uint64_t selection_id;
    size_t fragment_index;
    bool operator==(const ReaderKey&) const = default;
  };
  struct ReaderKeyHash {
    size_t operator()(const ReaderKey& key) const {
      return std::hash<uint64_t>()(key.selection_id * 0x9e3779b97f4a7c15 + key.fragment_index);
    }
  };
  mutable LruCache<ReaderKey, FragmentReader, ReaderKeyHash> readers_;
};

}  // namespace lance
