#include "encoding/codec/fsst_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/byte_reader.h"

namespace lance::encoding {
namespace {

constexpr size_t kMaxSymbols = 255;
constexpr uint32_t kMaxSymbolBytes = 8;
/// Strings compressed side by side: each waits for its own chain of loads.
constexpr uint64_t kLanes = 4;
/// Strings of so many bytes are compressed at a time, to memory that stays in the cache.
constexpr uint64_t kGroupBytes = 65536;
constexpr uint64_t kMiddleBytes = 3;
constexpr uint64_t kLongBytes = 5;

// Parts (of 128) of the sample that the rounds of learning look at. Symbols double their length in
// a round at best, and the choice among them takes some more; early rounds needn't count as
// exactly.
constexpr uint32_t kUsualRounds[] = {4, 8, 16, 32, 64, 128, 128};
constexpr uint32_t kHighRounds[] = {4, 8, 16, 32, 64, 128, 128, 128, 128, 128};
constexpr uint32_t kAdaptRounds[] = {128, 128};
constexpr uint32_t kWholeSample = 128;

uint64_t LoadUpTo8(const uint8_t* data, uint64_t size) {
  if (size >= 8) return LoadLittleEndian<uint64_t>(data);
  uint64_t word = 0;
  std::memcpy(&word, data, size);
  return word;
}

// A slot for the first `length` bytes of a word.
template <uint64_t length, uint32_t bits>
uint32_t SlotOf(uint64_t word) {
  return static_cast<uint32_t>((word << (64 - 8 * length)) * 0x9E3779B97F4A7C15u >> (64 - bits));
}

uint64_t MaskOf(uint64_t length) {
  return length >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * length) - 1;
}

uint64_t WordOf(std::string_view symbol) {
  return LoadUpTo8(reinterpret_cast<const uint8_t*>(symbol.data()), symbol.size());
}

std::string_view AsView(const uint64_t& word, uint64_t length) {
  return {reinterpret_cast<const char*>(&word), length};
}

struct Candidate {
  uint64_t word = 0;
  uint32_t length = 0;
  uint32_t gain = 0;
};

// What each string of up to 8 bytes would save. An index by open addressing over the candidates:
// their number + 1, 0 for free places.
class Gains {
 public:
  // Room for so many strings, and none of them there.
  void Reset(uint64_t most) {
    candidates_.clear();
    index_.assign(std::bit_ceil(2 * most), 0);
    shift_ = 64 - std::countr_zero(index_.size());
  }

  void Add(uint64_t word, uint32_t length, uint32_t gain) {
    uint64_t at = (word + length * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u >> shift_;
    for (; index_[at] != 0; at = (at + 1) & (index_.size() - 1)) {
      Candidate& candidate = candidates_[index_[at] - 1];
      if (candidate.word != word || candidate.length != length) continue;
      candidate.gain += gain;
      return;
    }
    candidates_.push_back({word, length, gain});
    index_[at] = static_cast<uint32_t>(candidates_.size());
  }

  std::vector<Candidate>& candidates() { return candidates_; }

 private:
  std::vector<Candidate> candidates_;
  std::vector<uint32_t> index_;
  int shift_ = 0;
};

// Learns symbols in rounds: the sample is cut with the table so far, and the next table is made of
// its most useful tokens and of concatenations of two neighbours.
class Trainer {
 public:
  explicit Trainer(std::span<const std::string_view> sample) : sample_(sample) {
    pair_counts_.resize(kTokens * kTokens);
  }

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
    gains_.Reset(kTokens + touched_pairs_.size());
    const uint64_t least = std::max<uint64_t>(1, 3 * part / kWholeSample);
    const std::vector<Candidate> tokens = Tokens(symbols);
    for (uint32_t token = 0; token < kTokens; ++token) {
      if (counts_[token] < least) continue;
      // A single byte saves the escape in front of it, and makes the table robust.
      const auto [word, length, _] = tokens[token];
      gains_.Add(word, length, counts_[token] * (length == 1 ? 8 : length));
    }
    for (uint32_t key : touched_pairs_) {
      if (pair_counts_[key] < least) continue;
      const Candidate& first = tokens[key / kTokens];
      const Candidate& second = tokens[key % kTokens];
      if (first.length >= kMaxSymbolBytes) continue;
      const uint32_t length = std::min(kMaxSymbolBytes, first.length + second.length);
      const uint64_t word = (first.word | second.word << 8 * first.length) & MaskOf(length);
      gains_.Add(word, length, pair_counts_[key] * length);
    }
    return TakeBest();
  }

