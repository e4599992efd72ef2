#pragma once

#include <string>

namespace lance {

/// A random UUID (version 4), lower case with hyphens.
std::string MakeUuid();
/// A new name for a data file: a random UUID of which the first 3 bytes are written as 24 binary
/// digits, to spread prefixes on object stores, and the rest as 26 hex digits; then `.lance`.
std::string MakeDataFileName();

}  // namespace lance
