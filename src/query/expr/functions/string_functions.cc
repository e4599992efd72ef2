#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "arrow/compute/api_scalar.h"
#include "arrow/compute/exec.h"
#include "base/compute_kernels.h"
#include "query/expr/function.h"
#include "query/expr/kernel/cast.h"
#include "query/expr/kernel/substring_search.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using arrow::Array;
using Bound = std::optional<BoundFunction>;
using BindArgs = std::span<const ExprPtr>;

// ---- from strings to strings ----

/// Kernels of Arrow that take one string column.
Result<std::shared_ptr<Array>> CallArrow(const std::string& function, const CallContext& context,
                                         std::span<const Operand> args) {
  ARROW_RETURN_NOT_OK(InitializeComputeKernels());
  arrow::compute::ExecContext exec(context.pool);
  ARROW_ASSIGN_OR_RAISE(auto result,
                        arrow::compute::CallFunction(function, {args[0].array}, nullptr, &exec));
  return result.make_array();
}

/// Text of ASCII only that keeps its lengths: change(begin, end, out) writes the bytes of `kWhole`:
/// all rows at once, or else of one row. nullptr if there are other characters.
template <bool kWhole, typename Change>
Result<std::shared_ptr<Array>> ChangeAscii(const CallContext& context, const Operand& texts,
                                           Change change) {
  const Array& array = *texts.array;
  const BytesValues values(texts);
  if (array.length() > 1 && texts.is_constant) return nullptr;
  const std::string_view all = values.Joined(array.length());
  auto data = array.data()->Copy();
  const int64_t size = static_cast<int64_t>(all.size());
  // The offsets count from the start of the buffer, of which this may be a slice.
  const int64_t before =
      size == 0 ? 0 : all.data() - reinterpret_cast<const char*>(data->buffers[2]->data());
  if (before > size || !IsAscii(all)) return nullptr;
  ARROW_ASSIGN_OR_RAISE(auto buffer, AllocateValues<char>(context.pool, before + size));
  char* out = buffer->template mutable_data_as<char>();
  std::fill_n(out, before, '\0');
  out += before;
  if constexpr (kWhole) {
    change(all, out);
  } else {
    for (int64_t row = 0; row < array.length(); ++row) {
      const std::string_view text = values[row];
      change(text, out + (text.data() - all.data()));
    }
  }
  data->buffers[2] = std::move(buffer);
  return arrow::MakeArray(data);
}

constexpr int kCaseBit = 0x20;

/// `from` is the first of 26 ASCII letters that change their case.
char WithOtherCase(char c, char from) {
  constexpr int kLetters = 26;
  const bool changes = static_cast<unsigned char>(c - from) < kLetters;
  return static_cast<char>(c ^ (changes ? kCaseBit : 0));
}

template <char kFrom>
Result<std::shared_ptr<Array>> ChangeCase(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto changed,
                        ChangeAscii<true>(context, args[0], [](std::string_view text, char* out) {
                          std::transform(text.begin(), text.end(), out,
                                         [](char c) { return WithOtherCase(c, kFrom); });
                        }));
  if (changed != nullptr) return changed;
  return CallArrow(kFrom == 'a' ? "utf8_upper" : "utf8_lower", context, args);
}

Result<std::shared_ptr<Array>> Upper(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  return ChangeCase<'a'>(context, args, rows);
}
Result<std::shared_ptr<Array>> Lower(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  return ChangeCase<'A'>(context, args, rows);
}
bool IsAsciiAlphanumeric(char c) {
  const char lower = static_cast<char>(c | kCaseBit);
  return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z');
}

/// Outside of ASCII all but the blocks of signs and punctuation.
bool IsAlphanumeric(std::string_view character) {
  if (character.size() == 1) return IsAsciiAlphanumeric(character[0]);
  const bool is_latin_sign = character >= "\u0080" && character < "\u00C0" &&
                             character != "\u00AA" && character != "\u00B5" &&
                             character != "\u00BA";
  const bool is_punctuation = (character >= "\u2000" && character < "\u2070") ||
                              (character >= "\u3000" && character < "\u3040");
  return !is_latin_sign && !is_punctuation && character != "\u00D7" && character != "\u00F7";
}

