#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/error.h"
#include "file/version.h"
#include "io/object_store.h"

namespace lance {

/// Something in a file that breaks the format.
struct Finding {
  /// Column, page and field where there are such; the offset of a page is that of its first buffer.
  ErrorPlace place;
  std::string problem;
};

struct FileVerification {
  std::string path;
  uint64_t size_bytes = 0;
  FileVersion version = kDefaultFileVersion;
  uint64_t rows = 0;
  uint64_t columns = 0;
  uint64_t pages = 0;
  std::vector<Finding> findings;
  /// What this build can't decode: nothing is known about it.
  std::vector<Finding> skipped;
};

/// Decodes every page of every column and checks what the format promises: buffers lie inside the
/// file, aligned and before the metadata; columns agree about the number of rows; pages decode;
/// values are those of their types (UTF-8, digits of decimals …); members of a struct agree about
/// their parents; required fields have no nulls. Goes on after a finding.
///
/// Damage is no error of the call; that the file can't be read is. Needs memory for some 65536 rows
/// of a column at a time.
Result<FileVerification> VerifyFile(const Context& context, std::shared_ptr<RandomReader> reader);

}  // namespace lance
