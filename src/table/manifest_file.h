#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/type_fwd.h"
#include "base/context.h"
#include "io/object_store.h"
#include "table/manifest.h"
#include "table/manifest_names.h"

namespace lance {

/// A manifest with what lies around it in its file:
///
///   [index section]        u32 length, IndexSection     if the version has indexes
///   [transaction section]  u32 length, Transaction      if at most 20 MiB
///   M: [manifest]          u32 length, Manifest
///   footer, 16 bytes       i64 M, u16 major = 0, u16 minor = 2, "LANC"
///
/// Immutable, thread-safe.
class ManifestFile {
 public:
  /// One read of the last 64 KiB, and another when the manifest is larger.
  static Result<std::shared_ptr<const ManifestFile>> Read(const Context& context,
                                                          ObjectStore& store,
                                                          ManifestLocation location);
  /// From the whole content of a file.
  static Result<std::shared_ptr<const ManifestFile>> FromBytes(
      std::shared_ptr<const arrow::Buffer> content, ManifestLocation location);

  const Manifest& manifest() const { return manifest_; }
  const ManifestLocation& location() const { return location_; }
  uint64_t version() const { return manifest_.version(); }

  /// Whether the file is still the one that was read, by its size and its last bytes, which have
  /// the name of the transaction: one small read. NotFound if there is none any more.
  Result<bool> IsThere(const Context& context, ObjectStore& store) const;
  /// The serialized IndexSection; nothing if the version has no indexes.
  Result<std::optional<std::string>> ReadIndexSection(const Context& context,
                                                      ObjectStore& store) const;
  /// The serialized Transaction inside the file; nothing if there is none.
  Result<std::optional<std::string>> ReadTransactionSection(const Context& context,
                                                            ObjectStore& store) const;

 private:
  ManifestFile() = default;
  Result<std::string> ReadSection(const Context& context, ObjectStore& store, uint64_t offset,
                                  std::string_view what) const;

  Manifest manifest_;
  ManifestLocation location_;
  uint64_t manifest_offset_ = 0;
  /// The file from tail_offset_ to its end.
  std::shared_ptr<const arrow::Buffer> tail_;
  uint64_t tail_offset_ = 0;
};

/// Larger transactions are kept in `_transactions` only.
constexpr uint64_t kMaxInlineTransactionBytes = 20ull << 20;

/// The content of a manifest file. Sets the section offsets in `manifest`.
std::string EncodeManifestFile(const std::optional<std::string>& index_section,
                               const std::string& transaction, Manifest* manifest);

}  // namespace lance
