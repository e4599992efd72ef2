#include "encoding/codec/fsst_encoder.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/byte_reader.h"

namespace lance::encoding {
namespace {

constexpr size_t kMaxSymbols = 255;
constexpr uint64_t kMaxSymbolBytes = 8;
/// A length that no string has left: `remaining` is cut to 8.
constexpr uint8_t kNeverLength = 9;

uint64_t LoadUpTo8(const uint8_t* data, uint64_t size) {
  if (size >= 8) return LoadLittleEndian<uint64_t>(data);
  uint64_t word = 0;
  std::memcpy(&word, data, size);
  return word;
}

uint64_t MaskOf(uint64_t length) {
  return length >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * length) - 1;
}

std::string_view AsView(const uint64_t& word, uint64_t length) {
  return {reinterpret_cast<const char*>(&word), length};
}

// Learns symbols in rounds: the sample is cut with the table so far, and the next table is made of
// its most useful tokens and of concatenations of two neighbours.
class Trainer {
 public:
  explicit Trainer(std::span<const std::string_view> sample) : sample_(sample) {
    pair_counts_.resize(kTokens * kTokens);
  }

  // Parts (of 128) of the sample that the rounds look at; later rounds have better tables, so
  // that counting is worth more there.
  static constexpr uint32_t kRounds[] = {8, 38, 68, 98, 128};
  static constexpr uint32_t kWholeSample = 128;

  void Count(const FsstEncoder& table, uint32_t part, bool pairs) {
    std::fill(counts_.begin(), counts_.end(), 0);
    for (uint32_t key : touched_pairs_) pair_counts_[key] = 0;
    touched_pairs_.clear();
    for (size_t i = 0; i < sample_.size(); ++i) {
      // A cheap shuffle: neighbouring strings are often alike.
      if (part < kWholeSample && (i * 73 + 41) % kWholeSample >= part) continue;
      CountString(table, sample_[i], pairs);
    }
  }

  std::vector<std::string> BestSymbols(const std::vector<std::string>& symbols, uint32_t part) {
    gains_.clear();
    const uint64_t least = std::max<uint64_t>(1, 5 * part / kWholeSample);
    auto token_word = [&](uint32_t token, uint64_t* length) {
      if (token >= kSingle) {
        *length = 1;
        return uint64_t{token - kSingle};
      }
      *length = symbols[token].size();
      return LoadUpTo8(reinterpret_cast<const uint8_t*>(symbols[token].data()), *length);
    };
    for (uint32_t token = 0; token < kTokens; ++token) {
      if (counts_[token] < least) continue;
      uint64_t length;
      const uint64_t word = token_word(token, &length);
      // A single byte saves the escape in front of it, and makes the table robust.
      AddGain(word, length, length == 1 ? counts_[token] * 8 : counts_[token] * length);
    }
    for (uint32_t key : touched_pairs_) {
      if (pair_counts_[key] < least) continue;
      uint64_t first_length;
      uint64_t second_length;
      const uint64_t first = token_word(key / kTokens, &first_length);
      const uint64_t second = token_word(key % kTokens, &second_length);
      if (first_length >= kMaxSymbolBytes) continue;
      const uint64_t length = std::min(kMaxSymbolBytes, first_length + second_length);
      const uint64_t word = (first | second << 8 * first_length) & MaskOf(length);
      AddGain(word, length, pair_counts_[key] * length);
    }
    return TakeBest();
  }

 private:
  // Tokens are codes of symbols, and from kSingle on bytes by themselves.
  static constexpr uint32_t kSingle = 256;
  static constexpr uint32_t kTokens = 512;

  struct Candidate {
    uint64_t word;
    uint64_t length;
    uint64_t gain;
  };
  struct WordHash {
    size_t operator()(const std::pair<uint64_t, uint64_t>& key) const {
      return (key.first + key.second * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u >> 16;
    }
  };

  void CountString(const FsstEncoder& table, std::string_view text, bool pairs) {
    const auto* at = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* end = at + text.size();
    bool first = true;
    uint32_t previous = 0;
    while (at < end) {
      const auto remaining = static_cast<uint64_t>(end - at);
      const FsstEncoder::Match match = table.Find(LoadUpTo8(at, remaining), remaining);
      const uint32_t single = kSingle + *at;
      const uint32_t token = match.code == FsstEncoder::kEscape ? single : match.code;
      ++counts_[token];
      if (match.length > 1) ++counts_[single];
      if (pairs && !first) {
        CountPair(previous, token);
        if (match.length > 1) CountPair(previous, single);
      }
      first = false;
      previous = token;
      at += match.length;
    }
  }

  void CountPair(uint32_t first, uint32_t second) {
    const uint32_t key = first * kTokens + second;
    if (pair_counts_[key]++ == 0) touched_pairs_.push_back(key);
  }

  void AddGain(uint64_t word, uint64_t length, uint64_t gain) { gains_[{word, length}] += gain; }

  std::vector<std::string> TakeBest() {
    std::vector<Candidate> candidates;
    for (const auto& [key, gain] : gains_) candidates.push_back({key.first, key.second, gain});
    // A total order, so that the table doesn't depend on how the map hashes.
    auto better = [](const Candidate& a, const Candidate& b) {
      if (a.gain != b.gain) return a.gain > b.gain;
      return std::pair(a.length, a.word) < std::pair(b.length, b.word);
    };
    const size_t count = std::min(kMaxSymbols, candidates.size());
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(count),
                      candidates.end(), better);
    std::vector<std::string> symbols;
    for (size_t i = 0; i < count; ++i) {
      symbols.emplace_back(AsView(candidates[i].word, candidates[i].length));
    }
    return symbols;
  }

