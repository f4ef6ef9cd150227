#include "cluster/worker_link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <optional>
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
using std::chrono::steady_clock;
using Outcome = WorkerResponse::Outcome;

/// A question and its argument. The descriptors of its file and of its pipe come with it.
using Packet = std::array<char, 2>;
using Descriptors = std::array<int, 2>;

/// Room for some tens of questions. What a worker that has been stopped does not receive counts
/// against the limit of descriptors of its user, which would keep others from being asked.
constexpr int kQuestionBytes = 16 * 1024;

/// For the descriptors of a packet.
struct Ancillary {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(Descriptors))> bytes{};
};

msghdr message_of(iovec& part, Ancillary& ancillary) {
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.bytes.data();
  message.msg_controllen = ancillary.bytes.size();
  return message;
}

[[noreturn]] void fail_link(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

base::FileDescriptor make_file() {
  return base::FileDescriptor(memfd_create("fairway-worker", MFD_CLOEXEC));
}

std::string content_of(const base::FileDescriptor& file) {
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return {};
  std::string content(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t count =
        pread(file.get(), content.data() + size, content.size() - size, static_cast<off_t>(size));
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  content.resize(size);
  return content;
}

/// Returns false if the content is not complete.
bool write_content(int file, const std::string& content) {
  if (ftruncate(file, 0) != 0) return false;
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t count =
        pwrite(file, content.data() + size, content.size() - size, static_cast<off_t>(size));
    if (count <= 0) return false;
    size += static_cast<std::size_t>(count);
  }
  return true;
}

/// A question that has arrived.
struct Arrived {
  WorkerQuestion question;
  std::uint8_t argument;
  base::FileDescriptor file;
  base::FileDescriptor ended;
};

/// Nothing after the last one.
std::optional<Arrived> receive_question(int socket) {
  Packet packet{};
  iovec part{packet.data(), packet.size()};
  Ancillary ancillary;
  msghdr message = message_of(part, ancillary);
  ssize_t size = -1;
  do {
    size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size != static_cast<ssize_t>(packet.size())) return std::nullopt;
  Descriptors descriptors = {-1, -1};
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    // This process may have had no room for both.
    std::memcpy(descriptors.data(), CMSG_DATA(header),
                std::min(header->cmsg_len - CMSG_LEN(0), sizeof descriptors));
  }
  return Arrived{.question = static_cast<WorkerQuestion>(packet[0]),
                 .argument = static_cast<std::uint8_t>(packet[1]),
                 .file = base::FileDescriptor(descriptors[0]),
                 .ended = base::FileDescriptor(descriptors[1])};
}

/// Whether the other end of the pipe is open.
bool is_awaited(const base::FileDescriptor& pipe) {
  pollfd entry{pipe.get(), 0, 0};
  return poll(&entry, 1, 0) == 0;
}

}  // namespace

WorkerLink::WorkerLink() : file_(make_file()) {
  if (!file_) fail_link("cannot make a file for the metrics of a worker");
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail_link("cannot make a socket for the metrics of a worker");
  }
  socket_ = base::FileDescriptor(ends[0]);
  worker_socket_ = base::FileDescriptor(ends[1]);
  if (setsockopt(socket_.get(), SOL_SOCKET, SO_SNDBUF, &kQuestionBytes, sizeof kQuestionBytes) !=
      0) {
    fail_link("cannot limit the questions to a worker");
  }
}

SentQuestion WorkerLink::send(WorkerQuestion question, std::uint8_t argument) {
  SentQuestion sent;
  auto file = make_file();
  Descriptors ends{};
  if (!file || pipe2(ends.data(), O_CLOEXEC) != 0) return sent;
  auto ended = base::FileDescriptor(ends[0]);
  const base::FileDescriptor end(ends[1]);
  Packet packet = {static_cast<char>(question), static_cast<char>(argument)};
  iovec part{packet.data(), packet.size()};
  Ancillary ancillary;
  msghdr message = message_of(part, ancillary);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(Descriptors));
  const Descriptors descriptors = {file.get(), end.get()};
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  const std::lock_guard lock(mutex_);
  sent.number = ++number_;
  if (sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EPIPE || errno == ECONNRESET) sent.failure = Outcome::ended;
    return sent;
  }
  sent.file = std::move(file);
  sent.ended = std::move(ended);
  return sent;
}

std::string WorkerLink::last() const { return content_of(file_); }

std::vector<WorkerResponse> await_responses(std::span<const SentQuestion> questions,
                                            steady_clock::time_point deadline) {
  std::vector<WorkerResponse> responses;
  std::vector<pollfd> entries;
  std::size_t awaited = 0;
  for (const SentQuestion& question : questions) {
    responses.push_back({.outcome = question.failure});
    entries.push_back({question.ended.get(), POLLIN, 0});  // poll ignores -1
    if (question.ended) ++awaited;
  }
  while (awaited > 0) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    const int ready = poll(entries.data(), entries.size(),
                           static_cast<int>(std::max(left, milliseconds(0)).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].revents == 0) continue;
      char byte = 0;
      if (read(entries[i].fd, &byte, 1) == 1) {
        responses[i] = {.outcome = Outcome::complete, .text = content_of(questions[i].file)};
      } else {
        responses[i].outcome = Outcome::ended;
      }
      entries[i].fd = -1;
      --awaited;
    }
  }
  return responses;
}

WorkerResponder::WorkerResponder(int socket, int file, Respond respond)
    : socket_(socket), file_(file), respond_(std::move(respond)), thread_([this] { run(); }) {}

void WorkerResponder::finish() {
  if (!thread_.joinable()) return;
  shutdown(socket_, SHUT_RDWR);
  thread_.join();
  // What is not complete is none to the supervisor.
  write_content(file_, respond_(WorkerQuestion::metrics, 0));
}

void WorkerResponder::run() {
  // A supervisor that has stopped waiting causes no SIGPIPE, either.
  base::block_signals();
  while (const auto arrived = receive_question(socket_)) {
    // After this process was stopped, nobody waits for what was asked meanwhile. And it may have no
    // room for the descriptors with which it responds.
    const bool has_effect = arrived->question == WorkerQuestion::log_level;
    if (!has_effect && (!arrived->ended || !is_awaited(arrived->ended))) continue;
    const std::string response = respond_(arrived->question, arrived->argument);
    const char complete = 1;
    if (!write_content(arrived->file.get(), response) ||
        write(arrived->ended.get(), &complete, 1) != 1) {
      continue;  // the supervisor notices
    }
  }
}

}  // namespace fw::cluster
