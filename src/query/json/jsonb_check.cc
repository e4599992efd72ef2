#include "query/json/jsonb_check.h"

#include <cmath>
#include <cstdint>

#include "query/json/is_utf8.h"
#include "query/json/json_extension.h"
#include "query/json/json_layout.h"
#include "query/json/jsonb.h"

namespace lance::query {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view cell) : cell_(cell) {}

  Status CheckRoot() { return CheckContainer(cell_, Where::kRoot, 0); }

 private:
  enum class Where : uint8_t { kRoot, kNested };

  Status Wrong(std::string_view what, std::string_view at) const {
    return UserError("bytes are no JSONB: ", what, ", pos ", at.data() - cell_.data());
  }

  Status CheckContainer(std::string_view bytes, Where where, int nesting) {
    if (nesting > kMaxNesting) return Wrong("nested deeper than 1000 levels", bytes);
    if (bytes.size() < kWordBytes) return Wrong("a header is cut off", bytes);
    const auto header = static_cast<uint32_t>(ReadBigEndian(bytes.substr(0, kWordBytes)));
    const uint64_t count = header & kCountMask;
    switch (static_cast<Kind>(header >> 29)) {
      case Kind::kScalar:
        if (where != Where::kRoot || count != 0) return Wrong("a scalar has a wrong header", bytes);
        return CheckItems(bytes, 0, 1, Where::kRoot, nesting);
      case Kind::kObject:
        return CheckItems(bytes, count, count, Where::kNested, nesting);
      case Kind::kArray:
        return CheckItems(bytes, 0, count, Where::kNested, nesting);
    }
    return Wrong("a header has an unknown kind", bytes);
  }

  /// A header, the words of keys and values, and what they describe. In a scalar the value is no
  /// container.
  Status CheckItems(std::string_view bytes, uint64_t keys, uint64_t values, Where where,
                    int nesting) {
    const uint64_t words = keys + values;
    if (words > bytes.size() / kWordBytes - 1) return Wrong("words are cut off", bytes);
    size_t at = kWordBytes * (1 + words);
    std::string_view last_key;
    for (uint64_t i = 0; i < words; ++i) {
      const std::string_view place = bytes.substr(kWordBytes * (1 + i), kWordBytes);
      const auto word = static_cast<uint32_t>(ReadBigEndian(place));
      const size_t length = word & kLengthMask;
      if (word >> 31 != 0) return Wrong("a word has an unknown flag", place);
      if (length > bytes.size() - at) return Wrong("a payload is cut off", place);
      const std::string_view payload = bytes.substr(at, length);
      at += length;
      if (i >= keys) {
        ARROW_RETURN_NOT_OK(CheckItem(TypeOf(word), payload, place, where, nesting));
        continue;
      }
      if (TypeOf(word) != WordType::kString) return Wrong("a key is no string", place);
      ARROW_RETURN_NOT_OK(CheckText(payload));
      if (i > 0 && payload <= last_key) return Wrong("keys do not ascend", payload);
      last_key = payload;
    }
    return at == bytes.size() ? Status::OK() : Wrong("bytes are left over", bytes.substr(at));
  }

  Status CheckItem(WordType type, std::string_view payload, std::string_view place, Where where,
                   int nesting) {
    switch (type) {
      case WordType::kNull:
      case WordType::kFalse:
      case WordType::kTrue:
        return payload.empty() ? Status::OK() : Wrong("a literal has a payload", place);
      case WordType::kString:
        return CheckText(payload);
      case WordType::kNumber: {
        const auto number = JsonItem{JsonType::kNumber, payload}.number();
        if (!number) return Wrong("a number is damaged", place);
        return std::isfinite(AsDouble(*number)) ? Status::OK()
                                                : Wrong("a number is not finite", place);
      }
      case WordType::kContainer:
        if (where == Where::kRoot) return Wrong("a scalar holds a container", place);
        return CheckContainer(payload, Where::kNested, nesting + 1);
      case WordType::kExtension:
        return ExtensionText(payload) ? Status::OK() : Wrong("an extension is damaged", place);
    }
    return Wrong("a word has an unknown type", place);
  }

  Status CheckText(std::string_view text) const {
    return IsUtf8(text) ? Status::OK() : Wrong("a string is not UTF-8", text);
  }

  const std::string_view cell_;
};

}  // namespace

Status CheckJsonb(std::string_view cell) { return Checker(cell).CheckRoot(); }

}  // namespace lance::query
