#include "query/expr/kernel/zone.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>

#include "query/expr/kernel/calendar.h"
#include "query/expr/kernel/zoned_times.h"

namespace lance::query {
namespace {

constexpr const char* kFolders[] = {"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo",
                                    "/usr/lib/zoneinfo", "/etc/zoneinfo"};
constexpr uintmax_t kMostFileBytes = 1 << 20;
constexpr int64_t kMostOffset = 26 * 3600;

// A file: header and data with times of 32 bits, which are skipped; header and data with times of
// 64 bits; a line with the rule for all later times.
// header: "TZif", version (1), 15 unused bytes, and six counts (uint32, big-endian):
//   marks of UTC, marks of standard time, leap seconds, times, types, characters
// data: times, type of each time (uint8), types (int32 offset, uint8 is summer, uint8 name),
//   characters, leap seconds (time, int32), marks of standard time, marks of UTC (uint8 each)

template <typename T>
Result<T> ReadBigEndian(ByteReader* reader, std::string_view what) {
  ARROW_ASSIGN_OR_RAISE(Bytes bytes, reader->ReadBytes(sizeof(T), what));
  std::make_unsigned_t<T> value = 0;
  for (uint8_t byte : bytes) {
    value = static_cast<std::make_unsigned_t<T>>(value << 8 | byte);
  }
  return static_cast<T>(value);
}

struct Header {
  uint64_t utc_marks = 0;
  uint64_t standard_marks = 0;
  uint64_t leap_seconds = 0;
  uint64_t times = 0;
  uint64_t types = 0;
  uint64_t characters = 0;

  static constexpr uint64_t kTypeBytes = 6;

  uint64_t BytesAfterTypes(uint64_t time_bytes) const {
    return characters + leap_seconds * (time_bytes + 4) + standard_marks + utc_marks;
  }
  uint64_t DataBytes(uint64_t time_bytes) const {
    return times * (time_bytes + 1) + types * kTypeBytes + BytesAfterTypes(time_bytes);
  }
};

Result<Header> ReadHeader(ByteReader* reader) {
  constexpr uint64_t kUnusedBytes = 15;
  ARROW_ASSIGN_OR_RAISE(Bytes magic, reader->ReadBytes(4, "the magic of a zone"));
  if (AsText(magic) != "TZif") return Corrupt("the file of a zone begins with TZif");
  ARROW_ASSIGN_OR_RAISE(auto version, reader->Read<uint8_t>("the version of a zone"));
  if (version < '2') return Unsupported("the file of a zone is of version 1, not 2 or later");
  ARROW_RETURN_NOT_OK(reader->ReadBytes(kUnusedBytes, "the header of a zone").status());
  Header header;
  for (uint64_t* count : {&header.utc_marks, &header.standard_marks, &header.leap_seconds,
                          &header.times, &header.types, &header.characters}) {
    ARROW_ASSIGN_OR_RAISE(*count, ReadBigEndian<uint32_t>(reader, "a count of a zone"));
  }
  return header;
}

/// `+02:00`, `-0330`, `+02`: seconds.
std::optional<int64_t> OffsetNamed(std::string_view name) {
  if (name == "Z") return 0;
  if (!name.starts_with('+') && !name.starts_with('-')) return std::nullopt;
  const int64_t sign = name[0] == '-' ? -1 : 1;
  std::string digits(name.substr(1));
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.size() == 2) digits += "00";
  const bool are_digits =
      digits.size() == 4 &&
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!are_digits) return std::nullopt;
  const int64_t hours = (digits[0] - '0') * 10 + (digits[1] - '0');
  const int64_t minutes = (digits[2] - '0') * 10 + (digits[3] - '0');
  if (hours > 23 || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes) * 60;
}

Result<Zone> ReadNamed(const std::string& name) {
  if (auto offset = OffsetNamed(name)) return Zone::OfOffset(*offset);
  // Also keeps paths in the folder.
  if (!IsZoneName(name)) return UserError("'", name, "' is not the name of a time zone");
  for (const char* folder : kFolders) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) continue;
    const uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size > kMostFileBytes) continue;
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return Zone::Parse(AsBytes(text));
  }
  if (name == "UTC") return Zone::OfOffset(0);
  return UserError("there is no time zone '", name, "' in ", kFolders[0]);
}

}  // namespace

Result<std::shared_ptr<const Zone>> Zone::Named(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Zone>> known;
  std::lock_guard lock(mutex);
  auto found = known.find(name);
  if (found != known.end()) return found->second;
  ARROW_ASSIGN_OR_RAISE(Zone zone, ReadNamed(name));
  return known[name] = std::make_shared<const Zone>(std::move(zone));
}

Zone Zone::OfOffset(int64_t seconds) {
  Zone zone;
  zone.offsets_ = {seconds};
  return zone;
}

