// What clients that pipeline requests without pause cost another client, compared with 64 ordinary
// clients that keep the server busy. Usage: bench_pipelining SERVER [SECONDS], default 6 seconds
// for each measurement.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "loopback.hpp"
#include "support/server_process.hpp"

namespace {

using fw::http::FileDescriptor;
using fw::http::test::Client;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::string_view kRequest = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

/// Clients on one thread.
class Load {
 public:
  virtual ~Load() = default;
  virtual void run(const std::atomic<bool>& is_over) = 0;
};

/// Each sends its next request when it has its response.
class OrdinaryClients : public Load {
 public:
  OrdinaryClients(std::uint16_t port, std::size_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    clients_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      clients_.emplace_back(port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, clients_.back().fd(), &event);
    }
  }

  void run(const std::atomic<bool>& is_over) override {
    for (Client& client : clients_) client.send(kRequest);
    std::array<epoll_event, 64> ready{};
    while (!is_over) {
      const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 10);
      for (int i = 0; i < count; ++i) {
        Client& client = clients_[ready[static_cast<std::size_t>(i)].data.u64];
        if (client.read_response().status != 200) throw std::runtime_error("not a 200");
        client.send(kRequest);
      }
    }
  }

 private:
  FileDescriptor epoll_;
  std::vector<Client> clients_;
};

/// Send requests and discard responses as fast as the sockets allow.
class FloodingClients : public Load {
 public:
  FloodingClients(std::uint16_t port, std::size_t count) : sent_(count) {
    while (requests_.size() < 64 * 1024) requests_ += kRequest;
    clients_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      clients_.emplace_back(port);
      const int fd = clients_.back().fd();
      fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
      entries_.push_back({fd, POLLIN | POLLOUT, 0});
    }
  }

  void run(const std::atomic<bool>& is_over) override {
    while (!is_over) {
      poll(entries_.data(), entries_.size(), 10);
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        if ((entries_[i].revents & POLLIN) != 0) discard(entries_[i].fd);
        if ((entries_[i].revents & POLLOUT) != 0) send_more(i);
      }
    }
  }

 private:
  void discard(int fd) {
    const auto size = recv(fd, buffer_.data(), buffer_.size(), 0);
    if (size == 0) throw std::runtime_error("the server has closed a flooding connection");
  }

  void send_more(std::size_t i) {
    const auto rest = std::string_view(requests_).substr(sent_[i]);
    const auto size = send(entries_[i].fd, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (size > 0) sent_[i] = (sent_[i] + static_cast<std::size_t>(size)) % requests_.size();
  }

  std::string requests_;
  std::vector<std::size_t> sent_;  ///< bytes of `requests_`, of each client
  std::vector<Client> clients_;
  std::vector<pollfd> entries_;
  std::array<char, 256 * 1024> buffer_{};
};

struct Result {
  std::vector<double> milliseconds;  ///< sorted
  std::size_t failed = 0;

  double quantile(double part) const {
    if (milliseconds.empty()) return 0;
    const auto index = static_cast<std::size_t>(part * static_cast<double>(milliseconds.size()));
    return milliseconds[std::min(index, milliseconds.size() - 1)];
  }
};

/// A client that opens a connection for each of its requests, every 10 ms, as health checks do.
Result measure(std::uint16_t port, std::chrono::seconds time) {
  Result result;
  const auto end = Clock::now() + time;
  while (Clock::now() < end) {
    const auto begin = Clock::now();
    try {
      Client client(port);
      if (client.exchange(kRequest).status != 200) throw std::runtime_error("not a 200");
      result.milliseconds.push_back(Milliseconds(Clock::now() - begin).count());
    } catch (const std::runtime_error&) {
      ++result.failed;
    }
    std::this_thread::sleep_for(10ms);
  }
  std::sort(result.milliseconds.begin(), result.milliseconds.end());
  return result;
}

Result measure_beside(Load& load, std::uint16_t port, std::chrono::seconds time) {
  std::atomic<bool> is_over{false};
  std::thread thread([&] {
    try {
      load.run(is_over);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "bench_pipelining: %s\n", error.what());
      std::_Exit(2);
    }
  });
  std::this_thread::sleep_for(500ms);
  auto result = measure(port, time);
  is_over = true;
  thread.join();
  return result;
}

void print(const std::string& name, const Result& result, double p99) {
  std::printf("%-36s %5zu ok %3zu failed   p50 %8.2f   p99 %8.2f   max %8.2f ms   ratio %.2f\n",
              name.c_str(), result.milliseconds.size(), result.failed, result.quantile(0.5),
              result.quantile(0.99), result.quantile(1), result.quantile(0.99) / p99);
}

int run(const std::string& program, std::chrono::seconds time) {
  const wire::ServerProcess server(program);
  measure(server.port(), 1s);
  OrdinaryClients ordinary(server.port(), 64);
  const auto reference = measure_beside(ordinary, server.port(), time);
  const double p99 = reference.quantile(0.99);
  print("64 ordinary clients", reference, p99);
  bool is_fair = true;
  for (const std::size_t count : {2U, 4U, 8U}) {
    FloodingClients flooding(server.port(), count);
    const auto result = measure_beside(flooding, server.port(), time);
    print(std::to_string(count) + " pipelining clients", result, p99);
    is_fair = is_fair && result.failed == 0 && result.quantile(0.99) <= 10 * p99;
  }
  return is_fair ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_pipelining SERVER [SECONDS]\n");
    return 2;
  }
  try {
    return run(argv[1], std::chrono::seconds(argc > 2 ? std::stoul(argv[2]) : 6));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_pipelining: %s\n", error.what());
    return 2;
  }
}
