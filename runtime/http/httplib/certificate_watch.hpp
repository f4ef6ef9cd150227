// Lets the certificates of a server be renewed while it runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "http/secure_channel.hpp"

namespace fw::http {

/// Calls `SecureServer::refresh` regularly, on a thread of its own.
class CertificateWatch {
 public:
  /// Throws std::system_error if there is no thread.
  explicit CertificateWatch(std::shared_ptr<SecureServer> tls)
      : thread_([tls = std::move(tls)](const std::stop_token& stop) { run(*tls, stop); }) {}

 private:
  static void run(SecureServer& tls, const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kInterval{250};
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any changed;
    while (!changed.wait_for(lock, stop, kInterval, [&] { return stop.stop_requested(); })) {
      tls.refresh();
    }
  }

  std::jthread thread_;
};

}  // namespace fw::http