/// Words begin after what is neither letter nor digit.
Result<std::shared_ptr<Array>> InitCap(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto changed,
                        ChangeAscii<false>(context, args[0], [](std::string_view text, char* out) {
                          bool is_first = true;
                          for (char c : text) {
                            *out++ = WithOtherCase(c, is_first ? 'a' : 'A');
                            is_first = !IsAsciiAlphanumeric(c);
                          }
                        }));
  if (changed != nullptr) return changed;
  ARROW_ASSIGN_OR_RAISE(auto upper_array, CallArrow("utf8_upper", context, args));
  ARROW_ASSIGN_OR_RAISE(auto lower_array, CallArrow("utf8_lower", context, args));
  const Operand upper_operand{upper_array, args[0].is_constant};
  const Operand lower_operand{lower_array, args[0].is_constant};
  BytesValues uppers(upper_operand);
  BytesValues lowers(lower_operand);
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    // Letter by letter, of which both have as many.
    std::string_view upper = uppers[row];
    std::string_view lower = lowers[row];
    bool is_first = true;
    out->resize(upper.size() + lower.size());
    char* end = out->data();
    while (!upper.empty() && !lower.empty()) {
      const std::string_view high = upper.substr(0, CharacterBytes(upper));
      const std::string_view low = lower.substr(0, CharacterBytes(lower));
      end = std::copy_n((is_first ? high : low).data(), (is_first ? high : low).size(), end);
      is_first = !IsAlphanumeric(low);
      upper.remove_prefix(high.size());
      lower.remove_prefix(low.size());
    }
    out->resize(static_cast<size_t>(end - out->data()));
    return Status::OK();
  });
}

Result<std::shared_ptr<Array>> Reverse(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(auto changed,
                        ChangeAscii<false>(context, args[0], [](std::string_view text, char* out) {
                          std::reverse_copy(text.begin(), text.end(), out);
                        }));
  if (changed != nullptr) return changed;
  BytesValues texts(args[0]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    std::string_view left = texts[row];
    out->resize(left.size());
    for (char* end = out->data() + left.size(); !left.empty();) {
      const size_t bytes = CharacterBytes(left);
      end -= bytes;
      std::copy_n(left.data(), bytes, end);
      left.remove_prefix(bytes);
    }
    return Status::OK();
  });
}

template <Kernel kKernel>
Bound BindStringToString(BindArgs args) {
  if (args.size() != 1 || !TakesString(*args[0])) return std::nullopt;
  TypePtr type = StringTypeOf(*args[0]);
  return BoundFunction{{type}, type, kKernel};
}

/// The characters of `set`, one by one.
bool IsIn(std::string_view set, std::string_view character) {
  while (!set.empty()) {
    size_t bytes = CharacterBytes(set);
    if (set.substr(0, bytes) == character) return true;
    set.remove_prefix(bytes);
  }
  return false;
}

std::string_view TrimLeft(std::string_view text, std::string_view set) {
  if (IsAscii(set)) return text.substr(std::min(text.find_first_not_of(set), text.size()));
  while (!text.empty() && IsIn(set, text.substr(0, CharacterBytes(text)))) {
    text.remove_prefix(CharacterBytes(text));
  }
  return text;
}

std::string_view TrimRight(std::string_view text, std::string_view set) {
  if (IsAscii(set)) return text.substr(0, text.find_last_not_of(set) + 1);
  while (!text.empty()) {
    size_t begin = text.size() - 1;
    while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    if (!IsIn(set, text.substr(begin))) break;
    text = text.substr(0, begin);
  }
  return text;
}

