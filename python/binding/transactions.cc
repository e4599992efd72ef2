#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow/type.h"
#include "arrow_exchange.h"
#include "bindings.h"
#include "errors.h"
#include "fragment_progress.h"
#include "pull_into.h"
#include "row_positions.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

// Messages of the format travel as bytes; lancecpp.wire reads and writes them.
namespace lance::python {
namespace {

nb::bytes ToBytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }
std::string ToText(const nb::bytes& bytes) { return std::string(bytes.c_str(), bytes.size()); }

nb::list ToList(const std::vector<std::string>& messages) {
  nb::list list;
  for (const std::string& message : messages) list.append(ToBytes(message));
  return list;
}

nb::tuple ToTuple(const std::pair<std::string, std::vector<std::string>>& widened) {
  return nb::make_tuple(ToBytes(widened.first), ToList(widened.second));
}

nb::bytes WriteUncommitted(const std::string& uri, nb::handle data, const WriteOptions& options,
                           nb::handle progress) {
  return ToBytes(
      WriteTelling(progress, data, options, [&](const auto& reader, const WriteOptions& told) {
        return Dataset::WriteUncommitted(uri, reader, told);
      }));
}

std::shared_ptr<Dataset> Commit(const std::string& uri, const nb::bytes& transaction,
                                bool enable_v2_manifest_paths, bool enable_stable_row_ids,
                                bool detached, uint32_t max_retries,
                                std::optional<bool> semantic_types) {
  CommitTransactionOptions options{enable_v2_manifest_paths, enable_stable_row_ids, semantic_types,
                                   detached, max_retries};
  std::string text = ToText(transaction);
  return Unwrap(WithoutGil([&] { return Dataset::Commit(uri, text, options); }));
}

nb::object DeleteFromFragment(const Dataset& dataset, uint64_t fragment_id, nb::handle offsets) {
  std::vector<uint64_t> rows = RowPositionsFromPython(offsets);
  auto fragment = Unwrap(WithoutGil([&] { return dataset.DeleteFromFragment(fragment_id, rows); }));
  if (!fragment) return nb::none();
  return ToBytes(*fragment);
}

nb::tuple AddColumnsToFragment(const Dataset& dataset, uint64_t fragment_id, nb::handle data) {
  return ToTuple(PullInto(
      data, [&](const auto& reader) { return dataset.AddColumnsToFragment(fragment_id, reader); }));
}

nb::tuple MergeIntoFragment(const Dataset& dataset, uint64_t fragment_id, nb::handle data,
                            const std::string& left_on, const std::string& right_on) {
  return ToTuple(PullInto(data, [&](const auto& reader) {
    return dataset.MergeIntoFragment(fragment_id, reader, left_on, right_on);
  }));
}

/// The fragment, the ids of its new fields, the offsets that were matched.
nb::tuple UpdateFragmentColumns(const Dataset& dataset, uint64_t fragment_id, nb::handle data,
                                const std::string& left_on, const std::string& right_on) {
  UpdatedColumns updated = PullInto(data, [&](const auto& reader) {
    return dataset.UpdateFragmentColumns(fragment_id, reader, left_on, right_on);
  });
  return nb::make_tuple(ToBytes(updated.fragment), updated.fields,
                        ToBytes(updated.matched_offsets));
}

nb::list FieldsOf(nb::handle schema, const std::optional<std::vector<int32_t>>& ids,
                  bool semantic_types) {
  return ToList(Unwrap(SerializeFields(*SchemaFromPython(schema), ids, semantic_types)));
}

nb::tuple SchemaOf(const std::vector<nb::bytes>& fields) {
  std::vector<std::string> messages;
  messages.reserve(fields.size());
  for (const nb::bytes& field : fields) messages.push_back(ToText(field));
  auto [schema, ids] = Unwrap(ParseFields(messages));
  return nb::make_tuple(ToPython(schema), ids);
}

}  // namespace

void BindTransactions(nb::module_& module, nb::class_<Dataset>& dataset) {
  dataset
      .def_static("write_uncommitted", &WriteUncommitted, "uri"_a, "data"_a, "options"_a,
                  "progress"_a.none() = nb::none())
      .def_static("commit", &Commit, "uri"_a, "transaction"_a, nb::kw_only(),
                  "enable_v2_manifest_paths"_a, "enable_stable_row_ids"_a, "detached"_a,
                  "max_retries"_a, "semantic_types"_a.none() = nb::none())
      .def(
          "read_transaction",
          [](const Dataset& self, uint64_t version) {
            return ToBytes(Unwrap(WithoutGil([&] { return self.ReadTransaction(version); })));
          },
          "version"_a)
      .def(
          "serialized_fragment",
          [](const Dataset& self, uint64_t id) {
            return ToBytes(Unwrap(self.SerializedFragment(id)));
          },
          "fragment_id"_a)
      .def("serialized_fields", [](const Dataset& self) { return ToList(self.SerializedFields()); })
      .def("delete_from_fragment", &DeleteFromFragment, "fragment_id"_a, "offsets"_a)
      .def("add_columns_to_fragment", &AddColumnsToFragment, "fragment_id"_a, "data"_a)
      .def("merge_into_fragment", &MergeIntoFragment, "fragment_id"_a, "data"_a, "left_on"_a,
           "right_on"_a)
      .def("update_fragment_columns", &UpdateFragmentColumns, "fragment_id"_a, "data"_a,
           "left_on"_a, "right_on"_a);
  module.def("serialize_fields", &FieldsOf, "schema"_a, "ids"_a.none() = nb::none(),
             "semantic_types"_a = false);
  module.def("parse_fields", &SchemaOf, "fields"_a);
}

}  // namespace lance::python
