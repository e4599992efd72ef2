#include "table/manifest.h"

#include <algorithm>
#include <limits>
#include <map>

#include "arrow/buffer.h"
#include "arrow/util/key_value_metadata.h"
#include "google/protobuf/io/coded_stream.h"
#include "proto/parse.h"
#include "table/feature_flags.h"
#include "table/wire_scanner.h"

namespace lance {
namespace {

using google::protobuf::io::CodedOutputStream;

constexpr uint32_t kFragmentsField = 2;
constexpr uint32_t kFragmentsTag = (kFragmentsField << 3) | 2;
constexpr int64_t kNanosPerSecond = 1'000'000'000;
// Beyond this, nanoseconds don't fit 64 bits (year 2262).
constexpr int64_t kMaxSeconds = std::numeric_limits<int64_t>::max() / kNanosPerSecond - 1;

/// Serializes fragments one after the other into one buffer.
Result<std::vector<FragmentSummary>> StoreFragments(
    const std::vector<table::DataFragment>& fragments,
    std::vector<std::shared_ptr<const arrow::Buffer>>* owners) {
  std::string bytes;
  std::vector<size_t> ends;
  for (const auto& fragment : fragments) {
    fragment.AppendToString(&bytes);
    ends.push_back(bytes.size());
  }
  std::shared_ptr<const arrow::Buffer> owner = arrow::Buffer::FromString(std::move(bytes));
  std::vector<FragmentSummary> summaries;
  size_t start = 0;
  for (size_t end : ends) {
    ARROW_ASSIGN_OR_RAISE(auto summary, SummarizeFragment({owner->data() + start, end - start}));
    summaries.push_back(summary);
    start = end;
  }
  owners->push_back(std::move(owner));
  return summaries;
}

Status CheckOrder(Manifest* manifest) {
  auto by_id = [](const FragmentSummary& a, const FragmentSummary& b) { return a.id < b.id; };
  auto& fragments = manifest->fragments;
  if (!std::is_sorted(fragments.begin(), fragments.end(), by_id)) {
    std::stable_sort(fragments.begin(), fragments.end(), by_id);
  }
  auto twice = std::adjacent_find(
      fragments.begin(), fragments.end(),
      [](const FragmentSummary& a, const FragmentSummary& b) { return a.id == b.id; });
  if (twice != fragments.end()) return Corrupt("fragment id is used twice: ", twice->id);
  return Status::OK();
}

}  // namespace

int64_t Manifest::timestamp_ns() const {
  return head.timestamp().seconds() * kNanosPerSecond + head.timestamp().nanos();
}

void Manifest::set_timestamp_ns(int64_t timestamp) {
  int64_t seconds = timestamp / kNanosPerSecond;
  int64_t nanos = timestamp % kNanosPerSecond;
  if (nanos < 0) {
    --seconds;
    nanos += kNanosPerSecond;
  }
  head.mutable_timestamp()->set_seconds(seconds);
  head.mutable_timestamp()->set_nanos(static_cast<int32_t>(nanos));
}

bool Manifest::has_stable_row_ids() const {
  return (head.reader_feature_flags() & feature_flag::kStableRowIds) != 0;
}

bool Manifest::has_semantic_types() const {
  return (head.reader_feature_flags() & feature_flag::kSemanticTypes) != 0;
}

bool Manifest::HasCanonicalNames() const {
  if (!schema.semantic_types) return false;
  google::protobuf::RepeatedPtrField<lance::file::Field> canonical;
  schema.ToProto(&canonical);
  std::map<int32_t, std::string_view> names;
  for (const auto& field : canonical) names.emplace(field.id(), field.logical_type());
  return std::all_of(head.fields().begin(), head.fields().end(), [&](const auto& field) {
    const auto name = names.find(field.id());
    return name != names.end() && name->second == field.logical_type();
  });
}

Result<FileVersion> Manifest::data_version() const {
  if (head.has_data_format()) {
    const auto& format = head.data_format();
    if (!format.file_format().empty() && format.file_format() != "lance") {
      return Unsupported("table stores its data in another file format: ", format.file_format());
    }
    ARROW_ASSIGN_OR_RAISE(FileVersion version, ParseFileVersion(format.version()));
    if (FileVersionName(version) != format.version()) {
      return Corrupt("data storage version of a manifest is not a version number: ",
                     format.version());
    }
    return version;
  }
  // Manifests from before the message existed: as their files are.
  if (!fragments.empty()) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(fragments.front()));
    if (fragment.files_size() > 0) {
      return FileVersionFromNumbers(fragment.files(0).file_major_version(),
                                    fragment.files(0).file_minor_version());
    }
  }
  bool is_v2 = (head.writer_feature_flags() & feature_flag::kV2FileFormat) != 0;
  return is_v2 ? kDefaultFileVersion : FileVersion::kV0_1;
}

std::optional<uint32_t> Manifest::max_fragment_id() const {
  std::optional<uint32_t> max;
  if (head.has_max_fragment_id()) max = head.max_fragment_id();
  if (!fragments.empty()) {
    auto last = static_cast<uint32_t>(fragments.back().id);
    max = max ? std::max(*max, last) : last;
  }
  return max;
}

Result<int32_t> Manifest::MaxFieldId() const {
  int32_t max = schema.MaxFieldId();
  if (head.has_max_allocated_field_id()) max = std::max(max, head.max_allocated_field_id());
  for (const FragmentSummary& summary : fragments) {
    ARROW_ASSIGN_OR_RAISE(auto fragment, ParseFragment(summary));
    for (const auto& file : fragment.files()) {
      for (int32_t id : file.fields()) max = std::max(max, id);
    }
  }
  return max;
}

