#include <fairway/store.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/keyed_hash.hpp"
#include "base/short_mutex.hpp"
#include "store/window_slots.hpp"

namespace fw {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The approximate overhead of an entry in the list, the index and the allocator.
constexpr std::size_t kEntryOverhead = 320;
constexpr std::size_t kTagOverhead = 160;

/// The events in a window: their groups (see slot_of), oldest first.
class EventLog {
 public:
  std::int64_t size() const { return size_; }
  /// When the next event leaves a window of this length.
  Clock::time_point end_of_oldest(milliseconds window) const {
    return groups_.front().last + window;
  }
  void add(Clock::time_point time, std::chrono::nanoseconds slot) {
    ++size_;
    if (!groups_.empty() && number_of(groups_.back().last, slot) == number_of(time, slot)) {
      groups_.back().last = time;
      ++groups_.back().count;
    } else {
      groups_.push_back({time, 1});
    }
  }
  void drop_until(Clock::time_point time) {
    auto first = groups_.begin();
    for (; first != groups_.end() && first->last <= time; ++first) size_ -= first->count;
    groups_.erase(groups_.begin(), first);
  }
  std::size_t bytes() const { return groups_.capacity() * sizeof(Group); }

 private:
  struct Group {
    Clock::time_point last;
    std::int64_t count;
  };

  static std::int64_t number_of(Clock::time_point time, std::chrono::nanoseconds slot) {
    return time.time_since_epoch() / slot;
  }

  std::vector<Group> groups_;
  std::int64_t size_ = 0;
};

/// A value, with the object that `convert` has made of it, if that is kept.
struct Value {
  std::shared_ptr<const std::string> text;
  Store::Convert convert = nullptr;
  Store::Object object = {};
};

struct Entry {
  std::string key;
  std::variant<Value, EventLog> content;
  Clock::time_point expires;
  std::vector<std::string> tags = {};
  std::size_t bytes = 0;  ///< the bytes of this entry as counted in `Part::bytes_`
  bool is_used = false;   ///< was read since it was written first
  std::list<Entry*>::iterator with_object = {};  ///< in `Part::with_objects_`, if it has an object
};

bool has_object(const Entry& entry) {
  const auto* value = std::get_if<Value>(&entry.content);
  return value != nullptr && value->object.value != nullptr;
}

std::size_t size_of(const Entry& entry) {
  std::size_t bytes = kEntryOverhead + entry.key.size();
  if (const auto* value = std::get_if<Value>(&entry.content)) {
    bytes += value->text->size() + value->object.bytes;
  } else {
    bytes += std::get<EventLog>(entry.content).bytes();
  }
  for (const std::string& tag : entry.tags) bytes += tag.size() + kTagOverhead;
  return bytes;
}

/// One divided by the share of the limits for entries that have never been read.
constexpr std::size_t kUnusedShare = 8;

/// A part of the store; the hash of a key selects its part. The caller holds its lock.
class Part {
 public:
  base::ShortMutex mutex;

  void set_bounds(std::size_t max_entries, std::size_t max_bytes) {
    max_entries_ = max_entries;
    max_bytes_ = max_bytes;
  }

  /// The live entry of a key, which becomes the most recently used one of its list; null if there
  /// is none.
  Entry* find(std::string_view key, Clock::time_point now) {
    auto entry = used_.begin();  // often the one
    if (used_.empty() || entry->key != key) {
      const auto found = index_.find(key);
      if (found == index_.end()) return nullptr;
      entry = found->second;
    }
    if (entry->expires <= now) {
      remove(entry);
      return nullptr;
    }
    Entries& list = list_of(*entry);
    list.splice(list.begin(), list, entry);
    return &*entry;
  }

  /// The same for a reader: the entry has been used from now on.
  Entry* use(std::string_view key, Clock::time_point now) {
    Entry* entry = find(key, now);
    if (entry == nullptr || entry->is_used) return entry;
    used_.splice(used_.begin(), unused_, unused_.begin());
    unused_bytes_ -= entry->bytes;
    entry->is_used = true;
    return entry;
  }

