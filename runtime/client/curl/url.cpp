#include "client/url.hpp"

#include <fmt/format.h>

#include <curl/curl.h>
#include <memory>
#include <stdexcept>

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

UrlHandle new_url() {
  UrlHandle url(curl_url());
  if (!url) throw std::bad_alloc();
  return url;
}

}  // namespace

Url parse_url(std::string_view text) {
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
