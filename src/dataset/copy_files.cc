#include "dataset/copy_files.h"

#include <map>

#include "arrow/buffer.h"
#include "base/executor.h"
#include "table/deletion_file.h"
#include "table/index_files.h"
#include "table/index_section.h"

namespace lance {
namespace {

constexpr uint64_t kCopyBytes = 8ull << 20;

struct Copy {
  StoreLocation from;
  std::string to;
};

Status CopyOne(const Context& context, const Copy& copy, ObjectStore& target) {
  ARROW_ASSIGN_OR_RAISE(auto reader, copy.from.store->OpenReader(context, copy.from.path));
  ARROW_ASSIGN_OR_RAISE(auto writer, target.OpenWriter(context, copy.to));
  std::vector<uint8_t> piece(std::min(kCopyBytes, reader->size()));
  for (uint64_t at = 0; at < reader->size(); at += piece.size()) {
    ARROW_RETURN_NOT_OK(context.CheckStop());
    uint64_t size = std::min<uint64_t>(piece.size(), reader->size() - at);
    ARROW_RETURN_NOT_OK(reader->ReadAt(context, at, size, piece.data()));
    ARROW_RETURN_NOT_OK(writer->Write({piece.data(), size}));
  }
  return writer->Finish();
}

class Collector {
 public:
  Collector(const Snapshot& source, const TableLocation& target)
      : source_(source), target_(target), context_(source.MakeContext()) {}

  Status Run() {
    for (const FragmentSummary& summary : source_.fragments()) {
      ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
      for (const auto& file : fragment.files()) ARROW_RETURN_NOT_OK(AddDataFile(file));
      if (fragment.has_deletion_file()) ARROW_RETURN_NOT_OK(AddDeletions(fragment));
    }
    return AddIndexes();
  }
  std::vector<Copy> TakeCopies() { return std::move(copies_); }

 private:
  Status AddDataFile(const table::DataFile& file) {
    ARROW_ASSIGN_OR_RAISE(auto from, LocateDataFile(source_.table(), source_.manifest(), file));
    // Blobs that are too large for the file lie in a folder named like it.
    std::string stem = from.path.substr(0, from.path.rfind('.'));
    ARROW_ASSIGN_OR_RAISE(auto beside, from.store->List(context_, stem));
    std::string to = OwnDataFolder(target_).location.path + "/" + file.path();
    std::string to_stem = to.substr(0, to.rfind('.'));
    for (const ObjectInfo& object : beside) {
      copies_.push_back({{from.store, object.path}, to_stem + object.path.substr(stem.size())});
    }
    copies_.push_back({std::move(from), std::move(to)});
    return Status::OK();
  }

  Status AddDeletions(const table::DataFragment& fragment) {
    const auto& file = fragment.deletion_file();
    ARROW_ASSIGN_OR_RAISE(
        auto from, LocateDeletionFile(source_.table(), source_.manifest(), fragment.id(), file));
    copies_.push_back({std::move(from),
                       NewDeletionFilePath(target_.root, DeletionFileName(fragment.id(), file))});
    return Status::OK();
  }

  Status AddIndexes() {
    ARROW_ASSIGN_OR_RAISE(auto section,
                          source_.file()->ReadIndexSection(context_, *source_.table().store));
    lance::IndexSection indexes(section);
    ARROW_ASSIGN_OR_RAISE(IndexEntries * entries, indexes.Edit());
    for (const auto& entry : *entries) {
      ARROW_ASSIGN_OR_RAISE(auto from,
                            LocateIndexFolder(source_.table(), source_.manifest(), entry));
      std::string to = IndexesFolder(target_.root) + "/" + UuidText(entry.uuid().uuid());
      ARROW_ASSIGN_OR_RAISE(auto objects, from.store->List(context_, from.path));
      for (const ObjectInfo& object : objects) {
        copies_.push_back({{from.store, object.path}, to + object.path.substr(from.path.size())});
      }
    }
    return Status::OK();
  }

  const Snapshot& source_;
  const TableLocation& target_;
  Context context_;
  std::vector<Copy> copies_;
};

}  // namespace

Status CopyFiles(const Snapshot& source, const TableLocation& target, NewFiles* files) {
  Collector collector(source, target);
  ARROW_RETURN_NOT_OK(collector.Run());
  std::vector<Copy> copies = collector.TakeCopies();
  std::map<std::string_view, std::string_view> sources;
  for (const Copy& copy : copies) {
    auto [at, is_new] = sources.emplace(copy.to, copy.from.path);
    if (!is_new && at->second != copy.from.path) {
      return Unsupported("cloning a table with two files of the same name: '", at->second,
                         "' and '", copy.from.path, "'");
    }
    files->Add({target.store, copy.to});
  }
  Context context = source.MakeContext();
  ARROW_RETURN_NOT_OK(ParallelFor(context, copies.size(), [&](size_t i) {
    return CopyOne(context, copies[i], *target.store);
  }));
  // Another copy to the same place that failed may have removed them.
  return ParallelFor(context, copies.size(),
                     [&](size_t i) { return target.store->Head(context, copies[i].to).status(); });
}

}  // namespace lance
