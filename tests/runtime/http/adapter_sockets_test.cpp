// Sockets of an engine, with an application that sends at unfortunate times.
#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engines.hpp"
#include "http/socket_peer.hpp"

namespace adapter_sockets_test {

using namespace fw::http;
using namespace fw::http::test;

namespace {

/// A peer whose `take` waits at the gate on the thread of a sender.
class WaitingPeer final : public SocketPeer {
 public:
  explicit WaitingPeer(Gate& gate) : gate_(gate) {}

  std::size_t max_message() const noexcept override { return 1'000; }
  bool is_compressed() const noexcept override { return false; }
  std::chrono::milliseconds heartbeat() const noexcept override { return 60s; }
  void begin(std::weak_ptr<SocketWaker> waker, std::shared_ptr<BufferBudget>) noexcept override {
    const std::lock_guard lock(mutex_);
    waker_ = std::move(waker);
  }
  bool has_room() noexcept override { return true; }
  bool receive(std::string, bool) override { return true; }
  bool take(std::string&) override {
    if (std::this_thread::get_id() == sender_.load()) {
      is_sending = true;
      gate_.wait();
    }
    return false;
  }
  bool may_wait() noexcept override { return true; }
  void discard() noexcept override {}
  std::size_t waiting() const noexcept override { return 0; }
  SocketClose closing() noexcept override { return {}; }
  void stop() noexcept override {}
  void end(int, std::string_view, bool) noexcept override { has_ended = true; }
  void run(bool) noexcept override {
    if (has_ended) is_notified = true;
  }

  /// Returns after it has sent on this thread.
  void send() {
    sender_ = std::this_thread::get_id();
    while (!is_sending) {
      std::shared_ptr<SocketWaker> waker;
      {
        const std::lock_guard lock(mutex_);
        waker = waker_.lock();
      }
      if (waker) waker->flush_socket();
      std::this_thread::yield();  // a worker has the connection
    }
  }

  std::atomic<bool> is_sending{false};
  std::atomic<bool> has_ended{false};
  std::atomic<bool> is_notified{false};  ///< of its end

 private:
  Gate& gate_;
  std::atomic<std::thread::id> sender_{};
  std::mutex mutex_;
  std::weak_ptr<SocketWaker> waker_;
};

}  // namespace

TEST_CASE("adapter sockets: a stop also ends a socket for which a thread is sending" *
          not_on_httplib("sockets") * not_on_http2("a worker sends for a socket")) {
  Gate gate;
  const auto peer = std::make_shared<WaitingPeer>(gate);
  Server server([&](const std::shared_ptr<Transaction>& transaction) {
    transaction->respond_socket({}, peer);
  });
  Client client(server.port());
  client.send(kGet);
  while (client.input().find("\r\n\r\n") == std::string::npos) REQUIRE(client.receive_more());
  std::thread sender([&] { peer->send(); });
  CHECK(eventually([&] { return peer->is_sending.load(); }));
  std::thread stopper([&] { server.stop(0ms); });
  while (client.receive_more()) {  // until it is cut off
  }
  gate.open();
  sender.join();
  stopper.join();
  CHECK(eventually([&] { return peer->has_ended && peer->is_notified; }));
}

}  // namespace adapter_sockets_test
