#include "dataset/match_condition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "arrow/api.h"
#include "dataset/poll.h"
#include "dataset/take.h"
#include "query/expr/binder.h"
#include "query/expr/evaluate.h"
#include "schema/semantic_schema.h"

namespace lance {
namespace {

constexpr size_t kPairsAtOnce = 1 << 16;
// Places of the two structs in what conditions are evaluated on.
constexpr int kTarget = 0;
constexpr int kSource = 1;

/// Members of one of the structs that an expression uses, in order.
std::set<int> MembersUsed(const query::Expr& expr, int structure, int count) {
  std::set<int> used;
  for (const query::ColumnPath& path : query::ReferencedColumns(expr)) {
    if (path.indexes[0] != structure) continue;
    if (path.indexes.size() > 1) {
      used.insert(path.indexes[1]);
    } else {
      for (int i = 0; i < count; ++i) used.insert(i);
    }
  }
  return used;
}

std::shared_ptr<arrow::Array> MakeStruct(const arrow::RecordBatch& batch) {
  return std::make_shared<arrow::StructArray>(arrow::struct_(batch.schema()->fields()),
                                              batch.num_rows(), batch.columns());
}

}  // namespace

Result<MatchCondition> MatchCondition::Bind(const std::string& sql, const Snapshot& snapshot,
                                            const arrow::Schema& source) {
  ARROW_ASSIGN_OR_RAISE(
      auto target,
      snapshot.Select({.with_row_id = true,
                       .with_row_address = true,
                       .output_encodings = WidestEncodings(snapshot.manifest().schema)}));
  const auto& target_fields = target->output_schema->fields();
  auto both = arrow::schema({arrow::field("target", arrow::struct_(target_fields)),
                             arrow::field("source", arrow::struct_(source.fields()))});
  ARROW_ASSIGN_OR_RAISE(auto expr, query::BindSqlFilter(sql, *both));

  MatchCondition condition;
  std::map<std::pair<int, int>, int> places;
  for (int member : MembersUsed(*expr, kTarget, static_cast<int>(target_fields.size()))) {
    places[{kTarget, member}] = static_cast<int>(condition.target_columns_.size());
    condition.target_columns_.push_back(target_fields[static_cast<size_t>(member)]->name());
  }
  for (int member : MembersUsed(*expr, kSource, source.num_fields())) {
    places[{kSource, member}] = static_cast<int>(condition.source_columns_.size());
    condition.source_columns_.push_back(member);
  }
  condition.expr_ = query::MoveColumns(expr, [&](const query::ColumnPath& path) {
    query::ColumnPath place = path;
    if (place.indexes.size() > 1) {
      place.indexes[1] = places.at({place.indexes[0], place.indexes[1]});
    }
    return place;
  });
  return condition;
}

Result<std::vector<RowMatch>> MatchCondition::Filter(const Snapshot& snapshot,
                                                     const SourceRows& source,
                                                     const std::vector<RowMatch>& pairs,
                                                     const Poll& poll) const {
  Context context = snapshot.MakeContext();
  const OutputEncodings encodings = WidestEncodings(snapshot.manifest().schema);
  std::vector<RowMatch> kept;
  for (size_t at = 0; at < pairs.size(); at += kPairsAtOnce) {
    ARROW_RETURN_NOT_OK(CallPoll(poll));
    auto some = std::span(pairs).subspan(at, std::min(kPairsAtOnce, pairs.size() - at));
    std::vector<uint64_t> positions;
    std::vector<uint32_t> source_rows;
    for (const RowMatch& pair : some) {
      positions.push_back(pair.position);
      source_rows.push_back(pair.source_row);
    }
    ARROW_ASSIGN_OR_RAISE(
        auto target,
        TakeRows(snapshot, positions, {.columns = target_columns_, .output_encodings = encodings}));
    ARROW_ASSIGN_OR_RAISE(auto rows, source.Take(source_rows, source_columns_, context.pool()));
    auto count = static_cast<int64_t>(some.size());
    auto structs = std::vector{MakeStruct(*target), MakeStruct(*rows)};
    auto schema = arrow::schema({arrow::field("target", structs[kTarget]->type()),
                                 arrow::field("source", structs[kSource]->type())});
    auto batch = arrow::RecordBatch::Make(schema, count, std::move(structs));
    ARROW_ASSIGN_OR_RAISE(auto matching, query::MatchingRows(*expr_, *batch, context.pool()));
    for (int64_t row : matching) kept.push_back(some[static_cast<size_t>(row)]);
  }
  return kept;
}

}  // namespace lance
