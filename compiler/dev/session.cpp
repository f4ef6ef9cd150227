#include "dev/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <signal.h>
#include <utility>

#include "base/origin.hpp"
#include "dev/overlay.hpp"
#include "dev/stored_report.hpp"
#include "files/user_error.hpp"
#include "process/processes.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kReadyInterval{5};
constexpr milliseconds kAnnounceDelay{50};
constexpr milliseconds kSlowStart{10'000};
constexpr unsigned kMaxPortChanges = 3;
constexpr std::size_t kMaxErrors = 16'384;
constexpr std::string_view kWaitPath = "/.fairway/dev/wait?version=";

}  // namespace

Session::Session(CmakeProject project, SessionOptions options)
    : project_(std::move(project)),
      options_(std::move(options)),
      lock_(project_.lock_file()),
      console_(options_.has_colors),
      build_(main_, lock_, console_, project_, {.configure_flags = options_.configure_flags},
             [this](const auto& failure) { after_build(failure); }),
      lints_(main_, console_, project_, options_.lint_commands),
      requests_([this] { on_requests_changed(); }),
      pages_(requests_, options_.host),
      spans_(main_.events(), [this](const auto& request) { requests_.add_spans(request); }) {
  proxy_ = std::make_unique<DevProxy>(
      main_.events(), options_.host, options_.port, options_.max_wait,
      [this](const ProxyRequest& request) { return decide(request); }, requests_, make_tls());
  watcher_ = std::make_unique<process::FileWatcher>(
      main_.events(), project_.folder(), project_.build_folder(), options_.polls,
      [this](const std::set<fs::path>& paths) { on_changes(paths); });
}

/// Null without --https.
std::unique_ptr<TlsContext> Session::make_tls() {
  if (!options_.is_https) return nullptr;
  const LocalCertificate files =
      local_certificate(project_.scratch_folder() / "tls", options_.host);
  if (files.is_new) {
    console_.say(fmt::format("made the certificate {}: browsers warn until they trust it",
                             files.certificate.lexically_relative(project_.folder()).string()));
  }
  return std::make_unique<TlsContext>(files);
}

void Session::run() {
  console_.say(
      fmt::format("serving {}, its requests are on {}, Ctrl-C stops", url(), RequestPages::kPath));
  if (!options_.polls && !watcher_->uses_inotify()) {
    console_.say("inotify is not available: files are read twice a second instead");
  }
  begin_work();
  main_.run([this] {
    watcher_.reset();
    main_.events().cancel(ready_timer_);
    main_.events().cancel(requests_timer_);
  });
}

// Changes and builds.

void Session::on_changes(const std::set<fs::path>& paths) {
  console_.say(process::changes_text(paths));
  const auto is_restart = [](const fs::path& path) {
    return process::relevance_of(path) == process::Relevance::restart;
  };
  must_restart_ = must_restart_ || std::ranges::any_of(paths, is_restart);
  was_restarted_after_crash_ = false;
  begin_work();
}

void Session::begin_work() {
  phase_ = Phase::working;
  lints_.cancel();
  build_.begin();
}

