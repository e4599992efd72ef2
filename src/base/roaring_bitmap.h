#pragma once

#include <roaring/roaring.hh>

// Newer releases have the class in a namespace, older ones in none.
namespace roaring {}
namespace lance::roaring_names {
using namespace ::roaring;  // NOLINT
using Bitmap = Roaring;
}  // namespace lance::roaring_names

namespace lance {

/// A set of 32-bit numbers: offsets of rows, ids of fragments.
using RoaringBitmap = roaring_names::Bitmap;

}  // namespace lance