template <bool kLeft, bool kRight>
Result<std::shared_ptr<Array>> Trim(const CallContext& context, std::span<const Operand> args,
                                    int64_t rows) {
  BytesValues texts(args[0]);
  const Operand& set_operand = args.size() > 1 ? args[1] : args[0];
  BytesValues sets(set_operand);
  bool has_set = args.size() > 1;
  return MapTexts(context, args, rows, [&](int64_t row, std::string_view* out) {
    std::string_view set = has_set ? sets[row] : std::string_view(" ");
    std::string_view text = texts[row];
    if (kLeft) text = TrimLeft(text, set);
    if (kRight) text = TrimRight(text, set);
    *out = text;
    return Status::OK();
  });
}

template <Kernel kKernel>
Bound BindTrim(BindArgs args) {
  if (args.empty() || args.size() > 2) return std::nullopt;
  if (!std::all_of(args.begin(), args.end(), [](auto& arg) { return TakesString(*arg); })) {
    return std::nullopt;
  }
  TypePtr type = StringTypeOf(*args[0]);
  BoundFunction bound{{type}, type, kKernel};
  if (args.size() == 2) bound.arg_types.push_back(StringTypeOf(*args[1]));
  return bound;
}

// ---- concat ----

/// Nulls count as empty.
Result<std::shared_ptr<Array>> Concat(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  std::vector<BytesValues> texts(args.begin(), args.end());
  return MapTexts(context, {}, rows, [&](int64_t row, std::string* out) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i].array->IsValid(args[i].IndexOf(row))) *out += texts[i][row];
    }
    return Status::OK();
  });
}

Result<std::shared_ptr<Array>> ConcatOperator(const CallContext& context,
                                              std::span<const Operand> args, int64_t rows) {
  std::vector<BytesValues> texts(args.begin(), args.end());
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    for (const BytesValues& text : texts) *out += text[row];
    return Status::OK();
  });
}

/// The first argument goes between the others that are not null.
Result<std::shared_ptr<Array>> ConcatWithSeparator(const CallContext& context,
                                                   std::span<const Operand> args, int64_t rows) {
  std::vector<BytesValues> texts(args.begin(), args.end());
  return MapTexts(context, args.first(1), rows, [&](int64_t row, std::string* out) {
    bool is_first = true;
    for (size_t i = 1; i < args.size(); ++i) {
      if (args[i].array->IsNull(args[i].IndexOf(row))) continue;
      if (!is_first) *out += texts[0][row];
      is_first = false;
      *out += texts[i][row];
    }
    return Status::OK();
  });
}

template <Kernel kKernel, size_t kLeastArgs>
Bound BindConcat(BindArgs args) {
  if (args.size() < kLeastArgs) return std::nullopt;
  bool is_wide = false;
  for (const ExprPtr& arg : args) {
    bool has_text = TakesString(*arg) || IsNumeric(*arg->type) || IsTemporal(*arg->type) ||
                    arg->type->id() == arrow::Type::BOOL;
    if (!has_text) return std::nullopt;
    is_wide = is_wide || arg->type->id() == arrow::Type::LARGE_STRING;
  }
  TypePtr type = is_wide ? arrow::large_utf8() : arrow::utf8();
  return BoundFunction{std::vector<TypePtr>(args.size(), type), type, kKernel};
}

/// Text, or bytes that are all binary.
Bound BindConcatOperator(BindArgs args) {
  const bool has_bytes = std::any_of(args.begin(), args.end(), [](auto& arg) {
    return arrow::is_binary(arg->type->id()) || arg->type->id() == arrow::Type::FIXED_SIZE_BINARY;
  });
  if (!has_bytes) return BindConcat<ConcatOperator, 2>(args);
  TypePtr type = arrow::binary();
  for (const ExprPtr& arg : args) {
    if (IsString(*arg->type)) return std::nullopt;
    type = CommonType(type, arg->type);
    if (type == nullptr || !arrow::is_binary(type->id())) return std::nullopt;
  }
  return BoundFunction{std::vector<TypePtr>(args.size(), type), type, ConcatOperator};
}

// ---- lengths and positions ----

