#include "client/curl/curl_connection.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

namespace fw::outbound {
namespace {

constexpr std::int64_t kLongestWait = 60'000;  // milliseconds

std::string variable(const char* name, const char* other) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') value = std::getenv(other);
  return value == nullptr ? "" : value;
}

void check(CURLMcode code) {
  if (code != CURLM_OK) throw std::runtime_error(curl_multi_strerror(code));
}

}  // namespace

CurlSettings::CurlSettings(TransportOptions tls)
    : options(std::move(tls)),
      http_proxy(variable("http_proxy", "HTTP_PROXY")),
      https_proxy(variable("https_proxy", "HTTPS_PROXY")),
      certificates(options.ca_file) {}

CurlConnection::CurlConnection(const Url& url, CurlSettings& settings)
    : origin_(url.origin), multi_(curl_multi_init()), easy_(curl_easy_init()) {
  if (!multi_ || !easy_) throw std::bad_alloc();
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, 1L);
  CURL* const curl = easy_.get();
  const TransportOptions& options = settings.options;
  const std::string& proxy = url.is_https() ? settings.https_proxy : settings.http_proxy;
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_.data());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);  // cancelling does not wait for a resolver
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(curl, CURLOPT_PROXY, url.unix_socket.empty() ? proxy.c_str() : "");
  curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN, static_cast<long>(kLongestIdle.count()));
  if (!url.unix_socket.empty()) {
    curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, url.unix_socket.c_str());
  }
  if (!options.certificate_file.empty()) {
    curl_easy_setopt(curl, CURLOPT_SSLCERT, options.certificate_file.c_str());
  }
  if (!options.key_file.empty()) curl_easy_setopt(curl, CURLOPT_SSLKEY, options.key_file.c_str());
  if (url.is_https()) settings.certificates.use_for(curl);
}

void CurlConnection::begin() {
  error_[0] = '\0';
  check(curl_multi_add_handle(multi_.get(), easy_.get()));
}

void CurlConnection::end() { curl_multi_remove_handle(multi_.get(), easy_.get()); }

std::optional<CURLcode> CurlConnection::perform() {
  int running = 0;
  check(curl_multi_perform(multi_.get(), &running));
  int left = 0;
  const CURLMsg* const message = curl_multi_info_read(multi_.get(), &left);
  if (message == nullptr || message->msg != CURLMSG_DONE) return std::nullopt;
  return message->data.result;
}

void CurlConnection::wait(Deadline deadline) {
  std::int64_t milliseconds = kLongestWait;
  if (deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    milliseconds = std::clamp<std::int64_t>(left.count(), 0, kLongestWait);
  }
  curl_multi_poll(multi_.get(), nullptr, 0, static_cast<int>(milliseconds), nullptr);
}

}  // namespace fw::outbound
