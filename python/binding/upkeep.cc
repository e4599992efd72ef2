#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "errors.h"
#include "pull_into.h"
#include "version_reference.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using Handle = std::shared_ptr<Dataset>;
using Ids = std::vector<uint64_t>;

/// The version that was planned for, and the fragments of each task.
std::pair<uint64_t, std::vector<Ids>> PlanCompaction(const Dataset& dataset,
                                                     const CompactionOptions& options) {
  CompactionPlan plan = Unwrap(WithoutGil([&] { return dataset.PlanCompaction(options); }));
  std::vector<Ids> tasks;
  for (CompactionTask& task : plan.tasks) tasks.push_back(std::move(task.fragment_ids));
  return {plan.read_version, std::move(tasks)};
}

/// The numbers of fragments and files removed and added.
nb::tuple Numbers(const CompactionMetrics& metrics) {
  return nb::make_tuple(metrics.fragments_removed, metrics.fragments_added, metrics.files_removed,
                        metrics.files_added);
}

nb::tuple Compact(const Dataset& dataset, const CompactionOptions& options) {
  auto [compacted, metrics] =
      RunInterruptibly([&](const Poll& poll) { return dataset.Compact(options, poll); });
  return nb::make_tuple(std::move(compacted), Numbers(metrics));
}

/// The version read, the group, and the metrics.
nb::tuple RunCompactionTask(const Dataset& dataset, const Ids& fragments,
                            const CompactionOptions& options) {
  CompactionResult result = RunInterruptibly([&](const Poll& poll) {
    return dataset.RunCompactionTask({.fragment_ids = fragments}, options, poll);
  });
  return nb::make_tuple(result.read_version, nb::bytes(result.group.data(), result.group.size()),
                        Numbers(result.metrics));
}

Handle CommitCompaction(const Dataset& dataset,
                        const std::vector<std::pair<uint64_t, nb::bytes>>& results) {
  std::vector<CompactionResult> converted;
  converted.reserve(results.size());
  for (const auto& [version, group] : results) {
    converted.push_back({version, std::string(group.c_str(), group.size()), {}});
  }
  return Unwrap(WithoutGil([&] { return dataset.CommitCompaction(converted); }));
}

CleanupStats CleanUp(const Dataset& dataset, std::optional<int64_t> before_timestamp_ns,
                     std::optional<uint64_t> retain_versions, const std::optional<Ids>& versions,
                     bool delete_unverified, bool error_if_tagged_old_versions, bool dry_run) {
  CleanupPolicy policy{.before_timestamp_ns = before_timestamp_ns,
                       .retain_versions = retain_versions,
                       .versions = versions,
                       .delete_unverified = delete_unverified,
                       .error_if_tagged_old_versions = error_if_tagged_old_versions,
                       .dry_run = dry_run};
  return Unwrap(WithoutGil([&] { return dataset.CleanUpOldVersions(policy); }));
}

Handle ShallowClone(const Dataset& dataset, const std::string& uri, nb::handle version) {
  VersionRef reference = VersionFromPython(version);
  return Unwrap(WithoutGil([&] { return dataset.ShallowClone(uri, reference); }));
}

Handle DeepClone(const Dataset& dataset, const std::string& uri, nb::handle version) {
  VersionRef reference = VersionFromPython(version);
  return Unwrap(WithoutGil([&] { return dataset.DeepClone(uri, reference); }));
}

}  // namespace

void BindUpkeep(nb::class_<Dataset>& dataset) {
  dataset.def("compact", &Compact, "options"_a)
      .def("plan_compaction", &PlanCompaction, "options"_a)
      .def("run_compaction_task", &RunCompactionTask, "fragments"_a, "options"_a)
      .def("commit_compaction", &CommitCompaction, "results"_a)
      .def("clean_up", &CleanUp, nb::kw_only(), "before_timestamp_ns"_a.none(),
           "retain_versions"_a.none(), "versions"_a.none(), "delete_unverified"_a,
           "error_if_tagged_old_versions"_a, "dry_run"_a)
      .def("migrate_manifest_paths_v2",
           [](const Dataset& self) {
             Check(WithoutGil([&] { return self.MigrateManifestPathsV2(); }));
           })
      .def("validate",
           [](const Dataset& self) { Check(WithoutGil([&] { return self.Validate(); })); })
      .def("shallow_clone", &ShallowClone, "uri"_a, "version"_a.none())
      .def("deep_clone", &DeepClone, "uri"_a, "version"_a.none())
      .def_static(
          "drop",
          [](const std::string& uri) { Check(WithoutGil([&] { return Dataset::Drop(uri); })); },
          "uri"_a);
}

}  // namespace lance::python
