// Lets the certificates of a server be renewed while it runs.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "http/secure_channel.hpp"

namespace fw::http {

/// Calls `SecureServer::refresh` regularly, on a thread of its own.
class CertificateWatch {
 public:
  /// Throws std::system_error if there is no thread.
  explicit CertificateWatch(std::shared_ptr<SecureServer> tls)
      : tls_(std::move(tls)), thread_([this] { run(); }) {}
  ~CertificateWatch() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  CertificateWatch(const CertificateWatch&) = delete;
  CertificateWatch& operator=(const CertificateWatch&) = delete;

 private:
  void run() {
    constexpr std::chrono::milliseconds kInterval{250};
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kInterval, [this] { return is_stopping_; })) {
      lock.unlock();
      tls_->refresh();
      lock.lock();
    }
  }

  const std::shared_ptr<SecureServer> tls_;
  std::mutex mutex_;  ///< guards is_stopping_
  std::condition_variable changed_;
  bool is_stopping_ = false;
  std::thread thread_;  ///< last, because it uses all other members
};

}  // namespace fw::http
