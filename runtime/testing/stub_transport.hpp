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
class StubTransport : public outbound::Transport {
 public:
  using Handler = std::function<FetchReply(const FetchCall&)>;

  /// Throws std::invalid_argument unless `call` is a method and an absolute URL.
  void add(const std::string& call, Handler handler);

  void start(std::shared_ptr<outbound::Transfer> transfer) override;
  void resume(std::shared_ptr<outbound::Transfer> transfer) override;
  void cancel(std::shared_ptr<outbound::Transfer> transfer) override;
  void stop() override {}

 private:
  /// Takes what there is of the body; responds when it is complete.
  void proceed(const std::shared_ptr<outbound::Transfer>& transfer);
  void respond(outbound::Transfer& transfer, std::string body);
  Handler find(std::string_view method, std::string_view url) const;

  mutable std::mutex mutex_;
  std::map<std::string, Handler> handlers_;  ///< by "METHOD URL", as it is normalised
  std::map<std::shared_ptr<outbound::Transfer>, std::string> bodies_;  ///< not complete yet
};

}  // namespace fw::testing
