// The verbs that change a table.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/text_table.h"
#include "cli/value.h"
#include "dataset/auto_cleanup.h"
#include "table/now.h"

namespace lance::cli {
namespace {

constexpr char kDefaultAge[] = "14d";

/// The same for every verb that makes a version.
void PrintVersion(const ChangeArguments& arguments, const Dataset& dataset,
                  const std::string& done) {
  if (arguments.table.json) {
    Print(ToDocument({{"uri", dataset.uri()}, {"version", dataset.version()}}));
  } else {
    Print(done + ", version " + std::to_string(dataset.version()) + "\n");
  }
}

/// The same with how many rows were changed.
void PrintRows(const ChangeArguments& arguments, const Dataset& dataset, const std::string& done,
               uint64_t rows) {
  if (arguments.table.json) {
    Print(ToDocument({{"uri", dataset.uri()}, {"version", dataset.version()}, {"rows", rows}}));
  } else {
    PrintVersion(arguments, dataset, done + " " + Counted(rows, "row"));
  }
}

/// `column=expression`, by column.
Result<std::map<std::string, std::string>> ParseAssignments(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> assignments;
  for (const std::string& text : texts) {
    size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      return UserError("not an assignment: ", text, "; write column=expression");
    }
    if (!assignments.emplace(text.substr(0, sign), text.substr(sign + 1)).second) {
      return UserError("column '", text.substr(0, sign), "' is set twice");
    }
  }
  return assignments;
}

/// The version that a verb's --version names, in terms of the table of the newest one.
VersionRef ReferenceTo(const Dataset& dataset) {
  return BranchVersion{dataset.branch(), dataset.version()};
}

Result<CleanupPolicy> PolicyOf(const ChangeArguments& arguments) {
  CleanupPolicy policy;
  policy.retain_versions = arguments.retain;
  policy.delete_unverified = arguments.delete_unverified;
  policy.error_if_tagged_old_versions = false;
  policy.dry_run = arguments.dry_run;
  std::optional<std::string> age = arguments.older_than;
  if (!age && !arguments.retain) age = kDefaultAge;
  if (age) {
    auto duration = ParseDuration(*age);
    if (!duration) return UserError("not a duration: ", *age, "; write 14d, 2h30m or 0s");
    policy.before_timestamp_ns = NowNanoseconds() - *duration;
  }
  return policy;
}

}  // namespace

Status RunRestore(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto restored, dataset->Restore());
  PrintVersion(arguments, *restored, "restored version " + std::to_string(dataset->version()));
  return Status::OK();
}

Status RunTag(const ChangeArguments& arguments) {
  if (!arguments.name.empty() && std::all_of(arguments.name.begin(), arguments.name.end(),
                                             [](char c) { return c >= '0' && c <= '9'; })) {
    return UserError("not the name of a tag: ", arguments.name,
                     "; --version takes digits for the number of a version");
  }
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto tags, dataset->Tags());
  VersionRef version = ReferenceTo(*dataset);
  ARROW_RETURN_NOT_OK(tags.contains(arguments.name) ? dataset->UpdateTag(arguments.name, version)
                                                    : dataset->CreateTag(arguments.name, version));
  PrintVersion(arguments, *dataset, "tagged " + arguments.name);
  return Status::OK();
}

Status RunUntag(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_RETURN_NOT_OK(dataset->DeleteTag(arguments.name));
  PrintVersion(arguments, *dataset, "deleted tag " + arguments.name);
  return Status::OK();
}

Status RunTags(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto tags, dataset->Tags());
  if (arguments.table.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [name, tag] : tags) {
      list.push_back(
          {{"name", name}, {"branch", tag.branch.value_or("main")}, {"version", tag.version}});
    }
    Print(ToDocument(list));
    return Status::OK();
  }
  TextTable table({{"tag"}, {"branch"}, {"version", true}});
  for (const auto& [name, tag] : tags) {
    table.AddRow(
        {Printable(name), Printable(tag.branch.value_or("main")), std::to_string(tag.version)});
  }
  Print(table.Render(TerminalWidth()));
  return Status::OK();
}

Status RunBranch(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto branch, dataset->CreateBranch(arguments.name, ReferenceTo(*dataset)));
  PrintVersion(arguments, *branch, "branched to " + branch->uri());
  return Status::OK();
}

Status RunDeleteBranch(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_RETURN_NOT_OK(dataset->DeleteBranch(arguments.name));
  PrintVersion(arguments, *dataset, "deleted branch " + arguments.name);
  return Status::OK();
}

Status RunBranches(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto branches, dataset->Branches());
  if (arguments.table.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& [name, branch] : branches) {
      list.push_back({{"name", name},
                      {"parent_branch", branch.parent_branch.value_or("main")},
                      {"parent_version", branch.parent_version}});
    }
    Print(ToDocument(list));
    return Status::OK();
  }
  TextTable table({{"branch"}, {"from"}, {"version", true}});
  for (const auto& [name, branch] : branches) {
    table.AddRow({Printable(name), Printable(branch.parent_branch.value_or("main")),
                  std::to_string(branch.parent_version)});
  }
  Print(table.Render(TerminalWidth()));
  return Status::OK();
}

