#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <chrono>

#include "arrow/type.h"
#include "arrow_exchange.h"
#include "bindings.h"
#include "errors.h"
#include "pull_into.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using Counted = std::pair<std::shared_ptr<Dataset>, uint64_t>;

ConflictRetries RetriesOf(uint32_t max_retries, double timeout_seconds) {
  std::chrono::duration<double> seconds(timeout_seconds);
  return {max_retries, std::chrono::duration_cast<std::chrono::nanoseconds>(seconds)};
}

Counted Delete(const Dataset& dataset, const std::string& predicate, uint32_t max_retries,
               double timeout_seconds) {
  auto retries = RetriesOf(max_retries, timeout_seconds);
  return RunInterruptibly(
      [&](const Poll& poll) { return dataset.Delete(predicate, retries, poll); });
}

Counted Update(const Dataset& dataset, const std::map<std::string, std::string>& updates,
               const std::optional<std::string>& where,
               const std::optional<std::string>& data_storage_version, uint32_t max_retries,
               double timeout_seconds) {
  auto retries = RetriesOf(max_retries, timeout_seconds);
  return RunInterruptibly([&](const Poll& poll) {
    return dataset.Update(updates, where, retries, data_storage_version, poll);
  });
}

/// Runs a merge of the rows of `source`; `merge` gets them with the options.
template <typename Merge>
auto MergeFrom(nb::handle source, const MergeInsertOptions& options, const Merge& merge) {
  return PullInto(source, [&](const std::shared_ptr<InterruptibleReader>& reader) {
    MergeInsertOptions polling = options;
    polling.poll = [&reader] { return reader->Poll(); };
    return merge(reader, polling);
  });
}

std::pair<std::shared_ptr<Dataset>, MergeInsertStats> MergeInsert(
    const Dataset& dataset, nb::handle source, const MergeInsertOptions& options) {
  return MergeFrom(source, options, [&](const auto& reader, const auto& polling) {
    return dataset.MergeInsert(reader, polling);
  });
}

nb::tuple MergeInsertUncommitted(const Dataset& dataset, nb::handle source,
                                 const MergeInsertOptions& options) {
  auto [transaction, stats] =
      MergeFrom(source, options, [&](const auto& reader, const auto& polling) {
        return dataset.MergeInsertUncommitted(reader, polling);
      });
  return nb::make_tuple(nb::bytes(transaction.data(), transaction.size()), stats);
}

std::string AnalyzeMergeInsert(const Dataset& dataset, nb::handle source,
                               const MergeInsertOptions& options) {
  return MergeFrom(source, options, [&](const auto& reader, const auto& polling) {
    return dataset.AnalyzeMergeInsert(reader, polling);
  });
}

std::string ExplainMergeInsert(const Dataset& dataset, nb::handle schema,
                               const MergeInsertOptions& options) {
  return Unwrap(dataset.ExplainMergeInsert(*SchemaFromPython(schema), options));
}

}  // namespace

void BindRows(nb::module_& module, nb::class_<Dataset>& dataset) {
  nb::enum_<WhenMatched>(module, "WhenMatched")
      .value("do_nothing", WhenMatched::kDoNothing)
      .value("update_all", WhenMatched::kUpdateAll)
      .value("delete", WhenMatched::kDelete)
      .value("fail", WhenMatched::kFail);

  nb::class_<MergeInsertOptions>(module, "MergeInsertOptions")
      .def(nb::init<>())
      .def_rw("on", &MergeInsertOptions::on)
      .def_rw("when_matched", &MergeInsertOptions::when_matched)
      .def_rw("update_condition", &MergeInsertOptions::update_condition, nb::arg().none())
      .def_rw("insert_not_matched", &MergeInsertOptions::insert_not_matched)
      .def_rw("delete_not_matched_by_source", &MergeInsertOptions::delete_not_matched_by_source)
      .def_rw("delete_condition", &MergeInsertOptions::delete_condition, nb::arg().none())
      .def_rw("data_storage_version", &MergeInsertOptions::data_storage_version, nb::arg().none())
      .def_prop_rw(
          "rewrites_columns",
          [](const MergeInsertOptions& self) {
            return self.write_mode == MergeWriteMode::kRewriteColumns;
          },
          [](MergeInsertOptions& self, bool value) {
            self.write_mode =
                value ? MergeWriteMode::kRewriteColumns : MergeWriteMode::kRewriteRows;
          })
      .def_prop_rw(
          "target_bases", [](const MergeInsertOptions& self) { return self.targets.bases; },
          [](MergeInsertOptions& self, const std::vector<std::string>& bases) {
            self.targets.bases = bases;
          })
      .def_prop_rw(
          "target_all_bases", [](const MergeInsertOptions& self) { return self.targets.all_bases; },
          [](MergeInsertOptions& self, bool with_own) { self.targets.all_bases = with_own; })
      .def(
          "set_retries",
          [](MergeInsertOptions& self, uint32_t max_retries, double timeout_seconds) {
            self.retries = RetriesOf(max_retries, timeout_seconds);
          },
          "max_retries"_a, "timeout_seconds"_a);

  nb::class_<MergeInsertStats>(module, "MergeInsertStats")
      .def_ro("inserted_rows", &MergeInsertStats::inserted_rows)
      .def_ro("updated_rows", &MergeInsertStats::updated_rows)
      .def_ro("deleted_rows", &MergeInsertStats::deleted_rows);

  dataset.def("delete", &Delete, "predicate"_a, "max_retries"_a, "timeout_seconds"_a)
      .def("update", &Update, "updates"_a, "where"_a.none(), "data_storage_version"_a.none(),
           "max_retries"_a, "timeout_seconds"_a)
      .def(
          "check_update",
          [](const Dataset& self, const std::map<std::string, std::string>& updates) {
            Check(self.CheckUpdate(updates));
          },
          "updates"_a)
      .def("merge_insert", &MergeInsert, "source"_a, "options"_a)
      .def("merge_insert_uncommitted", &MergeInsertUncommitted, "source"_a, "options"_a)
      .def("explain_merge_insert", &ExplainMergeInsert, "schema"_a, "options"_a)
      .def("analyze_merge_insert", &AnalyzeMergeInsert, "source"_a, "options"_a)
      .def(
          "merge_key",
          [](const Dataset& self, const std::vector<std::string>& on) {
            return Unwrap(self.MergeKey(on));
          },
          "on"_a)
      .def(
          "substrait_to_sql",
          [](const Dataset& self, const nb::bytes& filter) {
            return Unwrap(self.SubstraitToSql(std::string(filter.c_str(), filter.size())));
          },
          "filter"_a);
}

}  // namespace lance::python
