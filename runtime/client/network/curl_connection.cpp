#include "client/network/curl_connection.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace fw::outbound {
namespace {

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
    : Connection(url.origin), multi_(curl_multi_init()), easy_(curl_easy_init()) {
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

std::string CurlConnection::describe(CURLcode code) const {
  return error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
}

void CurlConnection::wait(Deadline deadline) {
  curl_multi_poll(multi_.get(), nullptr, 0, milliseconds_until(deadline), nullptr);
}

void CurlConnection::begin_connecting(const Url& url) {
  curl_easy_setopt(easy_.get(), CURLOPT_URL, url.text.c_str());
  curl_easy_setopt(easy_.get(), CURLOPT_CONNECT_ONLY, 1L);
  begin();
}

/// A copy, because libcurl closes its own.
http::FileDescriptor CurlConnection::take_socket() {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy_.get(), CURLINFO_ACTIVESOCKET, &socket);
  http::FileDescriptor copy(fcntl(socket, F_DUPFD_CLOEXEC, 0));
  if (!copy) throw std::system_error(errno, std::generic_category(), "the connection failed");
  return copy;
}

}  // namespace fw::outbound
