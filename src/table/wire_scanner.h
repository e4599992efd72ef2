#pragma once

#include <cstdint>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance {

/// Walks the fields of one protobuf message without building it. Used where a message is copied
/// in pieces (manifests) or where only a few numbers of many messages are wanted.
class WireScanner {
 public:
  enum class Type : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  struct Field {
    uint32_t number = 0;
    Type type = Type::kVarint;
    uint64_t varint = 0;  ///< of kVarint
    Bytes bytes;          ///< of kBytes: the content
    Bytes record;         ///< tag and content, as they stand in the message
  };

  explicit WireScanner(Bytes message) : message_(message) {}

  bool done() const { return at_ == message_.size(); }
  Result<Field> Next() {
    uint64_t start = at_;
    Field field;
    ARROW_ASSIGN_OR_RAISE(uint64_t tag, Varint());
    field.number = static_cast<uint32_t>(tag >> 3);
    if (tag >> 32 != 0 || field.number == 0) return Corrupt("message has an invalid tag ", tag);
    field.type = static_cast<Type>(tag & 7);
    switch (field.type) {
      case Type::kVarint: {
        ARROW_ASSIGN_OR_RAISE(field.varint, Varint());
        break;
      }
      case Type::kFixed64:
        ARROW_RETURN_NOT_OK(Skip(8));
        break;
      case Type::kFixed32:
        ARROW_RETURN_NOT_OK(Skip(4));
        break;
      case Type::kBytes: {
        ARROW_ASSIGN_OR_RAISE(uint64_t size, Varint());
        uint64_t content = at_;
        ARROW_RETURN_NOT_OK(Skip(size));
        field.bytes = message_.subspan(content, size);
        break;
      }
      default:
        return Corrupt("message has a field of unknown wire type ", tag & 7, ", field number ",
                       field.number);
    }
    field.record = message_.subspan(start, at_ - start);
    return field;
  }

 private:
  static constexpr int kMaxVarintBytes = 10;

  Result<uint64_t> Varint() {
    uint64_t value = 0;
    for (int i = 0; i < kMaxVarintBytes && at_ < message_.size(); ++i) {
      uint8_t byte = message_[at_++];
      value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value;
    }
    return Corrupt("message ends inside a number, or the number has more than ", kMaxVarintBytes,
                   " bytes");
  }
  Status Skip(uint64_t size) {
    if (size > message_.size() - at_) {
      return Corrupt("message ends inside a field: ", size, " bytes expected at position ", at_,
                     ", ", message_.size() - at_, " present");
    }
    at_ += size;
    return Status::OK();
  }

  Bytes message_;
  uint64_t at_ = 0;
};

}  // namespace lance
