#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace lance {

/// Keeps the `capacity` values used last. Values are shared: one that is dropped lives on for those
/// who hold it. Thread-safe.
template <typename Key, typename Value, typename Hash = std::hash<Key>>
class LruCache {
 public:
  explicit LruCache(size_t capacity) : capacity_(capacity) {}

  /// Null if it isn't there.
  std::shared_ptr<Value> Get(const Key& key) {
    std::lock_guard lock(mutex_);
    auto at = index_.find(key);
    if (at == index_.end()) return nullptr;
    if (at->second != entries_.begin()) entries_.splice(entries_.begin(), entries_, at->second);
    return at->second->second;
  }
  /// Returns the value that is there now: the first one put wins.
  std::shared_ptr<Value> Put(const Key& key, std::shared_ptr<Value> value) {
    // Destroyed behind the lock: closing a file takes time.
    std::shared_ptr<Value> dropped;
    std::lock_guard lock(mutex_);
    auto at = index_.find(key);
    if (at != index_.end()) return at->second->second;
    entries_.emplace_front(key, std::move(value));
    index_.emplace(key, entries_.begin());
    std::shared_ptr<Value> kept = entries_.front().second;
    if (entries_.size() > capacity_) {
      dropped = std::move(entries_.back().second);
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return kept;
  }

 private:
  using Entries = std::list<std::pair<Key, std::shared_ptr<Value>>>;

  const size_t capacity_;
  std::mutex mutex_;
  Entries entries_;  // the one used last is in front
  std::unordered_map<Key, typename Entries::iterator, Hash> index_;
};

}  // namespace lance
