#pragma once

#include <memory>
#include <vector>

#include "dataset/open_table.h"
#include "safety/model_table.h"
#include "safety/operation.h"

namespace lance::safety {

/// What a Tag operation creates.
std::string TagName(const Operation& operation);

/// Runs operations on a real table, as one process would: with handles of its own.
class Writer {
 public:
  explicit Writer(const TableLocation& table);

  /// Creates the table.
  static Status Create(const TableLocation& table, const Program& program);
  Outcome Run(const Operation& operation);

 private:
  using SnapshotPtr = std::shared_ptr<const Snapshot>;

  Status Start(bool refresh);
  Status Do(const Operation& operation, Outcome* outcome);
  Status Append(const Operation& operation, Outcome* outcome);
  Status Overwrite(const Operation& operation, Outcome* outcome);
  Status Delete(const Operation& operation, Outcome* outcome);
  Status Update(const Operation& operation, Outcome* outcome);
  Status Merge(const Operation& operation, Outcome* outcome);
  Status ChangeColumns(const Operation& operation, Outcome* outcome);
  Status Compact(Outcome* outcome);
  Status Restore(const Operation& operation, Outcome* outcome);
  Status SetConfig(const Operation& operation, Outcome* outcome);
  Status Tag(const Operation& operation);
  Status CleanUp();
  /// Takes the version that an operation made.
  Status Take(Result<SnapshotPtr> made, Outcome* outcome);

  TableHandle handle_;
  SnapshotPtr snapshot_;
};

}  // namespace lance::safety
