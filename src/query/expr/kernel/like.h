#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "query/expr/kernel/operand.h"

namespace lance::query {

/// The pattern of LIKE: `%` stands for any characters, `_` for one. Matching takes at most
/// text · pattern steps.
class LikePattern {
 public:
  /// `escape` makes what follows a plain character; at the end it is one itself.
  LikePattern(std::string_view pattern, char escape);

  bool Matches(std::string_view text) const;

  /// Text that every match has in it, if the pattern begins and ends with `%`; else empty.
  std::string_view InnerLiteral() const;
  /// Whether every text with InnerLiteral() in it matches.
  bool IsInnerLiteral() const { return pieces_.size() == 3; }

 private:
  /// A run between two `%`: bytes, and places of one character each.
  struct Piece {
    std::string bytes;
    std::vector<size_t> single;  ///< `_` stands before these bytes

    bool IsEmpty() const { return bytes.empty() && single.empty(); }
  };

  /// Bytes that the piece takes at the start of `text`, or npos.
  static size_t MatchAt(const Piece& piece, std::string_view text);
  /// Takes the piece's first match and all before it off the text.
  static bool Skip(const Piece& piece, std::string_view* text);
  static bool MatchesEnd(const Piece& piece, std::string_view text);

  std::vector<Piece> pieces_;
};

/// like(text, pattern, escape), where `escape` is the code of an ASCII character.
Kernel LikeKernel();

}  // namespace lance::query
