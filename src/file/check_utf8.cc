#include "file/check_utf8.h"

#include <cstdint>
#include <cstring>

#include "arrow/array/data.h"
#include "arrow/type.h"
#include "arrow/util/utf8.h"

namespace lance {
namespace {

constexpr int64_t kBlockBytes = 256;

bool IsAscii(const uint8_t* bytes, int64_t size) {
  int64_t done = 0;
  // Whole blocks without a branch inside, which the compiler turns into vectors.
  for (; done + kBlockBytes <= size; done += kBlockBytes) {
    uint64_t all = 0;
    for (int64_t i = 0; i < kBlockBytes; i += static_cast<int64_t>(sizeof(all))) {
      uint64_t word;
      std::memcpy(&word, bytes + done + i, sizeof(word));
      all |= word;
    }
    if ((all & 0x8080808080808080u) != 0) return false;
  }
  uint8_t rest = 0;
  for (; done < size; ++done) rest |= bytes[done];
  return rest < 0x80;
}

bool Continues(uint8_t byte) { return (byte & 0xC0) == 0x80; }

template <typename Offset>
Status Check(const arrow::ArrayData& array) {
  const Offset* offsets = array.GetValues<Offset>(1);
  if (array.length == 0 || array.buffers[2] == nullptr) return Status::OK();
  const uint8_t* bytes = array.buffers[2]->data();
  const int64_t begin = offsets[0];
  const int64_t end = offsets[array.length];
  if (IsAscii(bytes + begin, end - begin)) return Status::OK();
  [[maybe_unused]] static const bool ready = [] {
    arrow::util::InitializeUTF8();
    return true;
  }();
  // Text that is valid as a whole, and of which no string starts within a character.
  bool valid = arrow::util::ValidateUTF8(bytes + begin, end - begin);
  for (int64_t i = 0; valid && i < array.length; ++i) {
    valid = offsets[i] == end || !Continues(bytes[offsets[i]]);
  }
  if (valid) return Status::OK();
  for (int64_t i = 0; i < array.length; ++i) {
    if (arrow::util::ValidateUTF8(bytes + offsets[i], offsets[i + 1] - offsets[i])) continue;
    return Corrupt("string that is not valid UTF-8, value ", i, " of ", array.length);
  }
  return Status::OK();
}

}  // namespace

Status CheckUtf8(const arrow::ArrayData& array) {
  switch (array.type->id()) {
    case arrow::Type::STRING:
      return Check<int32_t>(array);
    case arrow::Type::LARGE_STRING:
      return Check<int64_t>(array);
    default:
      return Status::OK();
  }
}

}  // namespace lance
