// With Durability::kPower, what is committed survives that everything is lost that was not synced.
#include <string>

#include "base/executor.h"
#include "gtest/gtest.h"
#include "io/temporary_folder.h"
#include "safety/contents.h"
#include "safety/durable_image.h"
#include "safety/wrapped_store.h"
#include "safety/writer.h"

namespace lance::safety {
namespace {

constexpr uint64_t kPrograms = 6;

Result<Contents> NewestContents(const std::string& path) {
  TableLocation table{MakeLocalStore(), path};
  TableHandle handle{"t", table, std::make_shared<TableSession>()};
  ARROW_RETURN_NOT_OK(CheckEveryVersion(table));
  ARROW_ASSIGN_OR_RAISE(auto newest, handle.OpenNewest());
  return ContentsOf(newest);
}

/// What a power cut leaves now.
Result<Contents> AfterPowerCut(const DurableImage& image) {
  TemporaryFolder folder;
  image.Materialize(folder.path());
  return NewestContents(folder.path() + "/t");
}

void CutThePower(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  TemporaryFolder folder;
  DurableImage image(folder.path());
  Program program = MakeProgram(seed);
  TableLocation plain{MakeLocalStore(Durability::kPower), folder.path() + "/t"};
  ASSERT_TRUE(Writer::Create(plain, program).ok());
  auto before = AfterPowerCut(image);
  ASSERT_TRUE(before.ok()) << before.status();

  // At each change of the store within an operation: as before it, or as after it.
  std::vector<Result<Contents>> meanwhile;
  auto store = std::make_shared<WrappedStore>(plain.store, [&](const StoreCall& call) {
    if (Changes(call.kind)) meanwhile.push_back(AfterPowerCut(image));
    return call.run();
  });
  Writer writer({store, plain.root});
  for (const auto& steps : program.writers) {
    for (const Operation& step : steps) {
      meanwhile.clear();
      Outcome outcome = writer.Run(step);
      Contents now = NewestContents(plain.root).ValueOrDie();
      auto after = AfterPowerCut(image);
      ASSERT_TRUE(after.ok()) << step.ToText() << ": " << after.status();
      EXPECT_EQ(*after, now) << step.ToText() << " -> " << outcome.status;
      for (const auto& seen : meanwhile) {
        ASSERT_TRUE(seen.ok()) << step.ToText() << ": " << seen.status();
        EXPECT_TRUE(*seen == *before || *seen == now) << step.ToText();
      }
      before = now;
    }
  }
}

TEST(PowerCut, LeavesWhatIsCommitted) {
  SetCpuThreads(1);
  for (uint64_t seed = 0; seed < kPrograms && !::testing::Test::HasFailure(); ++seed) {
    CutThePower(seed);
  }
}

/// The default promises no more than to survive the process; so the test can tell.
TEST(PowerCut, LosesWhatIsNotSynced) {
  TemporaryFolder folder;
  DurableImage image(folder.path());
  TableLocation table{MakeLocalStore(Durability::kProcess), folder.path() + "/t"};
  ASSERT_TRUE(Writer::Create(table, MakeProgram(0)).ok());
  EXPECT_FALSE(AfterPowerCut(image).ok());
}

}  // namespace
}  // namespace lance::safety
