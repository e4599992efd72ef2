// Any bytes as a transaction: an error, or one that can be named and written again.

#include <cstdint>

#include "table/transaction.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto transaction = lance::DecodeTransaction({data, size});
  if (!transaction.ok()) return 0;
  static_cast<void>(lance::OperationName(*transaction));
  static_cast<void>(transaction->SerializeAsString());
  return 0;
}
