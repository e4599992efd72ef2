#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "errors.h"
#include "lance/index_segments.h"
#include "lance/table_files.h"
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

/// The message of each segment, and the ids of the fragments that it covers or None.
nb::list IndexSegments(const Dataset& dataset) {
  auto segments = Unwrap(WithoutGil([&] { return lance::IndexSegments(dataset); }));
  nb::list out;
  for (const IndexSegmentInfo& segment : segments) {
    out.append(nb::make_tuple(nb::bytes(segment.message.data(), segment.message.size()),
                              segment.fragment_ids));
  }
  return out;
}

/// The root, and of each file below it the path, the size and the time of its last change.
nb::tuple AllFiles(const Dataset& dataset) {
  StoredFiles stored = Unwrap(WithoutGil([&] { return lance::AllFiles(dataset); }));
  nb::list files;
  for (const StoredFile& file : stored.files) {
    files.append(nb::make_tuple(file.path, file.size, file.modified_ns));
  }
  return nb::make_tuple(stored.root, files);
}

/// Of each file the version, the base, the path and the type.
nb::list TrackedFiles(const Dataset& dataset, uint64_t min_version) {
  auto tracked = RunInterruptibly(
      [&](const Poll& poll) { return lance::TrackedFiles(dataset, min_version, poll); });
  nb::list files;
  for (const TrackedFile& file : tracked) {
    files.append(nb::make_tuple(file.version, file.base, file.path, std::string(file.type)));
  }
  return files;
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
      .def("version_numbers",
           [](const Dataset& self) {
             return Unwrap(WithoutGil([&] { return VersionNumbers(self); }));
           })
      .def("index_segments", &IndexSegments)
      .def("all_files", &AllFiles)
      .def("tracked_files", &TrackedFiles, "min_version"_a)
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
