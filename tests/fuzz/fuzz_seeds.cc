#include "fuzz_seeds.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/page_fuzz_input.h"
#include "encodings20.pb.h"
#include "encodings21.pb.h"
#include "file/array_columns.h"
#include "file/file_metadata.h"
#include "file/file_writer.h"
#include "file/leaf_column.h"
#include "file/legacy_columns.h"
#include "file/legacy_metadata.h"
#include "file/tree_reader.h"
#include "io/object_store.h"
#include "proto/parse.h"
#include "schema/logical_type.h"
#include "table/manifest_file.h"
#include "table/row_id_sequence.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxSeedBytes = 48 * 1024;

/// Where seeds go: those that are not too large.
class Seeds {
 public:
  explicit Seeds(const AddFuzzSeed& add) : add_(add) {}

  void Add(const std::string& target, std::string_view bytes) {
    if (bytes.size() <= kMaxSeedBytes) add_(target, bytes);
  }

 private:
  const AddFuzzSeed& add_;
};

template <typename Number>
void Append(Number number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The description of a block, with a block of plain bytes where none is at hand.
void AddBlock(const encodings21::CompressiveEncoding& encoding, uint32_t count,
              const std::string& block, Seeds* seeds) {
  const std::string message = encoding.SerializeAsString();
  if (message.size() > UINT16_MAX) return;
  std::string seed;
  Append(static_cast<uint16_t>(message.size()), &seed);
  seed += message;
  Append(count, &seed);
  seeds->Add("block_decoder_fuzz", seed + block);
}

void AddParts(const encodings21::PageLayout& layout, const encoding::FuzzPage& page, Seeds* seeds) {
  if (!layout.has_mini_block_layout()) return;
  const auto& mini_block = layout.mini_block_layout();
  if (mini_block.has_dictionary() && page.buffers.size() > 2) {
    AddBlock(mini_block.dictionary(), static_cast<uint32_t>(mini_block.num_dictionary_items()),
             page.buffers[2], seeds);
  }
  for (const auto* levels : {&mini_block.rep_compression(), &mini_block.def_compression()}) {
    if (levels->compression_case() != 0) AddBlock(*levels, 64, std::string(128, '\0'), seeds);
  }
  if (mini_block.value_compression().has_fsst()) {
    const std::string& table = mini_block.value_compression().fsst().symbol_table();
    seeds->Add("codec_fuzz", std::string(1, '\0') + table + page.buffers[1].substr(0, 512));
  }
}

Result<std::vector<std::string>> ReadBuffers(RandomReader& reader, const PageMetadata& page) {
  std::vector<std::string> out;
  for (const ByteRange& range : page.buffers) {
    std::string& bytes = out.emplace_back(range.size, '\0');
    ARROW_RETURN_NOT_OK(
        reader.ReadAt({}, range.offset, range.size, reinterpret_cast<uint8_t*>(bytes.data())));
  }
  return out;
}

Status AddPages(RandomReader& reader, const FileMetadata& metadata, Seeds* seeds) {
  const auto paths = LeafPaths(metadata.schema());
  for (uint32_t index = 0; index < std::min<size_t>(metadata.num_columns(), paths.size());
       ++index) {
    auto shape = MakeLeafShape(paths[index]);
    if (!shape.ok()) continue;
    ARROW_ASSIGN_OR_RAISE(auto columns, metadata.LoadColumns({}, reader, {&index, 1}));
    for (const PageMetadata& stored : columns[0].pages) {
      encodings21::PageLayout layout;
      const bool planar = stored.encoding_type.ends_with("encodings23.PlanarLayout");
      if (!planar && !ParseMessage(stored.encoding, &layout)) continue;
      encoding::FuzzPage page;
      page.shape = *shape;
      page.kind = static_cast<uint8_t>(static_cast<uint16_t>(metadata.version()) % 100);
      page.num_rows = static_cast<uint32_t>(stored.num_rows);
      page.layout = stored.encoding;
      ARROW_ASSIGN_OR_RAISE(page.buffers, ReadBuffers(reader, stored));
      if (auto seed = EncodeFuzzPage(page)) seeds->Add("page_reader_fuzz", *seed);
      AddParts(layout, page, seeds);
    }
  }
  return Status::OK();
}

Status AddArrayPages(RandomReader& reader, const FileMetadata& metadata, Seeds* seeds) {
  const auto fields = StoredFields(metadata.schema());
  const auto indices = ArrayColumnsOf(metadata.schema());
  ARROW_ASSIGN_OR_RAISE(const auto shapes, StoredShapes(metadata.schema()));
  ARROW_ASSIGN_OR_RAISE(auto columns, metadata.LoadColumns({}, reader, indices));
  for (size_t i = 0; i < columns.size(); ++i) {
    encodings::ColumnEncoding column;
    const bool blobs = ParseMessage(columns[i].encoding, &column) && column.has_blob();
    for (const PageMetadata& stored : columns[i].pages) {
      encoding::FuzzPage page;
      page.shape = shapes[i];
      page.shape.layers = {{encoding::LayerKind::kItem}};
      auto kind = blobs ? encoding::FuzzKind::kBlobs : encoding::FuzzKind::kValues;
      if (!fields[i]->IsLeaf()) {
        kind = encoding::FuzzKind::kLists;
        page.shape = encoding::FuzzShapes()[0];
      }
      page.kind = static_cast<uint8_t>(kind);
      page.num_rows = static_cast<uint32_t>(stored.num_rows);
      page.layout = stored.encoding;
      ARROW_ASSIGN_OR_RAISE(page.buffers, ReadBuffers(reader, stored));
      if (auto seed = EncodeFuzzPage(page)) seeds->Add("array_page_fuzz", *seed);
    }
  }
  return Status::OK();
}

// The kinds of legacy_page_fuzz.
std::optional<uint8_t> LegacyKind(const Field& field) {
  switch (KindOfLogicalType(field.logical_type)) {
    case FieldKind::kList:
      return 2;
    case FieldKind::kLargeList:
      return 3;
    default:
      break;
  }
  auto type = field.ArrowType();
  if (!type.ok() || !arrow::is_base_binary_like((*type)->id())) return std::nullopt;
  return field.nullable ? 0 : 1;
}

Status AddLegacyPages(RandomReader& reader, const FileMetadata& metadata, std::string_view file,
                      Seeds* seeds) {
  ARROW_ASSIGN_OR_RAISE(auto legacy, LegacyMetadata::Load({}, reader, metadata.legacy_tail()));
  const auto fields = StoredFields(legacy.schema);
  const auto columns = LegacyColumnsOf(legacy.schema);
  ARROW_ASSIGN_OR_RAISE(auto pages, LegacyColumns(reader, legacy).ReadPageTable({}, columns));
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto kind = LegacyKind(*fields[i]);
    if (!kind || pages[i].empty()) continue;
    const LegacyPage& page = pages[i][0];
    std::string seed(1, static_cast<char>(*kind));
    Append(static_cast<uint32_t>(*kind >= 2 ? page.length - 1 : page.length), &seed);
    Append(static_cast<uint32_t>(page.position), &seed);
    seeds->Add("legacy_page_fuzz",
               seed.append(file.substr(0, page.position + (page.length + 1) * sizeof(uint64_t))));
  }
  return Status::OK();
}

