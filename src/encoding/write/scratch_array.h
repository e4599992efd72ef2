#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "base/error.h"

namespace lance::encoding {

/// An array of numbers from a memory pool whose capacity is chosen once. The contents are not
/// initialised: page-sized arrays would pay for clearing what is overwritten anyway.
template <typename T>
class ScratchArray {
 public:
  ScratchArray() = default;

  static Result<ScratchArray> Allocate(uint64_t capacity, arrow::MemoryPool* pool) {
    ScratchArray array;
    ARROW_ASSIGN_OR_RAISE(array.buffer_,
                          arrow::AllocateBuffer(static_cast<int64_t>(capacity * sizeof(T)), pool));
    array.data_ = reinterpret_cast<T*>(array.buffer_->mutable_data());
    array.size_ = capacity;
    return array;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](uint64_t index) { return data_[index]; }
  const T& operator[](uint64_t index) const { return data_[index]; }
  uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// At most the capacity.
  void set_size(uint64_t size) { size_ = size; }
  std::span<const T> view() const { return {data_, size_}; }
  /// Keeps the memory alive; holds `size()` numbers from its start.
  const std::shared_ptr<arrow::Buffer>& buffer() const { return buffer_; }

 private:
  std::shared_ptr<arrow::Buffer> buffer_;
  T* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace lance::encoding