template <int32_t kUnitsPerByte>
Result<std::shared_ptr<Array>> ByteLength(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  BytesValues texts(args[0]);
  return MapFixed<int32_t>(context, args, rows, [&](int64_t row) {
    return static_cast<int32_t>(texts[row].size()) * kUnitsPerByte;
  });
}

Result<std::shared_ptr<Array>> CharLength(const CallContext& context, std::span<const Operand> args,
                                          int64_t rows) {
  BytesValues texts(args[0]);
  if (!args[0].is_constant && IsAscii(texts.Joined(rows))) {
    return ByteLength<1>(context, args, rows);
  }
  return MapFixed<int32_t>(context, args, rows, [&](int64_t row) {
    return static_cast<int32_t>(CountCharacters(texts[row]));
  });
}

Result<std::shared_ptr<Array>> Ascii(const CallContext& context, std::span<const Operand> args,
                                     int64_t rows) {
  BytesValues texts(args[0]);
  return MapFixed<int32_t>(context, args, rows, [&](int64_t row) -> int32_t {
    std::string_view text = texts[row];
    if (text.empty()) return 0;
    size_t bytes = CharacterBytes(text);
    auto first = static_cast<unsigned char>(text[0]);
    int32_t code = bytes == 1 ? first : first & (0xFF >> (bytes + 1));
    for (size_t i = 1; i < bytes; ++i) code = code << 6 | (text[i] & 0x3F);
    return code;
  });
}

template <Kernel kKernel>
Bound BindStringToInt(BindArgs args) {
  if (args.size() != 1 || !TakesString(*args[0])) return std::nullopt;
  return BoundFunction{{StringTypeOf(*args[0])}, arrow::int32(), kKernel};
}

/// Of numbers and bytes the length of their text.
Bound BindLength(BindArgs args) {
  const bool is_text = args.size() == 1 && (arrow::is_binary(args[0]->type->id()) ||
                                            arrow::is_integer(args[0]->type->id()));
  if (!is_text || !CanCast(*args[0]->type, *arrow::utf8())) {
    return BindStringToInt<CharLength>(args);
  }
  return BoundFunction{{arrow::utf8()}, arrow::int32(), CharLength};
}

Bound BindOctetLength(BindArgs args) {
  if (args.size() != 1) return std::nullopt;
  if (arrow::is_base_binary_like(args[0]->type->id())) {
    return BoundFunction{{args[0]->type}, arrow::int32(), ByteLength<1>};
  }
  return BindStringToInt<ByteLength<1>>(args);
}

/// From 1, in characters; 0 if it isn't there.
Result<std::shared_ptr<Array>> StrPos(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  BytesValues texts(args[0]);
  BytesValues wanted(args[1]);
  return MapFixed<int32_t>(context, args, rows, [&](int64_t row) -> int32_t {
    size_t at = FindText(texts[row], wanted[row]);
    if (at == std::string_view::npos) return 0;
    return static_cast<int32_t>(CountCharacters(texts[row].substr(0, at))) + 1;
  });
}

enum class Where : uint8_t { kStart, kEnd, kAnywhere };

/// One text, not empty, in all rows.
Result<std::shared_ptr<Array>> SearchAll(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateEmptyBitmap(rows, context.pool));
  for (int64_t row : RowsContaining(BytesValues(args[0]), rows, BytesValues(args[1])[0])) {
    arrow::bit_util::SetBit(bits->mutable_data(), row);
  }
  return MakeBooleans(rows, std::move(bits), nulls.validity());
}

template <Where kWhere>
Result<std::shared_ptr<Array>> Search(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  BytesValues texts(args[0]);
  BytesValues wanted(args[1]);
  const bool is_one_text = !args[0].is_constant && args[1].is_constant && !IsNullAt(args[1], 0);
  if (kWhere == Where::kAnywhere && is_one_text && !wanted[0].empty()) {
    return SearchAll(context, args, rows);
  }
  return MapBooleans(context, args, rows, [&](int64_t row) {
    if (kWhere == Where::kStart) return texts[row].starts_with(wanted[row]);
    if (kWhere == Where::kEnd) return texts[row].ends_with(wanted[row]);
    return FindText(texts[row], wanted[row]) != std::string_view::npos;
  });
}