 private:
  // Tokens are codes of symbols, and from kSingle on bytes by themselves.
  static constexpr uint32_t kSingle = 256;
  static constexpr uint32_t kTokens = 512;

  // The bytes of each token.
  static std::vector<Candidate> Tokens(const std::vector<std::string>& symbols) {
    std::vector<Candidate> tokens(kTokens);
    for (size_t code = 0; code < symbols.size(); ++code) {
      tokens[code].word = WordOf(symbols[code]);
      tokens[code].length = static_cast<uint32_t>(symbols[code].size());
    }
    for (uint32_t byte = 0; byte < 256; ++byte) tokens[kSingle + byte] = {byte, 1};
    return tokens;
  }

  void CountString(const FsstEncoder& table, std::string_view text, bool pairs) {
    const auto* at = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* end = at + text.size();
    bool first = true;
    uint32_t previous = 0;
    while (at < end) {
      const auto remaining = static_cast<uint64_t>(end - at);
      const FsstEncoder::Match match = table.Find(LoadUpTo8(at, remaining));
      const uint32_t single = kSingle + *at;
      const uint32_t token = match.code() == FsstEncoder::kEscape ? single : match.code();
      ++counts_[token];
      if (match.length() > 1) ++counts_[single];
      if (pairs && !first) {
        CountPair(previous, token);
        if (match.length() > 1) CountPair(previous, single);
      }
      first = false;
      previous = token;
      at += match.length();
    }
  }

  void CountPair(uint32_t first, uint32_t second) {
    const uint32_t key = first * kTokens + second;
    if (pair_counts_[key]++ == 0) touched_pairs_.push_back(key);
  }

