// What open streams and sockets cost: the memory of 10,000 that are idle, the time of one event to
// all streams, and the processor time of small messages that are echoed.
// Usage: bench_push FAIRWAY [OTHER ...], the servers of tests/bench/http that have /push/echo.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <netinet/in.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "loopback.hpp"
#include "support/server_process.hpp"

namespace {

using fw::http::FileDescriptor;
using fw::http::test::Client;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kIdle = 10'000;
constexpr std::size_t kEchoing = 64;
constexpr int kRounds = 5;
constexpr auto kRound = 2s;

constexpr std::string_view kPlain = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kEvents = "GET /push/events HTTP/1.1\r\nHost: a\r\n\r\n";
/// As many bytes as the server sends for one event.
constexpr std::string_view kBareEvent = "20\r\nevent: tick\ndata: {\"number\":1}\n\n\r\n";
constexpr std::string_view kSocket =
    "GET /push/echo HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";

/// A text of 20 bytes, masked with zeros, and its echo.
constexpr std::string_view kText = "twenty bytes of text";
const std::string kFrame = "\x81\x94" + std::string(4, '\0') + std::string(kText);
const std::string kEcho = "\x81\x14" + std::string(kText);

/// Limits that thousands of clients of one address do not reach.
wire::ServerProcess::Options options() {
  wire::ServerProcess::Options options;
  options.config = R"({"server": {"maxStreamsPerAddress": 20000, "maxConnections": 20000,)"
                   R"( "keepAliveTimeout": 600000}})";
  return options;
}

class Connection {
 public:
  explicit Connection(std::uint16_t port) : client_(port) {}

  int fd() const { return client_.fd(); }
  void send(std::string_view bytes) { client_.send(bytes); }
  /// The functions throw std::runtime_error.
  void receive_head(std::string_view status) {
    std::string head;
    while (head.find("\r\n\r\n") == std::string::npos) head += receive();
    if (!head.starts_with(std::string("HTTP/1.1 ").append(status))) {
      throw std::runtime_error("the response is not " + std::string(status) + ":\n" + head);
    }
  }
  /// From now on, `receive_arrival` knows when bytes came.
  void note_arrivals() const {
    const int on = 1;
    if (setsockopt(fd(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) != 0) {
      throw std::runtime_error("the system does not note when bytes arrive");
    }
  }
  struct Arrival {
    std::string bytes;
    std::chrono::system_clock::time_point time;
  };
  Arrival receive_arrival() {
    std::array<char, 4096> buffer;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(timespec))> control;
    iovec bytes{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t size = recvmsg(fd(), &message, MSG_DONTWAIT);
    const cmsghdr* const note = CMSG_FIRSTHDR(&message);
    if (size <= 0 || note == nullptr || note->cmsg_type != SCM_TIMESTAMPNS) {
      throw std::runtime_error("no bytes have come, or not when");
    }
    timespec time{};
    std::memcpy(&time, CMSG_DATA(note), sizeof time);
    const auto since_epoch =
        std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
    return {{buffer.data(), static_cast<std::size_t>(size)},
            std::chrono::system_clock::time_point(since_epoch)};
  }
  std::string receive() {
    std::array<char, 4096> buffer;
    const ssize_t size = recv(fd(), buffer.data(), buffer.size(), 0);
    if (size <= 0) throw std::runtime_error("the server has closed a connection");
    return {buffer.data(), static_cast<std::size_t>(size)};
  }

 private:
  Client client_;
};

std::vector<Connection> open_all(std::uint16_t port, std::size_t count, std::string_view request,
                                 std::string_view status) {
  std::vector<Connection> connections;
  connections.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    connections.emplace_back(port);
    connections.back().send(request);
    connections.back().receive_head(status);
  }
  return connections;
}

/// Waits for events of many connections on one thread.
class Poller {
 public:
  explicit Poller(const std::vector<Connection>& connections)
      : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t i = 0; i < connections.size(); ++i) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connections[i].fd(), &event);
    }
  }
  template <class Use>
  void wait(const Use& use) {
    std::array<epoll_event, 256> ready{};
    const int count = epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()), 100);
    for (int i = 0; i < count; ++i) {
      use(static_cast<std::size_t>(ready[static_cast<std::size_t>(i)].data.u64));
    }
  }

 private:
  FileDescriptor epoll_;
};

