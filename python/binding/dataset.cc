#include <utility>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "arrow_exchange.h"
#include "batch_reader.h"
#include "bindings.h"
#include "errors.h"
#include "fragment_progress.h"
#include "interruptible_reader.h"
#include "lance/dataset.h"
#include "pull_into.h"
#include "python_call.h"
#include "row_positions.h"
#include "signal_check.h"
#include "version_reference.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {
namespace {

using Columns = std::optional<std::vector<std::string>>;
using Encodings = std::map<std::string, std::string>;

std::shared_ptr<Dataset> Open(const std::string& uri, nb::handle version,
                              std::optional<int64_t> as_of_ns) {
  OpenOptions options{.version = VersionFromPython(version), .as_of_ns = as_of_ns};
  return Unwrap(WithoutGil([&] { return Dataset::Open(uri, options); }));
}

std::shared_ptr<Dataset> Write(const std::string& uri, nb::handle data, const WriteOptions& options,
                               nb::handle progress) {
  return WriteTelling(progress, data, options, [&](const auto& reader, const WriteOptions& told) {
    return Dataset::Write(uri, reader, told);
  });
}

std::shared_ptr<Dataset> Insert(const Dataset& dataset, nb::handle data,
                                const WriteOptions& options, nb::handle progress) {
  return WriteTelling(progress, data, options, [&](const auto& reader, const WriteOptions& told) {
    return dataset.Insert(reader, told);
  });
}

std::shared_ptr<Dataset> Checkout(const Dataset& dataset, nb::handle version) {
  VersionRef reference = VersionFromPython(version);
  return Unwrap(WithoutGil([&] { return dataset.Checkout(reference); }));
}

nb::object ToTable(const Dataset& dataset, ScanOptions options) {
  SignalCheck signals;
  options.poll = [&signals] { return signals.Poll(); };
  auto table = WithoutGil([&] { return dataset.ToTable(options); });
  if (!table.ok()) signals.RethrowInterrupt();
  return ToPython(Unwrap(std::move(table)));
}

uint64_t CountScan(const Dataset& dataset, ScanOptions options) {
  SignalCheck signals;
  options.poll = [&signals] { return signals.Poll(); };
  auto rows = WithoutGil([&] { return dataset.CountRows(options); });
  if (!rows.ok()) signals.RethrowInterrupt();
  return Unwrap(std::move(rows));
}

std::unique_ptr<BatchReader> Scan(const Dataset& dataset, const ScanOptions& options) {
  return std::make_unique<BatchReader>(Unwrap(WithoutGil([&] { return dataset.Scan(options); })));
}

nb::object ScanSchema(const Dataset& dataset, const ScanOptions& options) {
  return ToPython(Unwrap(WithoutGil([&] { return dataset.ScanSchema(options); })));
}

std::string ExplainScan(const Dataset& dataset, const ScanOptions& options, bool verbose) {
  return PlanToText(Unwrap(WithoutGil([&] { return dataset.ExplainScan(options); })), verbose);
}

std::string AnalyzeScan(const Dataset& dataset, ScanOptions options, nb::handle on_batch) {
  SignalCheck signals;
  options.poll = [&signals] { return signals.Poll(); };
  PythonCall call;
  BatchSink sink;
  if (!on_batch.is_none()) {
    sink = [&](const auto& batch) { return call.Run([&] { on_batch(ToPython(batch)); }); };
  }
  auto plan = WithoutGil([&] { return dataset.AnalyzeScan(options, sink); });
  if (!plan.ok()) {
    signals.RethrowInterrupt();
    call.Rethrow();
  }
  return PlanToText(Unwrap(std::move(plan)), /*verbose=*/true);
}

/// One batch as a table: pylance's take gives tables.
nb::object TableOf(arrow::Result<std::shared_ptr<arrow::RecordBatch>> taken) {
  std::shared_ptr<arrow::RecordBatch> batch = Unwrap(std::move(taken));
  std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
  columns.reserve(static_cast<size_t>(batch->num_columns()));
  for (int i = 0; i < batch->num_columns(); ++i) {
    columns.push_back(std::make_shared<arrow::ChunkedArray>(batch->column(i)));
  }
  return ToPython(arrow::Table::Make(batch->schema(), std::move(columns), batch->num_rows()));
}

nb::object Take(const Dataset& dataset, nb::handle indices, const Columns& columns,
                const Encodings& output_encodings) {
  std::vector<uint64_t> positions = RowPositionsFromPython(indices);
  return TableOf(WithoutGil([&] { return dataset.Take(positions, columns, output_encodings); }));
}

nb::object TakeExpressions(const Dataset& dataset, nb::handle indices,
                           const std::vector<std::pair<std::string, std::string>>& expressions,
                           const Encodings& output_encodings) {
  std::vector<uint64_t> positions = RowPositionsFromPython(indices);
  return TableOf(WithoutGil(
      [&] { return dataset.TakeExpressions(positions, expressions, output_encodings); }));
}

nb::object TakeFromFragment(const Dataset& dataset, uint64_t fragment_id, nb::handle indices,
                            const Columns& columns, const Encodings& output_encodings) {
  std::vector<uint64_t> positions = RowPositionsFromPython(indices);
  return TableOf(WithoutGil(
      [&] { return dataset.TakeFromFragment(fragment_id, positions, columns, output_encodings); }));
}

std::vector<std::shared_ptr<Blob>> TakeBlobs(const Dataset& dataset, const std::string& column,
                                             RowKey key, nb::handle rows) {
  std::vector<uint64_t> wanted = RowPositionsFromPython(rows);
  return Unwrap(WithoutGil([&] { return dataset.TakeBlobs(column, key, wanted); }));
}

nb::object ReadBlobs(const Dataset& dataset, const std::string& column, RowKey key,
                     nb::handle rows) {
  std::vector<uint64_t> wanted = RowPositionsFromPython(rows);
  return ToPython(Unwrap(WithoutGil([&] { return dataset.ReadBlobs(column, key, wanted); })));
}

}  // namespace