Result<Zone> Zone::Parse(Bytes file) {
  ByteReader reader(file);
  ARROW_ASSIGN_OR_RAISE(Header old, ReadHeader(&reader));
  ARROW_RETURN_NOT_OK(
      reader.ReadBytes(old.DataBytes(sizeof(int32_t)), "times of 32 bits of a zone").status());
  ARROW_ASSIGN_OR_RAISE(Header header, ReadHeader(&reader));
  if (header.DataBytes(sizeof(int64_t)) > reader.remaining() || header.types == 0) {
    return Corrupt("a zone of ", header.times, " times and ", header.types, " types has ",
                   reader.remaining(), " bytes");
  }
  if (header.leap_seconds > 0) return Unsupported("zones that count leap seconds");
  Zone zone;
  zone.starts_.resize(header.times);
  for (int64_t& start : zone.starts_) {
    ARROW_ASSIGN_OR_RAISE(start, ReadBigEndian<int64_t>(&reader, "a time of a zone"));
  }
  if (!std::is_sorted(zone.starts_.begin(), zone.starts_.end())) {
    return Corrupt("the times of a zone are not in order");
  }
  ARROW_ASSIGN_OR_RAISE(Bytes type_of_time, reader.ReadBytes(header.times, "types of times"));
  std::vector<int64_t> type_offsets(header.types);
  for (int64_t& offset : type_offsets) {
    ARROW_ASSIGN_OR_RAISE(offset, ReadBigEndian<int32_t>(&reader, "an offset of a zone"));
    if (offset < -kMostOffset || offset > kMostOffset) {
      return Corrupt("clocks of a zone are ", offset, " seconds ahead of UTC");
    }
    ARROW_RETURN_NOT_OK(reader.Read<uint16_t>("a type of a zone").status());
  }
  // What was before the first time has the first type.
  zone.offsets_.push_back(type_offsets[0]);
  for (uint8_t type : type_of_time) {
    if (type >= header.types) return Corrupt("type ", +type, " of ", header.types, " of a zone");
    zone.offsets_.push_back(type_offsets[type]);
  }
  ARROW_RETURN_NOT_OK(
      reader.ReadBytes(header.BytesAfterTypes(sizeof(int64_t)), "names of a zone").status());
  ARROW_ASSIGN_OR_RAISE(Bytes last, reader.ReadBytes(reader.remaining(), "the rule of a zone"));
  std::string_view line = AsText(last);
  if (!line.starts_with('\n') || !line.ends_with('\n') || line.size() < 2) {
    return Corrupt("the rule of a zone is not a line of its own");
  }
  line = line.substr(1, line.size() - 2);
  if (line.empty()) return zone;
  zone.rule_ = ZoneRule::Parse(line);
  if (!zone.rule_) return Corrupt("'", line, "' is not the rule of a zone");
  return zone;
}

ZoneSpan Zone::SpanAt(int64_t utc) const {
  const auto at = std::upper_bound(starts_.begin(), starts_.end(), utc);
  const bool is_last = at == starts_.end();
  const int64_t begin = at == starts_.begin() ? std::numeric_limits<int64_t>::min() : at[-1];
  if (is_last && rule_) {
    ZoneSpan span = rule_->SpanAt(utc);
    span.begin = std::max(span.begin, begin);
    return span;
  }
  return {begin, is_last ? std::numeric_limits<int64_t>::max() : *at,
          offsets_[static_cast<size_t>(at - starts_.begin())]};
}

Zone::Instants Zone::InstantsOf(int64_t local) const {
  constexpr int64_t kFarthest = std::numeric_limits<int64_t>::max() - 2 * kMostOffset;
  local = std::clamp(local, -kFarthest, kFarthest);
  Instants instants;
  bool is_shown = false;
  ZoneSpan span = SpanAt(local - kMostOffset);
  while (true) {
    const int64_t instant = local - span.offset;
    if (span.Has(instant)) {
      if (!is_shown) instants.earliest = instant;
      instants.latest = instant;
      is_shown = true;
    } else if (!is_shown && instant < span.begin) {
      // The span before ended too early for it, this one begins too late.
      return {span.begin, span.begin, true};
    }
    if (span.end > local + kMostOffset) return instants;
    span = SpanAt(span.end);
  }
}

void ZoneClock::Move(int64_t utc) {
  auto in_units = [this](int64_t seconds) {
    int64_t units = 0;
    if (!__builtin_mul_overflow(seconds, per_second_, &units)) return units;
    return seconds < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  };
  const ZoneSpan span = zone_.SpanAt(FloorDivide(utc, per_second_));
  span_ = {in_units(span.begin), in_units(span.end), in_units(span.offset)};
}

std::optional<int64_t> ZoneClock::LocalAt(int64_t utc) {
  int64_t local = 0;
  return __builtin_add_overflow(utc, OffsetAt(utc), &local) ? std::nullopt : std::optional(local);
}

std::optional<int64_t> ZoneClock::FirstInstantOf(int64_t local) const {
  const Zone::Instants instants = zone_.InstantsOf(FloorDivide(local, per_second_));
  if (!instants.is_skipped) return InUtc(local, instants.earliest);
  int64_t begin = 0;
  return __builtin_mul_overflow(instants.earliest, per_second_, &begin) ? std::nullopt
                                                                        : std::optional(begin);
}

std::optional<int64_t> ZoneClock::InstantOf(int64_t local, int64_t offset) {
  int64_t instant = 0;
  if (__builtin_sub_overflow(local, offset, &instant)) return std::nullopt;
  return OffsetAt(instant) == offset ? instant : FirstInstantOf(local);
}

std::optional<int64_t> ZoneClock::OnlyInstantOf(int64_t local) const {
  const Zone::Instants instants = zone_.InstantsOf(FloorDivide(local, per_second_));
  const bool is_one = instants.earliest == instants.latest && !instants.is_skipped;
  return is_one ? InUtc(local, instants.earliest) : std::nullopt;
}

std::optional<int64_t> ZoneClock::InUtc(int64_t local, int64_t instant) const {
  const int64_t offset = FloorDivide(local, per_second_) - instant;
  int64_t utc = 0;
  return __builtin_sub_overflow(local, offset * per_second_, &utc) ? std::nullopt
                                                                   : std::optional(utc);
}

}  // namespace lance::query
