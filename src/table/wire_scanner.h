#pragma once

#include <cstdint>

#include "base/byte_reader.h"
#include "base/error.h"

namespace lance {

/// Walks the fields of one protobuf message without building it. Used where a message is copied
/// in pieces (manifests) or where only a few numbers of many messages are wanted.
///
///   WireScanner::Field field;
///   WireScanner scanner(message);
///   while (scanner.Next(&field)) …
///   ARROW_RETURN_NOT_OK(scanner.status());
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

  /// False at the end and at the first error.
  bool Next(Field* field) {
    if (at_ == message_.size() || failure_ != nullptr) return false;
    uint64_t start = at_;
    uint64_t tag = 0;
    if (!ReadVarint(&tag)) return false;
    field->number = static_cast<uint32_t>(tag >> 3);
    field->type = static_cast<Type>(tag & 7);
    if (tag >> 32 != 0 || field->number == 0) return Fail("has an invalid tag");
    switch (field->type) {
      case Type::kVarint:
        if (!ReadVarint(&field->varint)) return false;
        break;
      case Type::kFixed64:
        if (!Skip(8)) return false;
        break;
      case Type::kFixed32:
        if (!Skip(4)) return false;
        break;
      case Type::kBytes: {
        uint64_t size = 0;
        if (!ReadVarint(&size) || !Skip(size)) return false;
        field->bytes = message_.subspan(at_ - size, size);
        break;
      }
      default:
        return Fail("has a field of an unknown wire type");
    }
    field->record = message_.subspan(start, at_ - start);
    return true;
  }

  Status status() const {
    if (failure_ == nullptr) return Status::OK();
    return Corrupt("message of ", message_.size(), " bytes ", failure_, ", at byte ", at_);
  }

 private:
  static constexpr int kMaxVarintBytes = 10;

  bool Fail(const char* failure) {
    failure_ = failure;
    return false;
  }
  bool ReadVarint(uint64_t* value) {
    *value = 0;
    for (int i = 0; i < kMaxVarintBytes && at_ < message_.size(); ++i) {
      uint8_t byte = message_[at_++];
      *value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) return true;
    }
    return Fail("ends inside a number, or has one of more than 10 bytes");
  }
  bool Skip(uint64_t size) {
    if (size > message_.size() - at_) return Fail("ends inside a field");
    at_ += size;
    return true;
  }

  Bytes message_;
  uint64_t at_ = 0;
  const char* failure_ = nullptr;
};

}  // namespace lance