Status AddPagesOfFile(RandomReader& reader, std::string_view file, Seeds* seeds) {
  ARROW_ASSIGN_OR_RAISE(FileMetadata metadata, FileMetadata::Load({}, reader));
  if (metadata.version() == FileVersion::kV0_1) {
    return AddLegacyPages(reader, metadata, file, seeds);
  }
  if (metadata.version() == FileVersion::kV2_0) return AddArrayPages(reader, metadata, seeds);
  return AddPages(reader, metadata, seeds);
}

Status AddManifest(ObjectStore& store, const std::string& path, Seeds* seeds) {
  const ManifestLocation location{1, ManifestNaming::kV2, path, 0};
  ARROW_ASSIGN_OR_RAISE(auto file, ManifestFile::Read({}, store, location));
  for (const FragmentSummary& summary : file->manifest().fragments) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    if (fragment.has_inline_row_ids()) {
      seeds->Add("row_id_sequence_fuzz", fragment.inline_row_ids());
    }
    if (fragment.has_inline_created_at_versions()) {
      seeds->Add("version_sequence_fuzz", fragment.inline_created_at_versions());
    }
  }
  return Status::OK();
}

void AddFile(ObjectStore& store, const fs::path& path, Seeds* seeds) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string extension = path.extension().string();
  // What a file holds that this build can't read is no seed.
  if (extension == ".lance") {
    seeds->Add("file_reader_fuzz", bytes);
    auto reader = store.OpenReader({}, path.string());
    if (reader.ok()) static_cast<void>(AddPagesOfFile(**reader, bytes, seeds));
  } else if (extension == ".manifest") {
    seeds->Add("manifest_fuzz", bytes);
    static_cast<void>(AddManifest(store, path.string(), seeds));
  } else if (extension == ".txn") {
    seeds->Add("transaction_fuzz", bytes);
  } else if (extension == ".json") {
    seeds->Add("refs_fuzz", bytes);
  } else if (path.parent_path().filename() == "_deletions") {
    seeds->Add("deletion_file_fuzz", bytes);
  }
}

void AddFolder(const fs::path& folder, Seeds* seeds) {
  if (!fs::exists(folder)) return;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.file_size() > kMaxSeedBytes) continue;
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("expected") && !name.starts_with("meta")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  auto store = MakeLocalStore();
  for (const fs::path& file : files) AddFile(*store, file, seeds);
}

