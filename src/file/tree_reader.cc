#include "file/tree_reader.h"

#include <limits>
#include <utility>

#include "arrow/array.h"
#include "arrow/array/data.h"
#include "arrow/extension_type.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "encoding/item_span.h"
#include "file/assemble.h"
#include "file/column_read.h"
#include "file/leaf_column.h"
#include "schema/logical_type.h"

namespace lance {
namespace {

using ArrayDataPtr = std::shared_ptr<arrow::ArrayData>;
using encoding::ItemSpan;
using encoding::LayerArrays;

bool IsList(const Field& field) {
  const FieldKind kind = KindOfLogicalType(field.logical_type);
  return kind == FieldKind::kList || kind == FieldKind::kLargeList;
}

void ListStored(const std::vector<Field>& fields, std::vector<const Field*>* out) {
  for (const Field& field : fields) {
    if (HasTreeColumn(field)) out->push_back(&field);
    if (!field.IsLeaf()) ListStored(field.children, out);
  }
}

// Items of lists may have no bytes of their own: pages of nulls, or packed into 0 bits. A file is
// trusted with so much for its items, and so many times its size.
constexpr uint64_t kTrustedItemBytes = uint64_t{16} << 20;
constexpr uint64_t kTrustedExpansion = 1024;

// What a value takes once decoded, apart from the bytes of strings.
uint64_t DecodedBits(const encoding::LeafShape& shape) {
  using Values = encoding::LeafShape::Values;
  if (shape.values == Values::kNone || shape.values == Values::kEmptyStruct) return 0;
  uint64_t items = 1;
  for (uint32_t dimension : shape.dimensions) items *= dimension;
  // Strings take offsets, also the null ones of fixed-size lists.
  const bool has_width = shape.value_bits > 0 || shape.values == Values::kPackedStruct;
  uint64_t bits = (has_width ? shape.value_bits : items * 64) + items;
  for (const encoding::LeafShape& member : shape.members) bits += DecodedBits(member);
  return bits;
}

/// A field being read: its rows are those of the parent, or the items of the list above.
struct Node {
  const Field* field = nullptr;
  bool is_top = false;
  size_t stored_index = 0;  ///< into the projection's columns, if it is stored
  uint64_t count = 0;
  ColumnRead read;
  LayerArrays layer;  ///< once decoded
  std::vector<Node> children;
};

class TreeRead {
 public:
  TreeRead(const Context& context, RandomReader& reader, uint64_t num_rows,
           const FileProjection& projection)
      : context_(context), reader_(reader), num_rows_(num_rows), projection_(projection) {}

  Result<std::shared_ptr<arrow::RecordBatch>> Run(TreeColumns& columns,
                                                  std::span<const RowRange> rows) {
    ARROW_RETURN_NOT_OK(LoadColumns(columns));
    std::vector<Node> nodes;
    for (const Field& field : projection_.schema.fields) {
      nodes.push_back(MakeNode(field));
      nodes.back().is_top = true;
    }
    for (Node& node : nodes) ARROW_RETURN_NOT_OK(Plan(node, rows));
    while (!pending_.empty()) {
      std::vector<Node*> step = std::move(pending_);
      pending_.clear();
      ARROW_RETURN_NOT_OK(ReadStep(step));
    }
    arrow::ArrayVector arrays;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const auto& type = projection_.arrow_schema->field(static_cast<int>(i))->type();
      auto data = Assemble(nodes[i], *type);
      if (!data.ok()) return WithPlace(data.status(), PlaceOf(nodes[i]));
      arrays.push_back(arrow::MakeArray(*std::move(data)));
    }
    return arrow::RecordBatch::Make(projection_.arrow_schema,
                                    static_cast<int64_t>(encoding::CountRows(rows)),
                                    std::move(arrays));
  }

 private:
  Status LoadColumns(TreeColumns& columns) {
    std::vector<StoredField> wanted;
    const std::vector<const Field*> fields = StoredFields(projection_.schema);
    for (size_t i = 0; i < fields.size(); ++i) {
      wanted.push_back({fields[i], projection_.columns[i], &projection_.shapes[i]});
    }
    auto loaded = columns.Load(context_, wanted);
    if (!loaded.ok()) return WithPlace(loaded.status(), {.path = reader_.path()});
    columns_ = *std::move(loaded);
    return Status::OK();
  }