  std::span<const std::string_view> sample_;
  std::array<uint32_t, kTokens> counts_ = {};
  std::vector<uint32_t> pair_counts_;
  std::vector<uint32_t> touched_pairs_;
  std::unordered_map<std::pair<uint64_t, uint64_t>, uint64_t, WordHash> gains_;
};

}  // namespace

FsstEncoder FsstEncoder::Train(std::span<const std::string_view> sample) {
  Trainer trainer(sample);
  std::vector<std::string> symbols;
  for (uint32_t part : Trainer::kRounds) {
    trainer.Count(FsstEncoder(symbols), part, /*pairs=*/true);
    symbols = trainer.BestSymbols(symbols, part);
  }
  // A last look without new concatenations: what is no longer used makes room for single bytes.
  trainer.Count(FsstEncoder(symbols), Trainer::kWholeSample, /*pairs=*/false);
  return FsstEncoder(trainer.BestSymbols(symbols, Trainer::kWholeSample));
}

FsstEncoder::FsstEncoder(std::vector<std::string> symbols) : symbols_(std::move(symbols)) {
  one_byte_.fill({kEscape, 1});
  std::vector<uint8_t> long_codes;
  for (size_t code = 0; code < symbols_.size(); ++code) {
    const std::string& symbol = symbols_[code];
    if (symbol.size() >= 3) long_codes.push_back(static_cast<uint8_t>(code));
    if (symbol.size() == 1) {
      one_byte_[static_cast<uint8_t>(symbol[0])] = {static_cast<uint8_t>(code), 1};
    }
  }
  two_bytes_.resize(65536);
  for (uint32_t pair = 0; pair < two_bytes_.size(); ++pair) two_bytes_[pair] = one_byte_[pair & 255];
  for (size_t code = 0; code < symbols_.size(); ++code) {
    if (symbols_[code].size() != 2) continue;
    two_bytes_[LoadLittleEndian<uint16_t>(AsBytes(symbols_[code]).data())] = {
        static_cast<uint8_t>(code), 2};
  }
  auto word_of = [this](uint8_t code) {
    return LoadUpTo8(AsBytes(symbols_[code]).data(), symbols_[code].size());
  };
  std::sort(long_codes.begin(), long_codes.end(), [&](uint8_t a, uint8_t b) {
    const uint32_t hash_a = Hash(word_of(a));
    const uint32_t hash_b = Hash(word_of(b));
    if (hash_a != hash_b) return hash_a < hash_b;
    return symbols_[a].size() > symbols_[b].size();
  });
  long_symbols_.push_back({0, ~uint64_t{0}, kNeverLength, kEscape, true});
  uint32_t previous_hash = 1u << kHashBits;
  for (uint8_t code : long_codes) {
    const uint64_t word = word_of(code);
    const uint32_t hash = Hash(word);
    if (hash == previous_hash) {
      long_symbols_.back().last = false;
    } else {
      long_index_[hash] = static_cast<uint16_t>(long_symbols_.size());
    }
    previous_hash = hash;
    const auto length = static_cast<uint8_t>(symbols_[code].size());
    long_symbols_.push_back({word, MaskOf(length), length, code, true});
  }
}

uint32_t FsstEncoder::Hash(uint64_t word) {
  const auto prefix = static_cast<uint32_t>(word & 0xFFFFFF);
  return prefix * 2971215073u >> (32 - kHashBits);
}

inline FsstEncoder::Match FsstEncoder::Find(uint64_t word, uint64_t remaining) const {
  const uint64_t limit = std::min(remaining, kMaxSymbolBytes);
  const LongSymbol* symbol = &long_symbols_[long_index_[Hash(word)]];
  while (true) {
    if (((word ^ symbol->bytes) & symbol->mask) == 0 && symbol->length <= limit) {
      return {symbol->code, symbol->length};
    }
    if (symbol->last) break;
    ++symbol;
  }
  return remaining == 1 ? one_byte_[word & 0xFF] : two_bytes_[word & 0xFFFF];
}

uint64_t FsstEncoder::Compress(const uint8_t* text, uint64_t size, const uint8_t* readable_end,
                               uint8_t* out) const {
  const uint8_t* at = text;
  const uint8_t* end = text + size;
  uint8_t* to = out;
  while (at < end) {
    const auto readable = static_cast<uint64_t>(readable_end - at);
    const Match match = Find(LoadUpTo8(at, readable), static_cast<uint64_t>(end - at));
    // The byte behind the code only stays if the code is the escape.
    to[0] = match.code;
    to[1] = *at;
    to += match.code == kEscape ? 2 : 1;
    at += match.length;
  }
  return static_cast<uint64_t>(to - out);
}

std::string FsstEncoder::SerializeTable() const {
  constexpr uint64_t kHeaderBytes = 8;
  std::string table(kFsstTableBytes, '\0');
  table[0] = static_cast<char>(symbols_.size());
  table[3] = 1;
  std::memcpy(table.data() + 4, "TSSF", 4);
  char* at = table.data() + kHeaderBytes;
  for (const std::string& symbol : symbols_) {
    std::memcpy(at, symbol.data(), symbol.size());
    at += kMaxSymbolBytes;
  }
  for (const std::string& symbol : symbols_) *at++ = static_cast<char>(symbol.size());
  return table;
}

}  // namespace lance::encoding
