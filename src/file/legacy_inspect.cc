#include "file/legacy_inspect.h"

#include <string>
#include <utility>
#include <vector>

#include "arrow/type.h"
#include "encoding/read/bit_copy.h"
#include "file/leaf_column.h"
#include "file/legacy_columns.h"
#include "file/tree_reader.h"

namespace lance {
namespace {

/// How the pages of a field are laid out.
struct PageForm {
  std::string layout;
  std::string encoding;
  uint64_t bits = 0;            ///< of one element
  uint64_t extra_elements = 0;  ///< that the page table doesn't count
  uint64_t extra_rows = 0;      ///< elements that are no row
};

Result<PageForm> FormOf(const Field& field) {
  ARROW_ASSIGN_OR_RAISE(auto type, field.ArrowType());
  switch (type->id()) {
    case arrow::Type::LIST:
      return PageForm{"list", "list(offsets=plain<32>)", 32, 0, 1};
    case arrow::Type::LARGE_LIST:
      return PageForm{"list", "list(offsets=plain<64>)", 64, 0, 1};
    case arrow::Type::NA:
      return PageForm{"null", "null"};
    case arrow::Type::STRUCT:
      return PageForm{"struct", "struct"};
    default:
      break;
  }
  ARROW_ASSIGN_OR_RAISE(auto shape, MakeLeafShape({&field}));
  if (shape.values == encoding::LeafShape::Values::kVariable) {
    return PageForm{"binary", "binary(offsets=plain<64>)", 64, 1, 0};
  }
  const std::string plain = internal::Concat("plain<", shape.value_bits, ">");
  if (shape.is_dictionary) {
    return PageForm{"dictionary", internal::Concat("dictionary(keys=", plain, ")"),
                    shape.value_bits};
  }
  return PageForm{"plain", plain, shape.value_bits};
}

void ListPaths(const std::vector<Field>& fields, const std::string& parent,
               std::vector<std::string>* out) {
  for (const Field& field : fields) {
    const std::string path = parent.empty() ? field.name : parent + "." + field.name;
    if (HasTreeColumn(field)) out->push_back(path);
    if (!field.IsLeaf()) ListPaths(field.children, path, out);
  }
}

Result<FileInspection::Column> InspectColumn(const Field& field, std::string path, uint32_t index,
                                             const std::vector<LegacyPage>& pages,
                                             uint64_t file_size) {
  FileInspection::Column column;
  column.index = index;
  column.field = std::move(path);
  column.logical_type = field.logical_type;
  ARROW_ASSIGN_OR_RAISE(PageForm form, FormOf(field));
  uint64_t row = 0;
  for (const LegacyPage& stored : pages) {
    FileInspection::Page page;
    page.first_row = row;
    page.rows = stored.length < form.extra_rows ? 0 : stored.length - form.extra_rows;
    row += page.rows;
    page.layout = form.layout;
    page.encoding = form.encoding;
    const uint64_t elements = stored.length + form.extra_elements;
    if (form.bits != 0 &&
        (stored.position > file_size || elements > (file_size - stored.position) * 8 / form.bits)) {
      return Corrupt("page at ", stored.position, " with ", elements, " elements of ", form.bits,
                     " bits is outside of the file of ", file_size, " bytes");
    }
    if (form.bits != 0) {
      page.buffers.push_back({stored.position, encoding::BytesForBits(elements * form.bits)});
    }
    column.pages.push_back(std::move(page));
  }
  return column;
}

}  // namespace

Result<FileInspection> InspectLegacy(const Context& context, RandomReader& reader, Bytes tail) {
  ARROW_ASSIGN_OR_RAISE(auto metadata, LegacyMetadata::Load(context, reader, tail));
  FileInspection out;
  out.path = reader.path();
  out.size_bytes = reader.size();
  out.version = FileVersion::kV0_1;
  out.footer_major_version = LoadLittleEndian<uint16_t>(tail.data() + tail.size() - 8);
  out.footer_minor_version = LoadLittleEndian<uint16_t>(tail.data() + tail.size() - 6);
  out.rows = metadata.num_rows();
  const LegacyColumns columns(reader, metadata);
  const std::vector<uint32_t> indices = LegacyColumnsOf(metadata.schema);
  const std::vector<const Field*> fields = StoredFields(metadata.schema);
  ARROW_ASSIGN_OR_RAISE(auto pages, columns.ReadPageTable(context, indices));
  std::vector<std::string> paths;
  ListPaths(metadata.schema.fields, "", &paths);
  for (size_t i = 0; i < fields.size(); ++i) {
    auto column = InspectColumn(*fields[i], paths[i], indices[i], pages[i], reader.size());
    if (!column.ok()) {
      return WithPlace(column.status(), {.field = paths[i], .column = indices[i]});
    }
    out.columns.push_back(*std::move(column));
  }
  return out;
}

}  // namespace lance