Result<int32_t> Manifest::NextFieldId() const {
  ARROW_ASSIGN_OR_RAISE(int32_t max, MaxFieldId());
  if (max == std::numeric_limits<int32_t>::max()) {
    return Unsupported("table has given out all of its field ids; write it anew");
  }
  return max + 1;
}

Result<Manifest> Manifest::Decode(Bytes message, std::shared_ptr<const arrow::Buffer> owner) {
  Manifest manifest;
  manifest.fragment_owners.push_back(std::move(owner));
  std::string rest;
  WireScanner scanner(message);
  WireScanner::Field field;
  while (scanner.Next(&field)) {
    if (field.number != kFragmentsField || field.type != WireScanner::Type::kBytes) {
      rest.append(AsText(field.record));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto summary, SummarizeFragment(field.bytes));
    manifest.fragments.push_back(summary);
  }
  ARROW_RETURN_NOT_OK(scanner.status());
  if (!ParseMessage(rest, &manifest.head)) {
    return Corrupt("manifest is not a valid message of ", message.size(), " bytes");
  }
  const auto& timestamp = manifest.head.timestamp();
  if (timestamp.seconds() > kMaxSeconds || timestamp.seconds() < -kMaxSeconds) {
    return Corrupt("manifest has a time out of range: ", timestamp.seconds(), " seconds");
  }
  ARROW_RETURN_NOT_OK(CheckOrder(&manifest));
  ARROW_ASSIGN_OR_RAISE(manifest.schema,
                        SchemaFromProto(manifest.head.fields(), manifest.head.schema_metadata(),
                                        manifest.has_semantic_types()));
  return manifest;
}

uint64_t Manifest::EncodedSize() const {
  uint64_t size = head.ByteSizeLong();
  for (const FragmentSummary& fragment : fragments) {
    size += 1 + CodedOutputStream::VarintSize32(static_cast<uint32_t>(fragment.bytes.size())) +
            fragment.bytes.size();
  }
  return size;
}

void Manifest::AppendEncoded(std::string* out) const {
  head.AppendToString(out);
  for (const FragmentSummary& fragment : fragments) {
    uint8_t prefix[11] = {kFragmentsTag};
    uint8_t* end = CodedOutputStream::WriteVarint32ToArray(
        static_cast<uint32_t>(fragment.bytes.size()), prefix + 1);
    out->append(reinterpret_cast<const char*>(prefix), static_cast<size_t>(end - prefix));
    out->append(AsText(fragment.bytes));
  }
}

const FragmentSummary* Manifest::FindFragment(uint64_t id) const {
  auto at =
      std::lower_bound(fragments.begin(), fragments.end(), id,
                       [](const FragmentSummary& a, uint64_t wanted) { return a.id < wanted; });
  return at != fragments.end() && at->id == id ? &*at : nullptr;
}

Status Manifest::AddFragments(const std::vector<table::DataFragment>& added) {
  if (added.empty()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto summaries, StoreFragments(added, &fragment_owners));
  fragments.insert(fragments.end(), summaries.begin(), summaries.end());
  return CheckOrder(this);
}

Status Manifest::ReplaceFragments(const std::vector<table::DataFragment>& replacements) {
  if (replacements.empty()) return Status::OK();
  ARROW_ASSIGN_OR_RAISE(auto summaries, StoreFragments(replacements, &fragment_owners));
  for (const FragmentSummary& summary : summaries) {
    const FragmentSummary* old = FindFragment(summary.id);
    if (old == nullptr) return UserError("table has no fragment ", summary.id, " to be replaced");
    fragments[static_cast<size_t>(old - fragments.data())] = summary;
  }
  return Status::OK();
}

void Manifest::RemoveFragments(const std::set<uint64_t>& ids) {
  std::erase_if(fragments,
                [&](const FragmentSummary& fragment) { return ids.contains(fragment.id); });
}

void Manifest::SetSchema(Schema new_schema) {
  schema = std::move(new_schema);
  head.clear_fields();
  schema.ToProto(head.mutable_fields());
  SchemaMetadataToProto(schema, head.mutable_schema_metadata());
}

Result<table::DataFragment> ParseFragment(const FragmentSummary& summary) {
  table::DataFragment fragment;
  if (!ParseMessage(summary.bytes, &fragment)) {
    return Corrupt("fragment ", summary.id, " is not a valid message of ", summary.bytes.size(),
                   " bytes");
  }
  return fragment;
}

Result<Schema> SchemaFromProto(const google::protobuf::RepeatedPtrField<lance::file::Field>& fields,
                               const google::protobuf::Map<std::string, std::string>& metadata,
                               bool semantic_types) {
  ARROW_ASSIGN_OR_RAISE(Schema schema, Schema::FromProto(fields, semantic_types));
  if (!metadata.empty()) {
    // Ordered, so that equal schemas look equal.
    std::map<std::string, std::string> ordered(metadata.begin(), metadata.end());
    auto pairs = std::make_shared<arrow::KeyValueMetadata>();
    for (auto& [key, value] : ordered) pairs->Append(key, value);
    schema.metadata = std::move(pairs);
  }
  return schema;
}

void SchemaMetadataToProto(const Schema& schema,
                           google::protobuf::Map<std::string, std::string>* metadata) {
  metadata->clear();
  if (schema.metadata == nullptr) return;
  for (int64_t i = 0; i < schema.metadata->size(); ++i) {
    (*metadata)[schema.metadata->key(i)] = schema.metadata->value(i);
  }
}

}  // namespace lance
