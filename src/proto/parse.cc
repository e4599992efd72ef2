#include "proto/parse.h"

#include <limits>

#include "google/protobuf/stubs/logging.h"

namespace lance {

bool ParseMessage(std::span<const uint8_t> bytes, google::protobuf::MessageLite* message) {
  // Bad bytes are reported by a Status; the lite runtime would write lines to stderr as well.
  static const auto silenced = google::protobuf::SetLogHandler(nullptr);
  (void)silenced;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return false;
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite* message) {
  return ParseMessage(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()),
                      message);
}

}  // namespace lance
