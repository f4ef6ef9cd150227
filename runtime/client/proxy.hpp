// The implementation of `app.fetch.proxy`, one per application (docs/proxy.md).
#pragma once

#include <fairway/fetch.hpp>

#include <memory>
#include <string>

#include "client/outbound_client.hpp"
#include "exchange/environment.hpp"

namespace fw::detail {

/// Forwards requests with calls of the client. Thread-safe.
class Proxy {
 public:
  /// `environment` must outlive it.
  Proxy(const Environment& environment, std::shared_ptr<OutboundClient> client);

  /// `target` is the name of a target; null for a call with `options.url`. Always sends a response.
  void forward(const std::string* target, Request& req, Response& res,
               const FetchProxyOptions& options);

 private:
  void pass_on(const std::string* target, Request& req, Response& res,
               const FetchProxyOptions& options);
  OutboundCallOptions make_call_options(const FetchProxyTarget* target, Request& req,
                                        const FetchProxyOptions& options) const;
  const FetchProxyTarget& find_target(const std::string& name) const;
  void respond_with_error(Request& req, Response& res) const;

  const Environment& env_;
  const std::shared_ptr<OutboundClient> client_;
  const std::string via_;  ///< the name of this gateway; see `FetchConfig::via`
};

}  // namespace fw::detail
