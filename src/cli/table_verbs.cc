// Declares the verbs on tables: info, schema, versions, count, head, take, explain.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/options.h"

namespace lance::cli {
namespace {

void AddTableOptions(CLI::App* verb, TableArguments* arguments, bool with_version) {
  verb->add_option("URI", arguments->uri, "Path or URI of the table")->required();
  if (with_version) {
    verb->add_option("--version,--version-ref", arguments->version,
                     "Read this version: a number, or the name of a tag");
  }
  verb->add_flag("--json", arguments->json, "Print JSON");
}

void AddVerb(CLI::App& app, Action* action, const std::string& name, const std::string& what,
             const std::string& example, Status (*run)(const TableArguments&), bool with_version) {
  CLI::App* verb = app.add_subcommand(name, what);
  auto arguments = std::make_shared<TableArguments>();
  AddTableOptions(verb, arguments.get(), with_version);
  verb->footer("Example:\n  " + example);
  verb->callback([=] { *action = [=] { return run(*arguments); }; });
}

void AddCount(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand("count", "Count the rows");
  auto arguments = std::make_shared<CountArguments>();
  AddTableOptions(verb, &arguments->table, /*with_version=*/true);
  AddFilter(verb, &arguments->filter);
  verb->footer(
      "Example:\n  lance count flights.lance --filter \"carrier = 'UA' and dep_delay > 60\"");
  verb->callback([=] { *action = [=] { return RunCount(*arguments); }; });
}

void AddHead(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand("head", "Show the first rows");
  auto arguments = std::make_shared<RowsArguments>();
  AddTableOptions(verb, &arguments->table, /*with_version=*/true);
  verb->add_option("-n,--rows", arguments->limit, "How many rows")
      ->check(WholeNumber(), "NUMBER")
      ->capture_default_str();
  verb->add_option("--columns", arguments->columns,
                   "Only these columns, separated by commas; paths like a.b are allowed");
  AddFilter(verb, &arguments->filter);
  verb->add_flag("--deleted", arguments->with_deleted,
                 "Also rows that are deleted but still stored: those without a _rowid");
  verb->footer("Example:\n  lance head flights.lance -n 5 --columns carrier,dep_delay");
  verb->callback([=] { *action = [=] { return RunHead(*arguments); }; });
}

void AddTake(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand("take", "Show rows by their position, in the order given");
  auto arguments = std::make_shared<RowsArguments>();
  AddTableOptions(verb, &arguments->table, /*with_version=*/true);
  verb->add_option("INDICES", arguments->indices, "Positions, counted from 0")
      ->delimiter(',')
      ->check(WholeNumber(), "NUMBER")
      ->required();
  verb->add_option("--columns", arguments->columns,
                   "Only these columns, separated by commas; paths like a.b are allowed");
  verb->footer("Example:\n  lance take flights.lance 0 99999 17 --columns carrier,flight --json");
  verb->callback([=] { *action = [=] { return RunTake(*arguments); }; });
}

void AddExplain(CLI::App& app, Action* action) {
  CLI::App* verb = app.add_subcommand("explain", "Show the steps of reading rows");
  auto arguments = std::make_shared<ExplainArguments>();
  AddTableOptions(verb, &arguments->rows.table, /*with_version=*/true);
  verb->add_option("-n,--rows", arguments->limit, "How many rows; default all")
      ->check(WholeNumber(), "NUMBER");
  verb->add_option("--columns", arguments->rows.columns,
                   "Only these columns, separated by commas; paths like a.b are allowed");
  AddFilter(verb, &arguments->rows.filter);
  verb->add_flag("--analyze", arguments->analyze,
                 "Read the rows, and show what each step did: rows, requests, bytes, time");
  verb->footer("Example:\n  lance explain flights.lance --filter \"dep_delay > 60\" --analyze");
  verb->callback([=] { *action = [=] { return RunExplain(*arguments); }; });
}

}  // namespace

void AddTableVerbs(CLI::App& app, Action* action) {
  AddVerb(app, action, "info", "Tell what a table holds", "lance info flights.lance", RunInfo,
          /*with_version=*/true);
  AddVerb(app, action, "schema", "Show the columns and their types",
          "lance schema flights.lance --version 2", RunSchema, /*with_version=*/true);
  AddVerb(app, action, "versions", "List the versions of a table",
          "lance versions flights.lance --json", RunVersions, /*with_version=*/false);
  AddCount(app, action);
  AddHead(app, action);
  AddTake(app, action);
  AddExplain(app, action);
}

}  // namespace lance::cli