  /// Adds an entry and replaces the one with the same key.
  Entry& add(Entry entry, Clock::time_point now) {
    require_room(size_of(entry));
    if (const auto found = index_.find(entry.key); found != index_.end()) {
      entry.is_used = found->second->is_used;
      remove(found->second);
    }
    for (Entries* list : {&unused_, &used_}) {
      while (!list->empty() && list->back().expires <= now) remove(std::prev(list->end()));
    }
    Entries added;
    added.push_front(std::move(entry));
    index_.emplace(added.front().key,
                   added.begin());  // before it is in a list, because it may throw
    Entries& list = list_of(added.front());
    list.splice(list.begin(), added);
    count_change(list.front());
    return list.front();
  }

  /// Updates the sums after a change of the most recently used entry of a list, and applies the
  /// limits.
  void count_change(Entry& entry) {
    recount(entry);
    while (bytes_ > max_bytes_ && !with_objects_.empty()) drop_object(*with_objects_.back());
    while (index_.size() > 1 && (index_.size() > max_entries_ || bytes_ > max_bytes_)) {
      Entries& list = next_to_shrink(entry);
      remove(std::prev(list.end()));
    }
  }

  /// Keeps an object of the most recently used entry, at the expense of those that were kept
  /// earlier. The entry has none.
  void keep_object(Entry& entry, Store::Convert convert, Store::Object object) {
    auto& value = std::get<Value>(entry.content);
    value.convert = convert;
    value.object = std::move(object);
    with_objects_.push_front(&entry);
    entry.with_object = with_objects_.begin();
    count_change(entry);
  }

  void drop_object(Entry& entry) {
    if (!has_object(entry)) return;
    auto& value = std::get<Value>(entry.content);
    value.convert = nullptr;
    value.object = {};
    with_objects_.erase(entry.with_object);
    recount(entry);
  }

  void require_room(std::size_t bytes) const {
    if (bytes > max_bytes_) {
      throw StoreError("an entry of " + std::to_string(bytes) +
                       " bytes does not fit into the memory store, each part of which has " +
                       std::to_string(max_bytes_) + " bytes: raise maxMemory");
    }
  }

  void tag(Entry& entry, const std::string& tag) {
    if (std::find(entry.tags.begin(), entry.tags.end(), tag) != entry.tags.end()) return;
    entry.tags.push_back(tag);
    tagged_[tag].insert(entry.key);
  }

  bool erase(std::string_view key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return false;
    remove(found->second);
    return true;
  }

  std::size_t erase_tagged(std::string_view tag, Clock::time_point now) {
    const auto found = tagged_.find(tag);
    if (found == tagged_.end()) return 0;
    std::size_t erased = 0;
    const auto keys = std::exchange(found->second, {});
    tagged_.erase(found);
    for (const std::string_view key : keys) {
      const auto entry = index_.find(key);
      if (entry == index_.end()) continue;
      if (entry->second->expires > now) ++erased;
      remove(entry->second);
    }
    return erased;
  }

 private:
  using Entries = std::list<Entry>;

  Entries& list_of(const Entry& entry) { return entry.is_used ? used_ : unused_; }

  /// The list whose last entry makes room for `kept`. Entries that were never read are worth less,
  /// but need some room in which they can be read for the first time.
  Entries& next_to_shrink(const Entry& kept) {
    const bool are_many =
        unused_.size() * kUnusedShare > max_entries_ || unused_bytes_ * kUnusedShare > max_bytes_;
    const auto can_shrink = [&](const Entries& list) {
      return !list.empty() && &list.back() != &kept;
    };
    if ((are_many && can_shrink(unused_)) || !can_shrink(used_)) return unused_;
    return used_;
  }

