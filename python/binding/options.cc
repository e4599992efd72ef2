#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base_paths.h"
#include "bindings.h"
#include "lance/dataset.h"
#include "scan_statistics.h"

namespace nb = nanobind;
using namespace nanobind::literals;  // NOLINT: "name"_a

namespace lance::python {

namespace {

std::optional<std::string> ToString(const std::optional<nb::bytes>& bytes) {
  if (!bytes) return std::nullopt;
  return std::string(bytes->c_str(), bytes->size());
}

std::optional<nb::bytes> ToBytes(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return nb::bytes(text->data(), text->size());
}

/// Column, whether ascending, whether nulls come first.
using SortKeys = std::vector<std::tuple<std::string, bool, bool>>;

std::vector<SortKey> FromTuples(const SortKeys& tuples) {
  std::vector<SortKey> keys;
  for (const auto& [column, ascending, nulls_first] : tuples) {
    keys.push_back({column, ascending, nulls_first});
  }
  return keys;
}

}  // namespace

void BindOptions(nb::module_& module) {
  nb::enum_<WriteMode>(module, "WriteMode")
      .value("create", WriteMode::kCreate)
      .value("append", WriteMode::kAppend)
      .value("overwrite", WriteMode::kOverwrite);

  nb::enum_<BlobHandling>(module, "BlobHandling")
      .value("descriptions", BlobHandling::kDescriptions)
      .value("bytes", BlobHandling::kBytes)
      .value("values", BlobHandling::kValues);

  nb::class_<ScanStatistics>(module, "ScanStatistics")
      .def_ro("reads", &ScanStatistics::reads)
      .def_ro("read_bytes", &ScanStatistics::read_bytes)
      .def_ro("fragments", &ScanStatistics::fragments)
      .def_ro("rows", &ScanStatistics::rows)
      .def_ro("nanoseconds", &ScanStatistics::nanoseconds);
  module.def(
      "serialize_row_ids",
      [](const std::vector<uint64_t>& row_ids) {
        const std::string bytes = SerializeRowIds(row_ids);
        return nb::bytes(bytes.data(), bytes.size());
      },
      "row_ids"_a);

  using Columns = std::optional<std::vector<std::string>>;
  using Fragments = std::optional<std::vector<uint64_t>>;
  using Expressions = std::optional<std::vector<std::pair<std::string, std::string>>>;
  nb::class_<ScanOptions>(module, "ScanOptions")
      .def(
          "__init__",
          [](ScanOptions* self, Columns columns, std::optional<uint64_t> limit, uint64_t offset,
             std::optional<uint64_t> batch_size, bool with_row_id, bool with_row_address,
             Fragments fragments, BlobHandling blob_handling, Expressions expressions,
             std::optional<std::string> filter, const std::optional<nb::bytes>& substrait_filter,
             std::map<std::string, std::string> output_encodings, bool strict_batch_size,
             std::optional<uint64_t> batch_size_bytes, const SortKeys& order_by,
             bool include_deleted_rows, const std::optional<nb::bytes>& row_allowlist,
             const std::optional<nb::bytes>& row_blocklist, nb::object on_done) {
            new (self) ScanOptions{.columns = std::move(columns),
                                   .expressions = std::move(expressions),
                                   .filter = std::move(filter),
                                   .substrait_filter = ToString(substrait_filter),
                                   .limit = limit,
                                   .offset = offset,
                                   .batch_size = batch_size,
                                   .strict_batch_size = strict_batch_size,
                                   .batch_size_bytes = batch_size_bytes,
                                   .order_by = FromTuples(order_by),
                                   .with_row_id = with_row_id,
                                   .with_row_address = with_row_address,
                                   .fragments = std::move(fragments),
                                   .include_deleted_rows = include_deleted_rows,
                                   .row_allowlist = ToString(row_allowlist),
                                   .row_blocklist = ToString(row_blocklist),
                                   .blob_handling = blob_handling,
                                   .output_encodings = std::move(output_encodings)};
            if (!on_done.is_none()) self->on_done = StatisticsCallback(std::move(on_done));
          },
          nb::kw_only(), "columns"_a.none() = nb::none(), "limit"_a.none() = nb::none(),
          "offset"_a = 0, "batch_size"_a.none() = nb::none(), "with_row_id"_a = false,
          "with_row_address"_a = false, "fragments"_a.none() = nb::none(),
          "blob_handling"_a = BlobHandling::kDescriptions, "expressions"_a.none() = nb::none(),
          "filter"_a.none() = nb::none(), "substrait_filter"_a.none() = nb::none(),
          "output_encodings"_a = std::map<std::string, std::string>(),
          "strict_batch_size"_a = false, "batch_size_bytes"_a.none() = nb::none(),
          "order_by"_a = SortKeys(), "include_deleted_rows"_a = false,
          "row_allowlist"_a.none() = nb::none(), "row_blocklist"_a.none() = nb::none(),
          "on_done"_a.none() = nb::none())
      .def_ro("include_deleted_rows", &ScanOptions::include_deleted_rows)
      .def_prop_ro("row_allowlist",
                   [](const ScanOptions& self) { return ToBytes(self.row_allowlist); })
      .def_prop_ro("row_blocklist",
                   [](const ScanOptions& self) { return ToBytes(self.row_blocklist); })
      .def_prop_ro("on_done",
                   [](const ScanOptions& self) -> nb::object {
                     const auto* callback = self.on_done.target<StatisticsCallback>();
                     return callback == nullptr ? nb::none() : callback->object();
                   })
      .def_ro("strict_batch_size", &ScanOptions::strict_batch_size)
      .def_ro("batch_size_bytes", &ScanOptions::batch_size_bytes)
      .def_prop_ro("order_by",
                   [](const ScanOptions& self) {
                     SortKeys keys;
                     for (const SortKey& key : self.order_by) {
                       keys.emplace_back(key.column, key.ascending, key.nulls_first);
                     }
                     return keys;
                   })
      .def_ro("columns", &ScanOptions::columns)
      .def_ro("expressions", &ScanOptions::expressions)
      .def_ro("filter", &ScanOptions::filter)
      .def_prop_ro("substrait_filter",
                   [](const ScanOptions& self) { return ToBytes(self.substrait_filter); })
      .def_ro("limit", &ScanOptions::limit)
      .def_ro("offset", &ScanOptions::offset)
      .def_ro("batch_size", &ScanOptions::batch_size)
      .def_ro("with_row_id", &ScanOptions::with_row_id)
      .def_ro("with_row_address", &ScanOptions::with_row_address)
      .def_ro("fragments", &ScanOptions::fragments)
      .def_ro("blob_handling", &ScanOptions::blob_handling)
      .def_ro("output_encodings", &ScanOptions::output_encodings);

  nb::class_<WriteOptions>(module, "WriteOptions")
      .def(
          "__init__",
          [](WriteOptions* self, WriteMode mode, uint64_t max_rows_per_file,
             uint64_t max_bytes_per_file, std::optional<std::string> data_storage_version,
             std::optional<uint64_t> data_cache_bytes, std::optional<uint64_t> max_page_bytes,
             bool enable_v2_manifest_paths, bool enable_stable_row_ids,
             std::optional<bool> semantic_types, std::optional<std::string> commit_message,
             std::map<std::string, std::string> transaction_properties,
             std::map<std::string, std::string> config, bool ingest_external_blobs,
             bool allow_external_blob_outside_bases,
             std::optional<uint64_t> blob_pack_file_size_threshold,
             const std::vector<BaseTuple>& initial_bases, std::vector<std::string> target_bases,
             std::optional<bool> target_all_bases) {
            const ExternalBlobMode blob_mode =
                ingest_external_blobs ? ExternalBlobMode::kIngest : ExternalBlobMode::kReference;
            new (self)
                WriteOptions{.mode = mode,
                             .max_rows_per_file = max_rows_per_file,
                             .max_bytes_per_file = max_bytes_per_file,
                             .data_storage_version = std::move(data_storage_version),
                             .data_cache_bytes = data_cache_bytes,
                             .max_page_bytes = max_page_bytes,
                             .enable_v2_manifest_paths = enable_v2_manifest_paths,
                             .enable_stable_row_ids = enable_stable_row_ids,
                             .semantic_types = semantic_types,
                             .commit_message = std::move(commit_message),
                             .transaction_properties = std::move(transaction_properties),
                             .config = std::move(config),
                             .external_blob_mode = blob_mode,
                             .allow_external_blob_outside_bases = allow_external_blob_outside_bases,
                             .blob_pack_file_size_threshold = blob_pack_file_size_threshold,
                             .initial_bases = ToBasePathInfos(initial_bases),
                             .targets = {std::move(target_bases), target_all_bases}};
          },
          nb::kw_only(), "mode"_a, "max_rows_per_file"_a, "max_bytes_per_file"_a,
          "data_storage_version"_a.none(), "data_cache_bytes"_a.none(),
          "max_page_bytes"_a.none() = nb::none(), "enable_v2_manifest_paths"_a,
          "enable_stable_row_ids"_a, "semantic_types"_a.none() = nb::none(),
          "commit_message"_a.none(), "transaction_properties"_a,
          "config"_a = std::map<std::string, std::string>(), "ingest_external_blobs"_a = false,
          "allow_external_blob_outside_bases"_a = false,
          "blob_pack_file_size_threshold"_a.none() = nb::none(),
          "initial_bases"_a = std::vector<BaseTuple>(),
          "target_bases"_a = std::vector<std::string>(), "target_all_bases"_a.none() = nb::none());

  nb::class_<CompactionOptions>(module, "CompactionOptions")
      .def(nb::init<>())
      .def_rw("target_rows_per_fragment", &CompactionOptions::target_rows_per_fragment)
      .def_rw("max_bytes_per_file", &CompactionOptions::max_bytes_per_file)
      .def_rw("materialize_deletions", &CompactionOptions::materialize_deletions)
      .def_rw("materialize_deletions_threshold",
              &CompactionOptions::materialize_deletions_threshold)
      .def_rw("batch_size", &CompactionOptions::batch_size)
      .def_rw("max_source_fragments", &CompactionOptions::max_source_fragments)
      .def_rw("max_source_rows", &CompactionOptions::max_source_rows)
      .def_rw("max_source_bytes", &CompactionOptions::max_source_bytes)
      .def_rw("excluded_fragment_ids", &CompactionOptions::excluded_fragment_ids)
      .def_rw("data_storage_version", &CompactionOptions::data_storage_version);
}

}  // namespace lance::python