void BindDataset(nb::module_& module) {
  nb::class_<BatchReader>(module, "BatchReader")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &BatchReader::Next)
      .def_prop_ro("schema", &BatchReader::Schema)
      .def("__arrow_c_stream__", &BatchReader::Stream, "requested_schema"_a.none() = nb::none());

  nb::class_<SemanticField>(module, "SemanticField")
      .def_ro("id", &SemanticField::id)
      .def_ro("path", &SemanticField::path)
      .def_ro("semantic_type", &SemanticField::semantic_type)
      .def_ro("parameters", &SemanticField::parameters)
      .def_ro("output_encoding", &SemanticField::output_encoding)
      .def_ro("is_default_encoding", &SemanticField::is_default_encoding)
      .def_ro("recorded_encoding", &SemanticField::recorded_encoding)
      .def_ro("extension", &SemanticField::extension)
      .def_ro("nullable", &SemanticField::nullable);

  nb::class_<Dataset> dataset(module, "Dataset");
  dataset
      .def_static("open", &Open, "uri"_a, "version"_a.none() = nb::none(),
                  "as_of_ns"_a.none() = nb::none())
      .def_static("write", &Write, "uri"_a, "data"_a, "options"_a, "progress"_a.none() = nb::none())
      .def("insert", &Insert, "data"_a, "options"_a, "progress"_a.none() = nb::none())
      .def_prop_ro("uri", &Dataset::uri)
      .def_prop_ro("version", &Dataset::version)
      .def_prop_ro("timestamp_ns", &Dataset::timestamp_ns)
      .def_prop_ro("data_storage_version", &Dataset::data_storage_version)
      .def_prop_ro("schema", [](const Dataset& self) { return ToPython(self.schema()); })
      .def_prop_ro("field_ids", &Dataset::field_ids)
      .def_prop_ro("max_field_id", &Dataset::max_field_id)
      .def_prop_ro("has_stable_row_ids", &Dataset::has_stable_row_ids)
      .def_prop_ro("has_semantic_types", &Dataset::has_semantic_types)
      .def("semantic_schema", [](const Dataset& self) { return Unwrap(self.semantic_schema()); })
      .def("config", &Dataset::config)
      .def("table_metadata", &Dataset::table_metadata)
      .def("latest_version",
           [](const Dataset& self) {
             return Unwrap(WithoutGil([&] { return self.LatestVersion(); }));
           })
      .def("versions",
           [](const Dataset& self) { return Unwrap(WithoutGil([&] { return self.Versions(); })); })
      .def("info", &Dataset::Info)
      .def("tags",
           [](const Dataset& self) { return Unwrap(WithoutGil([&] { return self.Tags(); })); })
      .def("checkout", &Checkout, "version"_a.none())
      .def("count_rows",
           [](const Dataset& self) { return Unwrap(WithoutGil([&] { return self.CountRows(); })); })
      .def("count_scan", &CountScan, "options"_a)
      .def("fragments", [](const Dataset& self) { return self.fragments(); })
      .def("scan", &Scan, "options"_a)
      .def("scan_schema", &ScanSchema, "options"_a)
      .def("to_table", &ToTable, "options"_a)
      .def("explain_scan", &ExplainScan, "options"_a, "verbose"_a)
      .def("analyze_scan", &AnalyzeScan, "options"_a, "on_batch"_a.none() = nb::none())
      .def("take", &Take, "indices"_a, "columns"_a.none() = nb::none(),
           "output_encodings"_a = Encodings())
      .def("take_expressions", &TakeExpressions, "indices"_a, "expressions"_a,
           "output_encodings"_a = Encodings())
      .def("take_from_fragment", &TakeFromFragment, "fragment_id"_a, "indices"_a,
           "columns"_a.none() = nb::none(), "output_encodings"_a = Encodings())
      .def("take_blobs", &TakeBlobs, "column"_a, "key"_a, "rows"_a)
      .def("read_blobs", &ReadBlobs, "column"_a, "key"_a, "rows"_a)
      .def("io_counters", &Dataset::io_counters);
  BindReferences(dataset);
  BindChanges(dataset);
  BindRows(module, dataset);
  BindUpkeep(dataset);
  BindTransactions(module, dataset);
}

}  // namespace lance::python
