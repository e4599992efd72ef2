// Declares the verbs on files: import, export, inspect, verify.

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/options.h"

namespace lance::cli {
namespace {

const std::map<std::string, FileFormat> kFormats = {{"parquet", FileFormat::kParquet},
                                                    {"csv", FileFormat::kCsv},
                                                    {"arrow", FileFormat::kArrowFile},
                                                    {"arrows", FileFormat::kArrowStream}};
const std::map<std::string, WriteMode> kModes = {{"create", WriteMode::kCreate},
                                                 {"append", WriteMode::kAppend},
                                                 {"overwrite", WriteMode::kOverwrite}};

void AddFormat(CLI::App* verb, std::optional<FileFormat>* format) {
  verb->add_option_function<std::string>(
          "--format", [format](const std::string& name) { *format = kFormats.at(name); },
          "Format of FILE: parquet, csv, arrow (IPC file), arrows (IPC stream); default: by its "
          "extension (.parquet .pq .csv .arrow .ipc .feather .arrows)")
      ->check(CLI::IsMember(kFormats));
}

/// `name=path`, or a path alone.
BasePathInfo ParseBase(const std::string& text) {
  BasePathInfo base;
  const size_t sign = text.find('=');
  if (sign == std::string::npos) {
    base.path = text;
  } else {
    base.name = text.substr(0, sign);
    base.path = text.substr(sign + 1);
  }
  return base;
}

void AddImport(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand("import", "Write a Parquet, CSV or Arrow file into a table");
  auto arguments = std::make_shared<ImportArguments>();
  WriteOptions* write = &arguments->write;
  verb->add_option("FILE", arguments->file, "File to read")->required();
  verb->add_option("URI", arguments->uri, "Path or URI of the table")->required();
  AddFormat(verb, &arguments->format);
  verb->add_option_function<std::string>(
          "--mode", [write](const std::string& name) { write->mode = kModes.at(name); },
          "create (default): fail if there is a table; append: add rows; overwrite: new contents")
      ->check(CLI::IsMember(kModes));
  verb->add_option("--max-rows-per-file", write->max_rows_per_file, "Rows per data file at most")
      ->check(WholeNumber(1), "NUMBER")
      ->capture_default_str();
  verb->add_option(
      "--storage-version", write->data_storage_version,
      "Version of the data files: 2.0, 2.1, 2.2, 2.3 (unstable), stable, next; default: "
      "the table's, or 2.2");
  verb->add_option_function<std::vector<std::string>>(
          "--base",
          [write](const std::vector<std::string>& bases) {
            for (const std::string& base : bases) write->initial_bases.push_back(ParseBase(base));
          },
          "NAME=PATH: a place beside its own folder that a new table may use")
      ->allow_extra_args(false);
  verb->add_option(
          "--target-bases", write->targets.bases,
          "Names or paths of such places, separated by commas: data files go there in turn")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb->add_flag("--json", arguments->json, "Print JSON");
  verb->footer(
      "In CSV, fields without quotes that are empty or NA are null; types are guessed from the "
      "first 16 MiB.\nExample:\n  lance import flights.parquet flights.lance --mode append");
  verb->callback([=] { *action = [=] { return RunImport(*arguments); }; });
}

void AddExport(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand("export", "Write a table into a Parquet, CSV or Arrow file");
  auto arguments = std::make_shared<ExportArguments>();
  verb->add_option("URI", arguments->table.uri, "Path or URI of the table")->required();
  verb->add_option("FILE", arguments->file, "File to write")->required();
  AddFormat(verb, &arguments->format);
  verb->add_option("--columns", arguments->columns,
                   "Only these columns, separated by commas; paths like a.b are allowed");
  AddFilter(verb, &arguments->filter);
  verb->add_option("--version,--version-ref", arguments->table.version,
                   "Read this version: a number, or the name of a tag");
  verb->add_flag("--overwrite", arguments->overwrite, "Replace FILE if it exists");
  verb->add_flag("--json", arguments->table.json, "Print JSON");
  verb->footer("Example:\n  lance export flights.lance flights.parquet --version 1");
  verb->callback([=] { *action = [=] { return RunExport(*arguments); }; });
}

void AddInspect(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand(
      "inspect", "Show the inside of data files: columns, pages, encodings, sizes");
  auto arguments = std::make_shared<InspectArguments>();
  verb->add_option("FILE", arguments->files, "Data files (data/*.lance in a table)")->required();
  verb->add_flag("--json", arguments->json, "Print JSON");
  verb->footer("Example:\n  lance inspect flights.lance/data/*.lance");
  verb->callback([=] { *action = [=] { return RunInspect(*arguments); }; });
}

void AddVerify(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand(
      "verify", "Decode everything in data files and check it against the format");
  auto arguments = std::make_shared<VerifyArguments>();
  verb->add_option("FILE", arguments->files, "Data files (data/*.lance in a table)")->required();
  verb->add_flag("--json", arguments->json, "Print JSON");
  verb->footer(
      "Lists every problem with its column, page and offset. Exit status 1 if there is one.\n"
      "Example:\n  lance verify flights.lance/data/*.lance");
  verb->callback([=] { *action = [=] { return RunVerify(*arguments); }; });
}

}  // namespace

void AddFileVerbs(CLI::App& app, Action* action) {
  AddImport(app, action);
  AddExport(app, action);
  AddInspect(app, action);
  AddVerify(app, action);
}

}  // namespace lance::cli