  void recount(Entry& entry) {
    const std::size_t bytes = size_of(entry);
    bytes_ += bytes - entry.bytes;
    if (!entry.is_used) unused_bytes_ += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  void remove(Entries::iterator entry) {
    drop_object(*entry);
    for (const std::string& tag : entry->tags) {
      const auto keys = tagged_.find(tag);
      if (keys == tagged_.end()) continue;
      keys->second.erase(entry->key);
      if (keys->second.empty()) tagged_.erase(keys);
    }
    bytes_ -= entry->bytes;
    if (!entry->is_used) unused_bytes_ -= entry->bytes;
    index_.erase(entry->key);
    list_of(*entry).erase(entry);
  }

  /// Entries that were read since they were written first, and the others; the most recently used
  /// first. So a flood of new entries, such as sessions of clients without cookies, displaces none
  /// that are in use.
  Entries used_;
  Entries unused_;
  // Not a hash table, because clients choose some of the keys and could cause collisions. The views
  // refer to the keys of the entries.
  std::map<std::string_view, Entries::iterator> index_;
  std::map<std::string, std::set<std::string_view>, std::less<>> tagged_;
  std::list<Entry*> with_objects_;  ///< entries with an object, the one that was made last first
  std::size_t bytes_ = 0;
  std::size_t unused_bytes_ = 0;  ///< of them, those in `unused_`
  std::size_t max_entries_ = 0;
  std::size_t max_bytes_ = 0;
};

constexpr std::size_t kMaxParts = 16;
constexpr std::size_t kMinEntries = 256;        // minimum for a part, if there are several
constexpr std::size_t kMinBytes = 1024 * 1024;  // likewise

/// A power of two.
std::size_t number_of_parts(std::size_t max_entries, std::size_t max_bytes) {
  const std::size_t most = std::min(max_entries / kMinEntries, max_bytes / kMinBytes);
  return std::bit_floor(std::clamp<std::size_t>(most, 1, kMaxParts));
}

template <class T>
T& content_of(Entry& entry) {
  if (T* content = std::get_if<T>(&entry.content)) return *content;
  throw StoreError("the key '" + entry.key + "' has a value of another type");
}

class MemoryStore : public Store {
 public:
  MemoryStore(std::size_t max_entries, std::size_t max_bytes,
              std::function<Clock::time_point()> clock)
      : parts_(number_of_parts(max_entries, max_bytes)), clock_(std::move(clock)) {
    for (Part& part : parts_) {
      part.set_bounds(max_entries / parts_.size(), max_bytes / parts_.size());
    }
  }

  std::optional<std::string> get(std::string_view key) override {
    return find_text(key, std::nullopt);
  }

  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    return find_object(key, convert, std::nullopt);
  }

  std::optional<std::string> get_and_renew(std::string_view key, milliseconds ttl) override {
    require_positive(ttl);
    return find_text(key, ttl);
  }

  std::shared_ptr<const void> get_object_and_renew(std::string_view key, Convert convert,
                                                   milliseconds ttl) override {
    require_positive(ttl);
    return find_object(key, convert, ttl);
  }

  void set(std::string_view key, std::string_view value, milliseconds ttl) override {
    require_positive(ttl);
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    add(part, key, value, ttl);
  }

  bool set_if_absent(std::string_view key, std::string_view value, milliseconds ttl) override {
    require_positive(ttl);
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    if (part.find(key, now()) != nullptr) return false;
    add(part, key, value, ttl);
    return true;
  }

  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    milliseconds ttl) override {
    require_positive(ttl);
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    const Clock::time_point time = now();
    Entry* entry = part.find(key, time);
    if (entry == nullptr) return false;
    auto& content = content_of<Value>(*entry);
    if (*content.text != expected) return false;
    part.require_room(entry->bytes - content.text->size() - content.object.bytes + value.size());
    entry->expires = time + ttl;
    if (value == expected) return true;
    part.drop_object(*entry);
    content.text = std::make_shared<const std::string>(value);
    part.count_change(*entry);
    return true;
  }

  bool erase(std::string_view key) override {
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    return part.find(key, now()) != nullptr && part.erase(key);
  }

