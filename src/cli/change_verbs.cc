// Declares the verbs that change a table: restore, tag, untag, tags, branch, delete-branch,
// branches, bases, add-base, drop-columns, delete, update, compact, cleanup, clone, upgrade,
// validate.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/options.h"

namespace lance::cli {
namespace {

using Run = Status (*)(const ChangeArguments&);

/// A verb with the arguments that all have; the caller adds its own.
struct Verb {
  CLI::App* app;
  std::shared_ptr<ChangeArguments> arguments = std::make_shared<ChangeArguments>();

  Verb(CLI::App& parent, Action* action, const std::string& name, const std::string& what,
       const std::string& example, Run run)
      : app(parent.add_subcommand(name, what)) {
    app->add_option("URI", arguments->table.uri, "Path or URI of the table")->required();
    app->add_flag("--json", arguments->table.json, "Print JSON");
    app->footer("Example:\n  lance " + name + " " + example);
    app->callback([action, run, arguments = arguments] {
      *action = [run, arguments] { return run(*arguments); };
    });
  }

  CLI::Option* Version(const std::string& what) const {
    return app->add_option("--version,--version-ref", arguments->table.version, what);
  }
  void Name(const std::string& label, const std::string& what) const {
    app->add_option(label, arguments->name, what)->required();
  }
};

void AddReferences(CLI::App& app, Action* action) {
  Verb tag(app, action, "tag", "Name a version", "flights.lance stable --version 2", RunTag);
  tag.Name("NAME", "The tag; one that exists is moved");
  tag.Version("The version to name; default the newest");

  Verb untag(app, action, "untag", "Delete a tag", "flights.lance stable", RunUntag);
  untag.Name("NAME", "The tag");

  Verb tags(app, action, "tags", "List the tags", "flights.lance", RunTags);

  Verb branch(app, action, "branch", "Start a branch", "flights.lance cleaning --version 2",
              RunBranch);
  branch.Name("NAME", "The branch; its table is at URI/tree/NAME");
  branch.Version("The version to start from; default the newest");

  Verb erase(app, action, "delete-branch", "Delete a branch with its versions and files",
             "flights.lance cleaning", RunDeleteBranch);
  erase.Name("NAME", "The branch");

  Verb branches(app, action, "branches", "List the branches", "flights.lance", RunBranches);
}

void AddBases(CLI::App& app, Action* action) {
  Verb list(app, action, "bases", "List the places beside its own folder that a table may use",
            "flights.lance", RunBases);

  Verb add(app, action, "add-base", "Register a place for data files of later writes",
           "flights.lance /mnt/large/flights --name large", RunAddBase);
  add.app->add_option("PATH", add.arguments->base.path, "A folder or URI")->required();
  add.app->add_option("--name", add.arguments->base.name, "What writes may call it");
  add.app->add_flag("--dataset-root", add.arguments->base.is_dataset_root,
                    "It has the folders of a table: files go below PATH/data");
}

void AddRows(CLI::App& app, Action* action) {
  Verb erase(app, action, "delete", "Delete rows", "flights.lance 'month < 3'", RunDelete);
  erase.app->add_option("CONDITION", erase.arguments->condition, "In SQL: true for rows to go")
      ->required();

  Verb update(app, action, "update", "Set columns to values of SQL expressions",
              "flights.lance 'distance=distance * 2' \"carrier='-'\" --where 'month = 1'",
              RunUpdate);
  update.app
      ->add_option("ASSIGNMENTS", update.arguments->assignments,
                   "COLUMN=EXPRESSION, over the old values of the row")
      ->required();
  update.app->add_option("--where", update.arguments->condition,
                         "Only rows for which this is true");
}

void AddCleanup(CLI::App& app, Action* action) {
  Verb verb(app, action, "cleanup", "Delete old versions and files that no version uses",
            "flights.lance --older-than 14d --dry-run", RunCleanup);
  auto& arguments = *verb.arguments;
  verb.app->add_option("--older-than", arguments.older_than,
                       "Versions committed longer ago: 14d, 2h … (default 14d)");
  verb.app->add_option("--retain", arguments.retain, "Keep the newest so many versions")
      ->check(WholeNumber(1), "NUMBER");
  verb.app->add_flag(
      "--delete-unverified", arguments.delete_unverified,
      "Also files of no version that are younger than 7 days; nobody may be writing");
  verb.app->add_flag("--dry-run", arguments.dry_run, "Only tell what would be deleted");
}

}  // namespace

void AddChangeVerbs(CLI::App& app, Action* action) {
  Verb restore(app, action, "restore", "Make an old version the newest again",
               "flights.lance --version 2", RunRestore);
  restore.Version("The version to go back to")->required();

  AddReferences(app, action);
  AddBases(app, action);

  Verb drop(app, action, "drop-columns", "Take columns out of a table", "flights.lance tailnum",
            RunDropColumns);
  drop.app->add_option("COLUMNS", drop.arguments->columns, "Names, or paths like a.b")->required();

  AddRows(app, action);

  Verb compact(app, action, "compact", "Rewrite small and half-deleted fragments into full ones",
               "flights.lance", RunCompact);
  compact.app
      ->add_option("--target-rows", compact.arguments->target_rows, "Rows of the new fragments")
      ->check(WholeNumber(1), "NUMBER")
      ->capture_default_str();

  AddCleanup(app, action);

  Verb clone(app, action, "clone", "Make a table that starts from a version of this one",
             "flights.lance copy.lance --deep", RunClone);
  clone.app->add_option("TARGET", clone.arguments->target, "Path or URI of the new table")
      ->required();
  clone.Version("The version to start from; default the newest");
  clone.app->add_flag("--deep", clone.arguments->deep,
                      "Copy all files; otherwise the new table uses those of this one");

  Verb upgrade(app, action, "upgrade", "Give a table a feature that older readers lack",
               "flights.lance --semantic-types", RunUpgrade);
  auto* features = upgrade.app->add_option_group("features")->require_option(1, 0);
  features->add_flag(
      "--semantic-types", upgrade.arguments->semantic_types,
      "Columns take any layout of their values (docs/semantic-types.md); no way back");
  features->add_flag("--stable-row-ids", upgrade.arguments->stable_row_ids,
                     "Rows keep their ids through updates and compaction; no way back");

  Verb validate(app, action, "validate", "Compare every file of a version with its manifest",
                "flights.lance", RunValidate);
  validate.Version("Check this version; default the newest");
}

}  // namespace lance::cli
