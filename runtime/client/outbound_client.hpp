// What `app.fetch` is made of: one of each application.
#pragma once

#include <fairway/fetch.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "client/outbound_call.hpp"
#include "client/transfer.hpp"
#include "exchange/environment.hpp"

namespace fw::detail {

/// Thread-safe. The transport starts with the first call.
class OutboundClient {
 public:
  /// `environment` outlives it.
  explicit OutboundClient(const Environment& environment) : env_(environment) {}
  ~OutboundClient() { stop(); }
  OutboundClient(const OutboundClient&) = delete;
  OutboundClient& operator=(const OutboundClient&) = delete;

  /// `options` are of a client for one service; null for the application's own.
  FetchResponse fetch(const FetchClientOptions* options, std::string_view url, FetchInit init);
  /// `target` is the name of one; null for a call with `options.url`. Gives the response, whatever
  /// happens.
  void proxy(const std::string* target, Request& req, Response& res,
             const FetchProxyOptions& options);
  /// Fails what is under way, and every later call.
  void stop();

 private:
  Operation make_operation(const FetchClientOptions* options, std::string_view url,
                           FetchInit init) const;
  void pass_on(const std::string* target, Request& req, Response& res,
               const FetchProxyOptions& options);
  Operation make_proxy_operation(const FetchProxyTarget* target, Request& req,
                                 const FetchProxyOptions& options) const;
  const FetchProxyTarget& find_target(const std::string& name) const;
  void respond_with_proxy_error(Request& req, Response& res) const;
  FetchHeaders inherited_headers(bool with_request_id) const;
  std::shared_ptr<outbound::Transport> transport();

  const Environment& env_;
  std::mutex mutex_;  // of what follows
  std::shared_ptr<outbound::Transport> transport_;
  bool stopped_ = false;
};

/// `base` with `path` after it, one slash between them.
std::string joined_url(std::string_view base, std::string_view path);

/// Throws OptionError that names `what` for what is no absolute http or https URL.
void check_base_url(std::string_view what, const std::string& url);

}  // namespace fw::detail
