#include "dev/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <utility>

#include "dev/local_port.hpp"
#include "dev/overlay.hpp"
#include "files/user_error.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kReadyInterval{5};
constexpr milliseconds kProgressInterval{100};
constexpr milliseconds kLockInterval{50};
constexpr milliseconds kSlowStart{10'000};
/// A server completes its requests within `shutdown.timeout`, 10 seconds unless it is configured.
constexpr milliseconds kStopTime{12'000};
constexpr milliseconds kBuildStopTime{3'000};
constexpr unsigned kMaxPortChanges = 3;
constexpr std::size_t kMaxErrors = 16'384;
constexpr std::string_view kWaitPath = "/.fairway/dev/wait?version=";

constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kPlain = "\x1b[0m";

std::string seconds(std::chrono::duration<double> time) {
  return fmt::format("{:.{}f} s", time.count(), time.count() < 0.1 ? 2 : 1);
}

Descriptor open_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&signals, number);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGINT, SIG_DFL);  // processes that a shell starts with '&' ignore it
  return Descriptor(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
}

std::string quoted_names(const std::set<fs::path>& paths) {
  std::string text = paths.begin()->string();
  if (paths.size() > 1) text += fmt::format(" and {} more", paths.size() - 1);
  return text;
}

}  // namespace

Session::Session(CmakeProject project, SessionOptions options)
    : project_(std::move(project)),
      options_(std::move(options)),
      signals_(open_signals()),
      lock_(project_.scratch_folder() / "lock"),
      processes_(loop_),
      inputs_(processes_, project_) {
  front_ = std::make_unique<Front>(loop_, options_.host, options_.port, options_.max_wait,
                                   [this](const FrontRequest& request) { return decide(request); });
  watcher_ = std::make_unique<FileWatcher>(
      loop_, project_.folder(), project_.build_folder(), options_.polls,
      [this](const std::set<fs::path>& paths) { on_changes(paths); });
  loop_.watch(signals_.get(), POLLIN, [this](short) { on_signal(); });
}

void Session::run() {
  say(fmt::format("serving {}, Ctrl-C stops", url()));
  if (!options_.polls && !watcher_->uses_inotify()) {
    say("inotify is not available: files are read twice a second instead");
  }
  begin_work();
  loop_.run();
}

// Signals and the end.

void Session::on_signal() {
  signalfd_siginfo signal{};
  while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo != SIGCHLD) begin_stop();
  }
  processes_.reap();
  if (stop_signals_ > 0 && processes_.empty()) loop_.stop();
}

/// The second signal kills all processes.
void Session::begin_stop() {
  ++stop_signals_;
  if (stop_signals_ == 1) {
    watcher_.reset();
    loop_.cancel(ready_timer_);
    loop_.cancel(lock_timer_);
    loop_.after(kStopTime, [this] { begin_stop(); });
  }
  for (const pid_t process : processes_.all()) {
    processes_.signal(process, stop_signals_ == 1 ? SIGTERM : SIGKILL);
  }
}

// Changes and builds.

void Session::on_changes(const std::set<fs::path>& paths) {
  if (stop_signals_ > 0) return;
  say(fmt::format("{} changed", quoted_names(paths)));
  const auto is_restart = [](const fs::path& path) {
    return relevance_of(path) == Relevance::restart;
  };
  must_restart_ = must_restart_ || std::ranges::any_of(paths, is_restart);
  was_restarted_after_crash_ = false;
  begin_work();
}

/// Starts a build. A build that is running is outdated: it is stopped first.
void Session::begin_work() {
  phase_ = Phase::working;
  if (build_process_ != 0) {
    if (std::exchange(must_build_again_, true)) return;
    const pid_t process = build_process_;
    processes_.signal(process, SIGTERM);
    loop_.after(kBuildStopTime, [this, process] { processes_.signal(process, SIGKILL); });
    return;
  }
  must_build_again_ = false;
  if (lock_timer_ != 0) return;
  if (!lock_.try_acquire()) {
    say(fmt::format("waiting for process {}, which builds in the same folder", lock_.holder()));
    wait_for_lock();
    return;
  }
  work_began_ = Clock::now();
  files_read_ = fs::file_time_type::clock::now();
  output_.emplace(work_began_);
  if (project_.is_configured()) {
    build();
  } else {
    configure();
  }
}

