#pragma once

#include <string>
#include <string_view>

namespace lance::query {

/// Appends the bytes in base64 (RFC 4648, `+` and `/`), padded with `=` or not.
void AppendBase64(std::string_view bytes, bool is_padded, std::string* out);
/// Appends what a text in base64, padded or not, stands for. False if it isn't one, or not the
/// one that is written.
bool AppendFromBase64(std::string_view text, std::string* out);

void AppendHex(std::string_view bytes, std::string* out);
/// Digits of both cases. False if there is something else, or half a byte.
bool AppendFromHex(std::string_view text, std::string* out);

}  // namespace lance::query
