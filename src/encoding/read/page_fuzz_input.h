#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_reader.h"
#include "encoding/read/leaf_shape.h"

namespace lance::encoding {

/// A page as fuzz targets take it, description and bytes together:
///
///   u8 index of a shape   u8 kind, what the target makes of it   u32 rows
///   u16 size of the message that describes the page, the message
///   u8 number of buffers   u32 size of each   their bytes, one after the other
struct FuzzPage {
  LeafShape shape;
  uint8_t kind = 0;
  uint32_t num_rows = 0;
  std::string layout;
  std::vector<std::string> buffers;
};

/// The kinds of pages of version 2.0.
enum class FuzzKind : uint8_t { kValues, kBlobs, kLists };

inline LeafShape FixedFuzzShape(uint64_t bits, std::vector<uint32_t> dimensions = {}) {
  LeafShape shape;
  shape.value_bits = bits;
  for (const uint32_t dimension : dimensions) shape.value_bits *= dimension;
  shape.dimensions = std::move(dimensions);
  return shape;
}

inline LeafShape VariableFuzzShape(bool large) {
  LeafShape shape;
  shape.values = LeafShape::Values::kVariable;
  shape.large_offsets = large;
  return shape;
}

inline LeafShape PackedFuzzShape(std::vector<LeafShape> members) {
  LeafShape shape;
  shape.values = LeafShape::Values::kPackedStruct;
  bool all_fixed = true;
  for (const LeafShape& member : members) {
    all_fixed &= member.value_bits > 0;
    shape.value_bits += member.value_bits;
  }
  if (!all_fixed) shape.value_bits = 0;
  shape.members = std::move(members);
  return shape;
}

/// Packed structs, those of the reference's files among them, and blobs by their bytes and by their
/// places.
inline std::vector<LeafShape> PackedFuzzShapes() {
  std::vector<LeafShape> out;
  out.push_back(PackedFuzzShape({FixedFuzzShape(32), FixedFuzzShape(64), FixedFuzzShape(8)}));
  out.push_back(PackedFuzzShape({FixedFuzzShape(32), FixedFuzzShape(32, {3})}));
  out.push_back(PackedFuzzShape({FixedFuzzShape(64), VariableFuzzShape(false)}));
  out.push_back(PackedFuzzShape(
      {VariableFuzzShape(true), PackedFuzzShape({VariableFuzzShape(false), FixedFuzzShape(16)})}));
  // The descriptors of blobs of version 2.
  out.push_back(PackedFuzzShape({FixedFuzzShape(8), FixedFuzzShape(64), FixedFuzzShape(64),
                                 FixedFuzzShape(32), VariableFuzzShape(false)}));
  out.push_back(VariableFuzzShape(true));
  out.back().is_blob = true;
  out.push_back(PackedFuzzShape({FixedFuzzShape(64), FixedFuzzShape(64)}));
  out.back().is_blob = true;
  return out;
}

/// The shapes that fuzz targets know: one of every kind.
inline const std::vector<LeafShape>& FuzzShapes() {
  static const std::vector<LeafShape> shapes = [] {
    std::vector<LeafShape> out;
    const std::vector<Layer> leaf = {{LayerKind::kItem}};
    const std::vector<Layer> in_struct = {{LayerKind::kItem}, {LayerKind::kItem}};
    const std::vector<Layer> in_list = {{LayerKind::kList}, {LayerKind::kItem}};
    const std::vector<Layer> in_lists = {
        {LayerKind::kList}, {LayerKind::kList, 1, true}, {LayerKind::kItem}};
    const std::vector<Layer> in_struct_lists = {
        {LayerKind::kFixedSizeList, 3}, {LayerKind::kItem}, {LayerKind::kItem}};
    for (const auto& layers : {leaf, in_struct, in_list, in_lists, in_struct_lists}) {
      auto add = [&](LeafShape shape) {
        shape.layers = layers;
        out.push_back(std::move(shape));
      };
      for (const uint64_t bits : {1, 8, 16, 32, 64, 128, 56, 2400}) add(FixedFuzzShape(bits));
      for (const bool large : {false, true}) add(VariableFuzzShape(large));
      for (const auto& dimensions : std::vector<std::vector<uint32_t>>{{4}, {3, 2}, {512}}) {
        add(FixedFuzzShape(32, dimensions));
      }
      add(FixedFuzzShape(1, {5}));
      // Null lists of strings.
      add(FixedFuzzShape(0, {2}));
      for (const LeafShape& packed : PackedFuzzShapes()) add(packed);
      LeafShape dictionary;
      dictionary.value_bits = 8;
      dictionary.is_dictionary = true;
      dictionary.dictionary_variable = true;
      add(dictionary);
      dictionary.dictionary_variable = false;
      dictionary.dictionary_value_bits = 64;
      dictionary.value_bits = 16;
      add(dictionary);
      LeafShape none;
      none.values = LeafShape::Values::kNone;
      add(none);
      none.values = LeafShape::Values::kEmptyStruct;
      add(none);
    }
    return out;
  }();
  return shapes;
}

/// Nothing for bytes that are too short to be one.
inline std::optional<FuzzPage> ParseFuzzPage(Bytes bytes) {
  ByteReader reader(bytes);
  auto read = [&reader](auto* out) {
    auto value = reader.Read<std::remove_pointer_t<decltype(out)>>("a number");
    if (value.ok()) *out = *value;
    return value.ok();
  };
  auto read_text = [&reader](uint64_t size, std::string* out) {
    auto value = reader.ReadBytes(size, "bytes");
    if (value.ok()) *out = AsText(*value);
    return value.ok();
  };
  FuzzPage page;
  uint8_t shape = 0;
  uint16_t layout_size = 0;
  uint8_t num_buffers = 0;
  if (!read(&shape) || !read(&page.kind) || !read(&page.num_rows) || !read(&layout_size) ||
      !read_text(layout_size, &page.layout) || !read(&num_buffers)) {
    return std::nullopt;
  }
  page.shape = FuzzShapes()[shape % FuzzShapes().size()];
  std::vector<uint32_t> sizes(num_buffers % 5);
  for (uint32_t& size : sizes) {
    if (!read(&size)) return std::nullopt;
  }
  for (const uint32_t size : sizes) {
    if (!read_text(size, &page.buffers.emplace_back())) return std::nullopt;
  }
  return page;
}

/// The bytes of a page of a shape that FuzzShapes() has; nothing for others.
inline std::optional<std::string> EncodeFuzzPage(const FuzzPage& page) {
  std::string out;
  auto write = [&out](auto value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const auto& shapes = FuzzShapes();
  size_t shape = 0;
  while (shape < shapes.size() && !(shapes[shape] == page.shape)) ++shape;
  if (shape == shapes.size() || page.layout.size() > UINT16_MAX || page.buffers.size() > 4) {
    return std::nullopt;
  }
  write(static_cast<uint8_t>(shape));
  write(page.kind);
  write(page.num_rows);
  write(static_cast<uint16_t>(page.layout.size()));
  out += page.layout;
  write(static_cast<uint8_t>(page.buffers.size()));
  for (const std::string& buffer : page.buffers) write(static_cast<uint32_t>(buffer.size()));
  for (const std::string& buffer : page.buffers) out += buffer;
  return out;
}

}  // namespace lance::encoding