void Session::wait_for_lock() {
  lock_timer_ = loop_.after(kLockInterval, [this] {
    lock_timer_ = 0;
    if (lock_.try_acquire()) {
      begin_work();
    } else {
      wait_for_lock();
    }
  });
}

void Session::configure() {
  say("configuring the project");
  const bool can_choose = project_.is_new() && !project_.is_compiler_chosen();
  candidates_ = can_choose ? compiler_candidates() : std::vector<CompilerCandidate>();
  check_next_compiler();
}

void Session::check_next_compiler() {
  if (candidates_.empty()) {
    configure_with(std::nullopt);
    return;
  }
  const CompilerCandidate candidate = candidates_.front();
  candidates_.erase(candidates_.begin());
  const auto configure_or_go_on = [this, candidate](int status) {
    output_->discard();
    if (status != 0) {
      check_next_compiler();
    } else {
      configure_with(candidate.is_default ? std::nullopt : std::optional(candidate));
    }
  };
  run_build_tool(check_command(candidate, project_.scratch_folder()), configure_or_go_on);
}

void Session::configure_with(const std::optional<CompilerCandidate>& compiler) {
  const bool is_new = project_.is_new();
  run_build_tool(project_.configure_command(options_.configure_flags, compiler),
                 [this, is_new, compiler](int status) {
                   if (status != 0 && is_new) project_.forget_configuration();
                   after_configure(status, compiler);
                 });
}

void Session::after_configure(int status, const std::optional<CompilerCandidate>& compiler) {
  if (status != 0 && compiler) {
    // The options of the project may be those of another compiler.
    output_->discard();
    configure_with(std::nullopt);
  } else if (status != 0) {
    fail_build();
  } else {
    // The project may choose another one in CMakeLists.txt.
    if (compiler && project_.cxx_compiler() == compiler->name) {
      say(fmt::format("compiling with {}, the fastest compiler found (set CXX for another one)",
                      compiler->name));
    }
    build();
  }
}

void Session::build() {
  output_->discard();
  try {
    run_build_tool(project_.build_command(), [this](int status) {
      if (status == 0) {
        after_build();
      } else {
        fail_build();
      }
    });
  } catch (const UserError& error) {
    lock_.release();
    fail("The project cannot be built", std::string(error.what()) + '\n');
  }
}

void Session::run_build_tool(const std::vector<std::string>& command,
                             std::function<void(int)> done) {
  std::vector<std::string> environment;
  if (options_.has_colors) environment = {"CLICOLOR_FORCE=1", "GCC_COLORS=always"};
  build_began_ = Clock::now();
  build_process_ = processes_.start(
      {.arguments = command,
       .directory = project_.folder(),
       .environment = environment,
       .captures_output = true,
       .output = [this](std::string_view text) { output_->add(text, Clock::now()); },
       .ended =
           [this, done = std::move(done)](int status) {
             build_process_ = 0;
             loop_.cancel(progress_timer_);
             progress_line_.erase();
             if (stop_signals_ > 0) return;
             if (must_build_again_) {
               begin_work();
             } else {
               done(status);
             }
           }});
  if (progress_line_.is_enabled()) {
    progress_timer_ = loop_.after(diagnostics::kProgressDelay, [this] { show_progress(); });
  }
}

void Session::fail_build() {
  output_->end(Clock::now());
  lock_.release();
  watch_inputs();
  fail(fmt::format("The build failed after {}", seconds(Clock::now() - work_began_)),
       output_->diagnostics());
}

/// The files outside the project, and those in it whose names do not say that a build reads them.
void Session::watch_inputs() {
  if (!project_.is_configured()) return;
  inputs_.read([this, begin = files_read_](const BuildInputs::Files& files) {
    if (watcher_) watcher_->watch_inputs(files, begin);
  });
}

