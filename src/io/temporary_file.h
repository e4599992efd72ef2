#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"

namespace arrow::io {
class OutputStream;
}

namespace lance {

/// A file without a name in the folder for temporary files (TMPDIR), which is gone with this object
/// and what was made of it, whatever ends the process.
class TemporaryFile {
 public:
  static Result<TemporaryFile> Create();
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  /// Writes at its end.
  Result<std::shared_ptr<arrow::io::OutputStream>> OpenForWriting() const;
  /// All of its bytes, mapped into memory: the system drops those pages that it needs for others.
  Result<std::shared_ptr<arrow::Buffer>> Map() const;

 private:
  explicit TemporaryFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace lance
