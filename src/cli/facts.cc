// The verbs that tell about a table: info, versions, count.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/type.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "cli/value.h"

namespace lance::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Totals {
  uint64_t fragments = 0;
  uint64_t data_files = 0;
  uint64_t deleted_rows = 0;
  /// Not known when an old writer left out a size.
  std::optional<uint64_t> data_bytes = 0;
};

Totals Sum(const std::vector<FragmentInfo>& fragments) {
  Totals totals;
  totals.fragments = fragments.size();
  for (const FragmentInfo& fragment : fragments) {
    totals.data_files += fragment.files.size();
    totals.deleted_rows += fragment.num_deletions;
    for (const DataFileInfo& file : fragment.files) {
      if (file.file_size_bytes && totals.data_bytes) {
        *totals.data_bytes += *file.file_size_bytes;
      } else {
        totals.data_bytes.reset();
      }
    }
  }
  return totals;
}

template <typename Value>
Json OrNull(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string YesNo(bool value) { return value ? "yes" : "no"; }

// Names and values, a line each, the values below each other.
class FactList {
 public:
  void Add(std::string name, const std::string& value) {
    facts_.emplace_back(std::move(name), Printable(value));
  }
  void AddMap(const std::string& name, const std::map<std::string, std::string>& values) {
    std::string label = name;
    for (const auto& [key, value] : values) {
      Add(label, internal::Concat(key, " = ", value));
      label.clear();
    }
  }
  std::string Render() const {
    size_t width = 0;
    for (const auto& [name, value] : facts_) width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, value] : facts_) {
      text += name;
      text.append(width + 2 - name.size(), ' ');
      text += value;
      text += '\n';
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> facts_;
};

struct Facts {
  std::shared_ptr<Dataset> dataset;
  uint64_t latest_version = 0;
  uint64_t rows = 0;
  Totals totals;
  std::map<std::string, TagInfo> tags;
};

std::string InfoText(const Facts& facts) {
  const Dataset& dataset = *facts.dataset;
  FactList list;
  list.Add("uri", dataset.uri());
  std::string version = std::to_string(dataset.version());
  if (dataset.version() != facts.latest_version) {
    version += " (the newest is " + std::to_string(facts.latest_version) + ")";
  }
  list.Add("version", version);
  list.Add("committed", TimeText(dataset.timestamp_ns()));
  list.Add("rows", std::to_string(facts.rows));
  list.Add("deleted rows", std::to_string(facts.totals.deleted_rows));
  list.Add("columns", std::to_string(dataset.schema()->num_fields()));
  list.Add("fragments", std::to_string(facts.totals.fragments));
  list.Add("data files", std::to_string(facts.totals.data_files));
  list.Add("data size", facts.totals.data_bytes ? ByteText(*facts.totals.data_bytes) : "unknown");
  list.Add("file version", dataset.data_storage_version());
  list.Add("stable row ids", YesNo(dataset.has_stable_row_ids()));
  if (dataset.has_semantic_types()) list.Add("semantic types", YesNo(true));
  std::map<std::string, std::string> tags;
  for (const auto& [name, tag] : facts.tags) tags[name] = "version " + std::to_string(tag.version);
  list.AddMap("tags", tags);
  list.AddMap("config", dataset.config());
  list.AddMap("metadata", dataset.table_metadata());
  return list.Render();
}

Json InfoJson(const Facts& facts) {
  const Dataset& dataset = *facts.dataset;
  Json tags = Json::object();
  for (const auto& [name, tag] : facts.tags) tags[name] = tag.version;
  return {{"uri", dataset.uri()},
          {"version", dataset.version()},
          {"latest_version", facts.latest_version},
          {"timestamp", IsoTime(dataset.timestamp_ns())},
          {"rows", facts.rows},
          {"deleted_rows", facts.totals.deleted_rows},
          {"columns", dataset.schema()->num_fields()},
          {"fragments", facts.totals.fragments},
          {"data_files", facts.totals.data_files},
          {"data_bytes", OrNull(facts.totals.data_bytes)},
          {"data_storage_version", dataset.data_storage_version()},
          {"stable_row_ids", dataset.has_stable_row_ids()},
          {"tags", tags},
          {"config", dataset.config()},
          {"metadata", dataset.table_metadata()}};
}

// One line of `lance versions`.
struct VersionRow {
  uint64_t version = 0;
  int64_t timestamp_ns = 0;
  std::optional<uint64_t> rows;
  std::optional<uint64_t> fragments;
  std::optional<uint64_t> data_files;
  std::optional<uint64_t> data_bytes;
  std::vector<std::string> tags;
};

std::optional<uint64_t> FindNumber(const std::map<std::string, std::string>& values,
                                   const std::string& key) {
  auto found = values.find(key);
  if (found == values.end()) return std::nullopt;
  const std::string& text = found->second;
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<VersionRow> VersionRows(const std::vector<VersionInfo>& versions,
                                    const std::map<std::string, TagInfo>& tags) {
  std::vector<VersionRow> rows;
  for (const VersionInfo& info : versions) {
    VersionRow row;
    row.version = info.version;
    row.timestamp_ns = info.timestamp_ns;
    row.rows = FindNumber(info.metadata, "total_rows");
    row.fragments = FindNumber(info.metadata, "total_fragments");
    row.data_files = FindNumber(info.metadata, "total_data_files");
    row.data_bytes = FindNumber(info.metadata, "total_files_size");
    for (const auto& [name, tag] : tags) {
      // Tags of a branch count that branch's versions.
      if (!tag.branch && tag.version == info.version) row.tags.push_back(name);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string NumberText(const std::optional<uint64_t>& number) {
  return number ? std::to_string(*number) : "?";
}

std::string VersionsText(const std::vector<VersionRow>& rows) {
  TextTable table({{"version", true},
                   {"committed"},
                   {"rows", true},
                   {"fragments", true},
                   {"files", true},
                   {"size", true},
                   {"tags"}});
  for (const VersionRow& row : rows) {
    std::string tags;
    for (const std::string& tag : row.tags) tags += (tags.empty() ? "" : ", ") + tag;
    table.AddRow({std::to_string(row.version), TimeText(row.timestamp_ns), NumberText(row.rows),
                  NumberText(row.fragments), NumberText(row.data_files),
                  row.data_bytes ? ByteText(*row.data_bytes) : "?", Printable(tags)});
  }
  return table.Render(TerminalWidth());
}

Json VersionsJson(const std::vector<VersionRow>& rows) {
  Json list = Json::array();
  for (const VersionRow& row : rows) {
    list.push_back({{"version", row.version},
                    {"timestamp", IsoTime(row.timestamp_ns)},
                    {"rows", OrNull(row.rows)},
                    {"fragments", OrNull(row.fragments)},
                    {"data_files", OrNull(row.data_files)},
                    {"data_bytes", OrNull(row.data_bytes)},
                    {"tags", row.tags}});
  }
  return {{"versions", list}};
}

}  // namespace

Status RunInfo(const TableArguments& arguments) {
  Facts facts;
  ARROW_ASSIGN_OR_RAISE(facts.dataset, OpenTable(arguments));
  ARROW_ASSIGN_OR_RAISE(facts.latest_version, facts.dataset->LatestVersion());
  ARROW_ASSIGN_OR_RAISE(facts.rows, facts.dataset->CountRows());
  ARROW_ASSIGN_OR_RAISE(facts.tags, facts.dataset->Tags());
  facts.totals = Sum(facts.dataset->fragments());
  Print(arguments.json ? ToDocument(InfoJson(facts)) : InfoText(facts));
  return Status::OK();
}

Status RunVersions(const TableArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments));
  ARROW_ASSIGN_OR_RAISE(auto versions, dataset->Versions());
  ARROW_ASSIGN_OR_RAISE(auto tags, dataset->Tags());
  auto rows = VersionRows(versions, tags);
  Print(arguments.json ? ToDocument(VersionsJson(rows)) : VersionsText(rows));
  return Status::OK();
}

Status RunCount(const CountArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ScanOptions options;
  options.filter = arguments.filter;
  ARROW_ASSIGN_OR_RAISE(uint64_t rows,
                        arguments.filter ? dataset->CountRows(options) : dataset->CountRows());
  if (arguments.table.json) {
    Print(ToDocument({{"version", dataset->version()}, {"count", rows}}));
  } else {
    Print(std::to_string(rows) + "\n");
  }
  return Status::OK();
}

}  // namespace lance::cli