  std::vector<std::string> TakeBest() {
    std::vector<Candidate>& candidates = gains_.candidates();
    // A total order, so that the table doesn't depend on where the candidates stand.
    auto better = [](const Candidate& a, const Candidate& b) {
      if (a.gain != b.gain) return a.gain > b.gain;
      return std::pair(a.length, a.word) < std::pair(b.length, b.word);
    };
    // Some more than there are codes: not all find a slot.
    const size_t count = std::min(6 * kMaxSymbols, candidates.size());
    const auto end = candidates.begin() + static_cast<ptrdiff_t>(count);
    std::nth_element(candidates.begin(), end, candidates.end(), better);
    std::sort(candidates.begin(), end, better);
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
  Gains gains_;
};

}  // namespace

FsstEncoder FsstEncoder::Train(std::span<const std::string_view> sample, Effort effort) {
  std::span<const uint32_t> rounds = kUsualRounds;
  if (effort == Effort::kHigh) rounds = kHighRounds;
  return Learn(sample, {}, rounds);
}

FsstEncoder FsstEncoder::Adapt(std::span<const std::string> symbols,
                               std::span<const std::string_view> sample) {
  return Learn(sample, symbols, kAdaptRounds);
}

FsstEncoder FsstEncoder::Learn(std::span<const std::string_view> sample,
                               std::span<const std::string> symbols,
                               std::span<const uint32_t> rounds) {
  Trainer trainer(sample);
  std::vector<std::string> candidates(symbols.begin(), symbols.end());
  for (uint32_t part : rounds) {
    const FsstEncoder table(candidates);
    trainer.Count(table, part, /*pairs=*/true);
    candidates = trainer.BestSymbols(table.symbols_, part);
  }
  // A last look without new concatenations: what is no longer used makes room for single bytes.
  const FsstEncoder table(candidates);
  trainer.Count(table, kWholeSample, /*pairs=*/false);
  return FsstEncoder(trainer.BestSymbols(table.symbols_, kWholeSample));
}

FsstEncoder::FsstEncoder(std::span<const std::string> candidates) {
  one_byte_.fill({kEscape, 1});
  long_.fill(kNone);
  middle_.fill(kNone);
  for (const std::string& candidate : candidates) {
    if (symbols_.size() == kMaxSymbols) break;
    if (Insert(candidate)) symbols_.push_back(candidate);
  }
  FillTwoBytes();
}

bool FsstEncoder::Insert(const std::string& symbol) {
  const auto* data = reinterpret_cast<const uint8_t*>(symbol.data());
  const Match match = {static_cast<uint8_t>(symbols_.size()), symbol.size()};
  if (symbol.size() == 1) {
    one_byte_[data[0]] = match;
    return true;
  }
  if (symbol.find('\0') != std::string::npos) return false;
  if (symbol.size() < kMiddleBytes) return true;
  const uint64_t word = LoadUpTo8(data, symbol.size());
  const bool is_long = symbol.size() >= kLongBytes;
  SlotTable& table = is_long ? long_ : middle_;
  const uint32_t slot =
      is_long ? SlotOf<kLongBytes, kHashBits>(word) : SlotOf<kMiddleBytes, kHashBits>(word);
  if (table[slot] != kNone) return false;
  table[slot] = match.code();
  keys_[match.code()] = {MaskOf(symbol.size()), word};
  matches_[match.code()] = match;
  return true;
}

void FsstEncoder::FillTwoBytes() {
  two_bytes_.resize(65536);
  for (auto at = two_bytes_.begin(); at != two_bytes_.end();) {
    at = std::copy(one_byte_.begin(), one_byte_.end(), at);
  }
  for (size_t code = 0; code < symbols_.size(); ++code) {
    if (symbols_[code].size() != 2) continue;
    two_bytes_[LoadLittleEndian<uint16_t>(AsBytes(symbols_[code]).data())] = {
        static_cast<uint8_t>(code), 2};
  }
}

inline FsstEncoder::Match FsstEncoder::Find(uint64_t word) const {
  const uint8_t longer = long_[SlotOf<kLongBytes, kHashBits>(word)];
  const uint8_t middle = middle_[SlotOf<kMiddleBytes, kHashBits>(word)];
  return two_bytes_[word & 0xFFFF]
      .OrIf(keys_[middle].Matches(word), matches_[middle])
      .OrIf(keys_[longer].Matches(word), matches_[longer]);
}

uint64_t FsstEncoder::Compress(const uint8_t* text, uint64_t size, uint8_t* out) const {
  const uint8_t* at = text;
  const uint8_t* end = text + size;
  uint8_t* to = out;
  while (at < end) {
    const Match match = Find(LoadUpTo8(at, static_cast<uint64_t>(end - at)));
    // The byte behind the code only stays if the code is the escape.
    to[0] = match.code();
    to[1] = *at;
    to += match.code() == kEscape ? 2 : 1;
    at += match.length();
  }
  return static_cast<uint64_t>(to - out);
}

// Compresses one string after the other, a symbol at a time.
template <typename Offset>
class FsstEncoder::Lane {
 public:
  // Strings [first, last); `out` is where the lane's bytes go, `out_offsets` count from there.
  Lane(const Offset* offsets, uint64_t first, uint64_t last, const uint8_t* bytes,
       Offset* out_offsets, uint8_t* out)
      : offsets_(offsets),
        bytes_(bytes),
        out_offsets_(out_offsets),
        out_(out),
        to_(out),
        at_(bytes + offsets[first]),
        end_(at_),
        next_(first),
        last_(last) {}

  // False once the string at hand is at its end.
  bool has_text() const { return at_ < end_; }
  // Goes on with the next string that isn't empty; false if there is none.
  bool NextString() {
    while (next_ < last_) {
      out_offsets_[next_] = static_cast<Offset>(to_ - out_);
      end_ = bytes_ + offsets_[++next_];
      if (at_ < end_) return true;
    }
    return false;
  }
  uint64_t size() const { return static_cast<uint64_t>(to_ - out_); }
  uint8_t* out() const { return out_; }

  // `readable_end` is where the bytes of all strings end.
  void Step(const FsstEncoder& encoder, const uint8_t* readable_end) {
    uint64_t word = LoadUpTo8(at_, static_cast<uint64_t>(readable_end - at_));
    const uint64_t beyond = 8 - std::min<uint64_t>(8, static_cast<uint64_t>(end_ - at_));
    word = word << 8 * beyond >> 8 * beyond;
    const Match match = encoder.Find(word);
    // The byte behind the code only stays if the code is the escape.
    to_[0] = match.code();
    to_[1] = static_cast<uint8_t>(word);
    to_ += 1 + static_cast<uint64_t>(match.code() == kEscape);
    at_ += match.length();
  }

