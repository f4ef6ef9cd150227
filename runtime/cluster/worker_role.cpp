#include "cluster/worker_role.hpp"

#include <fairway/json.hpp>

#include <charconv>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json_text.hpp"

namespace fw::cluster {
namespace {

/// The numbers in a list with any separators.
std::vector<int> numbers_of(std::string_view text) {
  std::vector<int> numbers;
  while (!text.empty()) {
    int number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (!text.empty()) text.remove_prefix(1);
  }
  return numbers;
}

/// Sets FD_CLOEXEC, so that child processes do not inherit it. Returns false if it was already set.
bool take_descriptor(int fd) {
  return fcntl(fd, F_GETFD) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

}  // namespace

std::optional<WorkerRole> WorkerRole::take() {
  const char* text = std::getenv(kRoleVariable);
  const char* number = std::getenv(kNumberVariable);
  if (text == nullptr || number == nullptr) return std::nullopt;
  const std::vector<int> numbers = numbers_of(text);
  const std::vector<int> number_of_worker = numbers_of(number);
  // A program that a worker has started inherits the variables, too.
  if (numbers.size() < 6 || number_of_worker.size() != 1 || numbers[0] != getppid()) {
    return std::nullopt;
  }
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] >= 0 && !take_descriptor(numbers[i])) {
      throw std::logic_error(
          "two applications of this process listen with cluster.enabled: only one can");
    }
  }
  // Set again, because starting a program with capabilities resets it.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  WorkerRole role;
  role.number_ = number_of_worker[0];
  role.link_ = base::FileDescriptor(numbers[1]);
  role.ticket_secret_ = base::FileDescriptor(numbers[2]);
  role.admin_socket_ = base::FileDescriptor(numbers[3]);
  role.admin_file_ = base::FileDescriptor(numbers[4]);
  role.listeners_.assign(numbers.begin() + 5, numbers.end());
  return role;
}

void WorkerRole::report_ready() const { report(Report::ready, {}); }

void WorkerRole::report_errors(const std::vector<std::string>& errors) const {
  report(Report::errors, base::to_json_text(Json(errors)));
}

void WorkerRole::report(Report about, std::string_view text) const {
  std::string packet(1, static_cast<char>(about));
  packet += text;
  // Errors are ignored: if the supervisor has ended, the worker ends, too.
  send(link_.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
}

}  // namespace fw::cluster
