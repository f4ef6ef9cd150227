#include "features/cache/stored_key.hpp"

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "schema/fingerprint.hpp"

namespace fw::detail {

StoredKey::StoredKey(const StoredKey& other)
    : method_(other.method_),
      base_begin_(other.base_begin_),
      base_size_(other.base_size_),
      has_language_(other.has_language_) {
  append(other.full());
}

void StoredKey::append_size(std::string_view text) {
  const fmt::format_int digits(text.size());
  append({digits.data(), digits.size()});
  append(" ");
}

void StoredKey::append_host(std::string_view host, bool is_https) {
  const std::string_view default_port = is_https ? ":443" : ":80";
  if (host.ends_with(default_port)) host.remove_suffix(default_port.size());
  if (host.ends_with('.')) host.remove_suffix(1);
  make_room(host.size());
  char* end = text_ + size_;
  for (const char c : host) *end++ = base::to_lower(c);
  size_ += host.size();
}

std::string StoredKey::base() const {
  std::string base(method_);
  if (!base.empty()) base += ' ';
  return base.append(full().substr(base_begin_, base_size_));
}

void StoredKey::grow(std::size_t by) {
  const std::size_t capacity = 2 * (size_ + by);
  auto text = std::make_unique_for_overwrite<char[]>(capacity);
  full().copy(text.get(), size_);
  long_text_ = std::move(text);
  text_ = long_text_.get();
  capacity_ = capacity;
}

std::size_t erase_group(std::string_view base) {
  // "GET /a", "GET /A/" and "GET /a/" may be the same resource.
  const std::size_t mark = base.find('?');
  std::string path = base::lower_case(base.substr(0, mark));
  while (path.ends_with('/')) path.pop_back();
  if (mark != std::string_view::npos) path.append(base.substr(mark));
  return schema::fingerprint(path) % kEraseGroups;
}

}  // namespace fw::detail
