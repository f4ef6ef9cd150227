#include "client/upstream_path.hpp"

#include <fairway/fetch.hpp>
#include <fairway/url_path.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/ascii.hpp"
#include "base/url_encoding.hpp"
#include "errors/messages.hpp"

namespace fw {
namespace {

constexpr std::string_view kUnreserved = "-._~";

void append_segment(std::string& path, std::string_view segment) {
  if (detail::is_dot_segment(segment)) throw detail::status_error(400);
  path.append("/").append(base::percent_encode(segment, kUnreserved));
}

/// Percent-decodes as far as possible; unlike base::decode_path, also bytes that are not UTF-8.
std::string decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && base::is_hex_digit(text[i + 1]) &&
        base::is_hex_digit(text[i + 2])) {
      result += static_cast<char>(base::hex_value(text[i + 1]) * 16 + base::hex_value(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool has_malformed_percent(std::string_view path) {
  for (std::size_t at = path.find('%'); at != path.npos; at = path.find('%', at + 1)) {
    const bool is_encoded = at + 2 < path.size() && base::is_hex_digit(path[at + 1]) &&
                            base::is_hex_digit(path[at + 2]);
    if (!is_encoded) return true;
  }
  return false;
}

}  // namespace

std::string url_path(std::initializer_list<UrlSegment> segments) {
  std::string path;
  for (const UrlSegment& segment : segments) {
    if (segment.str().empty()) throw detail::status_error(400);
    append_segment(path, segment.str());
  }
  return path;
}

std::string url_subpath(std::string_view path) {
  std::string encoded;
  if (path.starts_with('/')) path.remove_prefix(1);
  while (true) {
    const auto end = std::min(path.find('/'), path.size());
    append_segment(encoded, path.substr(0, end));
    if (end == path.size()) return encoded;
    path.remove_prefix(end + 1);
  }
}

namespace detail {

bool is_dot_segment(std::string_view segment) {
  bool found = false;
  base::for_each_token(segment, '/', [&](std::string_view part) {
    base::for_each_token(part, '\\', [&](std::string_view piece) {
      const std::string_view name = piece.substr(0, piece.find(';'));
      found = found || name == "." || name == "..";
    });
  });
  return found;
}

void check_upstream_path(std::string_view what, std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  // A server may decode before it splits the path.
  if (is_dot_segment(path) || is_dot_segment(decoded(path))) {
    throw OptionError(fmt::format("{}: '{}' has a segment '.' or '..'", what, path));
  }
  if (has_malformed_percent(path)) {
    throw OptionError(
        fmt::format("{}: '{}' has a '%' that is not followed by two hexadecimal "
                    "digits: encode values with fw::url_path",
                    what, path));
  }
}

}  // namespace detail
}  // namespace fw