// Columns of several kinds, small and repetitive enough for most of the writer's codecs.
Status AddOwnFile(FileVersion version, uint32_t seed, Seeds* seeds) {
  std::mt19937_64 random(seed);
  constexpr int64_t kRows = 600;
  arrow::Int64Builder ints;
  arrow::StringBuilder texts;
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  for (int64_t i = 0; i < kRows; ++i) {
    const bool null = random() % 8 == 0;
    ARROW_RETURN_NOT_OK(null ? ints.AppendNull() : ints.Append(static_cast<int64_t>(i / 50)));
    ARROW_RETURN_NOT_OK(texts.Append(std::string(random() % 20, static_cast<char>('a' + i % 5))));
    ARROW_RETURN_NOT_OK(null ? lists.AppendNull() : lists.Append());
    for (uint64_t k = 0; !null && k < random() % 3; ++k) {
      ARROW_RETURN_NOT_OK(static_cast<arrow::Int32Builder*>(lists.value_builder())
                              ->Append(static_cast<int32_t>(random() % 100)));
    }
  }
  ARROW_ASSIGN_OR_RAISE(auto int_array, ints.Finish());
  ARROW_ASSIGN_OR_RAISE(auto text_array, texts.Finish());
  ARROW_ASSIGN_OR_RAISE(auto list_array, lists.Finish());
  auto schema =
      arrow::schema({arrow::field("i", int_array->type()), arrow::field("t", text_array->type()),
                     arrow::field("l", list_array->type())});
  auto store = MakeMemoryStore();
  ARROW_ASSIGN_OR_RAISE(auto object, store->OpenWriter({}, "f"));
  ARROW_ASSIGN_OR_RAISE(Schema ours, Schema::FromArrow(*schema));
  ARROW_ASSIGN_OR_RAISE(
      auto writer, FileWriter::Open({}, std::move(object), std::move(ours), {.version = version}));
  ARROW_RETURN_NOT_OK(writer->WriteBatch(
      *arrow::RecordBatch::Make(schema, kRows, {int_array, text_array, list_array})));
  ARROW_RETURN_NOT_OK(writer->Finish().status());
  ARROW_ASSIGN_OR_RAISE(auto bytes, store->Get({}, "f"));
  const std::string content = bytes->ToString();
  seeds->Add("file_reader_fuzz", content);
  ARROW_ASSIGN_OR_RAISE(auto reader, store->OpenReader({}, "f"));
  return AddPagesOfFile(*reader, content, seeds);
}

// The first byte chooses SQL; that of a JSON cell is the length of the path before it.
void AddExpressions(Seeds* seeds) {
  for (const char* sql :
       {"i > 1 AND NOT (s LIKE 'a%' OR s IS NULL)", "i + 2 * -u BETWEEN 3 AND 4.5e1",
        "CASE WHEN b THEN 'x' ELSE upper(s) END IN ('x', 'y')", "CAST(c AS DOUBLE) / f <> 0",
        "array_has(l, 1) OR l[1] = 2", "p.x = 1 AND `s` = \"text\"", "regexp_match(s, '^a.b$')",
        "d >= date '2020-01-01' AND t < timestamp '2020-01-01 00:00:00'",
        "json_extract(j, '$.a[0]') = '1'", "X'00ff' = X'00FF' OR coalesce(i, 0) % 2 = 1"}) {
    seeds->Add("expr_fuzz", std::string(1, '\0') + sql);
  }
  // [true, false, null]
  const std::string_view cell("\x80\x00\x00\x03\x40\x00\x00\x00\x30\x00\x00\x00\x00\x00\x00\x00",
                              16);
  for (const std::string path : {"$", "$[1]", "$.a.b[*]", "$[0 to last]"}) {
    const std::string length(1, static_cast<char>(path.size()));
    seeds->Add("jsonb_fuzz", (length + path).append(cell));
  }
}

Status AddOwn(Seeds* seeds) {
  AddExpressions(seeds);
  for (const FileVersion version : {FileVersion::kV2_1, FileVersion::kV2_2}) {
    ARROW_RETURN_NOT_OK(AddOwnFile(version, 1, seeds));
  }
  const std::vector<std::vector<uint64_t>> sequences = {
      {}, {7}, {0, 1, 2, 3}, {5, 9, 10, 11, 400}, {9, 3, 70000, 4}, {1ull << 63, 12}};
  for (const auto& values : sequences) {
    seeds->Add("row_id_sequence_fuzz", RowIdSequence::FromValues(values).Encode());
  }
  seeds->Add("version_sequence_fuzz", VersionSequence::Uniform(3, 100).Encode());
  const std::string text(4000, 'x');
  for (const auto& [scheme, choice] : {std::pair(encoding::CompressionScheme::kZstd, '\1'),
                                       std::pair(encoding::CompressionScheme::kLz4, '\2')}) {
    ARROW_ASSIGN_OR_RAISE(auto frame, encoding::Compress(scheme, AsBytes(text), std::nullopt,
                                                         arrow::default_memory_pool()));
    seeds->Add("codec_fuzz", std::string(1, choice) + frame->ToString());
  }
  return Status::OK();
}

}  // namespace

Status MakeFuzzSeeds(const fs::path& fixtures, const AddFuzzSeed& add) {
  Seeds seeds(add);
  for (const char* section : {"files14", "files7", "hints14", "tables14"}) {
    if (!fixtures.empty()) AddFolder(fixtures / section, &seeds);
  }
  AddFolder(LANCE_HOSTILE_FILES, &seeds);
  return AddOwn(&seeds);
}

}  // namespace lance
