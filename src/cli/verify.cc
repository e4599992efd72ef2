// The verb verify.

#include "file/verify.h"

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

Json FindingJson(const Finding& finding) {
  const ErrorPlace& place = finding.place;
  Json out = {{"problem", finding.problem}};
  if (place.column) out["column"] = *place.column;
  if (!place.field.empty()) out["field"] = place.field;
  if (place.page) out["page"] = *place.page;
  if (place.offset) out["offset"] = *place.offset;
  if (place.row) out["row"] = *place.row;
  return out;
}

Json FindingsJson(const std::vector<Finding>& findings) {
  Json out = Json::array();
  for (const Finding& finding : findings) out.push_back(FindingJson(finding));
  return out;
}

// What the report says of a file without columns that has problems is no fact about the file: its
// metadata could not be read, or it is of another kind, such as a manifest.
bool IsKnown(const FileVerification& file) { return file.findings.empty() || file.columns > 0; }

Json VerificationJson(const FileVerification& file) {
  return {{"file", file.path},
          {"size", file.size_bytes},
          {"version", IsKnown(file) ? Json(FileVersionName(file.version)) : Json(nullptr)},
          {"rows", file.rows},
          {"columns", file.columns},
          {"pages", file.pages},
          {"findings", FindingsJson(file.findings)},
          {"skipped", FindingsJson(file.skipped)}};
}

std::string FindingText(const Finding& finding) {
  const std::string place = ErrorDetail(ErrorCode::kCorrupt, finding.place).ToString();
  return Printable(finding.problem) + (place.empty() ? "" : " (" + Printable(place) + ")") + "\n";
}

std::string VerificationText(const FileVerification& file) {
  std::string text = Printable(file.path) + ": ";
  if (!file.findings.empty()) {
    text += Counted(file.findings.size(), "problem");
  } else {
    text += file.skipped.empty() ? "sound" : Counted(file.skipped.size(), "part") + " not checked";
  }
  if (IsKnown(file)) {
    text += ", version " + std::string(FileVersionName(file.version)) + ", " +
            Counted(file.rows, "row") + ", " + Counted(file.columns, "column") + ", " +
            Counted(file.pages, "page");
  }
  text += "\n";
  for (const Finding& finding : file.findings) text += "  " + FindingText(finding);
  for (const Finding& finding : file.skipped) text += "  not checked: " + FindingText(finding);
  return text;
}

Result<FileVerification> Verify(const std::string& name) {
  Context context;
  ARROW_ASSIGN_OR_RAISE(StoreLocation location, ResolveUri(name));
  ARROW_ASSIGN_OR_RAISE(auto reader, location.store->OpenReader(context, location.path));
  return VerifyFile(context, std::move(reader));
}

}  // namespace

Status RunVerify(const VerifyArguments& arguments) {
  Json files = Json::array();
  std::string text;
  uint64_t problems = 0;
  uint64_t damaged = 0;
  for (const std::string& name : arguments.files) {
    ARROW_ASSIGN_OR_RAISE(FileVerification file, Verify(name));
    problems += file.findings.size() + file.skipped.size();
    damaged += file.findings.empty() && file.skipped.empty() ? 0 : 1;
    if (arguments.json) {
      files.push_back(VerificationJson(file));
    } else {
      text += VerificationText(file);
    }
  }
  Print(arguments.json ? ToDocument({{"files", files}}) : text);
  if (problems == 0) return Status::OK();
  return Corrupt(Counted(problems, "problem"), " in ", damaged, " of ",
                 Counted(arguments.files.size(), "file"));
}

}  // namespace lance::cli
