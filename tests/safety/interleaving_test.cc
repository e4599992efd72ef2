// Random programs of several writers, interleaved at every request to the store, held against a
// plain model. LANCE_MODEL_SEEDS=FIRST:COUNT runs other seeds than the few of every test run; a
// seed that fails prints its program.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <utility>

#include "base/executor.h"
#include "gtest/gtest.h"
#include "safety/history.h"
#include "safety/interleaver.h"
#include "safety/wrapped_store.h"
#include "safety/writer.h"

namespace lance::safety {
namespace {

constexpr char kRoot[] = "/t";
constexpr uint64_t kSeeds = 1200;

/// Notes the manifests that are created.
Status NoteManifest(const StoreCall& call, Manifests* manifests) {
  ARROW_RETURN_NOT_OK(call.run());
  std::string_view name = std::string_view(call.path).substr(call.path.rfind('/') + 1);
  auto parsed = ParseManifestName(name);
  if (!parsed || call.kind != CallKind::kPutIfAbsent) return Status::OK();
  ManifestLocation location{parsed->version, parsed->naming, call.path, call.content.size()};
  return ManifestFile::FromBytes(arrow::Buffer::FromString(std::string(AsText(call.content))),
                                 location)
      .Value(&(*manifests)[parsed->version]);
}

Status RunSeed(uint64_t seed) {
  Program program = MakeProgram(seed);
  Interleaver interleaver(seed);
  Manifests manifests;
  auto store = std::make_shared<WrappedStore>(MakeMemoryStore(), [&](const StoreCall& call) {
    interleaver.Step();
    return NoteManifest(call, &manifests);
  });
  TableLocation table{store, kRoot};
  ARROW_RETURN_NOT_OK(Writer::Create(table, program));
  std::vector<std::vector<Step>> steps(program.writers.size());
  std::vector<std::function<void()>> runs;
  for (size_t i = 0; i < program.writers.size(); ++i) {
    runs.emplace_back([&, i] {
      Writer writer(table);
      for (const Operation& operation : program.writers[i]) {
        steps[i].push_back({&operation, writer.Run(operation)});
      }
    });
  }
  interleaver.Run(runs);
  std::vector<Step> all;
  for (auto& some : steps) std::move(some.begin(), some.end(), std::back_inserter(all));
  std::string outcomes;
  for (const Step& step : all) {
    outcomes += "  " + step.operation->ToText() + " -> " +
                (step.outcome.status.ok() ? std::to_string(step.outcome.base) + " to " +
                                                std::to_string(step.outcome.version)
                                          : step.outcome.status.ToString()) +
                "\n";
  }
  Status status = History(table, program, manifests, std::move(all)).Check();
  if (status.ok()) return status;
  return IoError("seed ", seed, ": ", status.message(), "\n", program.ToText(), outcomes);
}

std::pair<uint64_t, uint64_t> Seeds() {
  const char* given = std::getenv("LANCE_MODEL_SEEDS");
  if (given == nullptr) return {0, kSeeds};
  char* rest = nullptr;
  uint64_t first = std::strtoull(given, &rest, 10);
  return {first, *rest == ':' ? std::strtoull(rest + 1, nullptr, 10) : 1};
}

TEST(Interleaving, RandomPrograms) {
  // Other threads would take turns by themselves.
  SetCpuThreads(1);
  auto [first, count] = Seeds();
  int failures = 0;
  for (uint64_t seed = first; seed < first + count && failures < 5; ++seed) {
    Status status = RunSeed(seed);
    if (status.ok()) continue;
    ++failures;
    ADD_FAILURE() << status.message();
  }
}

}  // namespace
}  // namespace lance::safety
