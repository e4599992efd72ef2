#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "arrow/type.h"
#include "arrow_exchange.h"
#include "base_paths.h"
#include "bindings.h"
#include "errors.h"
#include "pull_into.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using Handle = std::shared_ptr<Dataset>;
/// Entries, and whether they replace all there are.
using Changes = std::pair<std::map<std::string, std::optional<std::string>>, bool>;

Handle AlterColumns(const Dataset& dataset, const nb::list& alterations) {
  std::vector<ColumnAlteration> converted;
  for (nb::handle item : alterations) {
    auto parts = nb::cast<nb::tuple>(item);
    ColumnAlteration alteration;
    alteration.path = nb::cast<std::string>(parts[0]);
    alteration.rename = nb::cast<std::optional<std::string>>(parts[1]);
    alteration.nullable = nb::cast<std::optional<bool>>(parts[2]);
    // A type travels as the only field of a schema.
    if (!parts[3].is_none()) alteration.data_type = SchemaFromPython(parts[3])->field(0)->type();
    converted.push_back(std::move(alteration));
  }
  return Unwrap(WithoutGil([&] { return dataset.AlterColumns(converted); }));
}

Handle AddNullColumns(const Dataset& dataset, nb::handle schema) {
  auto columns = SchemaFromPython(schema);
  return Unwrap(WithoutGil([&] { return dataset.AddNullColumns(columns); }));
}

Handle AddColumns(const Dataset& dataset, nb::handle data) {
  return PullInto(data, [&](const auto& reader) { return dataset.AddColumns(reader); });
}

Handle Merge(const Dataset& dataset, nb::handle data, const std::string& left_on,
             const std::string& right_on) {
  return PullInto(data, [&](const auto& reader) {
    return dataset.Merge(reader, left_on, right_on, [&reader] { return reader->Poll(); });
  });
}

std::optional<MapChanges> ToChanges(const std::optional<Changes>& changes) {
  if (!changes) return std::nullopt;
  return MapChanges{changes->first, changes->second};
}

Handle ChangeMetadata(const Dataset& dataset, const std::optional<Changes>& config,
                      const std::optional<Changes>& table, const std::optional<Changes>& schema,
                      const std::map<std::string, Changes>& fields) {
  MetadataChanges changes{ToChanges(config), ToChanges(table), ToChanges(schema), {}};
  for (const auto& [path, change] : fields) {
    changes.fields[path] = MapChanges{change.first, change.second};
  }
  return Unwrap(WithoutGil([&] { return dataset.ChangeMetadata(changes); }));
}

Handle AddBases(const Dataset& dataset, const std::vector<BaseTuple>& bases,
                const std::map<std::string, std::string>& properties) {
  auto infos = ToBasePathInfos(bases);
  return Unwrap(WithoutGil([&] { return dataset.AddBases(infos, properties); }));
}

std::vector<BaseTuple> BasePaths(const Dataset& dataset) {
  std::vector<BaseTuple> bases;
  for (const BasePathInfo& info : dataset.base_paths()) {
    bases.emplace_back(info.id, info.name, info.is_dataset_root, info.path);
  }
  return bases;
}

}  // namespace

namespace {

/// Calls a method that commits, and sets the `_core` of `owner` to the version that it returns,
/// alone or as the first of a tuple. Python runs no signal handler before this has returned.
nb::object Move(nb::handle owner, nb::handle function, const nb::args& args,
                const nb::kwargs& named) {
  nb::object made = nb::steal(PyObject_Call(function.ptr(), args.ptr(), named.ptr()));
  if (!made.is_valid()) throw nb::python_error();
  nb::setattr(owner, "_core", nb::isinstance<nb::tuple>(made) ? nb::object(made[0]) : made);
  return made;
}

}  // namespace

void BindMove(nb::module_& module) { module.def("move", &Move); }

void BindChanges(nb::class_<Dataset>& dataset) {
  dataset
      .def("restore",
           [](const Dataset& self) { return Unwrap(WithoutGil([&] { return self.Restore(); })); })
      .def("truncate",
           [](const Dataset& self) { return Unwrap(WithoutGil([&] { return self.Truncate(); })); })
      .def(
          "drop_columns",
          [](const Dataset& self, const std::vector<std::string>& paths) {
            return Unwrap(WithoutGil([&] { return self.DropColumns(paths); }));
          },
          "paths"_a)
      .def("alter_columns", &AlterColumns, "alterations"_a)
      .def("add_null_columns", &AddNullColumns, "schema"_a)
      .def("add_columns", &AddColumns, "data"_a)
      .def("merge", &Merge, "data"_a, "left_on"_a, "right_on"_a)
      .def("change_metadata", &ChangeMetadata, nb::kw_only(), "config"_a.none() = nb::none(),
           "table"_a.none() = nb::none(), "schema"_a.none() = nb::none(),
           "fields"_a = std::map<std::string, Changes>())
      .def("upgrade_semantic_types",
           [](const Dataset& self) {
             return Unwrap(WithoutGil([&] { return self.UpgradeSemanticTypes(); }));
           })
      .def(
          "set_output_encoding",
          [](const Dataset& self, const std::string& path,
             const std::optional<std::string>& encoding) {
            return Unwrap(WithoutGil([&] { return self.SetOutputEncoding(path, encoding); }));
          },
          "path"_a, "encoding"_a.none())
      .def("add_bases", &AddBases, "bases"_a, "properties"_a)
      .def("migrate_to_stable_row_ids",
           [](const Dataset& self) {
             return Unwrap(WithoutGil([&] { return self.MigrateToStableRowIds(); }));
           })
      .def("base_paths", &BasePaths);
}

}  // namespace lance::python
