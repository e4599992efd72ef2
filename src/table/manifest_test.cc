#include "table/manifest.h"

#include "arrow/buffer.h"
#include "arrow/util/key_value_metadata.h"
#include "gtest/gtest.h"
#include "table/feature_flags.h"
#include "table/manifest_file.h"

namespace lance {
namespace {

Schema OneColumn() {
  Schema schema;
  Field field;
  field.id = 0;
  field.name = "a";
  field.logical_type = "int64";
  schema.fields.push_back(std::move(field));
  schema.metadata = arrow::key_value_metadata({"k"}, {"v"});
  return schema;
}

table::DataFragment MakeFragment(uint64_t id, uint64_t rows = 10) {
  table::DataFragment fragment;
  fragment.set_id(id);
  fragment.set_physical_rows(rows);
  auto* file = fragment.add_files();
  file->set_path("f" + std::to_string(id) + ".lance");
  file->add_fields(0);
  file->add_column_indices(0);
  file->set_file_major_version(2);
  file->set_file_minor_version(2);
  file->set_file_size_bytes(100 + id);
  return fragment;
}

Manifest MakeManifest(uint64_t fragments) {
  Manifest manifest;
  manifest.SetSchema(OneColumn());
  manifest.head.set_version(3);
  manifest.set_timestamp_ns(1'700'000'000'123'456'789);
  std::vector<table::DataFragment> added;
  for (uint64_t id = 0; id < fragments; ++id) added.push_back(MakeFragment(id));
  EXPECT_TRUE(manifest.AddFragments(added).ok());
  return manifest;
}

Result<Manifest> Decode(std::string bytes) {
  std::shared_ptr<const arrow::Buffer> owner = arrow::Buffer::FromString(std::move(bytes));
  return Manifest::Decode({owner->data(), static_cast<size_t>(owner->size())}, owner);
}

std::string Encode(const Manifest& manifest) {
  std::string bytes;
  manifest.AppendEncoded(&bytes);
  EXPECT_EQ(bytes.size(), manifest.EncodedSize());
  return bytes;
}

std::shared_ptr<const ManifestFile> WriteAndRead(const std::shared_ptr<ObjectStore>& store,
                                                 Manifest manifest,
                                                 const std::optional<std::string>& index,
                                                 const std::string& transaction, IoStats* stats) {
  Context context;
  std::string content = EncodeManifestFile(index, transaction, &manifest);
  std::string path = ManifestPath("/t", manifest.version(), ManifestNaming::kV2);
  EXPECT_TRUE(store->Put(context, path, AsBytes(content)).ok());
  context.io_stats = stats;
  return ManifestFile::Read(context, *store, {manifest.version(), ManifestNaming::kV2, path, 0})
      .ValueOrDie();
}

TEST(Manifest, RoundTrip) {
  Manifest manifest = MakeManifest(3);
  auto decoded = Decode(Encode(manifest)).ValueOrDie();
  EXPECT_EQ(decoded.version(), 3u);
  EXPECT_EQ(decoded.timestamp_ns(), 1'700'000'000'123'456'789);
  ASSERT_EQ(decoded.schema.fields.size(), 1u);
  EXPECT_EQ(decoded.schema.fields[0].name, "a");
  EXPECT_EQ(decoded.schema.metadata->Get("k").ValueOrDie(), "v");
  ASSERT_EQ(decoded.fragments.size(), 3u);
  EXPECT_EQ(decoded.fragments[2].id, 2u);
  EXPECT_EQ(decoded.fragments[2].data_bytes, 102u);
  EXPECT_EQ(decoded.fragments[2].physical_rows, 10u);
  EXPECT_EQ(ParseFragment(decoded.fragments[1]).ValueOrDie().files(0).path(), "f1.lance");
  EXPECT_EQ(Encode(decoded), Encode(manifest));
}

TEST(Manifest, TimesBeforeTheEpoch) {
  Manifest manifest = MakeManifest(0);
  for (int64_t time : {int64_t{-1}, int64_t{-1'000'000'000}, int64_t{0}}) {
    manifest.set_timestamp_ns(time);
    EXPECT_EQ(Decode(Encode(manifest)).ValueOrDie().timestamp_ns(), time);
    EXPECT_GE(manifest.head.timestamp().nanos(), 0);
  }
}

/// Fields that this code doesn't know, in the manifest and in a fragment, come back as they were.
TEST(Manifest, UnknownFieldsSurvive) {
  std::string unknown("\xa2\x1f\x03xyz", 6);  // field 500, bytes
  std::string fragment = MakeFragment(7).SerializeAsString() + unknown;
  std::string bytes = Encode(MakeManifest(1)) + unknown;
  bytes += std::string("\x12") + static_cast<char>(fragment.size()) + fragment;
  auto decoded = Decode(bytes).ValueOrDie();
  ASSERT_EQ(decoded.fragments.size(), 2u);
  std::string again = Encode(decoded);
  EXPECT_EQ(again.size(), bytes.size());
  size_t first = again.find(unknown);
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(again.find(unknown, first + 1), std::string::npos);
  EXPECT_EQ(AsText(Decode(again).ValueOrDie().fragments[1].bytes), fragment);
}

TEST(Manifest, FragmentsAreSortedAndUnique) {
  std::string bytes;
  for (uint64_t id : {5u, 2u}) {
    std::string fragment = MakeFragment(id).SerializeAsString();
    bytes += std::string("\x12") + static_cast<char>(fragment.size()) + fragment;
  }
  auto decoded = Decode(bytes).ValueOrDie();
  EXPECT_EQ(decoded.fragments[0].id, 2u);
  EXPECT_EQ(decoded.max_fragment_id(), 5u);
  EXPECT_EQ(GetErrorCode(Decode(bytes + bytes).status()), ErrorCode::kCorrupt);
}

TEST(Manifest, HostileNumbers) {
  auto with_fragment = [](const table::DataFragment& fragment) {
    std::string bytes = fragment.SerializeAsString();
    return Decode(std::string("\x12") + static_cast<char>(bytes.size()) + bytes);
  };
  table::DataFragment fragment = MakeFragment(1);
  EXPECT_TRUE(with_fragment(fragment).ok());
  fragment.set_id(1ull << 32);
  EXPECT_FALSE(with_fragment(fragment).ok()) << "ids have 32 bits";
  fragment = MakeFragment(1, (1ull << 32) + 1);
  EXPECT_FALSE(with_fragment(fragment).ok()) << "offsets have 32 bits";
  fragment = MakeFragment(1, 10);
  fragment.mutable_deletion_file()->set_num_deleted_rows(11);
  EXPECT_FALSE(with_fragment(fragment).ok()) << "more deleted rows than rows";
  fragment = MakeFragment(1);
  fragment.mutable_files(0)->set_file_size_bytes(~0ull);
  *fragment.add_files() = fragment.files(0);
  EXPECT_FALSE(with_fragment(fragment).ok()) << "sizes overflow";
  Manifest manifest;
  manifest.head.mutable_timestamp()->set_seconds(1ll << 60);
  EXPECT_FALSE(Decode(Encode(manifest)).ok()) << "time overflows";
}

TEST(Manifest, UnknownCounts) {
  table::DataFragment fragment = MakeFragment(1, 0);
  EXPECT_FALSE(SummarizeFragment(AsBytes(fragment.SerializeAsString()))->counts_known());
  fragment.set_physical_rows(4);
  EXPECT_TRUE(SummarizeFragment(AsBytes(fragment.SerializeAsString()))->counts_known());
  fragment.mutable_deletion_file()->set_id(9);
  EXPECT_FALSE(SummarizeFragment(AsBytes(fragment.SerializeAsString()))->counts_known());
}

TEST(Manifest, DataVersion) {
  Manifest manifest = MakeManifest(1);
  EXPECT_EQ(manifest.data_version().ValueOrDie(), FileVersion::kV2_2) << "from its files";
  manifest.head.mutable_data_format()->set_version("2.1");
  EXPECT_EQ(manifest.data_version().ValueOrDie(), FileVersion::kV2_1);
  manifest.head.mutable_data_format()->set_version("stable");
  EXPECT_FALSE(manifest.data_version().ok()) << "manifests hold numbers only";
  manifest.head.mutable_data_format()->set_version("9.9");
  EXPECT_FALSE(manifest.data_version().ok());
}

TEST(ManifestFile, Sections) {
  for (bool with_index : {false, true}) {
    std::optional<std::string> index;
    if (with_index) index = "the index section";
    IoStats stats;
    auto store = MakeMemoryStore();
    auto file = WriteAndRead(store, MakeManifest(2), index, "the transaction", &stats);
    EXPECT_EQ(stats.reads, 1u) << "a small manifest costs one read";
    Context context;
    EXPECT_EQ(file->ReadIndexSection(context, *store).ValueOrDie(), index);
    EXPECT_EQ(file->ReadTransactionSection(context, *store).ValueOrDie(), "the transaction");
    EXPECT_EQ(file->manifest().head.transaction_section(), with_index ? 21u : 0u);
  }
}

TEST(ManifestFile, LargerThanTheFirstRead) {
  IoStats stats;
  auto store = MakeMemoryStore();
  std::string index(300'000, 'i');
  auto file = WriteAndRead(store, MakeManifest(100'000), index, std::string(70'000, 't'), &stats);
  EXPECT_EQ(stats.reads, 2u);
  ASSERT_EQ(file->manifest().fragments.size(), 100'000u);
  EXPECT_EQ(file->manifest().fragments.back().data_bytes, 100'099u);
  EXPECT_EQ(ParseFragment(file->manifest().fragments[77'777]).ValueOrDie().files(0).path(),
            "f77777.lance");
  Context context;
  EXPECT_EQ(file->ReadIndexSection(context, *store).ValueOrDie(), index);
  EXPECT_EQ(file->ReadTransactionSection(context, *store).ValueOrDie(), std::string(70'000, 't'));
}

TEST(ManifestFile, LargeTransactionsStayOutside) {
  auto store = MakeMemoryStore();
  std::string transaction(kMaxInlineTransactionBytes + 1, 't');
  auto file = WriteAndRead(store, MakeManifest(1), std::nullopt, transaction, nullptr);
  Context context;
  EXPECT_FALSE(file->ReadTransactionSection(context, *store).ValueOrDie());
}

TEST(ManifestFile, CutAnywhere) {
  auto store = MakeMemoryStore();
  Context context;
  Manifest manifest = MakeManifest(2);
  std::string content = EncodeManifestFile("index", "transaction", &manifest);
  ManifestLocation location{3, ManifestNaming::kV2, "/t/cut", 0};
  for (size_t size = 0; size < content.size(); ++size) {
    // Cut at the end, and at the start.
    for (const std::string& cut :
         {content.substr(0, size), content.substr(content.size() - size)}) {
      ASSERT_TRUE(store->Put(context, location.path, AsBytes(cut)).ok());
      auto file = ManifestFile::Read(context, *store, location);
      if (file.ok()) FAIL() << "read from " << size << " of " << content.size() << " bytes";
      EXPECT_EQ(GetErrorCode(file.status()), ErrorCode::kCorrupt) << file.status();
      EXPECT_NE(ErrorText(file.status()).find("/t/cut"), std::string::npos);
    }
  }
}

TEST(ManifestFile, DamagedBytesNeverCrash) {
  Manifest manifest = MakeManifest(3);
  std::string content = EncodeManifestFile("index", "transaction", &manifest);
  auto store = MakeMemoryStore();
  Context context;
  for (size_t at = 0; at < content.size(); ++at) {
    for (int value : {0x00, 0x7f, 0xff}) {
      std::string damaged = content;
      damaged[at] = static_cast<char>(value);
      auto file = ManifestFile::FromBytes(arrow::Buffer::FromString(damaged),
                                          {3, ManifestNaming::kV2, "/t/damaged", 0});
      if (!file.ok()) continue;
      for (const auto& fragment : (*file)->manifest().fragments) {
        (void)ParseFragment(fragment).status();
      }
      (void)(*file)->ReadIndexSection(context, *store).status();
      (void)(*file)->ReadTransactionSection(context, *store).status();
    }
  }
}

TEST(ManifestFile, WrongVersionAndSectionsOutside) {
  auto store = MakeMemoryStore();
  Context context;
  Manifest manifest = MakeManifest(1);
  std::string content = EncodeManifestFile(std::nullopt, "t", &manifest);
  auto buffer = arrow::Buffer::FromString(content);
  EXPECT_FALSE(ManifestFile::FromBytes(buffer, {4, ManifestNaming::kV2, "/t/4", 0}).ok());

  for (uint64_t offset : {uint64_t{1} << 40, ~uint64_t{0}, uint64_t{content.size() - 2}}) {
    std::string message;
    Manifest moved = MakeManifest(1);
    moved.head.set_index_section(offset);
    message = Encode(moved);
    std::string file(20, 'x');
    auto start = static_cast<int64_t>(file.size());
    auto length = static_cast<uint32_t>(message.size());
    file.append(reinterpret_cast<const char*>(&length), 4);
    file += message;
    file.append(reinterpret_cast<const char*>(&start), 8);
    file += std::string("\0\0\2\0LANC", 8);
    auto read = ManifestFile::FromBytes(arrow::Buffer::FromString(file),
                                        {3, ManifestNaming::kV2, "/t/3", 0})
                    .ValueOrDie();
    EXPECT_EQ(GetErrorCode(read->ReadIndexSection(context, *store).status()), ErrorCode::kCorrupt);
  }
}

TEST(FeatureFlags, UnknownBitsAreRefusedByName) {
  Manifest manifest = MakeManifest(0);
  EXPECT_TRUE(CheckReadable(manifest).ok());
  manifest.head.set_reader_feature_flags(feature_flag::kDataOverlays | 1ull << 40);
  manifest.head.set_writer_feature_flags(feature_flag::kDataOverlays | 1ull << 40);
  Status status = CheckReadable(manifest);
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kUnsupported);
  EXPECT_NE(status.message().find("bit 6 (data overlay files)"), std::string::npos) << status;
  EXPECT_NE(status.message().find("bit 40"), std::string::npos) << status;
  EXPECT_FALSE(CheckWritable(manifest).ok());
}

TEST(FeatureFlags, WriterBitsDoNotHinderReading) {
  Manifest manifest = MakeManifest(0);
  manifest.head.set_writer_feature_flags(feature_flag::kObjectMetadata);
  EXPECT_TRUE(CheckReadable(manifest).ok());
  Status status = CheckWritable(manifest);
  EXPECT_NE(status.message().find("bit 17 (object metadata)"), std::string::npos) << status;
}

TEST(FeatureFlags, PairsMustAgree) {
  Manifest manifest = MakeManifest(0);
  manifest.head.set_reader_feature_flags(feature_flag::kMixedFileVersions);
  EXPECT_EQ(GetErrorCode(CheckReadable(manifest)), ErrorCode::kCorrupt);
  manifest.head.set_reader_feature_flags(0);
  manifest.head.set_writer_feature_flags(feature_flag::kNonReusableFieldIds);
  EXPECT_EQ(GetErrorCode(CheckReadable(manifest)), ErrorCode::kCorrupt);
  manifest.head.set_max_allocated_field_id(4);
  EXPECT_TRUE(CheckReadable(manifest).ok());
}

}  // namespace
}  // namespace lance