void Session::show_progress() {
  std::string text = "fairway: building";
  if (const auto& progress = output_->progress()) {
    text += ": " + diagnostics::progress_text(progress->done, progress->total, "step",
                                              Clock::now() - build_began_);
  }
  progress_line_.show(text);
  progress_timer_ = loop_.after(kProgressInterval, [this] { show_progress(); });
}

void Session::after_build() {
  output_->end(Clock::now());
  lock_.release();
  watch_inputs();
  phases_ = output_->phases();
  std::error_code error;
  fs::path file;
  try {
    file = project_.program().file;
  } catch (const UserError& user_error) {
    fail("The project cannot be started", std::string(user_error.what()) + '\n');
    return;
  }
  const ProgramFile program{fs::last_write_time(file, error), fs::file_size(file, error)};
  const bool is_same = started_program_ == program && !must_restart_;
  if (is_same && current_ && !next_) {
    succeed();
    return;
  }
  if (is_same && next_) return;  // the server that is starting reports its result
  started_program_ = program;
  must_restart_ = false;
  port_changes_ = 0;
  start_server();
}

// Servers.

void Session::start_server() {
  if (next_) stop_server(*std::exchange(next_, std::nullopt));
  if (options_.stops_first && current_) {
    awaited_ = current_->process;
    stop_server(*std::exchange(current_, std::nullopt));
  }
  if (awaited_ != 0) return;
  start_began_ = Clock::now();
  Server server;
  server.port = free_port();
  std::vector<std::string> environment = {"PORT=" + std::to_string(server.port), "HOST=127.0.0.1"};
  if (std::getenv("FAIRWAY_ENV") == nullptr) environment.push_back("FAIRWAY_ENV=development");
  const auto process = std::make_shared<pid_t>(0);
  server.process = processes_.start(
      {.arguments = {project_.program().file.string()},
       .directory = project_.folder(),
       .environment = environment,
       .output = [this, process](std::string_view text) { on_server_output(*process, text); },
       .ended = [this, process](int status) { on_server_end(*process, status); }});
  *process = server.process;
  next_ = server;
  wait_for_server(server.process);
}

void Session::on_server_output(pid_t process, std::string_view text) {
  progress_line_.erase();
  std::cerr << text << std::flush;
  if (!next_ || next_->process != process) return;
  next_->errors += text;
  if (next_->errors.size() > kMaxErrors) {
    next_->errors.erase(0, next_->errors.size() - kMaxErrors);
  }
}

void Session::wait_for_server(pid_t process) {
  loop_.cancel(ready_timer_);
  if (!next_ || next_->process != process) return;
  if (accepts_connections(next_->port)) {
    if (port_changes_ == kMaxPortChanges || listens_on(process, next_->port)) {
      on_ready();
    } else {
      start_on_other_port();
    }
    return;
  }
  const auto waited = Clock::now() - start_began_;
  if (waited >= kSlowStart && waited < kSlowStart + kReadyInterval * 2) {
    say("the program has not opened its port yet; it must listen on the port in the environment "
        "variable PORT");
  }
  ready_timer_ = loop_.after(kReadyInterval, [this, process] { wait_for_server(process); });
}

/// The port was free, but nobody had reserved it.
void Session::start_on_other_port() {
  ++port_changes_;
  say(fmt::format("another process has taken port {}: starting the program on another port",
                  next_->port));
  start_server();
}

void Session::on_ready() {
  const std::optional<Server> old = std::exchange(current_, std::exchange(next_, std::nullopt));
  current_->is_ready = true;
  if (old) stop_server(*old);
  // If files have changed meanwhile, the running build reports its result.
  if (build_process_ == 0) succeed();
}

void Session::stop_server(const Server& server) {
  const pid_t process = server.process;
  processes_.signal(process, SIGTERM);
  loop_.after(kStopTime, [this, process] { processes_.signal(process, SIGKILL); });
}

