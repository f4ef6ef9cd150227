#include "process/main_loop.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

namespace fairway::process {
namespace {

bool is_ignored(int number) {
  struct sigaction action{};
  return ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

fw::base::FileDescriptor open_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&signals, number);
  if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);  // nohup ignores it
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_DFL);  // processes that a shell starts with '&' ignore it
  return fw::base::FileDescriptor(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
}

}  // namespace

MainLoop::MainLoop() : signals_(open_signals()), processes_(events_) {}

void MainLoop::run(std::function<void()> stopping) {
  stopping_ = std::move(stopping);
  events_.watch(signals_.get(), POLLIN, [this](short) { on_signal(); });
  events_.run();
}

void MainLoop::on_signal() {
  signalfd_siginfo signal{};
  while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo != SIGCHLD) end_processes();
  }
  processes_.reap();
  if (is_stopping() && processes_.empty()) stop();
}

void MainLoop::end_processes() {
  ++signals_received_;
  if (signals_received_ == 1) {
    stopping_();
    events_.after(kStopTime, [this] { end_processes(); });
  }
  for (const pid_t process : processes_.all()) {
    processes_.signal(process, signals_received_ == 1 ? SIGTERM : SIGKILL);
  }
}

}  // namespace fairway::process
