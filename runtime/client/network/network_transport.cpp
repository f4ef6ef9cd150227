#include "client/network/network_transport.hpp"

#include <algorithm>
#include <curl/curl.h>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "client/network/curl_job.hpp"
#include "client/network/plain_channel.hpp"

namespace fw::outbound {
namespace {

CurlSettings make_settings(TransportOptions options) {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl cannot be used: ") + curl_easy_strerror(code));
  }
  return CurlSettings(std::move(options));
}

}  // namespace

NetworkTransport::NetworkTransport(TransportOptions options)
    : settings_(make_settings(std::move(options))) {}

/// libcurl converts international host names and those with a zone.
bool NetworkTransport::is_plain(const Url& url) const {
  if (url.is_https()) return false;
  if (!url.unix_socket.empty()) return true;
  const std::string_view authority = url.authority();
  return settings_.http_proxy.empty() &&
         std::all_of(authority.begin(), authority.end(), [](char c) {
           return base::is_alphanumeric(c) || c == '.' || c == '-' || c == '_' || c == ':' ||
                  c == '[' || c == ']';
         });
}

std::unique_ptr<Channel> NetworkTransport::open(Transfer& transfer) {
  if (is_plain(transfer.request().url)) {
    return std::make_unique<PlainChannel>(transfer, pool_, settings_);
  }
  return std::make_unique<CurlJob>(transfer, pool_, settings_);
}

std::shared_ptr<Transport> make_transport(TransportOptions options) {
  return std::make_shared<NetworkTransport>(std::move(options));
}

}  // namespace fw::outbound