void publish(std::uint16_t port) {
  Connection connection(port);
  connection.send("POST /push/ticks HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  connection.receive_head("204");
}

/// A process that sends the bytes of an event to each of its connections from two threads, and does
/// nothing else: the system's part of the time.
class BareSender {
 public:
  explicit BareSender(std::size_t connections) : listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    std::array<int, 2> ends{};
    if (bind(listener_.get(), generic, size) != 0 || listen(listener_.get(), SOMAXCONN) != 0 ||
        getsockname(listener_.get(), generic, &size) != 0 || pipe(ends.data()) != 0) {
      throw std::runtime_error("no socket for the bare sender");
    }
    port_ = ntohs(address.sin_port);
    commands_ = FileDescriptor(ends[1]);
    const FileDescriptor received(ends[0]);
    process_ = fork();
    if (process_ == 0) {
      commands_ = FileDescriptor();
      run(connections, received.get());
      _exit(0);
    }
  }
  ~BareSender() {
    commands_ = FileDescriptor();
    waitpid(process_, nullptr, 0);
  }
  BareSender(const BareSender&) = delete;
  BareSender& operator=(const BareSender&) = delete;

  std::uint16_t port() const { return port_; }
  void send() const {
    if (write(commands_.get(), "", 1) != 1) throw std::runtime_error("the bare sender has ended");
  }

 private:
  static constexpr std::size_t kThreads = 2;

  /// Sends at each byte of `commands`, until its end.
  void run(std::size_t connections, int commands) const {
    std::vector<int> accepted;
    while (accepted.size() < connections) {
      accepted.push_back(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK));
    }
    char command = 0;
    while (read(commands, &command, 1) == 1) {
      std::vector<std::thread> threads;
      for (std::size_t first = 0; first < kThreads; ++first) {
        threads.emplace_back([&accepted, first] {
          for (std::size_t i = first; i < accepted.size(); i += kThreads) {
            ::send(accepted[i], kBareEvent.data(), kBareEvent.size(), MSG_NOSIGNAL);
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  }

  FileDescriptor listener_;
  FileDescriptor commands_;
  std::uint16_t port_ = 0;
  pid_t process_ = -1;
};

using Milliseconds = std::chrono::duration<double, std::milli>;

/// The time until all streams have an event, which `publish` sends, with a client that reads each
/// at once on the processors of the server.
template <class Publish>
Milliseconds time_to_read(std::vector<Connection>& streams, const Publish& publish) {
  Poller poller(streams);
  const auto begin = Clock::now();
  std::thread publisher(publish);
  std::size_t received = 0;
  while (received < streams.size()) {
    poller.wait([&](std::size_t i) {
      if (streams[i].receive().find("tick") != std::string::npos) ++received;
    });
  }
  const auto time = Clock::now() - begin;
  publisher.join();
  return time;
}

/// The time until the event has come to the sockets of all streams, as the kernel notes it, with a
/// client that reads later: the processors are the server's, as they are when clients are
/// elsewhere.
template <class Publish>
Milliseconds time_to_arrive(std::vector<Connection>& streams, const Publish& publish) {
  for (const Connection& stream : streams) stream.note_arrivals();
  const auto begin = std::chrono::system_clock::now();
  publish();
  std::this_thread::sleep_for(1s);
  auto last = begin;
  for (Connection& stream : streams) {
    const Connection::Arrival arrival = stream.receive_arrival();
    if (arrival.bytes.find("tick") == std::string::npos) {
      throw std::runtime_error("a stream has no event after a second");
    }
    last = std::max(last, arrival.time);
  }
  return last - begin;
}

template <class Publish>
void measure_event(const char* name, std::vector<Connection>& streams, const Publish& publish) {
  std::printf("one event is read by all of %s, ms:", name);
  for (int i = 0; i < kRounds; ++i) std::printf(" %.1f", time_to_read(streams, publish).count());
  std::printf("\none event arrives at all of %s, ms:", name);
  for (int i = 0; i < kRounds; ++i) std::printf(" %.1f", time_to_arrive(streams, publish).count());
  std::printf("\n");
}

void measure_idle(const std::string& program) {
  struct Kind {
    const char* name;
    std::string_view request;
    std::string_view status;
  };
  double plain = 0;
  for (const Kind& kind :
       {Kind{"idle connections", kPlain, "200"}, Kind{"streams of events", kEvents, "200"},
        Kind{"sockets", kSocket, "101"}}) {
    const wire::ServerProcess server(program, options());
    // What the first ones allocate is not counted.
    const auto first = open_all(server.port(), 500, kind.request, kind.status);
    const auto memory = server.resident_bytes();
    const auto threads = server.threads();
    auto opened = open_all(server.port(), kIdle, kind.request, kind.status);
    std::this_thread::sleep_for(1s);
    const auto each = static_cast<double>(server.resident_bytes() - memory) / kIdle;
    if (kind.request == kPlain) plain = each;
    std::printf(
        "%zu %-18s %5.0f bytes each, %5.0f above an idle connection, %zu threads, %zu before\n",
        kIdle, kind.name, each, each - plain, server.threads(), threads);
    if (kind.request != kEvents) continue;
    measure_event("them", opened, [&] { publish(server.port()); });
  }
  const BareSender bare(kIdle);
  std::vector<Connection> connections;
  connections.reserve(kIdle);
  for (std::size_t i = 0; i < kIdle; ++i) connections.emplace_back(bare.port());
  measure_event("as many bare connections", connections, [&] { bare.send(); });
}

struct Echo {
  double rate = 0;
  double cpu = 0;  ///< microseconds of a message
};

Echo echo(const wire::ServerProcess& server, std::vector<Connection>& sockets) {
  Poller poller(sockets);
  for (Connection& socket : sockets) socket.send(kFrame);
  const auto cpu = server.processor_time();
  const auto begin = Clock::now();
  std::size_t messages = 0;
  std::size_t open = sockets.size();
  const auto end = begin + kRound;
  while (open > 0) {
    const bool is_over = Clock::now() >= end;
    poller.wait([&](std::size_t i) {
      if (sockets[i].receive() != kEcho) throw std::runtime_error("an echo is not the message");
      ++messages;
      if (is_over) {
        --open;
      } else {
        sockets[i].send(kFrame);
      }
    });
  }
  const std::chrono::duration<double> time = Clock::now() - begin;
  const auto spent = static_cast<double>((server.processor_time() - cpu).count());
  const auto count = static_cast<double>(messages);
  return {count / time.count(), spent * 1000 / count};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

/// The servers take turns.
void measure_echo(const std::vector<std::string>& programs) {
  struct Measured {
    std::unique_ptr<wire::ServerProcess> server;
    std::vector<Connection> sockets;
    std::vector<double> rates;
    std::vector<double> costs;
  };
  std::vector<Measured> all;
  for (const std::string& program : programs) {
    Measured& measured = all.emplace_back();
    measured.server = std::make_unique<wire::ServerProcess>(program, options());
    measured.sockets = open_all(measured.server->port(), kEchoing, kSocket, "101");
    echo(*measured.server, measured.sockets);  // warms caches up
  }
  for (int i = 0; i < kRounds; ++i) {
    for (Measured& measured : all) {
      const Echo result = echo(*measured.server, measured.sockets);
      measured.rates.push_back(result.rate);
      measured.costs.push_back(result.cpu);
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string name = programs[i].substr(programs[i].rfind('/') + 1);
    std::printf(
        "echo, %zu sockets, %-24s %6.0f messages/s, CPU us/message %5.2f, times the first %.2f\n",
        kEchoing, name.c_str(), median(all[i].rates), median(all[i].costs),
        median(all[i].costs) / median(all[0].costs));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_push FAIRWAY [OTHER ...]\n");
    return 2;
  }
  try {
    if (wire::raise_descriptor_limit() < kIdle + 1000) {
      std::fprintf(stderr, "bench_push: too few descriptors\n");
      return 2;
    }
    measure_idle(argv[1]);
    measure_echo({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_push: %s\n", error.what());
    return 2;
  }
}
