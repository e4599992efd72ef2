#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "arrow/buffer.h"
#include "io/counters.h"
#include "io/object_store.h"

namespace lance {
namespace {

struct StoredObject {
  std::shared_ptr<arrow::Buffer> content;
  int64_t modified_ns = 0;
};

// Shared by the store and its writers, which may outlive it.
struct ObjectMap {
  std::mutex mutex;
  // Guarded by mutex. The contents are never changed, only replaced.
  std::map<std::string, StoredObject> objects;
};

class MemoryReader final : public RandomReader {
 public:
  MemoryReader(std::string path, uint64_t size, std::shared_ptr<arrow::Buffer> content)
      : RandomReader(std::move(path), size), content_(std::move(content)) {}

  Status ReadAt(const Context& context, uint64_t offset, uint64_t size, uint8_t* out) override {
    ARROW_RETURN_NOT_OK(CheckRange(*this, offset, size));
    if (size == 0) return Status::OK();
    uint64_t present = static_cast<uint64_t>(content_->size());
    if (offset > present || size > present - offset) {
      return WithPlace(IoError("object is shorter than it was said to be: ", size,
                               " bytes expected at offset ", offset, ", size is ", present),
                       {.path = path(), .offset = offset});
    }
    std::memcpy(out, content_->data() + offset, size);
    CountRead(context.io_stats, size);
    return Status::OK();
  }

 private:
  const std::shared_ptr<arrow::Buffer> content_;
};

StoredObject Store(std::vector<uint8_t> bytes) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return {arrow::Buffer::FromVector(std::move(bytes)),
          std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()};
}

class MemoryWriter final : public ObjectWriter {
 public:
  MemoryWriter(std::shared_ptr<ObjectMap> map, std::string path, IoStats* io_stats)
      : map_(std::move(map)), path_(std::move(path)), io_stats_(io_stats) {}

  Status Write(Bytes bytes) override {
    ARROW_RETURN_NOT_OK(CheckOpen());
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    position_ += bytes.size();
    CountWrite(io_stats_, bytes.size());
    return Status::OK();
  }

  uint64_t position() const override { return position_; }

  Status Finish() override {
    ARROW_RETURN_NOT_OK(CheckOpen());
    finished_ = true;
    StoredObject object = Store(std::move(bytes_));
    std::lock_guard lock(map_->mutex);
    map_->objects[path_] = std::move(object);
    return Status::OK();
  }

 private:
  Status CheckOpen() const {
    return finished_ ? IoError("writer is finished: '", path_, "'") : Status::OK();
  }

  const std::shared_ptr<ObjectMap> map_;
  const std::string path_;
  IoStats* const io_stats_;
  std::vector<uint8_t> bytes_;
  uint64_t position_ = 0;
  bool finished_ = false;
};

class MemoryStore final : public ObjectStore {
 public:
  Result<std::shared_ptr<RandomReader>> OpenReader(const Context& context, const std::string& path,
                                                   std::optional<uint64_t> known_size) override {
    ARROW_ASSIGN_OR_RAISE(StoredObject object, Find(path));
    uint64_t size = known_size.value_or(static_cast<uint64_t>(object.content->size()));
    return std::make_shared<MemoryReader>(path, size, std::move(object.content));
  }

  Result<std::unique_ptr<ObjectWriter>> OpenWriter(const Context& context,
                                                   const std::string& path) override {
    return std::make_unique<MemoryWriter>(map_, path, context.io_stats);
  }

  Result<std::shared_ptr<arrow::Buffer>> Get(const Context& context,
                                             const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(StoredObject object, Find(path));
    CountRead(context.io_stats, static_cast<uint64_t>(object.content->size()));
    return object.content;
  }

  Status Put(const Context& context, const std::string& path, Bytes bytes) override {
    StoredObject object = Store({bytes.begin(), bytes.end()});
    CountWrite(context.io_stats, bytes.size());
    std::lock_guard lock(map_->mutex);
    map_->objects[path] = std::move(object);
    return Status::OK();
  }

  Status PutIfAbsent(const Context& context, const std::string& path, Bytes bytes) override {
    StoredObject object = Store({bytes.begin(), bytes.end()});
    CountWrite(context.io_stats, bytes.size());
    std::lock_guard lock(map_->mutex);
    if (map_->objects.try_emplace(path, std::move(object)).second) return Status::OK();
    return WithPlace(AlreadyExists("object already exists: '", path, "'"), {.path = path});
  }

  Result<ObjectInfo> Head(const Context& context, const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(StoredObject object, Find(path));
    return InfoFrom(path, object);
  }

  Result<std::vector<ObjectInfo>> List(const Context& context, const std::string& folder) override {
    std::vector<ObjectInfo> objects;
    std::string prefix = folder + "/";
    std::lock_guard lock(map_->mutex);
    for (auto it = map_->objects.lower_bound(prefix);
         it != map_->objects.end() && it->first.starts_with(prefix); ++it) {
      if (it->first.find('/', prefix.size()) != std::string::npos) continue;
      objects.push_back(InfoFrom(it->first, it->second));
    }
    return objects;
  }

  Status VisitNames(const Context& context, const std::string& folder,
                    const std::function<void(std::string_view name)>& visit) override {
    std::string prefix = folder + "/";
    std::lock_guard lock(map_->mutex);
    for (auto it = map_->objects.lower_bound(prefix);
         it != map_->objects.end() && it->first.starts_with(prefix); ++it) {
      std::string_view name = std::string_view(it->first).substr(prefix.size());
      if (name.find('/') == std::string_view::npos) visit(name);
    }
    return Status::OK();
  }

  Result<std::vector<std::string>> ListFolders(const Context& context,
                                               const std::string& folder) override {
    std::vector<std::string> folders;
    std::string prefix = folder + "/";
    std::lock_guard lock(map_->mutex);
    for (auto it = map_->objects.lower_bound(prefix);
         it != map_->objects.end() && it->first.starts_with(prefix); ++it) {
      size_t slash = it->first.find('/', prefix.size());
      if (slash == std::string::npos) continue;
      std::string inner = it->first.substr(0, slash);
      if (folders.empty() || folders.back() != inner) folders.push_back(std::move(inner));
    }
    return folders;
  }

  Status Delete(const Context& context, const std::string& path) override {
    std::lock_guard lock(map_->mutex);
    map_->objects.erase(path);
    return Status::OK();
  }

  Status DeleteFolder(const Context& context, const std::string& folder) override {
    std::string prefix = folder + "/";
    std::lock_guard lock(map_->mutex);
    auto begin = map_->objects.lower_bound(prefix);
    auto end = begin;
    while (end != map_->objects.end() && end->first.starts_with(prefix)) ++end;
    map_->objects.erase(begin, end);
    return Status::OK();
  }

  bool HasLexicalListing() const override { return false; }

 private:
  static ObjectInfo InfoFrom(const std::string& path, const StoredObject& object) {
    return {path, static_cast<uint64_t>(object.content->size()), object.modified_ns};
  }

  Result<StoredObject> Find(const std::string& path) const {
    std::lock_guard lock(map_->mutex);
    auto found = map_->objects.find(path);
    if (found != map_->objects.end()) return found->second;
    return WithPlace(NotFound("no such object: '", path, "'"), {.path = path});
  }

  const std::shared_ptr<ObjectMap> map_ = std::make_shared<ObjectMap>();
};

}  // namespace

std::shared_ptr<ObjectStore> MakeMemoryStore() { return std::make_shared<MemoryStore>(); }

}  // namespace lance