void Session::on_server_end(pid_t process, int status) {
  if (stop_signals_ > 0) return;
  if (process == awaited_) {
    awaited_ = 0;
    start_server();
  } else if (next_ && next_->process == process) {
    if (port_changes_ < kMaxPortChanges && accepts_connections(next_->port)) {
      start_on_other_port();
      return;
    }
    const std::string errors = next_->errors;
    next_.reset();
    started_program_.reset();
    if (build_process_ != 0) return;
    fail(fmt::format("The program did not start: {}", describe_status(status)), errors);
  } else if (current_ && current_->process == process) {
    current_.reset();
    if (build_process_ != 0 || next_) return;  // a new server is about to start
    const std::string reason = describe_status(status);
    if (!std::exchange(was_restarted_after_crash_, true)) {
      say(fmt::format("the program ended with {}: starting it again", reason));
      phase_ = Phase::working;
      phases_.clear();
      work_began_ = Clock::now();
      port_changes_ = 0;
      start_server();
      return;
    }
    fail(fmt::format("The program ended again, with {}", reason), "");
  }
}

// Results.

void Session::succeed() {
  phase_ = Phase::ready;
  ++version_;
  const std::string color(options_.has_colors ? kGreen : "");
  say(fmt::format("{}ready{} in {}{}", color, color.empty() ? "" : kPlain,
                  seconds(Clock::now() - work_began_), times()));
  front_->reconsider();
}

void Session::fail(const std::string& title, const std::string& text) {
  phase_ = Phase::failed;
  ++version_;
  title_ = title;
  text_ = without_colors(text);
  const std::string color(options_.has_colors ? kRed : "");
  say(fmt::format("{}{}{}; {}", color, title, color.empty() ? "" : kPlain,
                  current_ ? "the last good version keeps running" : "nothing is running"));
  // The output of the program is already in the terminal.
  if (!title.starts_with("The program")) std::cerr << text << std::flush;
  front_->reconsider();
}

std::string Session::times() const {
  std::vector<std::string> parts;
  for (const auto& [name, time] : phases_)
    parts.push_back(fmt::format("{} {}", name, seconds(time)));
  if (start_began_ >= work_began_) {
    parts.push_back("restart " + seconds(Clock::now() - start_began_));
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

void Session::say(std::string_view text) {
  progress_line_.erase();
  // One write: the program writes to the same terminal.
  std::cerr << fmt::format("fairway: {}\n", text) << std::flush;
}

std::string Session::url() const {
  const bool is_ipv6 = options_.host.find(':') != std::string::npos;
  return is_ipv6 ? fmt::format("http://[{}]:{}", options_.host, front_->port())
                 : fmt::format("http://{}:{}", options_.host, front_->port());
}

// Requests.

Decision Session::decide(const FrontRequest& request) const {
  if (request.target.starts_with(kWaitPath)) {
    const std::string known = request.target.substr(kWaitPath.size());
    const bool has_changed = phase_ != Phase::working && known != std::to_string(version_);
    if (!has_changed && !request.has_waited) return Wait{};
    return Reply{200, "application/json", fmt::format(R"({{"version":{}}})", version_)};
  }
  if (phase_ == Phase::working && !request.has_waited) return Wait{};
  const bool is_page =
      request.accepts_html && (request.method == "GET" || request.method == "HEAD");
  if (phase_ == Phase::failed && is_page) return overlay();
  if (current_) return Forward{current_->port};
  const std::string_view reason = phase_ == Phase::failed
                                      ? "the application does not run: see the terminal of "
                                        "'fairway dev'"
                                      : "the application is still being built";
  return Reply{503, "application/json; charset=utf-8",
               fmt::format(R"({{"code":503,"message":"{}"}})", reason)};
}

Reply Session::overlay() const {
  return {500, "text/html; charset=utf-8",
          overlay_page({.title = title_,
                        .text = text_,
                        .note = current_ ? "Other requests reach the last good version."
                                         : "Nothing is running.",
                        .version = version_})};
}

}  // namespace fairway::dev
