#include "features/cache/stored_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"
#include "base/url_encoding.hpp"
#include "base/word_scan.hpp"
#include "schema/fingerprint.hpp"

namespace fw::detail {
namespace {

using base::eight_of;

/// Eight bytes with their letters in lower case.
std::uint64_t to_lower(std::uint64_t word) {
  // The highest bit of a byte tells whether the rest of it is at least 'A', or above 'Z'.
  const std::uint64_t rest = word & eight_of(0x7F);
  const std::uint64_t not_below = rest + eight_of(0x80 - 'A');
  const std::uint64_t above = rest + eight_of(0x80 - 'Z' - 1);
  return word | (not_below & ~above & ~word & eight_of(0x80)) >> 2U;
}

/// The byte of a percent sequence; empty if it is malformed.
std::optional<unsigned char> byte_at(std::string_view text, std::size_t percent) {
  if (percent + 2 >= text.size()) return std::nullopt;
  return base::parse_number<unsigned char>(text.substr(percent + 1, 2), 16);
}

/// Whether a character means the same with and without a percent sequence (RFC 3986, 2.3).
bool is_unreserved(char c) {
  return base::is_letter(c) || base::is_digit(c) ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

bool has_two_parameters_in_segment(std::string_view route_path) {
  bool has_one = false;
  for (const char c : route_path) {
    if (c == ':' && has_one) return true;
    if (c == ':' || c == '/') has_one = c == ':';
  }
  return false;
}

/// Appends the pairs of a query, the same for all spellings of each.
void append_plain_query(std::string& text, std::string_view query) {
  text += '?';
  if (query.find_first_of("%+") == std::string_view::npos) {
    text += query;
    return;
  }
  bool is_first = true;
  base::for_each_token(query, '&', [&](std::string_view pair) {
    if (!std::exchange(is_first, false)) text += '&';
    const std::size_t equals = std::min(pair.find('='), pair.size());
    text += base::encode_form(base::decode_form(pair.substr(0, equals)));
    if (equals == pair.size()) return;
    text += '=';
    text += base::encode_form(base::decode_form(pair.substr(equals + 1)));
  });
}

}  // namespace

StoredKey::StoredKey(const StoredKey& other)
    : method_(other.method_),
      base_begin_(other.base_begin_),
      base_size_(other.base_size_),
      learned_(other.learned_) {
  append(other.full());
}

void StoredKey::append_size(std::string_view text) {
  const fmt::format_int digits(text.size());
  append({digits.data(), digits.size()});
  append(' ');
}

void StoredKey::append_host(std::string_view host, bool is_https) {
  const std::string_view default_port = is_https ? ":443" : ":80";
  if (host.ends_with(default_port)) host.remove_suffix(default_port.size());
  if (host.ends_with('.')) host.remove_suffix(1);
  // Eight bytes at a time, up to seven too many.
  make_room(host.size() + sizeof(std::uint64_t));
  char* const begin = text_ + size_;
  host.copy(begin, host.size());
  std::memset(begin + host.size(), 0, sizeof(std::uint64_t));
  for (std::size_t at = 0; at < host.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, begin + at, sizeof word);
    word = to_lower(word);
    std::memcpy(begin + at, &word, sizeof word);
  }
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

std::string plain_path(std::string_view path, std::string_view route_path) {
  std::string plain;
  if (has_two_parameters_in_segment(route_path)) return plain.append(path);
  plain.reserve(path.size());
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] != '%') {
      plain += path[at];
      continue;
    }
    const auto byte = byte_at(path, at);
    if (!byte) return std::string(path);  // malformed: no other spelling means the same
    at += 2;
    if (is_unreserved(static_cast<char>(*byte))) {
      plain += static_cast<char>(*byte);
    } else {
      const char encoded = static_cast<char>(*byte);
      plain += base::percent_encode({&encoded, 1}, {});
    }
  }
  return plain;
}

std::size_t erase_group(std::string_view base) {
  // "GET /a", "GET /A/", "GET /%61" and "GET /a/" may be the same resource, and so may "GET /a%40b"
  // and "GET /a@b" for whoever calls `erase`.
  const std::size_t mark = base.find('?');
  const std::string_view as_sent = base.substr(0, mark);
  std::string path = base::lower_case(base::decode_path(as_sent).value_or(std::string(as_sent)));
  while (path.ends_with('/')) path.pop_back();
  if (mark != std::string_view::npos) append_plain_query(path, base.substr(mark + 1));
  return schema::fingerprint(path) % kEraseGroups;
}

}  // namespace fw::detail
