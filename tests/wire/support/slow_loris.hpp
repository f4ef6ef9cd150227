// Many clients that never come to the end of their request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <string_view>
#include <thread>

#include "loopback.hpp"

namespace wire {

/// Opens connections that each begin a head and then send a byte of it every second.
class SlowLoris {
 public:
  SlowLoris(std::uint16_t port, std::size_t connections) {
    for (std::size_t i = 0; i < connections; ++i) {
      clients_.emplace_back(port).send("GET / HTTP/1.1\r\nHost: a\r\nX: ");
    }
    sender_ = std::thread([this] { trickle(); });
  }
  ~SlowLoris() {
    stopping_ = true;
    sender_.join();
  }
  SlowLoris(const SlowLoris&) = delete;
  SlowLoris& operator=(const SlowLoris&) = delete;

  /// How many bytes were taken after the first ones, over all connections.
  std::size_t trickled() const { return trickled_; }

 private:
  void trickle() {
    const auto pause = std::chrono::microseconds(1'000'000 / clients_.size());
    while (!stopping_) {
      for (auto& client : clients_) {
        if (stopping_) return;
        if (client.send("x")) ++trickled_;
        std::this_thread::sleep_for(pause);
      }
    }
  }

  std::deque<fw::http::test::Client> clients_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> trickled_{0};
  std::thread sender_;
};

}  // namespace wire
