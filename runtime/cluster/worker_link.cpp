#include "cluster/worker_link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/signals.hpp"

namespace fw::cluster {
namespace {

using std::chrono::milliseconds;

/// A question, its argument and its number, which the worker sends back.
using Packet = std::array<char, 2 + sizeof(std::uint32_t)>;

[[noreturn]] void fail_link(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

bool send_packet(int socket, const Packet& packet, int flags) {
  return send(socket, packet.data(), packet.size(), MSG_NOSIGNAL | flags) ==
         static_cast<ssize_t>(packet.size());
}

}  // namespace

WorkerLink::WorkerLink() : file_(memfd_create("fairway-worker", MFD_CLOEXEC)) {
  if (!file_) fail_link("cannot make a file for the metrics of a worker");
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail_link("cannot make a socket for the metrics of a worker");
  }
  socket_ = http::FileDescriptor(ends[0]);
  worker_socket_ = http::FileDescriptor(ends[1]);
}

std::optional<std::string> WorkerLink::ask(WorkerQuestion question, milliseconds most,
                                           std::uint8_t argument) {
  const auto until = std::chrono::steady_clock::now() + most;
  const std::lock_guard lock(mutex_);
  ++number_;
  Packet packet = {static_cast<char>(question), static_cast<char>(argument)};
  std::memcpy(packet.data() + 2, &number_, sizeof number_);
  if (!send_packet(socket_.get(), packet, MSG_DONTWAIT)) return std::nullopt;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    pollfd entry{socket_.get(), POLLIN, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::max(left, milliseconds(0)).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    Packet reply;
    const ssize_t size = recv(socket_.get(), reply.data(), reply.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size != static_cast<ssize_t>(reply.size())) return std::nullopt;
    // Otherwise, it responds to an earlier question, too late.
    if (reply == packet) return last();
  }
}

std::string WorkerLink::last() const {
  struct stat status{};
  if (fstat(file_.get(), &status) != 0) return {};
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t count =
        pread(file_.get(), content.data() + size, content.size() - size, static_cast<off_t>(size));
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return content;
}

WorkerResponder::WorkerResponder(int socket, int file, Respond respond)
    : socket_(socket), file_(file), respond_(std::move(respond)), thread_([this] { run(); }) {}

void WorkerResponder::finish() {
  if (!thread_.joinable()) return;
  shutdown(socket_, SHUT_RDWR);
  thread_.join();
  write(respond_(WorkerQuestion::metrics, 0));
}

void WorkerResponder::run() {
  base::block_signals();
  while (true) {
    Packet packet;
    const ssize_t size = recv(socket_, packet.data(), packet.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size != static_cast<ssize_t>(packet.size())) return;
    write(respond_(static_cast<WorkerQuestion>(packet[0]), static_cast<std::uint8_t>(packet[1])));
    send_packet(socket_, packet, 0);
  }
}

void WorkerResponder::write(const std::string& response) const {
  // A response that is not complete is none to the supervisor.
  if (ftruncate(file_, 0) != 0) return;
  std::size_t size = 0;
  while (size < response.size()) {
    const ssize_t count =
        pwrite(file_, response.data() + size, response.size() - size, static_cast<off_t>(size));
    if (count <= 0) return;
    size += static_cast<std::size_t>(count);
  }
}

}  // namespace fw::cluster