  Node MakeNode(const Field& field) {
    Node node;
    node.field = &field;
    if (HasTreeColumn(field)) node.stored_index = next_stored_++;
    if (!field.IsLeaf()) {
      for (const Field& child : field.children) node.children.push_back(MakeNode(child));
    }
    return node;
  }

  ErrorPlace PlaceOf(const Node& node) const {
    ErrorPlace place;
    place.path = reader_.path();
    place.field = node.field->name;
    if (HasTreeColumn(*node.field)) place.column = projection_.columns[node.stored_index];
    return place;
  }

  /// Asks for the given rows of a field: now, but for what lies below lists.
  Status Plan(Node& node, std::span<const RowRange> rows) {
    node.count = encoding::CountRows(rows);
    if (HasTreeColumn(*node.field)) {
      Status planned = PlanColumn(node, rows);
      if (!planned.ok()) return WithPlace(planned, PlaceOf(node));
      pending_.push_back(&node);
      return Status::OK();
    }
    for (Node& child : node.children) {
      child.is_top = node.is_top;
      ARROW_RETURN_NOT_OK(Plan(child, rows));
    }
    return Status::OK();
  }

  Status PlanColumn(Node& node, std::span<const RowRange> rows) {
    const PagedColumn* column = columns_[node.stored_index];
    if (node.is_top && column->num_rows() != num_rows_) {
      return Corrupt("column has ", column->num_rows(), " rows, expected ", num_rows_);
    }
    if (!rows.empty() && rows.back().end() > column->num_rows()) {
      return Corrupt("lists refer to items up to ", rows.back().end(), ", the column has ",
                     column->num_rows());
    }
    if (!node.is_top) ARROW_RETURN_NOT_OK(CheckItems(node.count, column->shape()));
    ColumnRead& read = node.read;
    read.column = column;
    read.index = projection_.columns[node.stored_index];
    read.num_values = node.count;
    read.pages = SplitAtPages(column->page_starts(), rows);
    return Status::OK();
  }

  Status CheckItems(uint64_t count, const encoding::LeafShape& shape) const {
    const uint64_t bits = DecodedBits(shape);
    const uint64_t most = 8 * (kTrustedItemBytes + kTrustedExpansion * reader_.size());
    if (bits == 0 || count <= most / bits) return Status::OK();
    return MakeError(
        ErrorCode::kOverBudget,
        internal::Concat("lists with ", count, " items of ", bits, " bits each, in a file of ",
                         reader_.size(), " bytes; read fewer rows at a time"));
  }

  Status ReadStep(const std::vector<Node*>& step) {
    std::vector<ColumnRead*> reads;
    reads.reserve(step.size());
    for (Node* node : step) reads.push_back(&node->read);
    ARROW_RETURN_NOT_OK(ReadColumns(context_, reader_, reads, [&](size_t i) {
      Node& node = *step[i];
      node.layer.length = node.count;
      node.layer.validity = node.read.sink->FinishValidity(&node.layer.null_count);
      return Status::OK();
    }));
    for (Node* node : step) {
      if (!IsList(*node->field)) continue;
      std::vector<RowRange> items;
      const bool large = KindOfLogicalType(node->field->logical_type) == FieldKind::kLargeList;
      Status status = large ? TakeSpans<int64_t>(*node, &items) : TakeSpans<int32_t>(*node, &items);
      if (!status.ok()) return WithPlace(status, PlaceOf(*node));
      ARROW_RETURN_NOT_OK(Plan(node->children[0], items));
    }
    return Status::OK();
  }