template <Kernel kKernel, const TypePtr& (*kType)()>
Bound BindTwoStrings(BindArgs args) {
  if (args.size() != 2 || !TakesString(*args[0]) || !TakesString(*args[1])) return std::nullopt;
  return BoundFunction{{StringTypeOf(*args[0]), StringTypeOf(*args[1])}, kType(), kKernel};
}

/// Tokens are what stands between characters that are neither letters nor digits.
std::vector<std::string_view> Tokens(std::string_view text) {
  auto is_token = [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte) != 0;
  };
  std::vector<std::string_view> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_token(text[end])) ++end;
    if (end > at) tokens.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return tokens;
}

Result<std::shared_ptr<Array>> ContainsTokens(const CallContext& context,
                                              std::span<const Operand> args, int64_t rows) {
  BytesValues texts(args[0]);
  BytesValues wanted(args[1]);
  return MapBooleans(context, args, rows, [&](int64_t row) {
    std::vector<std::string_view> tokens = Tokens(texts[row]);
    std::vector<std::string_view> needed = Tokens(wanted[row]);
    return std::all_of(needed.begin(), needed.end(), [&](std::string_view token) {
      return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
    });
  });
}

// ---- parts ----

/// Characters [begin, end) counted from 1; what lies outside of the text is empty.
std::string_view Characters(std::string_view text, int64_t begin, int64_t end) {
  begin = std::max<int64_t>(begin, 1);
  if (end <= begin) return {};
  text.remove_prefix(ByteOfCharacter(text, begin - 1));
  return text.substr(0, ByteOfCharacter(text, end - begin));
}

Result<std::shared_ptr<Array>> SubStr(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  BytesValues texts(args[0]);
  FixedValues<int64_t> starts(args[1]);
  bool has_length = args.size() > 2;
  FixedValues<int64_t> lengths(args[has_length ? 2 : 1]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string_view* out) {
    int64_t end = std::numeric_limits<int64_t>::max();
    if (has_length) {
      if (lengths[row] < 0) return UserError("negative length ", lengths[row], " of a substring");
      if (__builtin_add_overflow(starts[row], lengths[row], &end)) {
        end = std::numeric_limits<int64_t>::max();
      }
    }
    *out = Characters(texts[row], starts[row], end);
    return Status::OK();
  });
}

Bound BindSubStr(BindArgs args) {
  if (args.size() < 2 || args.size() > 3 || !TakesString(*args[0])) return std::nullopt;
  if (!std::all_of(args.begin() + 1, args.end(), [](auto& arg) { return TakesInteger(*arg); })) {
    return std::nullopt;
  }
  TypePtr type = StringTypeOf(*args[0]);
  BoundFunction bound{{type}, type, SubStr, /*can_fail=*/args.size() == 3};
  bound.arg_types.resize(args.size(), arrow::int64());
  return bound;
}

/// Where the last n characters begin; 0 if there are fewer.
size_t ByteOfLast(std::string_view text, uint64_t n) {
  size_t at = text.size();
  for (; n > 0 && at > 0; --n) {
    do {
      --at;
    } while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  }
  return at;
}

/// The first (or last) n characters; all but as many from the other end if n is negative.
template <bool kFromLeft>
Result<std::shared_ptr<Array>> Side(const CallContext& context, std::span<const Operand> args,
                                    int64_t rows) {
  BytesValues texts(args[0]);
  FixedValues<int64_t> counts(args[1]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string_view* out) {
    const std::string_view text = texts[row];
    const int64_t count = counts[row];
    const uint64_t size =
        count < 0 ? uint64_t{0} - static_cast<uint64_t>(count) : static_cast<uint64_t>(count);
    // No text has more characters than bytes.
    const auto most = static_cast<int64_t>(std::min<uint64_t>(size, text.size()));
    const size_t at = (count >= 0) == kFromLeft ? ByteOfCharacter(text, most)
                                                : ByteOfLast(text, static_cast<uint64_t>(most));
    *out = kFromLeft ? text.substr(0, at) : text.substr(at);
    return Status::OK();
  });
}

