#include "cluster/worker_link.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <fcntl.h>
#include <poll.h>
#include <stop_token>
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

/// A question as it is sent. After a reload, the worker may be of a newer program than the
/// supervisor: members are only added at the end, and a worker ignores those that it does not know.
struct Packet {
  std::uint64_t number;
  steady_clock::rep deadline;  // one clock for all processes
  WorkerQuestion question;
  std::uint8_t argument;
};

/// The size of a question in the first version. What later versions have added is 0 in the question
/// of an older supervisor.
constexpr std::size_t kMinQuestion = 24;
static_assert(sizeof(Packet) >= kMinQuestion);

/// Before each part of a response.
struct PartHead {
  std::uint64_t number;  ///< of the question
  bool is_last;
};

constexpr std::size_t kMaxPart = 16 * 1024;

/// Room for some hundreds of questions that a worker that was stopped has not received.
constexpr int kQuestionBytes = 64 * 1024;

/// How long a thread waits before it looks whether another one has received its response.
constexpr milliseconds kReceptionInterval{10};

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

/// Whether memory is short, and so may be available later.
bool is_temporary(int error) { return error == ENOMEM || error == ENOBUFS; }

/// Nothing after the last one. Calls `reject` for a packet that is too short.
template <class Reject>
std::optional<Packet> receive_question(int socket, const Reject& reject) {
  while (true) {
    Packet packet{};
    const ssize_t size = recv(socket, &packet, sizeof packet, 0);
    if (size >= static_cast<ssize_t>(kMinQuestion)) return packet;
    if (size == 0) return std::nullopt;
    if (size > 0) reject();
    if (size > 0 || errno == EINTR) continue;
    if (!is_temporary(errno)) return std::nullopt;
    std::this_thread::sleep_for(kReceptionInterval);
  }
}

bool sets_log_level(const Packet& question) {
  return question.question == WorkerQuestion::log_level && question.argument != 0;
}

enum class Sending { done, no_room, ended };

