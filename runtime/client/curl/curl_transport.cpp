#include "client/curl/curl_transport.hpp"

#include <algorithm>
#include <curl/curl.h>
#include <stdexcept>
#include <string>
#include <utility>

#include "client/curl/curl_job.hpp"

namespace fw::outbound {
namespace {

constexpr std::size_t kMostIdle = 256;

CurlSettings make_settings(TransportOptions options) {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl cannot be used: ") + curl_easy_strerror(code));
  }
  return CurlSettings(std::move(options));
}

}  // namespace

CurlTransport::CurlTransport(TransportOptions options)
    : settings_(make_settings(std::move(options))) {}

std::unique_ptr<Channel> CurlTransport::open(Transfer& transfer) {
  return std::make_unique<CurlJob>(transfer, *this);
}

void CurlTransport::stop() {
  is_stopped_ = true;
  std::vector<Idle> idle;
  const std::lock_guard lock(mutex_);
  idle.swap(idle_);
  for (CurlConnection* const connection : in_use_) connection->wake();
}

std::unique_ptr<CurlConnection> CurlTransport::take(const Url& url) {
  auto connection = take_idle(url);
  if (!connection) connection = std::make_unique<CurlConnection>(url, settings_);
  const std::lock_guard lock(mutex_);
  in_use_.insert(connection.get());
  return connection;
}

/// The one that was used last, because it is the least likely to be closed.
std::unique_ptr<CurlConnection> CurlTransport::take_idle(const Url& url) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const Idle& idle) {
    return idle.connection->origin() == url.origin;
  });
  if (found == idle_.rend()) return nullptr;
  auto connection = std::move(found->connection);
  idle_.erase(std::next(found).base());
  return connection;
}

void CurlTransport::put(std::unique_ptr<CurlConnection> connection) {
  const auto now = Clock::now();
  std::vector<Idle> closed;  // closed without the lock
  const std::lock_guard lock(mutex_);
  in_use_.erase(connection.get());
  if (is_stopped_) return;
  idle_.push_back({std::move(connection), now});
  auto kept = std::find_if(idle_.begin(), idle_.end(),
                           [&](const Idle& idle) { return now - idle.since <= kLongestIdle; });
  if (idle_.size() > kMostIdle) kept = std::max(kept, idle_.end() - kMostIdle);
  std::move(idle_.begin(), kept, std::back_inserter(closed));
  idle_.erase(idle_.begin(), kept);
}

std::shared_ptr<Transport> make_transport(TransportOptions options) {
  return std::make_shared<CurlTransport>(std::move(options));
}

}  // namespace fw::outbound
