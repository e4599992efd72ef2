#include "io/object_store.h"

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "io/counters.h"

namespace lance {
namespace {

int HexDigit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// `%20` to a blank; a '%' without two digits stands for itself, as in other URI readers.
std::string DecodePercent(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    bool escape = text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
                  HexDigit(text[i + 2]) >= 0;
    if (!escape) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2]));
    i += 2;
  }
  return out;
}

// Drops empty and '.' parts and the slash at the end. '..' stays: what it means depends on links.
std::string TidyPath(std::string_view path) {
  std::string out;
  size_t start = 0;
  while (start < path.size()) {
    size_t end = std::min(path.find('/', start), path.size());
    std::string_view part = path.substr(start, end - start);
    if (!part.empty() && part != ".") {
      if (!out.empty() || path.front() == '/') out += '/';
      out += part;
    }
    start = end + 1;
  }
  return out;
}

// The scheme of `scheme://…` in small letters, empty if there is none.
std::string SchemeOf(std::string_view uri) {
  size_t end = uri.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  std::string scheme;
  for (char letter : uri.substr(0, end)) {
    auto byte = static_cast<unsigned char>(letter);
    bool allowed = std::isalpha(byte) != 0 || (!scheme.empty() && std::isdigit(byte) != 0) ||
                   letter == '+' || letter == '-' || letter == '.';
    if (!allowed) return {};
    scheme += static_cast<char>(std::tolower(byte));
  }
  return scheme;
}

Result<std::string> PathOfFileUri(const std::string& uri) {
  std::string_view rest = std::string_view(uri).substr(std::string_view("file://").size());
  std::string_view host = rest.substr(0, rest.find('/'));
  if (!host.empty() && host != "localhost") {
    return UserError("file URI names a host: '", uri, "'; use file:///absolute/path");
  }
  rest.remove_prefix(host.size());
  if (rest.empty()) return UserError("file URI has no path: '", uri, "'");
  return TidyPath(DecodePercent(rest));
}

// What LANCE_DURABILITY says, for all tables of the process, else `given`.
Result<Durability> ChooseDurability(Durability given) {
  const char* text = std::getenv("LANCE_DURABILITY");
  if (text == nullptr || *text == '\0') return given;
  std::string_view name = text;
  if (name == "process") return Durability::kProcess;
  if (name == "power") return Durability::kPower;
  return UserError("LANCE_DURABILITY is '", name, "'; it may be 'process' or 'power'");
}

// The system would take what stands before it for the whole path.
Status NulInPath(const std::string& uri) {
  return UserError("path contains a NUL character: '", uri.c_str(), "\\0…'");
}

}  // namespace

Status CheckRange(const RandomReader& reader, uint64_t offset, uint64_t size) {
  if (offset <= reader.size() && size <= reader.size() - offset) return Status::OK();
  return WithPlace(Corrupt("byte range is outside the object: offset ", offset, ", size ", size,
                           ", object size ", reader.size()),
                   {.path = reader.path(), .offset = offset});
}

Result<StoreLocation> ResolveUri(const std::string& uri, Durability durability) {
  if (uri.empty()) return UserError("path is empty; give a folder name or a URI");
  if (uri.find('\0') != std::string::npos) return NulInPath(uri);
  std::string scheme = SchemeOf(uri);
  if (scheme == "memory") {
    // Never destroyed: tables may be used while the process ends.
    static const auto* const store = new std::shared_ptr<ObjectStore>(MakeMemoryStore());
    return StoreLocation{
        *store, TidyPath(std::string_view(uri).substr(std::string_view("memory://").size()))};
  }
  std::string path;
  if (scheme == "file") {
    ARROW_ASSIGN_OR_RAISE(path, PathOfFileUri(uri));
    if (path.find('\0') != std::string::npos) return NulInPath(uri);
  } else if (!scheme.empty()) {
    return Unsupported("URI scheme '", scheme, "' is not supported: '", uri,
                       "'; supported are local paths, file:// and memory://");
  } else {
    std::error_code error;
    path = TidyPath(std::filesystem::absolute(uri, error).string());
    if (error) return IoError("cannot make '", uri, "' absolute: ", error.message());
  }
  ARROW_ASSIGN_OR_RAISE(durability, ChooseDurability(durability));
  return StoreLocation{MakeLocalStore(durability), std::move(path)};
}

}  // namespace lance
