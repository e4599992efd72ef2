#include "table/roaring_walk.h"

#include <bit>
#include <vector>

namespace lance {
namespace {

constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;
constexpr uint32_t kMinContainersForOffsets = 4;
constexpr uint32_t kMaxContainers = 1 << 16;
constexpr uint32_t kMaxArrayValues = 4096;
constexpr uint32_t kBitmapBytes = 8192;

struct Container {
  uint32_t base = 0;  ///< key << 16
  uint32_t cardinality = 0;
  bool has_runs = false;
};

using Visit = std::function<void(uint32_t, uint64_t)>;

Status WalkRuns(const Container& container, ByteReader* reader, const Visit& visit) {
  ARROW_ASSIGN_OR_RAISE(auto count, reader->Read<uint16_t>("run count of a Roaring bitmap"));
  uint64_t cardinality = 0;
  uint32_t next = 0;  // the first value that the next run may start with
  for (uint32_t i = 0; i < count; ++i) {
    ARROW_ASSIGN_OR_RAISE(uint32_t first, reader->Read<uint16_t>("run of a Roaring bitmap"));
    ARROW_ASSIGN_OR_RAISE(uint32_t extra, reader->Read<uint16_t>("run of a Roaring bitmap"));
    if (first < next || first + extra > 0xffff) {
      return Corrupt("runs of a Roaring bitmap overlap, touch or leave their container: run ",
                     first, " + ", extra);
    }
    visit(container.base + first, extra + 1);
    cardinality += extra + 1;
    next = first + extra + 2;
  }
  if (cardinality != container.cardinality) {
    return Corrupt("runs of a Roaring bitmap have the wrong number of values: ", cardinality,
                   ", expected ", container.cardinality);
  }
  return Status::OK();
}

Status WalkArray(const Container& container, ByteReader* reader, const Visit& visit) {
  ARROW_ASSIGN_OR_RAISE(Bytes values, reader->ReadBytes(uint64_t{2} * container.cardinality,
                                                        "array of a Roaring bitmap"));
  uint32_t first = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < container.cardinality; ++i) {
    uint32_t value = LoadLittleEndian<uint16_t>(values.data() + 2 * i);
    if (count > 0 && value == first + count) {
      ++count;
      continue;
    }
    if (count > 0 && value < first + count) {
      return Corrupt("values of a Roaring bitmap are not ascending: ", value, " after ",
                     first + count - 1);
    }
    if (count > 0) visit(container.base + first, count);
    first = value;
    count = 1;
  }
  if (count > 0) visit(container.base + first, count);
  return Status::OK();
}

Status WalkBitmap(const Container& container, ByteReader* reader, const Visit& visit) {
  ARROW_ASSIGN_OR_RAISE(Bytes bits, reader->ReadBytes(kBitmapBytes, "bits of a Roaring bitmap"));
  uint64_t cardinality = 0;
  uint32_t first = 0;
  uint32_t count = 0;
  for (uint32_t at = 0; at < kBitmapBytes; at += 8) {
    auto word = LoadLittleEndian<uint64_t>(bits.data() + at);
    cardinality += static_cast<uint64_t>(std::popcount(word));
    while (word != 0) {
      auto start = static_cast<uint32_t>(std::countr_zero(word));
      auto length = static_cast<uint32_t>(std::countr_one(word >> start));
      uint32_t value = at * 8 + start;
      if (count > 0 && value == first + count) {
        count += length;
      } else {
        if (count > 0) visit(container.base + first, count);
        first = value;
        count = length;
      }
      if (start + length == 64) break;
      word &= ~uint64_t{0} << (start + length);
    }
  }
  if (count > 0) visit(container.base + first, count);
  if (cardinality != container.cardinality) {
    return Corrupt("bits of a Roaring bitmap have the wrong number of values: ", cardinality,
                   ", expected ", container.cardinality);
  }
  return Status::OK();
}

Result<std::vector<Container>> ReadHeader(ByteReader* reader, bool* has_offsets) {
  ARROW_ASSIGN_OR_RAISE(auto cookie, reader->Read<uint32_t>("cookie of a Roaring bitmap"));
  uint32_t count = 0;
  Bytes run_flags;
  if ((cookie & 0xffff) == kCookieWithRuns) {
    count = (cookie >> 16) + 1;
    ARROW_ASSIGN_OR_RAISE(run_flags,
                          reader->ReadBytes((count + 7) / 8, "run flags of a Roaring bitmap"));
    *has_offsets = count >= kMinContainersForOffsets;
  } else if (cookie == kCookieWithoutRuns) {
    ARROW_ASSIGN_OR_RAISE(count, reader->Read<uint32_t>("container count of a Roaring bitmap"));
    *has_offsets = true;
  } else {
    return Corrupt("Roaring bitmap starts with an unknown cookie: ", cookie);
  }
  if (count > kMaxContainers) {
    return Corrupt("Roaring bitmap has more than 65536 containers: ", count);
  }
  ARROW_ASSIGN_OR_RAISE(Bytes keys,
                        reader->ReadBytes(uint64_t{4} * count, "keys of a Roaring bitmap"));
  std::vector<Container> containers(count);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t key = LoadLittleEndian<uint16_t>(keys.data() + 4 * i);
    containers[i].base = key << 16;
    containers[i].cardinality = LoadLittleEndian<uint16_t>(keys.data() + 4 * i + 2) + 1u;
    containers[i].has_runs = !run_flags.empty() && ((run_flags[i / 8] >> (i % 8)) & 1) != 0;
    if (i > 0 && containers[i].base <= containers[i - 1].base) {
      return Corrupt("keys of a Roaring bitmap are not ascending: ", key, " after ",
                     containers[i - 1].base >> 16);
    }
  }
  return containers;
}

}  // namespace

Result<uint64_t> WalkRoaring(Bytes bytes, const Visit& visit) {
  ByteReader reader(bytes);
  bool has_offsets = false;
  ARROW_ASSIGN_OR_RAISE(auto containers, ReadHeader(&reader, &has_offsets));
  Bytes offsets;
  if (has_offsets) {
    ARROW_ASSIGN_OR_RAISE(
        offsets, reader.ReadBytes(uint64_t{4} * containers.size(), "offsets of a Roaring bitmap"));
  }
  for (size_t i = 0; i < containers.size(); ++i) {
    if (has_offsets) {
      auto offset = LoadLittleEndian<uint32_t>(offsets.data() + 4 * i);
      if (offset != reader.position()) {
        return Corrupt("container of a Roaring bitmap is not where its offset says: ", offset,
                       ", expected ", reader.position());
      }
    }
    const Container& container = containers[i];
    if (container.has_runs) {
      ARROW_RETURN_NOT_OK(WalkRuns(container, &reader, visit));
    } else if (container.cardinality <= kMaxArrayValues) {
      ARROW_RETURN_NOT_OK(WalkArray(container, &reader, visit));
    } else {
      ARROW_RETURN_NOT_OK(WalkBitmap(container, &reader, visit));
    }
  }
  return reader.position();
}

}  // namespace lance
