// A process that changes a table on disk is killed at a random moment: what it was told to be
// committed is there, what it was doing is there or not, and nothing is broken.
// LANCE_KILLS says how often.
#include <chrono>
#include <cstdlib>
#include <random>
#include <sstream>
#include <thread>

#include "base/executor.h"
#include "gtest/gtest.h"
#include "io/temporary_folder.h"
#include "safety/child_process.h"
#include "safety/contents.h"
#include "safety/writer.h"

namespace lance::safety {
namespace {

constexpr int kKills = 25;
constexpr uint64_t kMaxLifeMicroseconds = 30000;

int Kills() {
  const char* given = std::getenv("LANCE_KILLS");
  return given != nullptr ? std::atoi(given) : kKills;
}

/// All steps of a program, for one writer; none that depends on the numbers of versions.
std::vector<Operation> StepsOf(const Program& program) {
  std::vector<Operation> steps;
  for (const auto& writer : program.writers) {
    for (const Operation& step : writer) {
      if (step.kind == OperationKind::kRestore) continue;
      steps.push_back(step);
      steps.back().refresh = true;
    }
  }
  return steps;
}

/// Says before each step that it starts, and after it how it went.
void RunSteps(const TableLocation& table, const std::vector<Operation>& steps, int output) {
  Writer writer(table);
  for (size_t i = 0; i < steps.size(); ++i) {
    WriteLine(output, "start " + std::to_string(i));
    Outcome outcome = writer.Run(steps[i]);
    WriteLine(output, outcome.status.ok() ? "done" : "failed");
  }
}

/// What a step makes of the contents; tags, clean-ups and compactions change none.
ModelVersion After(const Operation& step, const ModelVersion& before) {
  bool changes = step.kind != OperationKind::kTag && step.kind != OperationKind::kCleanUp &&
                 step.kind != OperationKind::kCompact;
  if (!changes) return before;
  Outcome outcome;
  outcome.counted = false;
  for (const ModelColumn& column : before.columns) {
    if (column.column > kUniqueColumn) outcome.more_columns.push_back(column.column);
  }
  auto after = ApplyToModel(step, outcome, before, before, 1);
  return after.ok() ? *std::move(after) : before;
}

/// The contents by what the child said; `next`: with the step that it was at, too.
void Replay(const std::string& report, const Program& program, const std::vector<Operation>& steps,
            ModelVersion* state, ModelVersion* next) {
  *state = FirstModelVersion(program);
  *next = *state;
  std::istringstream lines(report);
  std::string word;
  while (lines >> word) {
    if (word == "start") {
      size_t step = 0;
      lines >> step;
      *next = After(steps[step], *state);
    } else if (word == "done") {
      *state = *next;
    } else {
      *next = *state;
    }
  }
}

void KillOnce(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  TemporaryFolder folder;
  TableLocation table{MakeLocalStore(), folder.path() + "/t"};
  Program program = MakeProgram(seed);
  ASSERT_TRUE(Writer::Create(table, program).ok());
  std::vector<Operation> steps = StepsOf(program);
  ChildProcess child([&](int output) { RunSteps(table, steps, output); });
  std::mt19937_64 random(seed);
  std::this_thread::sleep_for(std::chrono::microseconds(random() % kMaxLifeMicroseconds));
  child.Kill();
  ModelVersion state;
  ModelVersion next;
  Replay(child.Finish(), program, steps, &state, &next);

  TableHandle handle{"t", table, std::make_shared<TableSession>()};
  auto contents = ContentsOf(handle.OpenNewest().ValueOrDie());
  ASSERT_TRUE(contents.ok()) << contents.status();
  EXPECT_TRUE(*contents == ContentsOf(state) || *contents == ContentsOf(next))
      << program.ToText() << contents->ToText() << "\ninstead of\n"
      << ContentsOf(state).ToText() << "\nor\n"
      << ContentsOf(next).ToText();
  Status whole = CheckEveryVersion(table);
  EXPECT_TRUE(whole.ok()) << whole;
  Operation append;
  append.source = {{1, 2, 3}};
  Outcome outcome = Writer(table).Run(append);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status;
  Status clean = CheckLeftovers(table);
  EXPECT_TRUE(clean.ok()) << clean;
}

TEST(KilledWriter, LeavesAGoodTable) {
  SetCpuThreads(1);
  for (int i = 0; i < Kills() && !::testing::Test::HasFailure(); ++i) {
    KillOnce(static_cast<uint64_t>(i));
  }
}

}  // namespace
}  // namespace lance::safety