Result<std::shared_ptr<Array>> Repeat(const CallContext& context, std::span<const Operand> args,
                                      int64_t rows) {
  constexpr uint64_t kMostBytes = 1u << 26;
  constexpr uint64_t kMostBytesOfRows = 1u << 30;
  BytesValues texts(args[0]);
  FixedValues<int64_t> counts(args[1]);
  auto count_of = [&](int64_t row) {
    return static_cast<uint64_t>(std::max<int64_t>(counts[row], 0));
  };
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  uint64_t bytes = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (nulls.IsNull(row) || texts[row].empty()) continue;
    if (count_of(row) > kMostBytes / texts[row].size()) {
      return UserError("repeat() would make a string of more than ", kMostBytes, " bytes");
    }
    bytes += count_of(row) * texts[row].size();
    if (bytes > kMostBytesOfRows) {
      return UserError("repeat() would make more than ", kMostBytesOfRows, " bytes of ", rows,
                       " rows");
    }
  }
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    const uint64_t count = count_of(row);
    out->reserve(count * texts[row].size());
    for (uint64_t i = 0; i < count && !texts[row].empty(); ++i) *out += texts[row];
    return Status::OK();
  });
}

template <Kernel kKernel, bool kCanFail>
Bound BindStringAndCount(BindArgs args) {
  if (args.size() != 2 || !TakesString(*args[0]) || !TakesInteger(*args[1])) return std::nullopt;
  TypePtr type = StringTypeOf(*args[0]);
  return BoundFunction{{type, arrow::int64()}, type, kKernel, kCanFail};
}

/// The n-th part from 1, or an empty text.
std::string_view PartFromStart(std::string_view text, std::string_view delimiter, int64_t n) {
  for (; n > 1; --n) {
    const size_t at = FindText(text, delimiter);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + delimiter.size());
  }
  return text.substr(0, FindText(text, delimiter));
}

int64_t CountParts(std::string_view text, std::string_view delimiter) {
  int64_t parts = 1;
  for (size_t at = 0; (at = FindText(text, delimiter)) != std::string_view::npos; ++parts) {
    text.remove_prefix(at + delimiter.size());
  }
  return parts;
}

/// The n-th of the parts between delimiters, from 1; from the end if n is negative.
Result<std::shared_ptr<Array>> SplitPart(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  BytesValues texts(args[0]);
  BytesValues delimiters(args[1]);
  FixedValues<int64_t> positions(args[2]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string_view* out) {
    int64_t n = positions[row];
    if (n == 0) return UserError("split_part() counts from 1, or from -1 backwards, not from 0");
    const std::string_view text = texts[row];
    const std::string_view delimiter = delimiters[row];
    if (delimiter.empty()) {
      if (n == 1 || n == -1) *out = text;
      return Status::OK();
    }
    if (n < 0) {
      n += CountParts(text, delimiter) + 1;
      if (n < 1) return Status::OK();
    }
    *out = PartFromStart(text, delimiter, n);
    return Status::OK();
  });
}

Bound BindSplitPart(BindArgs args) {
  if (args.size() != 3 || !TakesString(*args[0]) || !TakesString(*args[1]) ||
      !TakesInteger(*args[2])) {
    return std::nullopt;
  }
  TypePtr type = StringTypeOf(*args[0]);
  return BoundFunction{{type, StringTypeOf(*args[1]), arrow::int64()}, type, SplitPart, true};
}

// ---- replacing ----

