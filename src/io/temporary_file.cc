#include "io/temporary_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/file.h"

namespace lance {
namespace {

class MappedBuffer : public arrow::Buffer {
 public:
  MappedBuffer(void* start, size_t size)
      : Buffer(static_cast<const uint8_t*>(start), static_cast<int64_t>(size)), start_(start) {}
  ~MappedBuffer() override { munmap(start_, static_cast<size_t>(size())); }

 private:
  void* start_;
};

Status Failed(std::string_view what, const std::string& path) {
  return IoError(what, " in ", path, ": ", std::strerror(errno));
}

}  // namespace

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<TemporaryFile> TemporaryFile::Create() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return IoError("no folder for temporary files: ", error.message());
  std::string path = folder / "lance-spill-XXXXXX";
  int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) return Failed("can't create a temporary file", folder);
  TemporaryFile file(descriptor);
  if (unlink(path.c_str()) != 0) return Failed("can't unlink a temporary file", folder);
  return file;
}

Result<std::shared_ptr<arrow::io::OutputStream>> TemporaryFile::OpenForWriting() const {
  int own = dup(descriptor_);
  if (own < 0) return Failed("can't write a temporary file", "this process");
  return arrow::io::FileOutputStream::Open(own);
}

Result<std::shared_ptr<arrow::Buffer>> TemporaryFile::Map() const {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) return Failed("can't map a temporary file", "memory");
  auto size = static_cast<size_t>(status.st_size);
  if (size == 0) return std::make_shared<arrow::Buffer>(nullptr, 0);
  void* start = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (start == MAP_FAILED) return Failed("can't map a temporary file", "memory");
  return std::make_shared<MappedBuffer>(start, size);
}

}  // namespace lance
