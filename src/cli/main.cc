// The lance command line tool. Exit status: 0 done, 1 error, 2 wrong usage.

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/output.h"

namespace lance::cli {
namespace {

constexpr int kErrorStatus = 1;
constexpr int kUsageStatus = 2;

bool WantsJson(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") return true;
  }
  return false;
}

// Prints help or the version, which CLI11 gives by way of an exception.
int ReportHelp(const CLI::App& app, const CLI::ParseError& error) {
  std::ostringstream out;
  app.exit(error, out, out);
  Print(out.str());
  Status status = FinishOutput();
  if (status.ok()) return 0;
  PrintError(status, /*json=*/false);
  return kErrorStatus;
}

int ReportUsage(const CLI::App& app, const CLI::ParseError& error, bool json) {
  std::string help = "lance --help";
  std::string message = error.what();
  auto chosen = app.get_subcommands();
  if (!chosen.empty()) {
    help = "lance " + chosen[0]->get_name() + " --help";
  } else if (auto unknown = app.remaining(); !unknown.empty()) {
    message = "unknown verb or option: " + unknown[0];
  }
  PrintError(UserError(message, " (see `", help, "`)"), json);
  return kUsageStatus;
}

int Run(int argc, char** argv) {
  CLI::App app("Lance tables at the shell: look into them, import, export, change.", "lance");
  app.set_version_flag("--version", "lance " LANCE_VERSION);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.footer("`lance VERB --help` tells the options of a verb, with an example.");
  Action action;
  AddTableVerbs(app, &action);
  AddFileVerbs(app, &action);
  AddChangeVerbs(app, &action);
  bool json = WantsJson(argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return ReportHelp(app, error);
    return ReportUsage(app, error, json);
  }
  Status status = action();
  if (Status flushed = FinishOutput(); status.ok()) status = flushed;
  if (status.ok()) return 0;
  PrintError(status, json);
  return kErrorStatus;
}

}  // namespace
}  // namespace lance::cli

int main(int argc, char** argv) {
  try {
    return lance::cli::Run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("lance: out of memory\n", stderr);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "lance: internal error, please report it: %s\n", exception.what());
  } catch (...) {
    std::fputs("lance: internal error, please report it\n", stderr);
  }
  return lance::cli::kErrorStatus;
}
