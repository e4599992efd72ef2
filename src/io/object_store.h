#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "base/byte_reader.h"
#include "base/context.h"
#include "base/error.h"

namespace lance {

/// An open object whose content never changes. Thread-safe.
class RandomReader {
 public:
  virtual ~RandomReader() = default;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }

  /// Reads exactly [offset, offset + size) into `out`, as one request. A range outside the object
  /// is Corrupt (somebody's offset is wrong), a shortened object is an I/O error.
  virtual Status ReadAt(const Context& context, uint64_t offset, uint64_t size, uint8_t* out) = 0;

 protected:
  RandomReader(std::string path, uint64_t size) : path_(std::move(path)), size_(size) {}

 private:
  std::string path_;
  uint64_t size_;
};

/// Writes one new object from front to back. The object appears only with Finish(); a writer that
/// is destroyed before leaves nothing behind. Not thread-safe.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual Status Write(Bytes bytes) = 0;
  virtual uint64_t position() const = 0;
  virtual Status Finish() = 0;
};

struct ObjectInfo {
  std::string path;  ///< as given to Open…: directory of the listing + "/" + name
  uint64_t size = 0;
  /// Nanoseconds since the epoch.
  int64_t modified_ns = 0;
};

/// How strongly a successful write is kept (design idea 7).
enum class Durability : uint8_t {
  kProcess,  ///< survives the process: atomic rename or link, no fsync. The default.
  kPower,    ///< survives a power cut: file, then directory are synced.
};

/// Named objects in folders. Paths use '/'. Local paths are absolute file names. Thread-safe.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// `known_size` saves a request for the size where the caller has it from a manifest; a wrong
  /// one shows as a Corrupt error of the reader above, never as a read outside the object.
  virtual Result<std::shared_ptr<RandomReader>> OpenReader(
      const Context& context, const std::string& path,
      std::optional<uint64_t> known_size = std::nullopt) = 0;
  /// The writer counts into `context.io_stats`, which must outlive it.
  virtual Result<std::unique_ptr<ObjectWriter>> OpenWriter(const Context& context,
                                                           const std::string& path) = 0;
  /// Whole object. NotFound if missing.
  virtual Result<std::shared_ptr<arrow::Buffer>> Get(const Context& context,
                                                     const std::string& path) = 0;
  /// Creates or replaces atomically.
  virtual Status Put(const Context& context, const std::string& path, Bytes bytes) = 0;
  /// Creates atomically; AlreadyExists when there is one.
  virtual Status PutIfAbsent(const Context& context, const std::string& path, Bytes bytes) = 0;
  /// NotFound if missing.
  virtual Result<ObjectInfo> Head(const Context& context, const std::string& path) = 0;
  /// The objects directly in a folder, in no particular order; a missing folder is an empty one.
  virtual Result<std::vector<ObjectInfo>> List(const Context& context,
                                               const std::string& folder) = 0;
  /// The names of the objects directly in a folder, one after the other and without a copy of each:
  /// for folders of many objects of which few are of interest. The name is good during the call.
  virtual Status VisitNames(const Context& context, const std::string& folder,
                            const std::function<void(std::string_view name)>& visit) = 0;
  /// The folders directly in a folder, as paths, in no particular order.
  virtual Result<std::vector<std::string>> ListFolders(const Context& context,
                                                       const std::string& folder) = 0;
  /// Deleting a missing object is no error.
  virtual Status Delete(const Context& context, const std::string& path) = 0;
  /// Deletes the folder with all it holds. A missing folder is no error.
  virtual Status DeleteFolder(const Context& context, const std::string& folder) = 0;
  /// The folders that an object at `path` lies in and that are not there yet, outermost first. None
  /// where folders are only parts of names.
  virtual std::vector<std::string> MissingFolders(const std::string& path) { return {}; }
  /// Deletes a folder if nothing is in it; else does nothing.
  virtual void DeleteEmptyFolder(const std::string& folder) {}
  /// Whether listings come in lexical order and are paged, as in S3, so that finding the newest
  /// version should not list everything; false for local directories.
  virtual bool HasLexicalListing() const = 0;
};

/// A store in memory, for tests and for `memory://`.
std::shared_ptr<ObjectStore> MakeMemoryStore();
/// The local file system. Parent directories are made as needed.
std::shared_ptr<ObjectStore> MakeLocalStore(Durability durability = Durability::kProcess);

/// A store together with the path inside it.
struct StoreLocation {
  std::shared_ptr<ObjectStore> store;
  std::string path;  ///< no trailing '/'
};
/// Resolves a URI: a plain path (made absolute, `~` not expanded), `file://…`, `memory://…` (one
/// store for the process). Other schemes are Unsupported, named.
Result<StoreLocation> ResolveUri(const std::string& uri,
                                 Durability durability = Durability::kProcess);

}  // namespace lance
