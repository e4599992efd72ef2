#include "query/expr/kernel/like.h"

#include "query/expr/kernel/reading.h"
#include "query/expr/kernel/substring_search.h"
#include "query/expr/kernel/utf8.h"

namespace lance::query {

LikePattern::LikePattern(std::string_view pattern, char escape) : pieces_(1) {
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    Piece& piece = pieces_.back();
    bool has_next = i + 1 < pattern.size();
    if (c == escape && has_next) {
      piece.bytes += pattern[++i];
    } else if (c == '%') {
      // Several are like one.
      if (pieces_.size() == 1 || !piece.IsEmpty()) pieces_.emplace_back();
    } else if (c == '_') {
      piece.single.push_back(piece.bytes.size());
    } else {
      piece.bytes += c;
    }
  }
}

size_t LikePattern::MatchAt(const Piece& piece, std::string_view text) {
  size_t at = 0;
  size_t matched = 0;
  auto match_bytes = [&](size_t end) {
    std::string_view wanted = std::string_view(piece.bytes).substr(matched, end - matched);
    if (!text.substr(at).starts_with(wanted)) return false;
    at += wanted.size();
    matched = end;
    return true;
  };
  for (size_t before : piece.single) {
    if (!match_bytes(before) || at == text.size()) return std::string_view::npos;
    at += CharacterBytes(text.substr(at));
  }
  return match_bytes(piece.bytes.size()) ? at : std::string_view::npos;
}

bool LikePattern::Skip(const Piece& piece, std::string_view* text) {
  if (piece.single.empty()) {
    size_t found = FindText(*text, piece.bytes);
    if (found == std::string_view::npos) return false;
    text->remove_prefix(found + piece.bytes.size());
    return true;
  }
  while (true) {
    size_t bytes = MatchAt(piece, *text);
    if (bytes != std::string_view::npos) {
      text->remove_prefix(bytes);
      return true;
    }
    if (text->empty()) return false;
    text->remove_prefix(CharacterBytes(*text));
  }
}

bool LikePattern::MatchesEnd(const Piece& piece, std::string_view text) {
  if (piece.single.empty()) return text.ends_with(piece.bytes);
  // As many characters from the end as the piece has.
  auto count = CountCharacters(piece.bytes) + static_cast<int64_t>(piece.single.size());
  int64_t total = CountCharacters(text);
  if (total < count) return false;
  text.remove_prefix(ByteOfCharacter(text, total - count));
  return MatchAt(piece, text) == text.size();
}

bool LikePattern::Matches(std::string_view text) const {
  size_t bytes = MatchAt(pieces_.front(), text);
  if (bytes == std::string_view::npos) return false;
  if (pieces_.size() == 1) return bytes == text.size();
  text.remove_prefix(bytes);
  for (size_t i = 1; i + 1 < pieces_.size(); ++i) {
    if (!Skip(pieces_[i], &text)) return false;
  }
  return MatchesEnd(pieces_.back(), text);
}

std::string_view LikePattern::InnerLiteral() const {
  std::string_view longest;
  if (!pieces_.front().IsEmpty() || !pieces_.back().IsEmpty()) return longest;
  for (const Piece& piece : pieces_) {
    if (piece.single.empty() && piece.bytes.size() > longest.size()) longest = piece.bytes;
  }
  return longest;
}

namespace {

/// Only the rows that have the pattern's longest literal are looked at.
Result<std::shared_ptr<arrow::Array>> MatchWithLiteral(const CallContext& context,
                                                       std::span<const Operand> args, int64_t rows,
                                                       const LikePattern& pattern) {
  BytesValues texts(args[0]);
  ARROW_ASSIGN_OR_RAISE(RowNulls nulls, RowNulls::Of(context.pool, args, rows));
  ARROW_ASSIGN_OR_RAISE(std::shared_ptr<arrow::Buffer> bits,
                        arrow::AllocateEmptyBitmap(rows, context.pool));
  for (int64_t row : RowsContaining(texts, rows, pattern.InnerLiteral())) {
    if (pattern.IsInnerLiteral() || pattern.Matches(texts[row])) {
      arrow::bit_util::SetBit(bits->mutable_data(), row);
    }
  }
  return MakeBooleans(rows, std::move(bits), nulls.validity());
}

Result<std::shared_ptr<arrow::Array>> Like(const CallContext& context,
                                           std::span<const Operand> args, int64_t rows) {
  BytesValues texts(args[0]);
  BytesValues patterns(args[1]);
  auto escape = static_cast<char>(FixedValues<int64_t>(args[2])[0]);
  if (!args[1].is_constant) {
    return MapBooleans(context, args, rows, [&](int64_t row) {
      return LikePattern(patterns[row], escape).Matches(texts[row]);
    });
  }
  LikePattern pattern(args[1].array->IsNull(0) ? std::string_view() : patterns[0], escape);
  if (!args[0].is_constant && !pattern.InnerLiteral().empty()) {
    return MatchWithLiteral(context, args, rows, pattern);
  }
  return MapBooleans(context, args, rows, [&](int64_t row) { return pattern.Matches(texts[row]); });
}

}  // namespace

Kernel LikeKernel() { return Like; }

}  // namespace lance::query