Sending send_packet(int socket, const Packet& packet) {
  if (send(socket, &packet, sizeof packet, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) return Sending::done;
  return errno == EPIPE || errno == ECONNRESET ? Sending::ended : Sending::no_room;
}

bool is_over(steady_clock::rep deadline) {
  return steady_clock::now().time_since_epoch().count() > deadline;
}

/// Waits while the supervisor does not receive. Several threads may send. Without memory, the
/// response remains incomplete. Returns false after the end of the link.
bool send_response(int socket, std::uint64_t number, std::string_view text) {
  do {
    std::string_view part = text.substr(0, kMaxPart);
    text.remove_prefix(part.size());
    PartHead head{};
    head.number = number;
    head.is_last = text.empty();
    std::array<iovec, 2> parts{
        {{&head, sizeof head}, {const_cast<char*>(part.data()), part.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    ssize_t size = -1;
    do {
      size = sendmsg(socket, &message, MSG_NOSIGNAL);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return is_temporary(errno);
  } while (!text.empty());
  return true;
}

}  // namespace

struct SentQuestion::Reception {
  std::uint64_t number = 0;
  WorkerResponse response = {};
  bool is_settled = false;

  void settle(WorkerResponse its_response) noexcept {
    response = std::move(its_response);
    is_settled = true;
  }
  /// Without memory for a part, there is no response.
  void add(std::string_view part, bool is_last) noexcept {
    try {
      response.text += part;
    } catch (const std::bad_alloc&) {
      return settle({.outcome = Outcome::silent});
    }
    if (!is_last) return;
    response.outcome = Outcome::complete;
    is_settled = true;
  }
};

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

SentQuestion WorkerLink::send(WorkerQuestion question, Clock::time_point deadline,
                              std::uint8_t argument) {
  SentQuestion sent{.link = this, .reception = std::make_shared<SentQuestion::Reception>()};
  const std::lock_guard lock(mutex_);
  std::erase_if(awaited_, [](const auto& each) { return each.expired(); });
  // The worker may wait until there is room for responses to earlier questions.
  receive_arrived();
  send_kept();
  sent.number = sent.reception->number = ++number_;
  Packet packet{};
  packet.number = number_;
  packet.deadline = deadline.time_since_epoch().count();
  packet.question = question;
  packet.argument = argument;
  const Sending sending = kept_ ? Sending::no_room : send_packet(socket_.get(), packet);
  const bool is_kept = sending == Sending::no_room && sets_log_level(packet);
  if (is_kept) kept_ = {packet.number, packet.argument};
  if (is_kept || sending == Sending::done) {
    awaited_.push_back(sent.reception);
  } else {
    const bool has_ended = sending == Sending::ended;
    sent.reception->settle({.outcome = has_ended ? Outcome::ended : Outcome::silent});
  }
  return sent;
}

/// With `mutex_`.
void WorkerLink::send_kept() {
  if (!kept_) return;
  Packet packet{};
  packet.number = kept_->number;
  packet.question = WorkerQuestion::log_level;
  packet.argument = kept_->level;
  if (send_packet(socket_.get(), packet) != Sending::no_room) kept_.reset();
}

std::optional<WorkerResponse> WorkerLink::receive(const SentQuestion& question) {
  const std::lock_guard lock(mutex_);
  receive_arrived();
  send_kept();
  if (!question.reception->is_settled) return std::nullopt;
  return std::move(question.reception->response);
}

/// With `mutex_`.
void WorkerLink::receive_arrived() {
  PartHead head{};
  std::array<char, kMaxPart> part{};
  std::array<iovec, 2> parts{{{&head, sizeof head}, {part.data(), part.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  while (true) {
    const ssize_t size = recvmsg(socket_.get(), &message, MSG_DONTWAIT);
    // A worker that ends without receiving all questions resets the connection. What it has sent
    // follows.
    if (size < 0 && (errno == EINTR || errno == ECONNRESET)) continue;
    if (size < 0) return;
    if (size > 0 && size < static_cast<ssize_t>(sizeof head)) continue;
    for (auto each = awaited_.begin(); each != awaited_.end();) {
      const auto reception = each->lock();
      if (!reception || (size > 0 && reception->number != head.number)) {
        ++each;
        continue;
      }
      if (size == 0) {
        reception->settle({.outcome = Outcome::ended});
      } else if ((message.msg_flags & MSG_TRUNC) != 0) {
        reception->settle({.outcome = Outcome::silent});  // of a program that sends larger parts
      } else {
        reception->add({part.data(), static_cast<std::size_t>(size) - sizeof head}, head.is_last);
      }
      each = reception->is_settled ? awaited_.erase(each) : each + 1;
    }
    if (size == 0) return;
  }
}

std::string WorkerLink::last() const { return content_of(file_); }

std::vector<WorkerResponse> await_responses(std::span<const SentQuestion> questions,
                                            steady_clock::time_point deadline, Await most) {
  std::vector<WorkerResponse> responses(questions.size());
  std::vector<pollfd> entries;
  for (const SentQuestion& question : questions) {
    entries.push_back({question.link->socket(), POLLIN, 0});
  }
  auto awaited = questions.size();
  while (true) {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (entries[i].fd < 0) continue;  // as poll does
      auto response = questions[i].link->receive(questions[i]);
      if (!response) continue;
      responses[i] = std::move(*response);
      entries[i].fd = -1;
      --awaited;
      if (most == Await::first && responses[i].outcome == Outcome::complete) return responses;
    }
    const auto left = deadline - steady_clock::now();
    if (awaited == 0 || left <= left.zero()) return responses;
    const auto longest = std::min(std::chrono::ceil<milliseconds>(left), kReceptionInterval);
    poll(entries.data(), entries.size(), static_cast<int>(longest.count()));
  }
}

/// Responds to questions about readiness. Those that come while the checks run share them, as the
/// probes of a single process do.
class WorkerResponder::Readiness {
 public:
  Readiness(int socket, const Respond& respond) : socket_(socket), respond_(respond) {
    asked_.reserve(kMaxAsked);
    shared_.reserve(kMaxAsked);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  /// Never waits. If there are too many questions, the oldest gets no response.
  void add(std::uint64_t number, steady_clock::rep deadline) {
    {
      const std::lock_guard lock(mutex_);
      if (asked_.size() == kMaxAsked) asked_.erase(asked_.begin());
      asked_.push_back({number, deadline});
    }
    changed_.notify_one();
  }

 private:
  struct Question {
    std::uint64_t number;
    steady_clock::rep deadline;

    bool is_late() const { return is_over(deadline); }
  };
  /// More than the supervisor lets wait.
  static constexpr std::size_t kMaxAsked = 64;

  void run(const std::stop_token& stop) {
    base::block_signals();
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, stop, [this] { return !asked_.empty(); });
      if (stop.stop_requested()) return;
      std::erase_if(asked_, [](const Question& question) { return question.is_late(); });
      if (asked_.empty()) continue;
      lock.unlock();
      const auto response = respond_(WorkerQuestion::readiness, 0);
      lock.lock();
      shared_.clear();
      shared_.swap(asked_);
      lock.unlock();
      for (const Question& question : shared_) {
        if (response && !question.is_late()) send_response(socket_, question.number, *response);
      }
      lock.lock();
    }
  }

  const int socket_;
  const Respond& respond_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Question> asked_;  ///< guarded by the mutex
  std::vector<Question> shared_;
  std::jthread thread_;  ///< last, because it uses all other members
};

WorkerResponder::WorkerResponder(int socket, int file, Respond respond, ReportUnknown report)
    : socket_(socket),
      file_(file),
      respond_(std::move(respond)),
      report_unknown_(std::move(report)),
      readiness_(std::make_unique<Readiness>(socket_, respond_)),
      thread_([this] { run(); }) {}

WorkerResponder::~WorkerResponder() { finish(); }

void WorkerResponder::finish() {
  if (!thread_.joinable()) return;
  shutdown(socket_, SHUT_RDWR);
  thread_.join();
  readiness_.reset();
  // What is not complete is none to the supervisor.
  write_content(file_, respond_(WorkerQuestion::metrics, 0).value_or(""));
}

void WorkerResponder::run() {
  // A supervisor that has stopped waiting causes no SIGPIPE, either.
  base::block_signals();
  bool is_reported = false;
  const auto reject = [&] {
    if (!std::exchange(is_reported, true) && report_unknown_) report_unknown_();
  };
  while (const auto asked = receive_question(socket_, reject)) {
    // After this process was stopped, nobody waits for what was asked meanwhile.
    const bool has_effect = asked->question == WorkerQuestion::log_level;
    if (!has_effect && is_over(asked->deadline)) continue;
    if (asked->question == WorkerQuestion::readiness) {
      readiness_->add(asked->number, asked->deadline);
      continue;
    }
    const auto response = respond_(asked->question, asked->argument);
    if (response && !send_response(socket_, asked->number, *response)) return;
  }
}

}  // namespace fw::cluster
