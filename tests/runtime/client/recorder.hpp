// An upstream of app.fetch that keeps what it receives, and applications that call it.
#pragma once

#include <fairway/fairway.hpp>
#include <fairway/testing.hpp>

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "app/access.hpp"
#include "app/app_core.hpp"
#include "client/outbound_client.hpp"
#include "support/scripted_upstream.hpp"

namespace fw::client::test {

/// An upstream that keeps the requests and responds 200 "ok".
class Recorder {
 public:
  Recorder()
      : upstream([this](support::ScriptedConnection& connection) {
          for (std::string text; !(text = connection.read_request()).empty();) {
            {
              const std::lock_guard lock(mutex_);
              requests_.push_back(text);
            }
            connection.respond(200, "ok");
          }
        }) {}

  /// The last request.
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return requests_.empty() ? "" : requests_.back();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;

 public:
  support::ScriptedUpstream upstream;  // last: its threads use what is above
};

inline bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Its calls have time on a busy machine.
inline Config quiet() {
  Config config = testing::TestApp::test_config();
  config.fetch.timeout = 600'000;
  return config;
}

/// Calls of `app` use connections again that have been idle for a while, on a busy machine.
inline void keep_connections(App& app) {
  detail::Access::core(app).client->set_transport(
      make_transport({.longest_idle = std::chrono::minutes(10)}));
}

}  // namespace fw::client::test
