#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "errors.h"
#include "version_reference.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using Metadata = std::map<std::string, std::string>;

void CreateTag(const Dataset& dataset, const std::string& name, nb::handle version) {
  VersionRef reference = VersionFromPython(version);
  Check(WithoutGil([&] { return dataset.CreateTag(name, reference); }));
}

void UpdateTag(const Dataset& dataset, const std::string& name, nb::handle version) {
  VersionRef reference = VersionFromPython(version);
  Check(WithoutGil([&] { return dataset.UpdateTag(name, reference); }));
}

std::shared_ptr<Dataset> CreateBranch(const Dataset& dataset, const std::string& name,
                                      nb::handle start) {
  VersionRef reference = VersionFromPython(start);
  return Unwrap(WithoutGil([&] { return dataset.CreateBranch(name, reference); }));
}

}  // namespace

void BindReferences(nb::class_<Dataset>& dataset) {
  dataset.def("create_tag", &CreateTag, "name"_a, "version"_a.none())
      .def("update_tag", &UpdateTag, "name"_a, "version"_a.none())
      .def(
          "delete_tag",
          [](const Dataset& self, const std::string& name) {
            Check(WithoutGil([&] { return self.DeleteTag(name); }));
          },
          "name"_a)
      .def(
          "replace_tag_metadata",
          [](const Dataset& self, const std::string& name, const Metadata& metadata) {
            Check(WithoutGil([&] { return self.ReplaceTagMetadata(name, metadata); }));
          },
          "name"_a, "metadata"_a)
      .def_prop_ro("branch", &Dataset::branch)
      .def("branches",
           [](const Dataset& self) { return Unwrap(WithoutGil([&] { return self.Branches(); })); })
      .def("create_branch", &CreateBranch, "name"_a, "start"_a.none())
      .def(
          "delete_branch",
          [](const Dataset& self, const std::string& name) {
            Check(WithoutGil([&] { return self.DeleteBranch(name); }));
          },
          "name"_a)
      .def(
          "replace_branch_metadata",
          [](const Dataset& self, const std::string& name, const Metadata& metadata) {
            Check(WithoutGil([&] { return self.ReplaceBranchMetadata(name, metadata); }));
          },
          "name"_a, "metadata"_a);
}

}  // namespace lance::python