Status RunBases(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  auto bases = dataset->base_paths();
  std::sort(bases.begin(), bases.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  if (arguments.table.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const BasePathInfo& base : bases) {
      nlohmann::ordered_json name;
      if (base.name) name = *base.name;
      list.push_back({{"id", base.id},
                      {"name", std::move(name)},
                      {"path", base.path},
                      {"is_dataset_root", base.is_dataset_root}});
    }
    Print(ToDocument(list));
    return Status::OK();
  }
  TextTable table({{"id", true}, {"name"}, {"path"}, {"root"}});
  for (const BasePathInfo& base : bases) {
    table.AddRow({std::to_string(base.id), Printable(base.name.value_or("")), Printable(base.path),
                  base.is_dataset_root ? "yes" : "no"});
  }
  Print(table.Render(TerminalWidth()));
  return Status::OK();
}

Status RunAddBase(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto changed, dataset->AddBases({arguments.base}));
  PrintVersion(arguments, *changed, "added a base path");
  return Status::OK();
}

Status RunDropColumns(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto changed, dataset->DropColumns(arguments.columns));
  const std::set<std::string> distinct(arguments.columns.begin(), arguments.columns.end());
  PrintVersion(arguments, *changed, "dropped " + Counted(distinct.size(), "column"));
  return Status::OK();
}

Status RunDelete(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto deleted, dataset->Delete(*arguments.condition));
  PrintRows(arguments, *deleted.first, "deleted", deleted.second);
  return Status::OK();
}

Status RunUpdate(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto assignments, ParseAssignments(arguments.assignments));
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(auto updated, dataset->Update(assignments, arguments.condition));
  PrintRows(arguments, *updated.first, "updated", updated.second);
  return Status::OK();
}

Status RunCompact(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  CompactionOptions options;
  options.target_rows_per_fragment = arguments.target_rows;
  ARROW_ASSIGN_OR_RAISE(auto result, dataset->Compact(options));
  const auto& [compacted, metrics] = result;
  if (arguments.table.json) {
    Print(ToDocument({{"uri", compacted->uri()},
                      {"version", compacted->version()},
                      {"fragments_removed", metrics.fragments_removed},
                      {"fragments_added", metrics.fragments_added}}));
    return Status::OK();
  }
  PrintVersion(arguments, *compacted,
               "compacted " + Counted(metrics.fragments_removed, "fragment") + " into " +
                   std::to_string(metrics.fragments_added));
  return Status::OK();
}

Status RunCleanup(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(CleanupPolicy policy, PolicyOf(arguments));
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_ASSIGN_OR_RAISE(CleanupStats stats, dataset->CleanUpOldVersions(policy));
  uint64_t files = stats.data_files_removed + stats.transaction_files_removed +
                   stats.index_files_removed + stats.deletion_files_removed;
  if (arguments.table.json) {
    Print(ToDocument({{"dry_run", arguments.dry_run},
                      {"old_versions", stats.old_versions},
                      {"data_files", stats.data_files_removed},
                      {"deletion_files", stats.deletion_files_removed},
                      {"index_files", stats.index_files_removed},
                      {"transaction_files", stats.transaction_files_removed},
                      {"bytes", stats.bytes_removed}}));
    return Status::OK();
  }
  Print(std::string(arguments.dry_run ? "would delete " : "deleted ") +
        Counted(stats.old_versions, "version") + " and " + Counted(files, "file") + " (" +
        ByteText(stats.bytes_removed) + ")\n");
  return Status::OK();
}

Status RunClone(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  VersionRef version = ReferenceTo(*dataset);
  ARROW_ASSIGN_OR_RAISE(auto clone, arguments.deep
                                        ? dataset->DeepClone(arguments.target, version)
                                        : dataset->ShallowClone(arguments.target, version));
  PrintVersion(arguments, *clone, "cloned to " + clone->uri());
  return Status::OK();
}

Status RunValidate(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  ARROW_RETURN_NOT_OK(dataset->Validate());
  PrintVersion(arguments, *dataset, "valid");
  return Status::OK();
}

Status RunUpgrade(const ChangeArguments& arguments) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, OpenTable(arguments.table));
  if (arguments.stable_row_ids) {
    ARROW_ASSIGN_OR_RAISE(dataset, dataset->MigrateToStableRowIds());
  }
  if (arguments.semantic_types) {
    ARROW_ASSIGN_OR_RAISE(dataset, dataset->UpgradeSemanticTypes());
  }
  std::string done = arguments.stable_row_ids ? "has stable row ids" : "";
  if (arguments.semantic_types) done += done.empty() ? "has semantic types" : " and semantic types";
  PrintVersion(arguments, *dataset, done);
  return Status::OK();
}

}  // namespace lance::cli
