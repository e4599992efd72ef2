#include "query/expr/function.h"
#include "query/expr/kernel/text_output.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {
namespace {

using arrow::Array;

/// `count` characters of the fill text, over and over.
void AppendFill(std::string_view fill, int64_t count, std::string* out) {
  if (fill.size() == 1) {
    out->append(static_cast<size_t>(count), fill[0]);
    return;
  }
  int64_t length = CountCharacters(fill);
  for (; count >= length; count -= length) *out += fill;
  *out += fill.substr(0, ByteOfCharacter(fill, count));
}

/// Cuts a text to a length, or fills it up on one side.
template <bool kLeft>
Result<std::shared_ptr<Array>> Pad(const CallContext& context, std::span<const Operand> args,
                                   int64_t rows) {
  constexpr int64_t kMostCharacters = 1 << 24;
  BytesValues texts(args[0]);
  FixedValues<int64_t> lengths(args[1]);
  bool has_fill = args.size() > 2;
  BytesValues fills(args[has_fill ? 2 : 0]);
  return MapTexts(context, args, rows, [&](int64_t row, std::string* out) {
    int64_t wanted = std::max<int64_t>(lengths[row], 0);
    if (wanted > kMostCharacters) {
      return UserError("padding to ", wanted, " characters, more than ", kMostCharacters);
    }
    std::string_view fill = has_fill ? fills[row] : std::string_view(" ");
    int64_t missing = wanted - CountCharacters(texts[row]);
    if (missing <= 0) {
      *out = texts[row].substr(0, ByteOfCharacter(texts[row], wanted));
      return Status::OK();
    }
    if (fill.empty()) missing = 0;
    if (kLeft && missing > 0) AppendFill(fill, missing, out);
    *out += texts[row];
    if (!kLeft && missing > 0) AppendFill(fill, missing, out);
    return Status::OK();
  });
}

template <Kernel kKernel>
std::optional<BoundFunction> BindPad(std::span<const ExprPtr> args) {
  if (args.size() < 2 || args.size() > 3) return std::nullopt;
  if (!TakesString(*args[0]) || !TakesInteger(*args[1])) return std::nullopt;
  TypePtr type = StringTypeOf(*args[0]);
  BoundFunction bound{{type, arrow::int64()}, type, kKernel, /*can_fail=*/true};
  if (args.size() == 2) return bound;
  if (!TakesString(*args[2])) return std::nullopt;
  bound.arg_types.push_back(StringTypeOf(*args[2]));
  return bound;
}

constexpr Function kFunctions[] = {
    {"lpad", "lpad(string, length[, fill])", BindPad<Pad<true>>},
    {"rpad", "rpad(string, length[, fill])", BindPad<Pad<false>>},
};

}  // namespace

std::span<const Function> PadFunctions() { return kFunctions; }

}  // namespace lance::query
