// A transport without a network: stubs respond.
#pragma once

#include <fairway/testing.hpp>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "client/transfer.hpp"

namespace fw::testing {

/// TestApp::fetch_stub documents the stubs. Thread-safe.
class StubTransport : public client::OutboundTransport {
 public:
  using Handler = std::function<FetchReply(const FetchCall&)>;

  /// Throws std::invalid_argument unless `call` is a method and an absolute URL.
  void add(const std::string& call, Handler handler);

  std::unique_ptr<client::Channel> open(std::shared_ptr<client::Transfer> transfer) override;
  void stop() override {}

  /// For the channel of a call whose body is complete.
  void respond(client::Transfer& transfer, std::string body) const;

 private:
  Handler find(std::string_view method, std::string_view url) const;

  mutable std::mutex mutex_;
  std::map<std::string, Handler> handlers_;  ///< by "METHOD URL", as it is normalised
};

}  // namespace fw::testing
