#include "client/network/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <curl/curl.h>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/loggable_url.hpp"
#include "base/url_encoding.hpp"
#include "client/network/curl_handles.hpp"

namespace fw::client {
namespace {

constexpr std::string_view kUnixHost = "http://unix:";
// Accepts the same input as the address bars of browsers.
constexpr unsigned kParsing = CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME;

void set_url(CURLU* url, const std::string& text) {
  if (const CURLUcode code = libcurl().url_set(url, CURLUPART_URL, text.c_str(), kParsing)) {
    throw std::invalid_argument(fmt::format("'{}' is not an absolute http or https URL: {}",
                                            base::loggable_url(text),
                                            libcurl().url_strerror(code)));
  }
}

Url read_url(CURLU* url) {
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    throw std::invalid_argument(fmt::format("'{}' is not an http or https URL",
                                            base::loggable_url(part_of(url, CURLUPART_URL))));
  }
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty()) {
    throw std::invalid_argument(
        "the URL has a user name or a password: send an Authorization header instead");
  }
  libcurl().url_set(url, CURLUPART_FRAGMENT, nullptr, 0);
  Url result;
  result.text = part_of(url, CURLUPART_URL);
  result.origin = fmt::format("{}://{}:{}", scheme, base::lower_case(part_of(url, CURLUPART_HOST)),
                              part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT));
  return result;
}

/// The parts of a URL before its fragment. libcurl would change the bytes of a query.
struct Parts {
  explicit Parts(std::string_view text) {
    if (text.find('\0') != text.npos) throw std::invalid_argument("the URL has a zero byte");
    text = text.substr(0, text.find('#'));
    const auto mark = std::min(text.find('?'), text.size());
    rest = text.substr(0, mark);
    for (const char c : text.substr(std::min(mark + 1, text.size()))) {
      if (base::is_control(c)) {
        throw std::invalid_argument("the query of the URL has control characters");
      }
      if (c == ' ' || static_cast<unsigned char>(c) >= 0x80) {
        query += base::percent_encode({&c, 1}, "");
      } else {
        query += c;
      }
    }
    has_query = mark < text.size();
  }

  void append_query(Url& url) const {
    if (!query.empty()) url.text.append("?").append(query);
  }

  std::string rest;
  std::string query;  ///< encoded where a request target must be
  bool has_query = false;
};

}  // namespace

Url parse_url(std::string_view text) {
  if (text.starts_with(kUnixHost) && text.substr(kUnixHost.size()).starts_with('/')) {
    throw std::invalid_argument(
        "a URL cannot name a unix socket: set unix_socket, or the base URL of a client");
  }
  const Parts parts(text);
  const UrlHandle url = new_url();
  set_url(url.get(), parts.rest);
  Url result = read_url(url.get());
  parts.append_query(result);
  return result;
}

Url resolve_url(const Url& base, std::string_view reference) {
  const Parts parts(reference);
  const UrlHandle url = new_url();
  if (parts.rest.empty()) {
    set_url(url.get(), base.text.substr(0, base.text.find('?')));
  } else {
    set_url(url.get(), base.text);
    set_url(url.get(), parts.rest);
  }
  Url result = read_url(url.get());
  if (parts.rest.empty() && !parts.has_query) {
    result.text = base.text;
  } else {
    parts.append_query(result);
  }
  // A reference without a host stays on the socket.
  if (!base.unix_socket.empty() && base.origin == result.origin + base.unix_socket) {
    use_unix_socket(result, base.unix_socket);
  }
  return result;
}

BaseUrl parse_base_url(std::string_view text) {
  BaseUrl base{.text = std::string(text), .unix_socket = {}};
  if (text.starts_with(kUnixHost)) {
    std::string_view socket = text.substr(kUnixHost.size());
    std::string_view path = "/";
    if (const auto end = socket.find(":/", 1); end != std::string_view::npos) {
      path = socket.substr(end + 1);
      socket = socket.substr(0, end);
    } else if (socket.ends_with(':')) {  // before an empty path
      socket.remove_suffix(1);
    }
    base.unix_socket = socket;
    base.text = fmt::format("http://localhost{}", path);
  }
  Url url = parse_url(base.text);
  // What is appended to it would be a part of them.
  if (base.text.find_first_of("?#") != std::string::npos) {
    throw std::invalid_argument(fmt::format("'{}': a base URL has neither a query nor a fragment",
                                            base::loggable_url(text)));
  }
  if (text.starts_with(kUnixHost)) use_unix_socket(url, base.unix_socket);
  return base;
}

void use_unix_socket(Url& url, std::string path) {
  if (!path.starts_with('/') || path.find('\0') != path.npos) {
    throw std::invalid_argument(
        fmt::format("'{}' is not the absolute path of a unix socket", path));
  }
  url.origin += path;
  url.unix_socket = std::move(path);
}

}  // namespace fw::client
