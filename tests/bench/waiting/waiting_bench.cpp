// What requests cost whose handlers wait, as for a database, when as many of them wait at once as
// the server may have threads. Usage: bench_waiting SERVER [CONNECTIONS [MILLISECONDS]], default
// 5000 that wait 100 ms each.
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <vector>

#include "loopback.hpp"
#include "support/latency.hpp"
#include "support/server_process.hpp"

namespace {

using fw::http::FileDescriptor;
using fw::http::test::Client;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kTime = 10s;

/// Clients on one thread, each of which sends its next request when it has its response.
class Load {
 public:
  Load(std::uint16_t port, std::size_t connections, const std::string& request)
      : request_(request), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    clients_.reserve(connections);
    for (std::size_t i = 0; i < connections; ++i) {
      clients_.emplace_back(port);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, clients_.back().fd(), &event);
    }
    for (Client& client : clients_) client.send(request_);
  }

  /// Throws std::runtime_error for anything but a 200.
  void run_until(Clock::time_point end) {
    std::array<epoll_event, 256> ready{};
    while (Clock::now() < end) {
      const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 10);
      for (int i = 0; i < count; ++i) {
        Client& client = clients_[ready[static_cast<std::size_t>(i)].data.u64];
        if (client.read_response().status != 200) throw std::runtime_error("a response is not 200");
        ++responses_;
        client.send(request_);
      }
    }
  }

  std::size_t responses() const { return responses_; }

 private:
  const std::string request_;
  FileDescriptor epoll_;
  std::vector<Client> clients_;
  std::size_t responses_ = 0;
};

int run(const std::string& program, std::size_t connections, const std::string& wait) {
  if (wire::raise_descriptor_limit() < connections + 100) {
    std::fprintf(stderr, "bench: too few descriptors for %zu connections\n", connections);
    return 2;
  }
  wire::ServerProcess::Options options;
  options.config = R"({"server": {"maxWorkers": )" + std::to_string(connections) + "}}";
  const wire::ServerProcess server(program, options);
  wire::p99_of(server.port(), 200);
  const auto memory = server.resident_bytes();
  const auto begin = Clock::now();
  Load load(server.port(), connections, "GET /-/sleep/" + wait + " HTTP/1.1\r\nHost: a\r\n\r\n");
  while (server.threads() < connections && Clock::now() < begin + 30s) {
    load.run_until(Clock::now() + 20ms);
  }
  const std::chrono::duration<double> growth = Clock::now() - begin;
  load.run_until(Clock::now() + 1s);
  const auto responses = load.responses();
  const auto cpu = server.processor_time();
  const auto measured_from = Clock::now();
  load.run_until(measured_from + kTime);
  const std::chrono::duration<double> time = Clock::now() - measured_from;
  const auto count = static_cast<double>(load.responses() - responses);
  const auto spent = static_cast<double>((server.processor_time() - cpu).count());
  std::printf("%zu connections, handlers that wait %s ms, maxWorkers %zu\n", connections,
              wait.c_str(), connections);
  std::printf("threads                        %8zu, after %.2f s\n", server.threads(),
              growth.count());
  std::printf("requests/s                     %8.0f\n", count / time.count());
  std::printf("CPU us/request                 %8.1f\n", spent * 1000 / count);
  std::printf("memory                         %8zu MB, %zu MB before\n",
              server.resident_bytes() / 1024 / 1024, memory / 1024 / 1024);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_waiting SERVER [CONNECTIONS [MILLISECONDS]]\n");
    return 2;
  }
  try {
    return run(argv[1], argc > 2 ? std::stoul(argv[2]) : 5000, argc > 3 ? argv[3] : "100");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_waiting: %s\n", error.what());
    return 2;
  }
}
