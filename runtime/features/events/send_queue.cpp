#include "features/events/send_queue.hpp"

#include <iterator>

namespace fw::detail {
namespace {

constexpr std::size_t kDefaultLimit = 64 * 1024;
/// How much more than its limit may be in a queue while the connection has not tried to send it.
constexpr std::size_t kMaxUntried = 16;

QueuePolicy::Overflow overflow_of(std::string_view text) {
  if (text == "drop_oldest") return QueuePolicy::Overflow::drop_oldest;
  if (text == "coalesce") return QueuePolicy::Overflow::coalesce;
  return QueuePolicy::Overflow::close;
}

}  // namespace

QueuePolicy::QueuePolicy(const ByteSize& queue, std::string_view overflow_name)
    : limit(queue.is_set() ? static_cast<std::size_t>(queue.bytes()) : kDefaultLimit),
      overflow(overflow_of(overflow_name)) {}

SendQueue::Room SendQueue::make_room(std::size_t size, const void* key) {
  // The rest of an item that has been taken in part must follow.
  const auto first = [&] { return taken_ > 0 ? std::next(items_.begin()) : items_.begin(); };
  if (fits(size)) return Room::made;
  if (policy_.overflow == QueuePolicy::Overflow::close) {
    if (is_blocked_) return Room::too_slow;
    return fits(size, kMaxUntried) ? Room::made : Room::untried;
  }
  if (policy_.overflow == QueuePolicy::Overflow::coalesce) {
    for (auto item = first(); item != items_.end() && !fits(size);) {
      item = item->key == key ? drop(item) : std::next(item);
    }
  }
  for (auto item = first(); item != items_.end() && !fits(size);) item = drop(item);
  return fits(size) ? Room::made : Room::none;
}

std::list<SendQueue::Item>::iterator SendQueue::drop(std::list<Item>::iterator item) {
  count_dropped();
  pending_ -= item->bytes.size();
  return items_.erase(item);
}

void SendQueue::append(QueuedBytes bytes, const void* key) {
  pending_ += bytes.size();
  items_.push_back({std::move(bytes), key});
}

std::size_t SendQueue::take(std::span<char> buffer) {
  is_blocked_ = false;
  std::size_t size = 0;
  while (!items_.empty() && size < buffer.size()) {
    const std::string_view bytes = items_.front().bytes.view();
    const auto count = bytes.copy(buffer.data() + size, buffer.size() - size, taken_);
    size += count;
    taken_ += count;
    if (taken_ < bytes.size()) break;
    items_.pop_front();
    taken_ = 0;
  }
  pending_ -= size;
  return size;
}

void SendQueue::take_items(std::string& bytes, std::size_t about) {
  is_blocked_ = false;
  while (!items_.empty() && bytes.size() < about) {
    QueuedBytes& item = items_.front().bytes;
    pending_ -= item.size();
    item.append_to(bytes, about);
    items_.pop_front();
  }
}

void SendQueue::clear() {
  items_.clear();
  taken_ = pending_ = 0;
}

}  // namespace fw::detail
