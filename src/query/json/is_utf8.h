#pragma once

#include <string_view>

namespace lance::query {

bool IsUtf8(std::string_view text);

}  // namespace lance::query
