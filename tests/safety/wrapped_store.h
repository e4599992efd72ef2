#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "io/object_store.h"

namespace lance::safety {

enum class CallKind : uint8_t {
  kOpenReader,
  kRead,
  kGet,
  kHead,
  kList,
  kOpenWriter,
  kPut,
  kPutIfAbsent,
  kFinish,  ///< of a writer: the object appears
  kDelete,
};

/// Whether the call changes the store.
inline bool Changes(CallKind kind) { return kind >= CallKind::kPut; }

/// One request to the store.
struct StoreCall {
  CallKind kind;
  const std::string& path;
  /// What it would write.
  Bytes content = {};
  const std::function<Status()>& run;
};

/// Hands each request for another store to a function, which runs it or does something else in its
/// place.
class WrappedStore final : public ObjectStore {
 public:
  using Around = std::function<Status(const StoreCall&)>;

  WrappedStore(std::shared_ptr<ObjectStore> inner, Around around)
      : inner_(std::move(inner)), around_(std::make_shared<Around>(std::move(around))) {}

  Result<std::shared_ptr<RandomReader>> OpenReader(const Context& context, const std::string& path,
                                                   std::optional<uint64_t> size) override {
    std::shared_ptr<RandomReader> reader;
    ARROW_RETURN_NOT_OK(Call(CallKind::kOpenReader, path, [&] {
      return inner_->OpenReader(context, path, size).Value(&reader);
    }));
    return std::make_shared<Reader>(std::move(reader), around_);
  }
  Result<std::unique_ptr<ObjectWriter>> OpenWriter(const Context& context,
                                                   const std::string& path) override {
    std::unique_ptr<ObjectWriter> writer;
    ARROW_RETURN_NOT_OK(Call(CallKind::kOpenWriter, path,
                             [&] { return inner_->OpenWriter(context, path).Value(&writer); }));
    return std::make_unique<Writer>(std::move(writer), path, around_);
  }
  Result<std::shared_ptr<arrow::Buffer>> Get(const Context& context,
                                             const std::string& path) override {
    std::shared_ptr<arrow::Buffer> content;
    ARROW_RETURN_NOT_OK(
        Call(CallKind::kGet, path, [&] { return inner_->Get(context, path).Value(&content); }));
    return content;
  }
  Status Put(const Context& context, const std::string& path, Bytes bytes) override {
    return Call(
        CallKind::kPut, path, [&] { return inner_->Put(context, path, bytes); }, bytes);
  }
  Status PutIfAbsent(const Context& context, const std::string& path, Bytes bytes) override {
    return Call(
        CallKind::kPutIfAbsent, path, [&] { return inner_->PutIfAbsent(context, path, bytes); },
        bytes);
  }
  Result<ObjectInfo> Head(const Context& context, const std::string& path) override {
    ObjectInfo info;
    ARROW_RETURN_NOT_OK(
        Call(CallKind::kHead, path, [&] { return inner_->Head(context, path).Value(&info); }));
    return info;
  }
  Result<std::vector<ObjectInfo>> List(const Context& context, const std::string& folder) override {
    std::vector<ObjectInfo> objects;
    ARROW_RETURN_NOT_OK(Call(CallKind::kList, folder,
                             [&] { return inner_->List(context, folder).Value(&objects); }));
    return objects;
  }
  Status VisitNames(const Context& context, const std::string& folder,
                    const std::function<void(std::string_view name)>& visit) override {
    return Call(CallKind::kList, folder,
                [&] { return inner_->VisitNames(context, folder, visit); });
  }
  Result<std::vector<std::string>> ListFolders(const Context& context,
                                               const std::string& folder) override {
    std::vector<std::string> folders;
    ARROW_RETURN_NOT_OK(Call(CallKind::kList, folder,
                             [&] { return inner_->ListFolders(context, folder).Value(&folders); }));
    return folders;
  }
  Status Delete(const Context& context, const std::string& path) override {
    return Call(CallKind::kDelete, path, [&] { return inner_->Delete(context, path); });
  }
  Status DeleteFolder(const Context& context, const std::string& folder) override {
    return Call(CallKind::kDelete, folder, [&] { return inner_->DeleteFolder(context, folder); });
  }
  std::vector<std::string> MissingFolders(const std::string& path) override {
    return inner_->MissingFolders(path);
  }
  void DeleteEmptyFolder(const std::string& folder) override { inner_->DeleteEmptyFolder(folder); }
  bool HasLexicalListing() const override { return inner_->HasLexicalListing(); }

 private:
  Status Call(CallKind kind, const std::string& path, const std::function<Status()>& run,
              Bytes content = {}) {
    return (*around_)({kind, path, content, run});
  }

  class Reader final : public RandomReader {
   public:
    Reader(std::shared_ptr<RandomReader> inner, std::shared_ptr<Around> around)
        : RandomReader(inner->path(), inner->size()),
          inner_(std::move(inner)),
          around_(std::move(around)) {}
    Status ReadAt(const Context& context, uint64_t offset, uint64_t size, uint8_t* out) override {
      auto run = [&] { return inner_->ReadAt(context, offset, size, out); };
      return (*around_)({CallKind::kRead, path(), {}, run});
    }

   private:
    const std::shared_ptr<RandomReader> inner_;
    const std::shared_ptr<Around> around_;
  };

  /// Keeps what is written, so that a part of it can be left behind.
  class Writer final : public ObjectWriter {
   public:
    Writer(std::unique_ptr<ObjectWriter> inner, std::string path, std::shared_ptr<Around> around)
        : inner_(std::move(inner)), path_(std::move(path)), around_(std::move(around)) {}
    Status Write(Bytes bytes) override {
      content_.insert(content_.end(), bytes.begin(), bytes.end());
      return inner_->Write(bytes);
    }
    uint64_t position() const override { return inner_->position(); }
    Status Finish() override {
      auto run = [&] { return inner_->Finish(); };
      return (*around_)({CallKind::kFinish, path_, content_, run});
    }

   private:
    const std::unique_ptr<ObjectWriter> inner_;
    const std::string path_;
    const std::shared_ptr<Around> around_;
    std::vector<uint8_t> content_;
  };

  const std::shared_ptr<ObjectStore> inner_;
  const std::shared_ptr<Around> around_;
};

}  // namespace lance::safety
