// Any bytes as a sequence of row ids: an error, or one that can be read from everywhere and written
// again with the same ids.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "table/row_id_sequence.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMaxIds = 4096;
  auto ids = lance::RowIdSequence::Decode({data, size});
  if (!ids.ok()) return 0;
  std::vector<uint64_t> values(std::min(ids->size(), kMaxIds));
  for (const uint64_t first :
       {uint64_t{0}, (ids->size() - values.size()) / 2, ids->size() - values.size()}) {
    ids->Read(first, values);
    const std::string encoded = ids->Encode();
    auto again = lance::RowIdSequence::Decode(lance::AsBytes(encoded));
    if (!again.ok() || again->size() != ids->size()) std::abort();
    std::vector<uint64_t> same(values.size());
    again->Read(first, same);
    if (same != values) std::abort();
  }
  return 0;
}
