#include <array>
#include <charconv>
#include <string>

#include "query/expr/function.h"
#include "query/expr/kernel/base64.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using arrow::Array;
using arrow::Type;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// ---- to_hex, chr ----

/// Of all 64 bits of the number.
Result<std::shared_ptr<Array>> ToHex(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  const FixedValues<uint64_t> values(args[0]);
  std::array<char, 16> digits;
  return MapTexts(context, args, rows, [&](int64_t row, std::string_view* out) {
    const char* end =
        std::to_chars(digits.data(), digits.data() + digits.size(), values[row], 16).ptr;
    *out = {digits.data(), end};
    return Status::OK();
  });
}

Bound BindToHex(BindArgs args) {
  if (args.size() != 1 || !TakesInteger(*args[0])) return std::nullopt;
  TypePtr type = args[0]->type->id() == Type::UINT64 ? arrow::uint64() : arrow::int64();
  return BoundFunction{{type}, arrow::utf8(), ToHex};
}

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::array<uint32_t, 4> kLead = {0, 0xC0, 0xE0, 0xF0};
  *out += static_cast<char>(kLead[static_cast<size_t>(more)] | code >> (6 * more));
  for (int i = more; i > 0; --i) *out += static_cast<char>(0x80 | (code >> (6 * (i - 1)) & 0x3F));
}

Result<std::shared_ptr<Array>> Character(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  const FixedValues<int64_t> codes(args[0]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    const int64_t code = codes[row];
    constexpr int64_t kLast = 0x10FFFF;
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < 0 || code > kLast || is_surrogate) {
      return UserError("chr(): there is no character of number ", code);
    }
    AppendUtf8(static_cast<uint32_t>(code), out);
    return Status::OK();
  });
}

Bound BindCharacter(BindArgs args) {
  if (args.size() != 1 || !TakesInteger(*args[0])) return std::nullopt;
  return BoundFunction{{arrow::int64()}, arrow::utf8(), Character, /*can_fail=*/true};
}

// ---- encode, decode ----

enum class Encoding : uint8_t { kHex, kBase64, kPaddedBase64 };

std::optional<Encoding> EncodingNamed(std::string_view name) {
  if (name == "hex") return Encoding::kHex;
  if (name == "base64") return Encoding::kBase64;
  if (name == "base64pad") return Encoding::kPaddedBase64;
  return std::nullopt;
}

Result<std::shared_ptr<Array>> Encode(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  const BytesValues bytes(args[0]);
  const Encoding encoding = *EncodingNamed(BytesValues(args[1])[0]);
  return MapTexts(context, args.first(1), rows, [&](int64_t row, std::string* out) {
    if (encoding == Encoding::kHex) {
      AppendHex(bytes[row], out);
    } else {
      AppendBase64(bytes[row], encoding == Encoding::kPaddedBase64, out);
    }
    return Status::OK();
  });
}

Result<std::shared_ptr<Array>> Decode(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  const BytesValues texts(args[0]);
  const bool is_hex = *EncodingNamed(BytesValues(args[1])[0]) == Encoding::kHex;
  return MapTexts(context, args.first(1), rows, [&](int64_t row, std::string* out) {
    const bool is_read =
        is_hex ? AppendFromHex(texts[row], out) : AppendFromBase64(texts[row], out);
    if (is_read) return Status::OK();
    constexpr size_t kShown = 40;
    return UserError("decode(): '", Shortened(texts[row], kShown), "' is not ",
                     is_hex ? "hex" : "base64");
  });
}

/// Of a text or bytes.
template <Kernel kKernel, bool kToText>
Bound BindCode(BindArgs args) {
  if (args.size() != 2) return std::nullopt;
  const Type::type id = args[0]->type->id();
  if (!arrow::is_base_binary_like(id) && id != Type::NA && id != Type::FIXED_SIZE_BINARY) {
    return std::nullopt;
  }
  auto name = LiteralText(*args[1]);
  if (!name || !EncodingNamed(*name)) return std::nullopt;
  const bool is_wide = id == Type::LARGE_STRING || id == Type::LARGE_BINARY;
  TypePtr text = is_wide ? arrow::large_utf8() : arrow::utf8();
  TypePtr binary = is_wide ? arrow::large_binary() : arrow::binary();
  TypePtr from = id == Type::NA ? arrow::utf8() : args[0]->type;
  return BoundFunction{{from, arrow::utf8()}, kToText ? text : binary, kKernel, !kToText};
}

constexpr Function kFunctions[] = {
    {"to_hex", "to_hex(integer)", BindToHex},
    {"chr", "chr(integer)", BindCharacter},
    {"encode", "encode(string or binary, 'hex' | 'base64' | 'base64pad')", BindCode<Encode, true>},
    {"decode", "decode(string or binary, 'hex' | 'base64' | 'base64pad')", BindCode<Decode, false>},
};

}  // namespace

std::span<const Function> CodeFunctions() { return kFunctions; }

}  // namespace lance::query
