// Inputs for the fuzz targets to start from: make_fuzz_seeds FIXTURES OUT
//
// Writes OUT/<target>/…: whole files, and what is inside them (pages, blocks, symbol tables, row
// ids …), of the reference's fixtures and of files that our own writer makes.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "arrow/api.h"
#include "encoding/codec/general_compression.h"
#include "encoding/read/page_fuzz_input.h"
#include "encodings21.pb.h"
#include "file/file_metadata.h"
#include "file/file_writer.h"
#include "file/leaf_column.h"
#include "io/object_store.h"
#include "proto/parse.h"
#include "table/manifest_file.h"
#include "table/row_id_sequence.h"
#include "table/version_sequence.h"

namespace lance {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxSeedBytes = 48 * 1024;

class SeedFolder {
 public:
  explicit SeedFolder(fs::path root) : root_(std::move(root)) {}

  void Add(const std::string& target, std::string_view bytes) {
    if (bytes.size() > kMaxSeedBytes) return;
    const fs::path folder = root_ / target;
    fs::create_directories(folder);
    std::ofstream out(folder / std::to_string(count_++), std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  size_t count() const { return count_; }

 private:
  fs::path root_;
  size_t count_ = 0;
};

template <typename Number>
void Append(Number number, std::string* out) {
  out->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// The description of a block, with a block of plain bytes where none is at hand.
void AddBlock(const encodings21::CompressiveEncoding& encoding, uint32_t count,
              const std::string& block, SeedFolder* seeds) {
  const std::string message = encoding.SerializeAsString();
  if (message.size() > UINT16_MAX) return;
  std::string seed;
  Append(static_cast<uint16_t>(message.size()), &seed);
  seed += message;
  Append(count, &seed);
  seeds->Add("block_decoder_fuzz", seed + block);
}

void AddParts(const encodings21::PageLayout& layout, const encoding::FuzzPage& page,
              SeedFolder* seeds) {
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

Status AddPages(RandomReader& reader, SeedFolder* seeds) {
  ARROW_ASSIGN_OR_RAISE(FileMetadata metadata, FileMetadata::Load({}, reader));
  const auto paths = LeafPaths(metadata.schema());
  for (uint32_t index = 0; index < std::min<size_t>(metadata.num_columns(), paths.size());
       ++index) {
    auto shape = MakeLeafShape(paths[index]);
    if (!shape.ok()) continue;
    ARROW_ASSIGN_OR_RAISE(auto columns, metadata.LoadColumns({}, reader, {&index, 1}));
    for (const PageMetadata& stored : columns[0].pages) {
      encodings21::PageLayout layout;
      const bool planar = stored.encoding_type.ends_with("encodings23.PlanarLayout");
      if (!planar && (!stored.encoding_type.ends_with("encodings21.PageLayout") ||
                      !ParseMessage(stored.encoding, &layout))) {
        continue;
      }
      encoding::FuzzPage page;
      page.shape = *shape;
      page.minor_version = static_cast<uint8_t>(static_cast<uint16_t>(metadata.version()) % 100);
      page.num_rows = static_cast<uint32_t>(stored.num_rows);
      page.layout = stored.encoding;
      for (const ByteRange& range : stored.buffers) {
        std::string& bytes = page.buffers.emplace_back(range.size, '\0');
        ARROW_RETURN_NOT_OK(
            reader.ReadAt({}, range.offset, range.size, reinterpret_cast<uint8_t*>(bytes.data())));
      }
      if (auto seed = EncodeFuzzPage(page)) seeds->Add("page_reader_fuzz", *seed);
      AddParts(layout, page, seeds);
    }
  }
  return Status::OK();
}

Status AddManifest(ObjectStore& store, const std::string& path, SeedFolder* seeds) {
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

void AddFile(ObjectStore& store, const fs::path& path, SeedFolder* seeds) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string extension = path.extension().string();
  // What a file holds that this build can't read is no seed.
  if (extension == ".lance") {
    seeds->Add("file_reader_fuzz", bytes);
    auto reader = store.OpenReader({}, path.string());
    if (reader.ok()) static_cast<void>(AddPages(**reader, seeds));
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

void AddFixtures(const fs::path& root, SeedFolder* seeds) {
  auto store = MakeLocalStore();
  for (const char* section : {"files14", "files7", "hints14", "tables14"}) {
    if (!fs::exists(root / section)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / section)) {
      if (!entry.is_regular_file() || entry.file_size() > kMaxSeedBytes) continue;
      const std::string name = entry.path().filename().string();
      if (!name.starts_with("expected") && !name.starts_with("meta")) {
        AddFile(*store, entry.path(), seeds);
      }
    }
  }
}

// Columns of several kinds, small and repetitive enough for most of the writer's codecs.
Status AddOwnFile(FileVersion version, uint32_t seed, SeedFolder* seeds) {
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
  seeds->Add("file_reader_fuzz", bytes->ToString());
  ARROW_ASSIGN_OR_RAISE(auto reader, store->OpenReader({}, "f"));
  return AddPages(*reader, seeds);
}

Status AddOwn(SeedFolder* seeds) {
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
}  // namespace lance

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: make_fuzz_seeds FIXTURES OUT\n", stderr);
    return 2;
  }
  lance::SeedFolder seeds(argv[2]);
  lance::AddFixtures(argv[1], &seeds);
  lance::Status status = lance::AddOwn(&seeds);
  if (!status.ok()) {
    std::fprintf(stderr, "make_fuzz_seeds: %s\n", lance::ErrorText(status).c_str());
    return 1;
  }
  std::printf("%zu seeds\n", seeds.count());
  return 0;
}
