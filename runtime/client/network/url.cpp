#include "client/url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/ascii.hpp"

namespace fw::outbound {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using UrlHandle = std::unique_ptr<CURLU, UrlDeleter>;

constexpr std::string_view kUnixHost = "http://unix:";
// Accepts the same input as the address bars of browsers.
constexpr unsigned kParsing = CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME;

std::string part_of(CURLU* url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owned(text, curl_free);
  return text;
}

void set_url(CURLU* url, const std::string& text) {
  if (const CURLUcode code = curl_url_set(url, CURLUPART_URL, text.c_str(), kParsing)) {
    throw std::invalid_argument(fmt::format("'{}' is not an absolute http or https URL: {}", text,
                                            curl_url_strerror(code)));
  }
}

Url read_url(CURLU* url, std::string unix_socket) {
  const std::string scheme = part_of(url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") {
    throw std::invalid_argument(
        fmt::format("'{}' is not an http or https URL", part_of(url, CURLUPART_URL)));
  }
  if (!part_of(url, CURLUPART_USER).empty() || !part_of(url, CURLUPART_PASSWORD).empty()) {
    throw std::invalid_argument(
        "the URL has a user name or a password: send an Authorization header instead");
  }
  curl_url_set(url, CURLUPART_FRAGMENT, nullptr, 0);
  Url result;
  result.text = part_of(url, CURLUPART_URL);
  result.origin = fmt::format("{}://{}:{}", scheme, base::lower_case(part_of(url, CURLUPART_HOST)),
                              part_of(url, CURLUPART_PORT, CURLU_DEFAULT_PORT)) +
                  unix_socket;
  result.unix_socket = std::move(unix_socket);
  return result;
}

/// Characters of a path or query that libcurl leaves as they are.
constexpr auto kNormalCharacters = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) {
    table[c] = c < 0x80 && base::is_alphanumeric(static_cast<char>(c));
  }
  for (const char c : std::string_view("-._~!$&'()*+,;=:@/?"))
    table[static_cast<std::size_t>(c)] = true;
  return table;
}();

/// Whether the path and query are normal: without a segment that begins with a dot, because "." and
/// ".." are removed, and without an empty query.
bool is_normal_target(std::string_view target) {
  for (std::size_t i = 0; i < target.size(); ++i) {
    const char c = target[i];
    if (c == '%') {
      const auto is_normal_digit = [&](std::size_t at) {
        return at < target.size() && base::is_hex_digit(target[at]) &&
               base::to_upper(target[at]) == target[at];
      };
      if (!is_normal_digit(i + 1) || !is_normal_digit(i + 2)) return false;
    } else if (!kNormalCharacters[static_cast<unsigned char>(c)]) {
      return false;
    }
  }
  return target.find("/.") == std::string_view::npos && !target.ends_with('?');
}

/// A name in lower case, or an IPv4 address in its usual form.
bool is_normal_host(std::string_view host) {
  const bool has_normal_characters = std::all_of(host.begin(), host.end(), [](char c) {
    return base::is_digit(c) || (base::is_letter(c) && base::to_lower(c) == c) || c == '.' ||
           c == '-';
  });
  if (!has_normal_characters || host.empty()) return false;
  if (base::is_letter(host.front())) return true;
  in_addr address{};
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

bool is_normal_port(std::string_view port) {
  std::uint16_t number = 0;
  const auto result = std::from_chars(port.data(), port.data() + port.size(), number);
  return result.ec == std::errc() && result.ptr == port.data() + port.size() &&
         !port.starts_with('0');
}

/// The result for an absolute URL that is normal already, as most are: libcurl would take longer
/// than all the rest of a call. Nothing for others.
std::optional<Url> read_normal(std::string_view text) {
  const bool is_https = text.starts_with("https://");
  if (!is_https && !text.starts_with("http://")) return std::nullopt;
  const std::size_t begin = text.find("//") + 2;
  const std::size_t end = std::min(text.find('/', begin), text.size());
  const std::string_view authority = text.substr(begin, end - begin);
  const std::size_t colon = authority.find(':');
  const bool has_port = colon != std::string_view::npos;
  if (end == text.size() || !is_normal_host(authority.substr(0, colon)) ||
      (has_port && !is_normal_port(authority.substr(colon + 1))) ||
      !is_normal_target(text.substr(end))) {
    return std::nullopt;
  }
  Url url;
  url.text = text;
  url.origin = text.substr(0, end);
  if (!has_port) url.origin.append(is_https ? ":443" : ":80");
  return url;
}

UrlHandle new_url() {
  UrlHandle url(curl_url());
  if (!url) throw std::bad_alloc();
  return url;
}

}  // namespace

Url parse_url(std::string_view text) {
  if (auto normal = read_normal(text)) return std::move(*normal);
  const UrlHandle url = new_url();
  std::string plain(text);
  std::string unix_socket;
  if (text.starts_with(kUnixHost)) {
    const auto end = text.find(":/", kUnixHost.size() + 1);
    unix_socket = text.substr(kUnixHost.size(), end - kUnixHost.size());
    if (!unix_socket.starts_with('/')) {
      throw std::invalid_argument(
          fmt::format("'{}' does not contain the path of a unix socket: write "
                      "http://unix:/path/of/socket:/path",
                      text));
    }
    plain = "http://localhost" +
            std::string(end == std::string_view::npos ? "/" : text.substr(end + 1));
  }
  if (plain.find('\0') != std::string::npos) {
    throw std::invalid_argument("the URL has a zero byte");
  }
  set_url(url.get(), plain);
  return read_url(url.get(), std::move(unix_socket));
}

Url resolve_url(const Url& base, std::string_view reference) {
  const UrlHandle url = new_url();
  set_url(url.get(), base.text);
  set_url(url.get(), std::string(reference));
  Url result = read_url(url.get(), {});
  // A reference without a host stays on the socket.
  if (!base.unix_socket.empty() && base.origin == result.origin + base.unix_socket) {
    result.unix_socket = base.unix_socket;
    result.origin = base.origin;
  }
  return result;
}

}  // namespace fw::outbound
