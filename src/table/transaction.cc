#include "table/transaction.h"

#include "arrow/buffer.h"
#include "proto/parse.h"

namespace lance {

Result<Transaction> DecodeTransaction(Bytes bytes) {
  Transaction transaction;
  if (!ParseMessage(bytes, &transaction)) {
    return Corrupt("transaction is not a valid message of ", bytes.size(), " bytes");
  }
  return transaction;
}

std::string_view OperationName(const Transaction& transaction) {
  switch (transaction.operation_case()) {
    case Transaction::kAppend:
      return "Append";
    case Transaction::kDelete:
      return "Delete";
    case Transaction::kOverwrite:
      return "Overwrite";
    case Transaction::kCreateIndex:
      return "CreateIndex";
    case Transaction::kRewrite:
      return "Rewrite";
    case Transaction::kMerge:
      return "Merge";
    case Transaction::kRestore:
      return "Restore";
    case Transaction::kReserveFragments:
      return "ReserveFragments";
    case Transaction::kUpdate:
      return "Update";
    case Transaction::kProject:
      return "Project";
    case Transaction::kUpdateConfig:
      return "UpdateConfig";
    case Transaction::kDataReplacement:
      return "DataReplacement";
    case Transaction::kUpdateMemWalState:
      return "UpdateMemWalState";
    case Transaction::kClone:
      return "Clone";
    case Transaction::kUpdateBases:
      return "UpdateBases";
    case Transaction::kDataOverlay:
      return "DataOverlay";
    case Transaction::OPERATION_NOT_SET:
      return "Unknown";
  }
  return "Unknown";
}

Result<std::optional<std::string>> ReadTransactionBytes(const Context& context,
                                                        const TableLocation& table,
                                                        const ManifestFile& file) {
  ARROW_ASSIGN_OR_RAISE(auto section, file.ReadTransactionSection(context, *table.store));
  if (section) return section;
  const std::string& name = file.manifest().head.transaction_file();
  if (name.empty()) return std::nullopt;
  auto content = table.store->Get(context, TransactionPath(table.root, name));
  if (!content.ok()) {
    if (GetErrorCode(content.status()) == ErrorCode::kNotFound) return std::nullopt;
    return content.status();
  }
  return (*content)->ToString();
}

}  // namespace lance
