// Any bytes as a manifest file: reading it, its fragments and its sections gives an error or
// values, and nothing else.

#include <cstdint>
#include <string>

#include "arrow/buffer.h"
#include "table/feature_flags.h"
#include "table/manifest_file.h"
#include "table/row_id_sequence.h"
#include "table/transaction.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

Status ReadAll(std::string content) {
  Context context;
  auto store = MakeMemoryStore();
  ManifestLocation location{1, ManifestNaming::kV2, "/fuzz.manifest", 0};
  ARROW_ASSIGN_OR_RAISE(
      auto file, ManifestFile::FromBytes(arrow::Buffer::FromString(std::move(content)), location));
  (void)CheckWritable(file->manifest());
  for (const FragmentSummary& summary : file->manifest().fragments) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    (void)RowIdSequence::Decode(AsBytes(fragment.inline_row_ids())).status();
    (void)VersionSequence::Decode(AsBytes(fragment.inline_created_at_versions())).status();
  }
  (void)file->ReadIndexSection(context, *store).status();
  ARROW_ASSIGN_OR_RAISE(auto transaction, file->ReadTransactionSection(context, *store));
  if (transaction) (void)DecodeTransaction(AsBytes(*transaction)).status();
  return Status::OK();
}

}  // namespace
}  // namespace lance

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Most inputs fail, as they should; what counts is that nothing crashes.
  (void)lance::ReadAll(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
