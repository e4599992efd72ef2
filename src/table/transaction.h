#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/byte_reader.h"
#include "base/context.h"
#include "base/error.h"
#include "table/manifest_file.h"
#include "table/table_paths.h"
#include "transaction.pb.h"

namespace lance {

/// What a commit did or is about to do: `lance.table.Transaction`. An operation of a kind that this
/// code doesn't know has the case OPERATION_NOT_SET.
using Transaction = table::Transaction;

Result<Transaction> DecodeTransaction(Bytes bytes);

/// `Append`, `Overwrite` …; `Unknown` for an operation with a number not known here.
std::string_view OperationName(const Transaction& transaction);

/// The reserved key of transaction_properties that holds the message of a commit.
constexpr std::string_view kCommitMessageKey = "__lance_commit_message";

/// The serialized transaction that made a version: the section in its manifest, else its file in
/// `_transactions`; nothing if it has neither.
Result<std::optional<std::string>> ReadTransactionBytes(const Context& context,
                                                        const TableLocation& table,
                                                        const ManifestFile& file);

}  // namespace lance
