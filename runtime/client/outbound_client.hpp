// The implementation of `app.fetch`, one per application. `proxy.hpp` has `app.fetch.proxy`.
#pragma once

#include <fairway/fetch.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "client/outbound_call.hpp"
#include "client/transfer.hpp"
#include "exchange/environment.hpp"
#include "observe/outbound_metrics.hpp"

namespace fw::detail {

/// Thread-safe. The transport starts with the first call.
class OutboundClient {
 public:
  /// The errors in the `fetch` settings that the start reports, except the types of values.
  /// `has_http2`: see `client::has_http2`; called only if the settings need to know.
  static std::vector<std::string> config_errors(const FetchConfig& config, bool (*has_http2)());

  /// `environment` must outlive it.
  explicit OutboundClient(const Environment& environment);
  ~OutboundClient() { stop(); }
  OutboundClient(const OutboundClient&) = delete;
  OutboundClient& operator=(const OutboundClient&) = delete;

  /// `options` belong to a client for one service; null for `app.fetch`.
  FetchResponse fetch(const FetchClientOptions* options, std::string_view url, FetchInit init);
  /// Throws NetworkError if the process has no descriptors or threads for it.
  std::shared_ptr<client::OutboundTransport> transport(const OutboundCallOptions& call_options);
  /// Replaces the transport of later calls, for tests.
  void set_transport(std::shared_ptr<client::OutboundTransport> transport);
  /// Null without an admin listener.
  OutboundMetrics* metrics() const { return metrics_.get(); }
  /// Aborts all running calls, and makes later ones fail.
  void stop();

 private:
  OutboundCallOptions make_call_options(const FetchClientOptions* options, std::string_view url,
                                        FetchInit init) const;
  FetchHeaders inherited_headers(bool with_request_id) const;
  /// Adds the headers of the current request that are propagated, unless the call sets them.
  void propagate_headers(OutboundCallOptions& call_options) const;

  const Environment& env_;
  const std::unique_ptr<OutboundMetrics> metrics_;
  std::mutex mutex_;  // guards the following members
  std::shared_ptr<client::OutboundTransport> transport_;
  bool stopped_ = false;
};

/// `base` and `path`, separated by one slash.
std::string joined_url(std::string_view base, std::string_view path);

/// Throws OptionError with `what` if `url` is not an absolute http or https URL.
client::BaseUrl checked_base_url(std::string_view what, const std::string& url);

}  // namespace fw::detail