Result<std::shared_ptr<Array>> Replace(const CallContext& context, std::span<const Operand> args,
                                       int64_t rows) {
  BytesValues texts(args[0]);
  BytesValues wanted(args[1]);
  BytesValues replacements(args[2]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    std::string_view left = texts[row];
    if (wanted[row].empty()) {
      // Between all characters, and at both ends.
      *out = replacements[row];
      while (!left.empty()) {
        size_t bytes = CharacterBytes(left);
        *out += left.substr(0, bytes);
        *out += replacements[row];
        left.remove_prefix(bytes);
      }
      return Status::OK();
    }
    while (true) {
      size_t at = FindText(left, wanted[row]);
      *out += left.substr(0, at);
      if (at == std::string_view::npos) return Status::OK();
      *out += replacements[row];
      left.remove_prefix(at + wanted[row].size());
    }
  });
}

/// What becomes of each byte: itself, another one, or kGone.
class ByteMap {
 public:
  static constexpr int16_t kGone = -1;

  ByteMap(std::string_view from, std::string_view to) {
    for (size_t i = 0; i < map_.size(); ++i) map_[i] = static_cast<int16_t>(i);
    for (size_t i = from.size(); i-- > 0;) {
      // The first of equal ones counts.
      map_[static_cast<unsigned char>(from[i])] =
          i < to.size() ? static_cast<int16_t>(static_cast<unsigned char>(to[i])) : kGone;
    }
    keeps_length_ = std::find(map_.begin(), map_.end(), kGone) == map_.end();
  }

  bool keeps_length() const { return keeps_length_; }
  int16_t operator[](char c) const { return map_[static_cast<unsigned char>(c)]; }

 private:
  std::array<int16_t, 256> map_;
  bool keeps_length_ = true;
};

/// With characters of ASCII; those of the texts may be any.
Result<std::shared_ptr<Array>> TranslateBytes(const CallContext& context,
                                              std::span<const Operand> args, int64_t rows) {
  const ByteMap map{BytesValues(args[1])[0], BytesValues(args[2])[0]};
  if (map.keeps_length()) {
    ARROW_ASSIGN_OR_RAISE(
        auto changed, ChangeAscii<true>(context, args[0], [&](std::string_view text, char* out) {
          std::transform(text.begin(), text.end(), out,
                         [&](char c) { return static_cast<char>(map[c]); });
        }));
    if (changed != nullptr) return changed;
  }
  BytesValues texts(args[0]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    for (char c : texts[row]) {
      if (map[c] != ByteMap::kGone) *out += static_cast<char>(map[c]);
    }
    return Status::OK();
  });
}

bool IsAsciiConstant(const Operand& operand) {
  return operand.is_constant && operand.array->IsValid(0) && IsAscii(BytesValues(operand)[0]);
}

/// What becomes of each character: itself, another one, or nothing.
class CharacterMap {
 public:
  CharacterMap() = default;
  CharacterMap(std::string_view from, std::string_view to) {
    while (!from.empty()) {
      const size_t bytes = CharacterBytes(from);
      const size_t to_bytes = to.empty() ? 0 : CharacterBytes(to);
      // The first of equal ones counts.
      map_.emplace(from.substr(0, bytes), to.substr(0, to_bytes));
      begins_[static_cast<unsigned char>(from[0])] = true;
      from.remove_prefix(bytes);
      to.remove_prefix(to_bytes);
    }
  }

  std::string_view operator[](std::string_view character) const {
    if (!begins_[static_cast<unsigned char>(character[0])]) return character;
    auto found = map_.find(character);
    return found == map_.end() ? character : found->second;
  }

 private:
  std::unordered_map<std::string_view, std::string_view> map_;
  std::array<bool, 256> begins_{};  // bytes that one of its characters begins with
};

