#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance {

/// The version that created (or last updated) each row of a fragment, run-length coded
/// (`lance.table.RowDatasetVersionSequence`).
class VersionSequence {
 public:
  /// All rows have one version.
  static VersionSequence Uniform(uint64_t version, uint64_t rows);

  /// Adds the versions of rows [first, first + count) of another one, which must exist.
  void Append(const VersionSequence& other, uint64_t first, uint64_t count);

  static VersionSequence FromValues(std::span<const uint64_t> versions);

  /// The same but for the rows at `offsets`, which ascend: they have `version`.
  VersionSequence WithVersion(uint64_t version, std::span<const uint32_t> offsets) const;

  static Result<VersionSequence> Decode(Bytes bytes);
  std::string Encode() const;

  uint64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  /// Versions of rows [first, first + out.size()), which must exist.
  void Read(uint64_t first, std::span<uint64_t> out) const;

 private:
  void AddRun(uint64_t version, uint64_t rows);

  /// Rows before the end of each run.
  std::vector<uint64_t> ends_;
  std::vector<uint64_t> versions_;
};

}  // namespace lance