  /// Turns the spans of lists into offsets, and the ranges of items that they cover.
  template <typename Offset>
  Status TakeSpans(Node& node, std::vector<RowRange>* items) const {
    ARROW_ASSIGN_OR_RAISE(
        auto buffer, arrow::AllocateBuffer(static_cast<int64_t>((node.count + 1) * sizeof(Offset)),
                                           context_.pool()));
    auto* offsets = reinterpret_cast<Offset*>(buffer->mutable_data());
    const auto* spans = reinterpret_cast<const ItemSpan*>(node.read.sink->fixed_data());
    uint64_t total = 0;
    uint64_t last = 0;
    offsets[0] = 0;
    for (uint64_t i = 0; i < node.count; ++i) {
      const ItemSpan& span = spans[i];
      if (span.begin < last || span.end < span.begin) {
        return Corrupt("list has items ", span.begin, " to ", span.end, ", after one that ends at ",
                       last);
      }
      last = span.end;
      const uint64_t count = span.end - span.begin;
      total += count;
      if (total > static_cast<uint64_t>(std::numeric_limits<Offset>::max())) {
        return MakeError(ErrorCode::kOverBudget,
                         "a batch of a list column has more items than its offsets can address; "
                         "read fewer rows at a time");
      }
      offsets[i + 1] = static_cast<Offset>(total);
      if (count == 0) continue;
      if (!items->empty() && items->back().end() == span.begin) {
        items->back().count += count;
      } else {
        items->push_back({span.begin, count});
      }
    }
    node.layer.offsets = std::move(buffer);
    node.read = {};
    return Status::OK();
  }

  Result<ArrayDataPtr> Assemble(Node& node, const arrow::DataType& type) {
    auto shared_type = const_cast<arrow::DataType&>(type).shared_from_this();
    if (node.field->IsLeaf()) {
      LeafArrays leaf{std::move(node.read.sink), {std::move(node.layer)}};
      ARROW_ASSIGN_OR_RAISE(auto array,
                            AssembleField(*node.field, shared_type, {&leaf, 1}, context_.pool()));
      return array->data();
    }
    const arrow::DataType* storage = &type;
    if (type.id() == arrow::Type::EXTENSION) {
      storage = static_cast<const arrow::ExtensionType&>(type).storage_type().get();
    }
    std::vector<std::shared_ptr<arrow::Buffer>> buffers = {std::move(node.layer.validity)};
    if (IsList(*node.field)) buffers.push_back(std::move(node.layer.offsets));
    ArrayDataPtr data =
        arrow::ArrayData::Make(std::move(shared_type), static_cast<int64_t>(node.count),
                               std::move(buffers), node.layer.null_count);
    for (size_t i = 0; i < node.children.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(
          auto child, Assemble(node.children[i], *storage->field(static_cast<int>(i))->type()));
      data->child_data.push_back(std::move(child));
    }
    return data;
  }

  const Context& context_;
  RandomReader& reader_;
  uint64_t num_rows_;
  const FileProjection& projection_;
  std::vector<const PagedColumn*> columns_;
  size_t next_stored_ = 0;
  std::vector<Node*> pending_;
};

}  // namespace

bool HasTreeColumn(const Field& field) { return field.IsLeaf() || IsList(field); }

std::vector<const Field*> StoredFields(const Schema& schema) {
  std::vector<const Field*> out;
  ListStored(schema.fields, &out);
  return out;
}

Result<std::vector<encoding::LeafShape>> StoredShapes(const Schema& schema) {
  std::vector<encoding::LeafShape> out;
  for (const Field* field : schema.PreOrder()) {
    const FieldKind kind = KindOfLogicalType(field->logical_type);
    if (kind == FieldKind::kMap || kind == FieldKind::kFixedSizeListOfStruct) {
      return WithPlace(
          Unsupported("column of type ", field->logical_type, " in a file before version 2.1"),
          {.field = field->name});
    }
  }
  for (const Field* field : StoredFields(schema)) {
    if (IsList(*field)) {
      out.push_back(encoding::ItemSpanShape());
    } else {
      ARROW_ASSIGN_OR_RAISE(auto shape, MakeLeafShape({field}));
      out.push_back(std::move(shape));
    }
  }
  return out;
}

Result<std::shared_ptr<arrow::RecordBatch>> ReadTree(const Context& context, RandomReader& reader,
                                                     TreeColumns& columns, uint64_t num_rows,
                                                     const FileProjection& projection,
                                                     std::span<const RowRange> rows) {
  return TreeRead(context, reader, num_rows, projection).Run(columns, rows);
}

}  // namespace lance
