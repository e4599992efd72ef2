#include "dataset/merge_table.h"

#include "arrow/api.h"
#include "dataset/add_columns.h"
#include "dataset/join_columns.h"
#include "dataset/poll.h"
#include "dataset/scan.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

/// The joined columns of a scan of the keys.
class JoinReader final : public arrow::RecordBatchReader {
 public:
  JoinReader(JoinTable join, std::shared_ptr<arrow::RecordBatchReader> keys, Context context,
             Poll poll)
      : join_(std::move(join)),
        keys_(std::move(keys)),
        context_(std::move(context)),
        poll_(std::move(poll)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return join_.schema(); }
  Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(CallPoll(poll_));
    std::shared_ptr<arrow::RecordBatch> keys;
    ARROW_RETURN_NOT_OK(keys_->ReadNext(&keys));
    *batch = nullptr;
    if (keys == nullptr) return Status::OK();
    return join_.Match(keys->column(0), context_.pool()).Value(batch);
  }

 private:
  JoinTable join_;
  std::shared_ptr<arrow::RecordBatchReader> keys_;
  Context context_;
  Poll poll_;
};

}  // namespace

Result<std::shared_ptr<arrow::RecordBatchReader>> JoinedColumns(
    std::shared_ptr<const Snapshot> snapshot,
    const std::shared_ptr<arrow::RecordBatchReader>& right, const std::string& left_on,
    const std::string& right_on, std::optional<std::vector<uint64_t>> fragments, Poll poll) {
  const Schema& schema = snapshot->manifest().schema;
  bool is_virtual = VirtualColumnFromName(left_on).has_value();
  if (!is_virtual && schema.FindByName(left_on) == nullptr) {
    return UserError("Column ", left_on, " does not exist in the left side dataset");
  }
  const Schema read = RewriteSchema(schema);
  const Field* left_key = schema.semantic_types ? read.FindByName(left_on) : nullptr;
  ARROW_ASSIGN_OR_RAISE(JoinTable join, JoinTable::Make(right, right_on, left_key));
  for (const std::string& name : join.schema()->field_names()) {
    if (schema.FindByName(name) != nullptr) {
      return UserError("Column ", name, " exists in both sides of the dataset");
    }
  }
  ScanOptions options;
  options.columns = {left_on};
  options.fragments = std::move(fragments);
  options.output_encodings = WidestEncodings(schema);
  Context context = snapshot->MakeContext();
  ARROW_ASSIGN_OR_RAISE(auto keys, ScanBatches(std::move(snapshot), options));
  return std::make_shared<JoinReader>(std::move(join), std::move(keys), context, std::move(poll));
}

Result<std::shared_ptr<const Snapshot>> MergeTable(
    const std::shared_ptr<const Snapshot>& snapshot,
    const std::shared_ptr<arrow::RecordBatchReader>& right, const std::string& left_on,
    const std::string& right_on, const Poll& poll) {
  ARROW_ASSIGN_OR_RAISE(auto joined,
                        JoinedColumns(snapshot, right, left_on, right_on, std::nullopt, poll));
  return AddColumns(*snapshot, joined);
}

}  // namespace lance
