#include "encoding/v20/buffer_table.h"

#include "encodings20.pb.h"

namespace lance::encoding::v20 {

Result<PageBuffer> BufferTable::Find(const encodings::Buffer& name) const {
  const std::vector<PageBuffer>* buffers = nullptr;
  const char* owner = nullptr;
  switch (name.buffer_type()) {
    case encodings::Buffer::PAGE:
      buffers = &page;
      owner = "page";
      break;
    case encodings::Buffer::COLUMN:
      buffers = &column;
      owner = "column";
      break;
    case encodings::Buffer::FILE:
      buffers = &file;
      owner = "file";
      break;
    default:
      return Corrupt("encoding names a buffer of kind ", static_cast<int>(name.buffer_type()));
  }
  if (name.buffer_index() >= buffers->size()) {
    return Corrupt("encoding names buffer ", name.buffer_index(), " of its ", owner, ", which has ",
                   buffers->size());
  }
  return (*buffers)[name.buffer_index()];
}

}  // namespace lance::encoding::v20
