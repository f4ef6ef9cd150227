#include "services/guest_book.hpp"

#include <utility>

namespace {

constexpr std::size_t kMaxEntries = 100;

}  // namespace

std::vector<Entry> GuestBook::entries() const {
  const std::lock_guard lock(mutex_);
  return {entries_.rbegin(), entries_.rend()};
}

void GuestBook::sign(Entry entry) {
  const std::lock_guard lock(mutex_);
  if (entries_.size() == kMaxEntries) entries_.erase(entries_.begin());
  entries_.push_back(std::move(entry));
}
