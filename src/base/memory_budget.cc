#include "base/memory_budget.h"

#include <cerrno>
#include <cstdlib>

namespace lance {
namespace {

constexpr uint64_t kDefaultBytes = 512ull << 20;

}  // namespace

uint64_t DefaultMemoryBudget() {
  const char* text = std::getenv("LANCE_MEM_POOL_SIZE");
  if (text == nullptr || *text < '0' || *text > '9') return kDefaultBytes;
  char* end = nullptr;
  errno = 0;
  uint64_t bytes = std::strtoull(text, &end, 10);
  return errno == 0 && *end == '\0' ? bytes : kDefaultBytes;
}

}  // namespace lance
