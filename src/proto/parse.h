#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "google/protobuf/message_lite.h"

namespace lance {

/// Parses a whole message; false for bytes that are not one. Unlike the library's own calls it does
/// not print to stderr.
bool ParseMessage(std::span<const uint8_t> bytes, google::protobuf::MessageLite* message);
bool ParseMessage(std::string_view bytes, google::protobuf::MessageLite* message);
/// The same with messages nested `depth` deep; the others allow 100.
bool ParseDeepMessage(std::string_view bytes, int depth, google::protobuf::MessageLite* message);

}  // namespace lance
