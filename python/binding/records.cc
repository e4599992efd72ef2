#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "lance/dataset.h"

namespace nb = nanobind;

namespace lance::python {

void BindRecords(nb::module_& module) {
  nb::class_<DataFileInfo>(module, "DataFileInfo")
      .def_ro("path", &DataFileInfo::path)
      .def_ro("fields", &DataFileInfo::fields)
      .def_ro("column_indices", &DataFileInfo::column_indices)
      .def_ro("file_major_version", &DataFileInfo::file_major_version)
      .def_ro("file_minor_version", &DataFileInfo::file_minor_version)
      .def_ro("file_size_bytes", &DataFileInfo::file_size_bytes)
      .def_ro("base_id", &DataFileInfo::base_id);
  nb::class_<DeletionFileInfo>(module, "DeletionFileInfo")
      .def_ro("file_type", &DeletionFileInfo::file_type)
      .def_ro("read_version", &DeletionFileInfo::read_version)
      .def_ro("id", &DeletionFileInfo::id)
      .def_ro("num_deleted_rows", &DeletionFileInfo::num_deleted_rows)
      .def_ro("base_id", &DeletionFileInfo::base_id)
      .def_ro("path", &DeletionFileInfo::path);
  nb::class_<FragmentInfo>(module, "FragmentInfo")
      .def_ro("id", &FragmentInfo::id)
      .def_ro("files", &FragmentInfo::files)
      .def_ro("deletion_file", &FragmentInfo::deletion_file)
      .def_ro("physical_rows", &FragmentInfo::physical_rows)
      .def_ro("num_deletions", &FragmentInfo::num_deletions)
      .def_prop_ro("num_rows", &FragmentInfo::num_rows);
  nb::class_<VersionInfo>(module, "VersionInfo")
      .def_ro("version", &VersionInfo::version)
      .def_ro("timestamp_ns", &VersionInfo::timestamp_ns)
      .def_ro("metadata", &VersionInfo::metadata);
  nb::class_<TagInfo>(module, "TagInfo")
      .def_ro("branch", &TagInfo::branch)
      .def_ro("version", &TagInfo::version)
      .def_ro("manifest_size", &TagInfo::manifest_size)
      .def_ro("created_at", &TagInfo::created_at)
      .def_ro("updated_at", &TagInfo::updated_at)
      .def_ro("metadata", &TagInfo::metadata);
  nb::class_<BranchInfo>(module, "BranchInfo")
      .def_ro("parent_branch", &BranchInfo::parent_branch)
      .def_ro("identifier", &BranchInfo::identifier)
      .def_ro("parent_version", &BranchInfo::parent_version)
      .def_ro("created_at", &BranchInfo::created_at)
      .def_ro("manifest_size", &BranchInfo::manifest_size)
      .def_ro("metadata", &BranchInfo::metadata);
  nb::class_<CleanupStats>(module, "CleanupStats")
      .def_ro("bytes_removed", &CleanupStats::bytes_removed)
      .def_ro("old_versions", &CleanupStats::old_versions)
      .def_ro("data_files_removed", &CleanupStats::data_files_removed)
      .def_ro("transaction_files_removed", &CleanupStats::transaction_files_removed)
      .def_ro("index_files_removed", &CleanupStats::index_files_removed)
      .def_ro("deletion_files_removed", &CleanupStats::deletion_files_removed)
      .def_ro("failed_deletions", &CleanupStats::failed_deletions)
      .def_prop_ro("candidates", [](const CleanupStats& self) {
        std::vector<std::pair<std::string, uint64_t>> files;
        for (const auto& candidate : self.candidates) {
          files.emplace_back(candidate.path, candidate.size);
        }
        return files;
      });
  nb::class_<IoCounters>(module, "IoCounters")
      .def_ro("reads", &IoCounters::reads)
      .def_ro("read_bytes", &IoCounters::read_bytes)
      .def_ro("writes", &IoCounters::writes)
      .def_ro("written_bytes", &IoCounters::written_bytes);
}

}  // namespace lance::python
