// The fuzz targets without a fuzzer, so that every run of the tests has some of it: the seeds, the
// inputs that were found to fail once (inputs/<target>/…), and many thousand mutations of them,
// always the same ones. `./dev fuzz` searches further.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/fixture_root.h"
#include "fuzz_seeds.h"

extern "C" {
#define LANCE_FUZZ_TARGET(name) int name(const uint8_t* data, size_t size);
#include "fuzz_targets.inc"
#undef LANCE_FUZZ_TARGET
}

namespace lance {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMutations = 20000;
constexpr size_t kSeedsOfATarget = 500;
// Starts and ends of inputs hold descriptions, which matter more than values.
constexpr size_t kDescriptionBytes = 256;
constexpr size_t kMaxChanges = 4;
constexpr size_t kMaxMovedBytes = 64;
constexpr auto kMaxTime = std::chrono::seconds(10);

struct Target {
  const char* name;
  int (*run)(const uint8_t* data, size_t size);
};

const Target kTargets[] = {
#define LANCE_FUZZ_TARGET(name) {#name, name},
#include "fuzz_targets.inc"
#undef LANCE_FUZZ_TARGET
};

void RunTarget(const Target& target, const std::string& input) {
  const auto started = std::chrono::steady_clock::now();
  // A copy of exactly this size, so that an address sanitizer sees reads beyond its end.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  target.run(bytes.data(), bytes.size());
  EXPECT_LT(std::chrono::steady_clock::now() - started, kMaxTime);
}

const std::vector<std::string>& SeedsOf(const std::string& target) {
  static const auto all = [] {
    std::map<std::string, std::vector<std::string>> seeds;
    Status made = MakeFuzzSeeds(FixtureRoot(), [&](const std::string& name, std::string_view seed) {
      seeds[name].emplace_back(seed);
    });
    EXPECT_TRUE(made.ok()) << ErrorText(made);
    return seeds;
  }();
  static const std::vector<std::string> none;
  const auto found = all.find(target);
  return found == all.end() ? none : found->second;
}

std::vector<std::string> KeptInputs(const std::string& target) {
  std::vector<std::string> out;
  const fs::path folder = fs::path(LANCE_FUZZ_INPUTS) / target;
  if (!fs::exists(folder)) return out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    std::ifstream in(entry.path(), std::ios::binary);
    out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return out;
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  std::string Mutate(std::string input) {
    for (size_t changes = 1 + Below(kMaxChanges); changes > 0; --changes) Change(&input);
    return input;
  }
  size_t Below(size_t end) { return end == 0 ? 0 : random_() % end; }

 private:
  void Change(std::string* input) {
    const size_t at = Position(input->size());
    const size_t count = std::min(1 + Below(kMaxMovedBytes), input->size() - at);
    switch (Below(7)) {
      case 0:
        if (!input->empty()) (*input)[at] = static_cast<char>((*input)[at] ^ (1 << Below(8)));
        break;
      case 1:
        if (!input->empty()) (*input)[at] = static_cast<char>(Number());
        break;
      case 2:
        Overwrite<uint32_t>(at, input);
        break;
      case 3:
        Overwrite<uint64_t>(at, input);
        break;
      case 4:
        input->erase(at, count);
        break;
      case 5:
        input->insert(Position(input->size()), input->substr(at, count));
        break;
      default:
        if (Below(4) == 0) input->resize(at);
        break;
    }
  }

  size_t Position(size_t size) {
    const size_t near = std::min(size, kDescriptionBytes);
    switch (Below(3)) {
      case 0:
        return Below(near);
      case 1:
        return size - near + Below(near);
      default:
        return Below(size);
    }
  }

  // Mostly numbers that are at the border of something.
  uint64_t Number() {
    const uint64_t power = uint64_t{1} << Below(64);
    const uint64_t numbers[] = {0, power, power - 1, power + 1, ~power, 1 + Below(300), random_()};
    return numbers[Below(std::size(numbers))];
  }

  template <typename T>
  void Overwrite(size_t at, std::string* input) {
    if (input->size() - at < sizeof(T)) return;
    const auto number = static_cast<T>(Number());
    input->replace(at, sizeof(T), reinterpret_cast<const char*>(&number), sizeof(T));
  }

  std::mt19937_64 random_;
};

class FuzzReplay : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzReplay, KeptInputs) {
  for (const std::string& input : KeptInputs(GetParam().name)) RunTarget(GetParam(), input);
}

TEST_P(FuzzReplay, SeedsAndTheirMutations) {
  const std::vector<std::string>& seeds = SeedsOf(GetParam().name);
  if (FixtureRoot().empty() && seeds.empty()) GTEST_SKIP() << "fixtures are absent";
  ASSERT_FALSE(seeds.empty());
  RecordProperty("seeds", static_cast<int>(seeds.size()));
  const size_t step = 1 + seeds.size() / kSeedsOfATarget;
  for (size_t i = 0; i < seeds.size(); i += step) RunTarget(GetParam(), seeds[i]);
  Mutator mutator(/*seed=*/2026);
  for (size_t i = 0; i < kMutations; ++i) {
    SCOPED_TRACE("mutation " + std::to_string(i));
    RunTarget(GetParam(), mutator.Mutate(seeds[mutator.Below(seeds.size())]));
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay, ::testing::ValuesIn(kTargets),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lance
