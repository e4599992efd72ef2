#pragma once

#include <vector>

#include "base/error.h"
#include "encoding/read/page_reader.h"

namespace lance::encodings {
class Buffer;
}

namespace lance::encoding::v20 {

/// The buffers that an array encoding may name: of its page, its column and the file.
struct BufferTable {
  std::vector<PageBuffer> page;
  std::vector<PageBuffer> column;
  std::vector<PageBuffer> file;

  Result<PageBuffer> Find(const encodings::Buffer& name) const;
};

}  // namespace lance::encoding::v20
