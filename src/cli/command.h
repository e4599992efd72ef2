#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "lance/dataset.h"

namespace CLI {  // NOLINT(readability-identifier-naming): the name that the library has
class App;
}

namespace lance::cli {

/// What a parsed command line asks for; set while parsing, run afterwards.
using Action = std::function<Status()>;

/// Declare verbs with their options. The chosen one fills `action`, which outlives `app`. CLI11 is
/// slow to compile: only the files that declare verbs include it.
void AddTableVerbs(CLI::App& app, Action* action);
void AddFileVerbs(CLI::App& app, Action* action);
void AddChangeVerbs(CLI::App& app, Action* action);

/// A table at one of its versions.
struct TableArguments {
  std::string uri;
  /// Digits are the number of a version, anything else is a tag; empty is the newest.
  std::string version;
  bool json = false;
};

struct CountArguments {
  TableArguments table;
  std::optional<std::string> filter;
};

struct RowsArguments {
  TableArguments table;
  uint64_t limit = 10;                ///< head
  std::optional<std::string> filter;  ///< head
  bool with_deleted = false;          ///< head
  std::vector<uint64_t> indices;      ///< take
  std::optional<std::string> columns;
};

struct ExplainArguments {
  RowsArguments rows;  ///< without its limit
  std::optional<uint64_t> limit;
  bool analyze = false;
};

enum class FileFormat : uint8_t { kParquet, kCsv, kArrowFile, kArrowStream };

struct ImportArguments {
  std::string file;
  std::string uri;
  std::optional<FileFormat> format;
  WriteOptions write;
  bool json = false;
};

struct ExportArguments {
  TableArguments table;
  std::string file;
  std::optional<FileFormat> format;
  std::optional<std::string> columns;
  std::optional<std::string> filter;
  bool overwrite = false;
};

/// Of the verbs that change a table; each uses some.
struct ChangeArguments {
  TableArguments table;
  std::string name;                       ///< tag, branch
  std::string target;                     ///< clone
  std::vector<std::string> columns;       ///< drop-columns
  std::optional<std::string> condition;   ///< delete, update
  std::vector<std::string> assignments;   ///< update: `column=expression`
  bool deep = false;                      ///< clone
  uint64_t target_rows = 1ull << 20;      ///< compact
  std::optional<std::string> older_than;  ///< cleanup
  std::optional<uint64_t> retain;         ///< cleanup
  bool delete_unverified = false;         ///< cleanup
  bool dry_run = false;                   ///< cleanup
  bool semantic_types = false;            ///< upgrade
  bool stable_row_ids = false;            ///< upgrade
  BasePathInfo base;                      ///< add-base
};

struct InspectArguments {
  std::vector<std::string> files;
  bool json = false;
};

struct VerifyArguments {
  std::vector<std::string> files;
  bool json = false;
};

Status RunInfo(const TableArguments& arguments);
Status RunSchema(const TableArguments& arguments);
Status RunVersions(const TableArguments& arguments);
Status RunCount(const CountArguments& arguments);
Status RunHead(const RowsArguments& arguments);
Status RunTake(const RowsArguments& arguments);
Status RunExplain(const ExplainArguments& arguments);
Status RunImport(const ImportArguments& arguments);
Status RunExport(const ExportArguments& arguments);
Status RunInspect(const InspectArguments& arguments);
Status RunRestore(const ChangeArguments& arguments);
Status RunTag(const ChangeArguments& arguments);
Status RunUntag(const ChangeArguments& arguments);
Status RunTags(const ChangeArguments& arguments);
Status RunBranch(const ChangeArguments& arguments);
Status RunDeleteBranch(const ChangeArguments& arguments);
Status RunBranches(const ChangeArguments& arguments);
Status RunBases(const ChangeArguments& arguments);
Status RunAddBase(const ChangeArguments& arguments);
Status RunDropColumns(const ChangeArguments& arguments);
Status RunDelete(const ChangeArguments& arguments);
Status RunUpdate(const ChangeArguments& arguments);
Status RunCompact(const ChangeArguments& arguments);
Status RunCleanup(const ChangeArguments& arguments);
Status RunClone(const ChangeArguments& arguments);
Status RunValidate(const ChangeArguments& arguments);
Status RunUpgrade(const ChangeArguments& arguments);
Status RunVerify(const VerifyArguments& arguments);

Result<std::shared_ptr<Dataset>> OpenTable(const TableArguments& arguments);
/// `a,b.c,`d,e`` → names; commas inside back-ticks belong to the name. Nothing given: nullopt.
std::optional<std::vector<std::string>> SplitColumns(const std::optional<std::string>& text);

}  // namespace lance::cli
