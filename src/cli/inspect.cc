// The verb inspect.

#include "file/inspect.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/context.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "cli/value.h"
#include "io/object_store.h"

namespace lance::cli {
namespace {

using Json = nlohmann::ordered_json;

Json RangesJson(const std::vector<ByteRange>& ranges) {
  Json out = Json::array();
  for (const ByteRange& range : ranges) {
    out.push_back({{"offset", range.offset}, {"size", range.size}});
  }
  return out;
}

Json ColumnJson(const FileInspection::Column& column) {
  Json pages = Json::array();
  for (const FileInspection::Page& page : column.pages) {
    pages.push_back({{"first_row", page.first_row},
                     {"rows", page.rows},
                     {"layout", page.layout},
                     {"encoding", page.encoding},
                     {"bytes", page.bytes()},
                     {"buffers", RangesJson(page.buffers)}});
  }
  return {
      {"index", column.index},   {"field", column.field}, {"type", column.logical_type},
      {"bytes", column.bytes()}, {"pages", pages},        {"buffers", RangesJson(column.buffers)}};
}

Json InspectionJson(const FileInspection& file) {
  Json columns = Json::array();
  for (const auto& column : file.columns) columns.push_back(ColumnJson(column));
  return {{"file", file.path},
          {"version", FileVersionName(file.version)},
          {"rows", file.rows},
          {"size", file.size_bytes},
          {"pages", file.num_pages()},
          {"data_bytes", file.data_bytes()},
          {"global_buffers", RangesJson(file.global_buffers)},
          {"columns", columns}};
}

std::string SizesText(const std::vector<ByteRange>& ranges) {
  std::string text;
  for (const ByteRange& range : ranges) {
    text += (text.empty() ? "" : " + ") + std::to_string(range.size);
  }
  return text.empty() ? "0" : text;
}

std::string PageText(const FileInspection::Page& page, size_t number) {
  std::string text = "  page " + std::to_string(number) + ": ";
  if (page.rows == 0) {
    text += "no rows";
  } else {
    text += "rows " + std::to_string(page.first_row) + " to " +
            std::to_string(page.first_row + page.rows - 1);
  }
  text += ", bytes " + SizesText(page.buffers) + "\n    " + Printable(page.encoding) + "\n";
  return text;
}

std::string ColumnText(const FileInspection::Column& column) {
  std::string text = "\ncolumn " + std::to_string(column.index);
  if (!column.field.empty()) {
    text += ": " + Printable(column.field) + " (" + Printable(column.logical_type) + ")";
  }
  text += ", " + Counted(column.pages.size(), "page") + ", " + ByteText(column.bytes()) + "\n";
  for (size_t i = 0; i < column.pages.size(); ++i) text += PageText(column.pages[i], i);
  return text;
}

std::string InspectionText(const FileInspection& file) {
  std::string text;
  text += "file     " + Printable(file.path) + "\n";
  text += "version  " + std::string(FileVersionName(file.version)) + "\n";
  text += "rows     " + std::to_string(file.rows) + "\n";
  text += "columns  " + std::to_string(file.columns.size()) + "\n";
  text += "pages    " + std::to_string(file.num_pages()) + "\n";
  text += "size     " + ByteText(file.size_bytes) + ": " + ByteText(file.data_bytes()) +
          " in pages, the rest metadata and padding\n";
  for (const auto& column : file.columns) text += ColumnText(column);
  return text;
}

Result<FileInspection> Inspect(const std::string& name) {
  Context context;
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(name));
  std::error_code ignored;
  if (std::filesystem::is_directory(location.path, ignored)) {
    return UserError("'", name, "' is a folder; name the data files of a table, such as ", name,
                     "/data/*.lance");
  }
  ARROW_ASSIGN_OR_RAISE(auto reader, location.store->OpenReader(context, location.path));
  return InspectFile(context, *reader);
}

}  // namespace

Status RunInspect(const InspectArguments& arguments) {
  Json files = Json::array();
  std::string text;
  for (const std::string& name : arguments.files) {
    ARROW_ASSIGN_OR_RAISE(FileInspection file, Inspect(name));
    if (arguments.json) {
      files.push_back(InspectionJson(file));
    } else {
      text += (text.empty() ? "" : "\n\n") + InspectionText(file);
    }
  }
  Print(arguments.json ? ToDocument({{"files", files}}) : text);
  return Status::OK();
}

}  // namespace lance::cli
