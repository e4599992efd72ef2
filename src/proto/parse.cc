#include "proto/parse.h"

#include <limits>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/stubs/logging.h"

namespace lance {

namespace {

/// Bad bytes are reported by a Status; the lite runtime would write lines to stderr as well.
void SilenceLibrary() {
  static const auto silenced = google::protobuf::SetLogHandler(nullptr);
  (void)silenced;
}

bool IsTooLong(size_t bytes) {
  return bytes > static_cast<size_t>(std::numeric_limits<int>::max());
}

}  // namespace

bool ParseMessage(std::span<const uint8_t> bytes, google::protobuf::MessageLite* message) {
  SilenceLibrary();
  if (IsTooLong(bytes.size())) return false;
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite* message) {
  return ParseMessage(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()),
                      message);
}

bool ParseDeepMessage(std::string_view bytes, int depth, google::protobuf::MessageLite* message) {
  SilenceLibrary();
  if (IsTooLong(bytes.size())) return false;
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  input.SetRecursionLimit(depth);
  return message->ParseFromCodedStream(&input) && input.ConsumedEntireMessage();
}

}  // namespace lance