 private:
  const Offset* offsets_;
  const uint8_t* bytes_;
  Offset* out_offsets_;
  uint8_t* out_;
  uint8_t* to_;
  const uint8_t* at_;
  const uint8_t* end_;
  uint64_t next_;
  uint64_t last_;
};

template <typename Offset>
uint64_t FsstEncoder::CompressGroup(const Offset* offsets, uint64_t count, const uint8_t* bytes,
                                    const uint8_t* readable_end, Offset* out_offsets,
                                    uint8_t* out) const {
  // Each lane writes where its strings would go if all bytes doubled.
  auto lane_of = [&](uint64_t index) {
    const uint64_t first = count * index / kLanes;
    const uint64_t last = count * (index + 1) / kLanes;
    uint8_t* to = out + MaxCompressedSize(offsets[first] - offsets[0]);
    return Lane<Offset>(offsets, first, last, bytes, out_offsets, to);
  };
  Lane<Offset> lanes[kLanes] = {lane_of(0), lane_of(1), lane_of(2), lane_of(3)};
  bool all = true;
  for (Lane<Offset>& lane : lanes) all = lane.NextString() && all;
  while (all) {
    for (Lane<Offset>& lane : lanes) lane.Step(*this, readable_end);
    for (Lane<Offset>& lane : lanes) {
      if (!lane.has_text() && !lane.NextString()) all = false;
    }
  }
  for (Lane<Offset>& lane : lanes) {
    while (lane.has_text() || lane.NextString()) lane.Step(*this, readable_end);
  }
  uint64_t size = 0;
  for (uint64_t index = 0; index < kLanes; ++index) {
    std::memmove(out + size, lanes[index].out(), lanes[index].size());
    const uint64_t last = count * (index + 1) / kLanes;
    for (uint64_t i = count * index / kLanes; i < last; ++i) {
      out_offsets[i] += static_cast<Offset>(size);
    }
    size += lanes[index].size();
  }
  return size;
}

template <typename Offset>
bool FsstEncoder::CompressAll(const Offset* offsets, uint64_t count, const uint8_t* bytes,
                              Offset* out_offsets, std::span<uint8_t> out) const {
  std::vector<uint8_t> scratch(MaxCompressedSize(kGroupBytes));
  uint64_t size = 0;
  for (uint64_t first = 0; first < count;) {
    const uint64_t limit = offsets[first] + kGroupBytes;
    const Offset* beyond = std::upper_bound(offsets + first + 1, offsets + count + 1, limit);
    const auto last = std::max(first + 1, static_cast<uint64_t>(beyond - offsets) - 1);
    const uint64_t most = MaxCompressedSize(offsets[last] - offsets[first]);
    if (most > scratch.size()) scratch.resize(most);
    const uint64_t group =
        CompressGroup(offsets + first, last - first, bytes, bytes + offsets[count],
                      out_offsets + first, scratch.data());
    if (group > out.size() - size) return false;
    std::copy_n(scratch.begin(), group, out.begin() + static_cast<ptrdiff_t>(size));
    for (uint64_t i = first; i < last; ++i) out_offsets[i] += static_cast<Offset>(size);
    size += group;
    first = last;
  }
  out_offsets[count] = static_cast<Offset>(size);
  return true;
}

template bool FsstEncoder::CompressAll<uint32_t>(const uint32_t*, uint64_t, const uint8_t*,
                                                 uint32_t*, std::span<uint8_t>) const;
template bool FsstEncoder::CompressAll<uint64_t>(const uint64_t*, uint64_t, const uint8_t*,
                                                 uint64_t*, std::span<uint8_t>) const;

std::string FsstEncoder::SerializeTable() const {
  constexpr uint64_t kHeaderBytes = 8;
  std::string table(kFsstTableBytes, '\0');
  table[0] = static_cast<char>(symbols_.size());
  table[3] = 1;
  std::memcpy(table.data() + 4, "TSSF", 4);
  char* at = table.data() + kHeaderBytes;
  for (const std::string& symbol : symbols_) {
    std::copy(symbol.begin(), symbol.end(), at);
    at += kMaxSymbolBytes;
  }
  for (const std::string& symbol : symbols_) *at++ = static_cast<char>(symbol.size());
  return table;
}

}  // namespace lance::encoding