/// Each character of `from` becomes the one at the same place in `to`, or goes.
Result<std::shared_ptr<Array>> Translate(const CallContext& context, std::span<const Operand> args,
                                         int64_t rows) {
  if (IsAsciiConstant(args[1]) && IsAsciiConstant(args[2])) {
    return TranslateBytes(context, args, rows);
  }
  BytesValues texts(args[0]);
  BytesValues from(args[1]);
  BytesValues to(args[2]);
  const bool is_one_map = args[1].is_constant && args[2].is_constant;
  CharacterMap map;
  if (is_one_map && args[1].array->IsValid(0) && args[2].array->IsValid(0)) {
    map = CharacterMap(from[0], to[0]);
  }
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    if (!is_one_map) map = CharacterMap(from[row], to[row]);
    for (std::string_view left = texts[row]; !left.empty();) {
      const std::string_view character = left.substr(0, CharacterBytes(left));
      left.remove_prefix(character.size());
      *out += map[character];
    }
    return Status::OK();
  });
}

template <Kernel kKernel>
Bound BindThreeStrings(BindArgs args) {
  if (args.size() != 3) return std::nullopt;
  BoundFunction bound{{}, StringTypeOf(*args[0]), kKernel};
  for (const ExprPtr& arg : args) {
    if (!TakesString(*arg)) return std::nullopt;
    bound.arg_types.push_back(StringTypeOf(*arg));
  }
  return bound;
}

constexpr Function kFunctions[] = {
    {"upper", "upper(string)", BindStringToString<Upper>},
    {"lower", "lower(string)", BindStringToString<Lower>},
    {"initcap", "initcap(string)", BindStringToString<InitCap>},
    {"reverse", "reverse(string)", BindStringToString<Reverse>},
    {"trim", "trim(string[, characters])", BindTrim<Trim<true, true>>},
    {"btrim", "btrim(string[, characters])", BindTrim<Trim<true, true>>},
    {"ltrim", "ltrim(string[, characters])", BindTrim<Trim<true, false>>},
    {"rtrim", "rtrim(string[, characters])", BindTrim<Trim<false, true>>},
    {"concat", "concat(value, …)", BindConcat<Concat, 1>},
    {"||", "value || value", BindConcatOperator},
    {"concat_ws", "concat_ws(separator, value, …)", BindConcat<ConcatWithSeparator, 2>},
    {"length", "length(string)", BindLength},
    {"char_length", "char_length(string)", BindStringToInt<CharLength>},
    {"character_length", "character_length(string)", BindStringToInt<CharLength>},
    {"octet_length", "octet_length(string)", BindOctetLength},
    {"bit_length", "bit_length(string)", BindStringToInt<ByteLength<8>>},
    {"ascii", "ascii(string)", BindStringToInt<Ascii>},
    {"strpos", "strpos(string, string)", BindTwoStrings<StrPos, arrow::int32>},
    {"position", "position(string, string)", BindTwoStrings<StrPos, arrow::int32>},
    {"instr", "instr(string, string)", BindTwoStrings<StrPos, arrow::int32>},
    {"starts_with", "starts_with(string, string)",
     BindTwoStrings<Search<Where::kStart>, arrow::boolean>},
    {"ends_with", "ends_with(string, string)", BindTwoStrings<Search<Where::kEnd>, arrow::boolean>},
    {"contains", "contains(string, string)",
     BindTwoStrings<Search<Where::kAnywhere>, arrow::boolean>},
    {"contains_tokens", "contains_tokens(string, string)",
     BindTwoStrings<ContainsTokens, arrow::boolean>},
    {"substr", "substr(string, start[, length])", BindSubStr},
    {"substring", "substring(string, start[, length])", BindSubStr},
    {"left", "left(string, count)", BindStringAndCount<Side<true>, false>},
    {"right", "right(string, count)", BindStringAndCount<Side<false>, false>},
    {"repeat", "repeat(string, count)", BindStringAndCount<Repeat, true>},
    {"split_part", "split_part(string, delimiter, number)", BindSplitPart},
    {"replace", "replace(string, from, to)", BindThreeStrings<Replace>},
    {"translate", "translate(string, from, to)", BindThreeStrings<Translate>},
};

}  // namespace

std::span<const Function> StringFunctions() { return kFunctions; }

}  // namespace lance::query
