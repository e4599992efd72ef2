#include "dataset/migrate_row_ids.h"

#include "dataset/commit_operation.h"
#include "table/feature_flags.h"
#include "table/row_id_sequence.h"

namespace lance {

Result<std::shared_ptr<const Snapshot>> MigrateToStableRowIds(
    const std::shared_ptr<const Snapshot>& snapshot) {
  const Manifest& manifest = snapshot->manifest();
  ARROW_RETURN_NOT_OK(CheckWritable(manifest));
  if (manifest.has_stable_row_ids()) return snapshot;
  Transaction transaction = BeginTransaction(*snapshot);
  auto* merge = transaction.mutable_merge();
  manifest.schema.ToProto(merge->mutable_schema());
  merge->set_preserves_nullability(true);
  uint64_t next_id = 0;
  for (const FragmentSummary& summary : manifest.fragments) {
    ARROW_ASSIGN_OR_RAISE(*merge->add_fragments(), ParseFragment(summary));
    auto& fragment = *merge->mutable_fragments()->rbegin();
    if (fragment.physical_rows() == 0) {
      return Unsupported("fragment ", fragment.id(),
                         " does not say how many rows it has; any other change fills that in");
    }
    RowIdSequence ids;
    ids.AppendRange(next_id, fragment.physical_rows());
    fragment.set_inline_row_ids(ids.Encode());
    next_id += fragment.physical_rows();
  }
  CommitOptions options;
  options.apply.migrates_row_ids = true;
  options.max_attempts = 1;
  NewFiles none(snapshot->MakeContext());
  return CommitOperation(*snapshot, std::move(transaction), &none, options);
}

}  // namespace lance