void Session::after_build(const std::optional<ProjectBuild::Failure>& failure) {
  build_.read_inputs(
      [this](const auto& files, auto begin) { watcher_->watch_inputs(files, begin); });
  work_began_ = build_.began();
  if (failure) {
    fail(failure->title, failure->text);
    return;
  }
  must_lint_ = true;
  phases_ = build_.phases();
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
    succeed("; the program has not changed");
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
  server.port = process::free_port();
  std::vector<std::string> environment = {
      "PORT=" + std::to_string(server.port), "HOST=127.0.0.1",
      "FAIRWAY_DEV_SPANS=" + spans_.endpoint(),
      options_.is_https ? "FAIRWAY_DEV=https" : "FAIRWAY_DEV=1"};
  if (std::getenv("FAIRWAY_ENV") == nullptr) environment.push_back("FAIRWAY_ENV=development");
  const auto process = std::make_shared<pid_t>(0);
  server.process = main_.processes().start(
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
  console_.write(text);
  if (!next_ || next_->process != process) return;
  next_->errors += text;
  if (next_->errors.size() > kMaxErrors) {
    next_->errors.erase(0, next_->errors.size() - kMaxErrors);
  }
}

void Session::wait_for_server(pid_t process) {
  main_.events().cancel(ready_timer_);
  if (!next_ || next_->process != process) return;
  if (process::accepts_connections(next_->port)) {
    if (port_changes_ == kMaxPortChanges || process::listens_on(process, next_->port)) {
      on_ready();
    } else {
      start_on_other_port();
    }
    return;
  }
  const bool is_slow = Clock::now() - start_began_ >= kSlowStart;
  if (is_slow && !std::exchange(next_->is_reported_slow, true)) {
    console_.say(
        "the program has not opened its port yet; it must listen on the port in the environment "
        "variable PORT");
  }
  ready_timer_ =
      main_.events().after(kReadyInterval, [this, process] { wait_for_server(process); });
}

/// The port was free, but not reserved.
void Session::start_on_other_port() {
  ++port_changes_;
  console_.say(fmt::format(
      "another process has taken port {}: starting the program on another port", next_->port));
  start_server();
}

void Session::on_ready() {
  const std::optional<Server> old = std::exchange(current_, std::exchange(next_, std::nullopt));
  current_->is_ready = true;
  if (old) stop_server(*old);
  read_project();
  // If files have changed meanwhile, the running build reports its result.
  if (!build_.is_running()) succeed();
}

void Session::stop_server(const Server& server) {
  const pid_t process = server.process;
  main_.processes().signal(process, SIGTERM);
  main_.events().after(process::kStopTime,
                       [this, process] { main_.processes().signal(process, SIGKILL); });
}

void Session::on_server_end(pid_t process, int status) {
  if (main_.is_stopping()) return;
  if (process == awaited_) {
    awaited_ = 0;
    start_server();
  } else if (next_ && next_->process == process) {
    if (port_changes_ < kMaxPortChanges && process::accepts_connections(next_->port)) {
      start_on_other_port();
      return;
    }
    const std::string errors = next_->errors;
    next_.reset();
    started_program_.reset();
    if (build_.is_running()) return;
    fail(fmt::format("The program did not start: {}", process::describe_status(status)), errors);
  } else if (current_ && current_->process == process) {
    current_.reset();
    if (build_.is_running() || next_) return;  // a new server is about to start
    const std::string reason = process::describe_status(status);
    if (!std::exchange(was_restarted_after_crash_, true)) {
      console_.say(fmt::format("the program ended with {}: starting it again", reason));
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

void Session::succeed(std::string_view remark) {
  phase_ = Phase::ready;
  ++version_;
  console_.say(fmt::format("{} in {}{}{}", console_.colored("ready", process::Color::green),
                           process::seconds_text(Clock::now() - work_began_), times(), remark));
  proxy_->reconsider();
  if (std::exchange(must_lint_, false)) lints_.begin();
}

void Session::fail(const std::string& title, const std::string& text) {
  phase_ = Phase::failed;
  ++version_;
  title_ = title;
  body_ = html_of_output(project_.reports_folder(), without_colors(text));
  console_.say(
      fmt::format("{}; {}", console_.colored(title, process::Color::red),
                  current_ ? "the last good version keeps running" : "nothing is running"));
  // The output of the program is already in the terminal.
  if (!title.starts_with("The program")) console_.write(text);
  console_.say(fmt::format("pages of {} show the error in a browser", url()));
  proxy_->reconsider();
}

std::string Session::times() const {
  std::vector<std::string> parts;
  for (const auto& [name, time] : phases_)
    parts.push_back(fmt::format("{} {}", name, process::seconds_text(time)));
  if (start_began_ >= work_began_) {
    parts.push_back("restart " + process::seconds_text(Clock::now() - start_began_));
  }
  return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
}

std::string Session::url() const {
  const std::string_view scheme = options_.is_https ? "https" : "http";
  return fmt::format("{}://{}", scheme, fw::base::host_and_port(options_.host, proxy_->port()));
}

// Requests.

/// Later, because a connection of the proxy may be the cause, and not for each change.
void Session::on_requests_changed() {
  if (requests_timer_ != 0) return;
  requests_timer_ = main_.events().after(kAnnounceDelay, [this] {
    requests_timer_ = 0;
    proxy_->reconsider();
  });
}

Decision Session::decide(const ProxyRequest& request) const {
  if (pages_.owns(request.target)) {
    return pages_.respond(request, project_view());
  }
  if (request.target.starts_with(kWaitPath)) {
    const std::string known = request.target.substr(kWaitPath.size());
    const bool has_changed = phase_ != Phase::working && known != std::to_string(version_);
    if (!has_changed && !request.has_waited) return Wait{};
    return Reply{200, "application/json", fmt::format(R"({{"version":{}}})", version_)};
  }
  if (request.target.starts_with(kRulePages)) {
    return rule(request.target.substr(kRulePages.size()));
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
  return error_reply(503, reason);
}

void Session::read_project() {
  if (options_.docs_path) docs_path_ = options_.docs_path();
  if (options_.source_dirs) source_dirs_ = options_.source_dirs();
  // A program without routes of Fairway has no documentation.
  const std::string shown = source_dirs_.empty() ? "" : docs_path_;
  if (std::exchange(shown_docs_path_, shown) == shown || shown.empty()) return;
  console_.say(fmt::format("the documentation of its API is on {}{}", url(), shown));
}

ProjectView Session::project_view() const {
  return {.port = current_ ? std::optional(current_->port) : std::nullopt,
          .failure = phase_ == Phase::failed ? title_ : "",
          .version = version_,
          .docs_path = current_ ? docs_path_ : "",
          .source_dirs = source_dirs_,
          .editor = options_.editor};
}

Reply Session::overlay() const {
  return {500, "text/html; charset=utf-8",
          overlay_page({.title = title_,
                        .body = body_,
                        .note = current_ ? "Other requests reach the last good version."
                                         : "Nothing is running.",
                        .version = version_})};
}

Reply Session::rule(const std::string& id) const {
  const auto explanation = options_.explain ? options_.explain(id) : std::nullopt;
  if (!explanation) {
    return {404, "application/json; charset=utf-8", R"({"code":404,"message":"no such rule"})"};
  }
  return {200, "text/html; charset=utf-8", rule_page(id, *explanation)};
}

}  // namespace fairway::dev
