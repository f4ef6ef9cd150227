#include "load.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "server_under_test.hpp"

namespace e2e {
namespace {

using Clock = std::chrono::steady_clock;

/// A server that stops waits for the first request of a connection for half a second. It cannot be
/// blamed for what a busy machine sends later.
bool was_late(Clock::time_point connected) {
  return Clock::now() - connected > std::chrono::milliseconds(300);
}

int open_connection(int port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval timeout{60, 0};
  setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A child that ends interrupts.
  int result = 0;
  do {
    result = connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return descriptor;
  close(descriptor);
  return -1;
}

enum class Outcome { completed, completed_and_closed, closed_before, lost };

Outcome ask_again(int descriptor) {
  const std::string request = "GET /who HTTP/1.1\r\nHost: a\r\n\r\n";
  if (send(descriptor, request.data(), request.size(), MSG_NOSIGNAL) < 0) {
    return Outcome::closed_before;
  }
  std::string text;
  while (!text.ends_with('}')) {
    char buffer[4096];
    const ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text.empty() ? Outcome::closed_before : Outcome::lost;
    text.append(buffer, static_cast<std::size_t>(count));
  }
  const bool closes = text.find("Connection: close") != std::string::npos;
  return closes ? Outcome::completed_and_closed : Outcome::completed;
}

}  // namespace

Load::Load(int port, int clients, Kind kind) {
  for (int i = 0; i < clients; ++i) {
    threads_.emplace_back([this, port, kind] {
      kind == Kind::connection_each ? ask_on_new_connections(port) : ask_on_kept_connections(port);
    });
  }
}

void Load::stop() {
  ends_ = true;
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

bool Load::wait_for_more(int count) const {
  const int before = completed_;
  return eventually([&] { return completed_ >= before + count; });
}

void Load::ask_on_new_connections(int port) {
  while (!ends_) {
    bool is_rejected = false;
    const auto begin = Clock::now();
    const bool is_complete = ask(port, "GET", "/who", &is_rejected).has_value();
    if (!is_complete && !is_rejected && was_late(begin)) continue;
    ++(is_complete ? completed_ : is_rejected ? rejected_ : lost_);
    if (is_rejected) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void Load::ask_on_kept_connections(int port) {
  int descriptor = -1;
  bool is_new = true;
  Clock::time_point connected;
  while (!ends_) {
    if (descriptor < 0) {
      connected = Clock::now();
      descriptor = open_connection(port);
      is_new = true;
    }
    if (descriptor < 0) {
      ++rejected_;
      continue;
    }
    const Outcome outcome = ask_again(descriptor);
    const bool was_new = std::exchange(is_new, false);
    if (outcome == Outcome::completed || outcome == Outcome::completed_and_closed) ++completed_;
    const bool is_unheard = outcome == Outcome::closed_before && was_new && !was_late(connected);
    if (outcome == Outcome::lost || is_unheard) ++lost_;
    if (outcome == Outcome::completed) continue;
    close(descriptor);
    descriptor = -1;
  }
  if (descriptor >= 0) close(descriptor);
}

}  // namespace e2e
