#include "table/blob_locator.h"

#include <utility>

namespace lance {
namespace {

constexpr std::string_view kDataFileSuffix = ".lance";
constexpr uint32_t kBlobIdBits = 32;

}  // namespace

std::string BlobFileName(uint32_t blob_id) {
  std::string name;
  for (uint32_t bit = 0; bit < kBlobIdBits; ++bit) {
    name += ((blob_id >> bit) & 1) != 0 ? '1' : '0';
  }
  return name + ".blob";
}

std::string BlobFolder(std::string data_file) {
  if (data_file.ends_with(kDataFileSuffix)) {
    data_file.resize(data_file.size() - kDataFileSuffix.size());
  }
  return data_file;
}

Result<BlobLocator> BlobLocator::Make(const TableLocation& table, const Manifest& manifest,
                                      const table::DataFile& file) {
  BlobLocator out;
  ARROW_ASSIGN_OR_RAISE(out.data_file_, LocateDataFile(table, manifest, file));
  ARROW_ASSIGN_OR_RAISE(out.root_, LocateRoot(table, manifest, file));
  for (const auto& base : manifest.head.base_paths()) out.bases_.emplace(base.id(), base.path());
  return out;
}

Result<std::string> BlobLocator::Below(uint32_t base_id, std::string_view relative) const {
  ARROW_RETURN_NOT_OK(CheckRelativePath(relative));
  const auto base = bases_.find(base_id);
  if (base == bases_.end()) return Corrupt("manifest has no base path with id ", base_id);
  return base->second + "/" + std::string(relative);
}

Result<std::string> BlobLocator::UriOf(const BlobDescriptor& descriptor) const {
  if (descriptor.blob_id != 0) return Below(descriptor.blob_id, descriptor.uri);
  return std::string(descriptor.uri);
}

Result<BlobPlace> BlobLocator::Locate(const BlobDescriptor& descriptor) const {
  using Kind = BlobDescriptor::Kind;
  BlobPlace place{data_file_, descriptor.position, descriptor.size};
  const std::string uri(descriptor.uri);
  switch (static_cast<Kind>(descriptor.kind)) {
    case Kind::kInline:
      return place;
    case Kind::kPacked:
    case Kind::kDedicated: {
      place.object.path =
          BlobFolder(std::move(place.object.path)) + "/" + BlobFileName(descriptor.blob_id);
      return place;
    }
    case Kind::kExternal: {
      ARROW_ASSIGN_OR_RAISE(const std::string where, UriOf(descriptor));
      ARROW_ASSIGN_OR_RAISE(place.object, ResolveUri(where));
      if (descriptor.position == 0 && descriptor.size == 0) place.size.reset();
      return place;
    }
    case Kind::kManaged:
      ARROW_RETURN_NOT_OK(CheckRelativePath(uri));
      place.object = {root_.store, root_.path + "/" + uri};
      return place;
    case Kind::kManagedWithBase: {
      ARROW_ASSIGN_OR_RAISE(std::string where, Below(descriptor.blob_id, uri));
      ARROW_ASSIGN_OR_RAISE(place.object, ResolveUri(where));
      return place;
    }
  }
  return Unsupported("blob of kind ", int{descriptor.kind});
}

}  // namespace lance