  Window increment(std::string_view key, milliseconds window, std::int64_t most) override {
    require_positive(window);
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    const Clock::time_point time = now();
    Entry* entry = part.use(key, time);
    if (entry == nullptr) {
      entry = &part.add({.key = std::string(key), .content = EventLog(), .expires = time + window},
                        time);
    }
    auto& events = content_of<EventLog>(*entry);
    events.drop_until(time - window);
    Window result{.counted = events.size() < most};
    if (result.counted) {
      events.add(time, store::slot_of(window, most));
      entry->expires = time + window;
    }
    result.count = events.size();
    const Clock::time_point reset =
        events.size() > 0 ? events.end_of_oldest(window) : time + window;
    result.reset = std::chrono::ceil<milliseconds>(reset - time);
    part.count_change(*entry);
    return result;
  }

  void tag(std::string_view key, std::span<const std::string> tags) override {
    Part& part = part_of(key);
    const std::lock_guard lock(part.mutex);
    Entry* entry = part.find(key, now());
    if (entry == nullptr) return;
    for (const std::string& each : tags) part.tag(*entry, each);
    part.count_change(*entry);
  }

  std::size_t erase_tagged(std::string_view tag) override {
    std::size_t erased = 0;
    for (Part& part : parts_) {
      const std::lock_guard lock(part.mutex);
      erased += part.erase_tagged(tag, now());
    }
    return erased;
  }

  bool is_shared() const override { return false; }

 private:
  Clock::time_point now() const { return clock_ ? clock_() : Clock::now(); }
  /// Clients choose some of the keys, but cannot choose their part.
  Part& part_of(std::string_view key) { return parts_[hash_(key) & (parts_.size() - 1)]; }

  /// For `get`, with a time to live for `get_and_renew`.
  std::optional<std::string> find_text(std::string_view key, std::optional<milliseconds> ttl) {
    Part& part = part_of(key);
    std::shared_ptr<const std::string> text;
    {
      const std::lock_guard lock(part.mutex);
      const Clock::time_point time = now();
      Entry* entry = part.use(key, time);
      if (entry == nullptr) return std::nullopt;
      text = content_of<Value>(*entry).text;
      if (ttl) entry->expires = time + *ttl;
    }
    return *text;
  }

  /// The same for `get_object` and `get_object_and_renew`.
  std::shared_ptr<const void> find_object(std::string_view key, Convert convert,
                                          std::optional<milliseconds> ttl) {
    Part& part = part_of(key);
    std::shared_ptr<const std::string> text;
    {
      const std::lock_guard lock(part.mutex);
      const Clock::time_point time = now();
      Entry* entry = part.use(key, time);
      if (entry == nullptr) return nullptr;
      const auto& value = content_of<Value>(*entry);
      if (ttl) entry->expires = time + *ttl;
      if (value.convert == convert) return value.object.value;
      text = value.text;
    }
    Object object = convert(text);
    if (object.value == nullptr) return nullptr;
    const std::lock_guard lock(part.mutex);
    Entry* entry = part.find(key, now());
    // Another thread may have replaced the value, or kept an object of it.
    const auto* value = entry != nullptr ? std::get_if<Value>(&entry->content) : nullptr;
    if (value != nullptr && value->text == text && value->convert == nullptr) {
      part.keep_object(*entry, convert, object);
    }
    return object.value;
  }
  void add(Part& part, std::string_view key, std::string_view value, milliseconds ttl) {
    const Clock::time_point time = now();
    part.add({.key = std::string(key),
              .content = Value{.text = std::make_shared<const std::string>(value)},
              .expires = time + ttl},
             time);
  }

  const base::KeyedHash hash_;
  std::vector<Part> parts_;
  std::function<Clock::time_point()> clock_;
};

}  // namespace

std::shared_ptr<Store> memory_store(MemoryStoreOptions options) {
  const std::uint64_t max_bytes = options.max_memory.bytes();
  if (options.max_entries == 0 || max_bytes == 0) {
    throw std::invalid_argument(
        "a memory store must have room for at least one entry: raise its limits");
  }
  return std::make_shared<MemoryStore>(options.max_entries, static_cast<std::size_t>(max_bytes),
                                       std::move(options.clock));
}

}  // namespace fw
