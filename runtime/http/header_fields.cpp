#include "http/header_fields.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "base/ascii.hpp"
#include "base/thread_local_free_list.hpp"

namespace fw::http {
namespace {

/// For the fields of most messages.
constexpr std::size_t kFirstText = 512;
constexpr std::size_t kFirstEntries = 16;
/// Buffers of larger messages are freed.
constexpr std::size_t kKeptText = 8 * 1024;
constexpr std::size_t kKeptEntries = 128;

char* put(char* to, std::string_view text) { return to + text.copy(to, text.size()); }

[[gnu::always_inline]] inline char* put_line(char* to, std::string_view name,
                                             std::string_view value) {
  return put(put(put(put(to, name), ": "), value), "\r\n");
}

}  // namespace

/// The buffers that a thread keeps: for a request, for its response, and for copies.
struct Fields::ThreadLocalFreeList {
  static void destroy(Content* content) { delete content; }
  static thread_local base::ThreadLocalFreeList<Content*, 4, destroy> of_thread;
};

constinit thread_local base::ThreadLocalFreeList<Fields::Content*, 4,
                                                 Fields::ThreadLocalFreeList::destroy>
    Fields::ThreadLocalFreeList::of_thread{};

void Fields::give_back(std::unique_ptr<Content> content) noexcept {
  if (content->capacity > kKeptText || content->entries.capacity() > kKeptEntries) return;
  content->size = 0;
  content->entries.clear();
  content->names = 0;
  content->is_changed = false;
  if (ThreadLocalFreeList::of_thread.keep(content.get())) (void)content.release();
}

Fields::Content& Fields::make_content() {
  if (!ThreadLocalFreeList::of_thread.empty()) {
    content_.reset(ThreadLocalFreeList::of_thread.take());
    return *content_;
  }
  auto made = std::make_unique<Content>();
  made->text = std::make_unique_for_overwrite<char[]>(kFirstText);
  made->capacity = kFirstText;
  made->entries.reserve(kFirstEntries);
  content_ = std::move(made);
  return *content_;
}

std::unique_ptr<char[]> Fields::enlarge(std::size_t size) {
  Content& content = *content_;
  // Without the values that have been replaced, so that replacing a field again and again needs no
  // more memory than the fields have.
  const std::size_t needed = lines_size() + size;
  if (needed > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error("the header fields of a message are larger than 4 GB");
  }
  auto larger = std::make_unique_for_overwrite<char[]>(2 * needed);
  char* end = larger.get();
  if (!content.is_changed) {
    end = put(end, {content.text.get(), content.size});
  } else {
    for (Entry& entry : content.entries) {
      const Field field = field_of(entry);
      entry.name = static_cast<std::uint32_t>(end - larger.get());
      entry.value = entry.name + entry.name_size + 2;
      end = put_line(end, field.name, field.value);
    }
    content.is_changed = false;
  }
  content.size = static_cast<std::size_t>(end - larger.get());
  content.capacity = 2 * needed;
  content.text.swap(larger);
  return larger;
}

Fields::Fields(std::initializer_list<Field> fields) {
  for (const auto& [name, value] : fields) add(name, value);
}

Fields::Fields(const Pairs& pairs) {
  for (const auto& [name, value] : pairs) add(name, value);
}

Fields::Fields(const Fields& other) {
  for (std::size_t index = 0; index < other.size(); ++index) {
    const auto [name, value] = other[index];
    add(name, value);
    if (other.is_valid(index)) mark_valid(index);
    if (other.is_set(index)) mark_set(index);
  }
}

Fields::Pairs Fields::pairs() const {
  Pairs result;
  result.reserve(size());
  for (const auto& [name, value] : *this) result.emplace_back(name, value);
  return result;
}

std::optional<std::string_view> Fields::lines() const {
  if (!content_) return std::string_view();
  if (content_->is_changed) return std::nullopt;
  return std::string_view(content_->text.get(), content_->size);
}

std::size_t Fields::lines_size() const {
  if (!content_) return 0;
  if (!content_->is_changed) return content_->size;
  std::size_t sum = 0;
  for (const auto& [name, value] : *this) sum += name.size() + value.size() + 4;
  return sum;
}

std::size_t Fields::memory() const {
  if (!content_) return 0;
  return sizeof *content_ + content_->capacity + content_->entries.capacity() * sizeof(Entry);
}

std::size_t Fields::search(std::string_view name, std::size_t from) const {
  const std::size_t count = size();
  for (std::size_t index = from; index < count; ++index) {
    const Entry& entry = content_->entries[index];
    if (entry.name_size != name.size()) continue;
    const std::string_view found(content_->text.get() + entry.name, entry.name_size);
    if (base::equal_ignoring_case(found, name)) return index;
  }
  return count;
}

bool Fields::search_names(const Fields& others) const {
  return std::any_of(others.begin(), others.end(),
                     [&](const Field& field) { return index_of(field.name) < size(); });
}

void Fields::forget_set() {
  if (!content_) return;
  for (Entry& entry : content_->entries) entry.is_set = false;
}

std::optional<std::string_view> Fields::search_value(std::string_view name) const {
  const std::size_t index = search(name, 0);
  if (index == size()) return std::nullopt;
  return (*this)[index].value;
}

void Fields::add(std::string_view name, std::string_view value) {
  Content& fields = content();
  // The arguments may be views of the text that is replaced.
  const auto replaced = make_room(name.size() + value.size() + 4);
  const auto begin = static_cast<std::uint32_t>(fields.size);
  const auto name_size = static_cast<std::uint32_t>(name.size());
  fields.entries.push_back(
      {begin, name_size, begin + name_size + 2, static_cast<std::uint32_t>(value.size())});
  const char* const end = put_line(fields.text.get() + fields.size, name, value);
  fields.size = static_cast<std::size_t>(end - fields.text.get());
  fields.names |= bit_of(name);
}

std::string_view Fields::append_received(std::string_view lines) {
  Content& fields = content();
  make_room(lines.size() + kZeros);
  char* const begin = fields.text.get() + fields.size;
  std::memset(put(begin, lines), 0, kZeros);
  fields.size += lines.size();
  // The whitespace of these lines may differ from the whitespace of sent lines.
  fields.is_changed = true;
  return {begin, lines.size()};
}

void Fields::add(const Fields& others) {
  if (others.empty()) return;
  Content& fields = content();
  const Content& added = *others.content_;
  make_room(added.size);
  const auto offset = static_cast<std::uint32_t>(fields.size);
  std::memcpy(fields.text.get() + fields.size, added.text.get(), added.size);
  fields.size += added.size;
  for (const Entry& entry : added.entries) {
    Entry& copy = fields.entries.emplace_back(entry);
    copy.name += offset;
    copy.value += offset;
  }
  fields.names |= added.names;
  fields.is_changed = fields.is_changed || added.is_changed;
}

void Fields::set_value(std::size_t index, std::string_view value) {
  const auto replaced = make_room(value.size());
  Entry& entry = content_->entries[index];
  entry.value = static_cast<std::uint32_t>(content_->size);
  entry.value_size = static_cast<std::uint32_t>(value.size());
  entry.is_valid = false;
  put(content_->text.get() + content_->size, value);
  content_->size += value.size();
  content_->is_changed = true;
}

std::size_t Fields::set(std::string_view name, std::string_view value) {
  const std::size_t index = index_of(name);
  if (index == size()) {
    add(name, value);
  } else {
    set_value(index, value);
    // `name` may be a view of the text that was replaced.
    const std::string_view own = (*this)[index].name;
    remove_from(index + 1, {&own, 1});
  }
  mark_set(index);
  return index;
}

void Fields::remove_from(std::size_t index, std::span<const std::string_view> names) {
  if (!content_) return;
  auto& entries = content_->entries;
  std::uint64_t bits = 0;
  for (const std::string_view name : names) bits |= bit_of(name);
  if ((content_->names & bits) == 0) return;
  const auto has_name = [&](const Entry& entry) {
    const std::string_view own(content_->text.get() + entry.name, entry.name_size);
    if ((bits & bit_of(own)) == 0) return false;
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return base::equal_ignoring_case(own, name); });
  };
  const auto first = entries.begin() + static_cast<std::ptrdiff_t>(index);
  const auto end = std::remove_if(first, entries.end(), has_name);
  if (end == entries.end()) return;
  entries.erase(end, entries.end());
  if (!content_->is_changed) close_gaps(index);
}

/// Moves the lines from `index` on to where the removed ones were.
void Fields::close_gaps(std::size_t index) {
  Content& fields = *content_;
  char* const text = fields.text.get();
  const auto line_size = [](const Entry& entry) { return entry.name_size + entry.value_size + 4; };
  std::uint32_t at = 0;
  if (index > 0) at = fields.entries[index - 1].name + line_size(fields.entries[index - 1]);
  for (; index < fields.entries.size(); ++index) {
    Entry& entry = fields.entries[index];
    const std::uint32_t size = line_size(entry);
    if (entry.name != at) std::memmove(text + at, text + entry.name, size);
    entry.name = at;
    entry.value = at + entry.name_size + 2;
    at += size;
  }
  fields.size = at;
}

void Fields::clear() {
  if (content_) give_back(std::move(content_));
}

bool operator==(const Fields& a, const Fields& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace fw::http
