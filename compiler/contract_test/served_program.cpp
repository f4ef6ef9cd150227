#include "contract_test/served_program.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <poll.h>
#include <signal.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include "files/user_error.hpp"

namespace fairway::contract_test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kStartTime{30};
constexpr std::chrono::milliseconds kInterval{5};
/// A program that crashes closes its connections before it has ended.
constexpr std::chrono::seconds kEndTime{10};
constexpr std::size_t kMaxOutput = 4096;

}  // namespace

ServedProgram::ServedProgram(const std::filesystem::path& program)
    : port_(process::free_port()),
      processes_(loop_),
      stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  std::vector<std::string> environment = {"PORT=" + std::to_string(port_), "HOST=127.0.0.1"};
  if (std::getenv("FAIRWAY_ENV") == nullptr) environment.push_back("FAIRWAY_ENV=test");
  process_ = processes_.start({.arguments = {std::filesystem::absolute(program).string()},
                               .directory = std::filesystem::current_path(),
                               .environment = environment,
                               .captures_output = true,
                               .output =
                                   [this](std::string_view text) {
                                     const std::lock_guard lock(mutex_);
                                     output_ += text;
                                     if (output_.size() > kMaxOutput) {
                                       output_.erase(0, output_.size() - kMaxOutput);
                                     }
                                   },
                               .ended =
                                   [this](int status) {
                                     const std::lock_guard lock(mutex_);
                                     status_ = process::describe_status(status);
                                   }});
  ended_ = fw::base::FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  loop_.watch(ended_.get(), POLLIN, [this](short) {
    loop_.forget(ended_.get());
    processes_.reap();
    if (processes_.empty()) loop_.stop();
  });
  loop_.watch(stop_.get(), POLLIN, [this](short) {
    loop_.forget(stop_.get());
    processes_.signal(process_, SIGTERM);
    loop_.after(process::kStopTime, [this] { processes_.signal(process_, SIGKILL); });
  });
  thread_ = std::thread([this] { loop_.run(); });
  const auto begin = Clock::now();
  while (!process::accepts_connections(port_) || !process::listens_on(process_, port_)) {
    const std::string reason =
        Clock::now() - begin > kStartTime
            ? fmt::format("did not listen on the port in the variable PORT within {} seconds",
                          kStartTime.count())
            : end_within(kInterval);
    if (reason.empty()) continue;
    const std::string message = fmt::format("'{}' {}", program.string(), reason);
    stop();
    throw UserError(message);
  }
}

ServedProgram::~ServedProgram() { stop(); }

void ServedProgram::stop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

std::string ServedProgram::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

std::string ServedProgram::end() const { return end_within(kEndTime); }

std::string ServedProgram::end_within(std::chrono::milliseconds time) const {
  const auto begin = Clock::now();
  do {
    std::this_thread::sleep_for(kInterval);
    const std::lock_guard lock(mutex_);
    if (status_.empty()) continue;
    return fmt::format("ended with {}{}{}", status_, output_.empty() ? "" : ":\n", output_);
  } while (Clock::now() - begin < time);
  return {};
}

}  // namespace fairway::contract_test
