#include "app/server.hpp"

#include <fairway/errors.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

#include "app/access.hpp"
#include "app/adapter_error.hpp"
#include "app/admin_pages.hpp"
#include "app/admin_server.hpp"
#include "base/origin.hpp"
#include "errors/messages.hpp"
#include "features/topics/topic_relay.hpp"
#include "http/tls/tls_server.hpp"
#include "observe/health_checks.hpp"

namespace fw::detail {
namespace {

/// Time for handlers to notice that their clients were cut off, before the process exits anyway.
/// If it does not wait for them, it exits within a second after shutdown.timeout, including the
/// flush of the log.
constexpr std::chrono::milliseconds kShutdownNoticeTime{300};
/// Time for the callbacks of clients that are cut off, and what else of the application runs then.
/// The supervisor of a cluster kills its workers 5 s after shutdown.timeout.
constexpr std::chrono::milliseconds kCallbackTime{3'000};
/// Time for the collector to accept the last spans.
constexpr std::chrono::milliseconds kSpanFlushTime{2'000};

std::string format_address(const Config& config, const std::string& host, std::uint16_t port) {
  if (!config.server.unix_socket.empty()) return "unix:" + config.server.unix_socket;
  const std::string_view scheme = config.server.tls.is_enabled() ? "https" : "http";
  return fmt::format("{}://{}", scheme, base::host_and_port(host, port));
}

/// The bound address, for the log.
std::string bound_address(const Config& config, std::uint16_t port) {
  return format_address(config, config.host.empty() ? "0.0.0.0" : config.host, port);
}

/// `fairway dev` reports itself where the application is served, and when a program replaces
/// another.
LogLevel level_of_start_and_stop() {
  return std::getenv("FAIRWAY_DEV") == nullptr ? LogLevel::info : LogLevel::debug;
}

}  // namespace

Server::Server(AppCore& core) : core_(core), env_(core.env) {}

Server::~Server() {
  stop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock,
                [this] { return !stop_signal_ && !supervisor_; });  // `listen` may still be running
  lock.unlock();
  shut_down();
}

namespace {

/// Throws StartupError for sockets on an engine that has none.
void require_sockets(const http::Adapter& adapter, const Pipeline& pipeline) {
  if (adapter.has_sockets()) return;
  std::vector<std::string> errors;
  for (const Route* const route : pipeline.routes()) {
    if (!route->socket_policy) continue;
    errors.push_back(fmt::format("{}: {}: the httplib engine has no sockets: use the epoll engine",
                                 source_of(*route), name_of(*route)));
  }
  if (!errors.empty()) throw StartupError(std::move(errors));
}

}  // namespace

std::shared_ptr<http::SecureServer> Server::open_tls() const {
  const TlsConfig& config = env_.config.server.tls;
  if (!config.is_enabled()) return nullptr;
  // The server is destroyed before the environment.
  const Logger& logger = env_.logger;
  http::TlsReport report{.inform = [&logger](const std::string& text) { logger.info(text); },
                         .warn = [&logger](const std::string& text) { logger.warn(text); }};
  std::vector<http::TlsError> errors;
  auto server = http::make_tls_server(config, ticket_secret_, std::move(report), errors,
                                      http::AdapterOptions(env_.config).http2.over_tls);
  if (errors.empty()) return server;
  std::vector<std::string> messages;
  for (const auto& [pointer, message] : errors) {
    messages.push_back(fmt::format("configuration: /server/tls{}: {}", pointer, message));
  }
  throw StartupError(std::move(messages));
}

void Server::open_port() {
  hooks::ServerBeforeListen event{env_.app};
  env_.hooks.emit(event, env_.logger);
  auto adapter = http::make_adapter(env_.config.server.engine);
  require_sockets(*adapter, core_.pipeline());
  http::AdapterOptions options(env_.config);
  options.inherited_listeners = inherited_listeners_;
  options.tls = open_tls();
  options.buffers = env_.buffers;
  options.plan = [this](const http::RequestHead& head) { return core_.pipeline().plan(head); };
  options.prepares_requests = core_.pipeline().prepares_requests();
  options.report_late = [this](std::size_t count) {
    env_.logger.warn(
        fmt::format("{} requests got 503, because no thread was free for them within {} ms "
                    "(server.queueTimeout)",
                    count, env_.config.server.queue_timeout));
  };
  options.report_floods = [this](std::size_t count) {
    env_.logger.warn(
        fmt::format("{} HTTP/2 connections were closed, because their clients sent floods of "
                    "frames without requests, or canceled too many requests",
                    count));
  };
  options.report_failed_accepts = [this](std::size_t count, int error) {
    env_.logger.warn(fmt::format("clients could not be accepted {} times: {}", count,
                                 std::generic_category().message(error)));
  };
  // Under the lock, so that a stop is either before or after it. Running handlers wait for the
  // lock.
  const std::lock_guard lock(mutex_);
  if (state_ != State::not_started) {
    throw std::logic_error("the application was stopped: create another one");
  }
  open_admin();
  adapter->start(
      std::move(options),
      [this](const std::shared_ptr<http::Transaction>& transaction) {
        core_.pipeline().handle(transaction);
      },
      [this](int status, std::string_view message) {
        if (env_.metrics) env_.metrics->count_engine_error(status);
        return adapter_error(env_.config, status, message);
      });
  adapter_ = std::move(adapter);
  measured_ = adapter_.get();
  state_ = State::running;
  if (!env_.config.server.tls.is_enabled()) return;
  reload_signal_.emplace();
  if (env_.config.server.tls.redirect_from != 0) {
    try {
      redirect_.emplace(env_, adapter_->port());
    } catch (const std::system_error& error) {
      throw StartupError(
          {fmt::format("configuration: /server/tls/redirectFrom: {}", error.what())});
    }
  }
}

void Server::open_admin() {
  // A worker may have read another configuration than its supervisor, which decides.
  const bool is_wanted =
      role_ != nullptr ? role_->admin_socket() >= 0 : env_.config.admin.is_enabled();
  if (!is_wanted) return;
  try {
    admin_ = std::make_unique<AdminListener>(
        core_,
        [this] {
          const std::lock_guard lock(mutex_);
          return measured_ != nullptr ? measured_->figures() : last_figures_;
        },
        role_);
  } catch (const std::system_error& error) {
    throw StartupError({fmt::format("configuration: /admin: {}", error.what())});
  }
}

void Server::start() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != State::not_started) {
      throw std::logic_error("the application has been started already");
    }
  }
  core_.prepare();
  try {
    open_port();
    core_.lifecycle.announce_ready();
    const std::lock_guard lock(mutex_);
    if (admin_ && state_ == State::running) admin_->set_phase(AdminListener::Phase::serving);
  } catch (...) {
    shut_down();
    core_.lifecycle.close();  // a stop during `prepare` has not done it
    throw;
  }
  env_.logger.log(level_of_start_and_stop(), "listening on " + bound_address(env_.config, port()));
}

int Server::listen(std::optional<std::uint16_t> port) {
  if (port) env_.config.port = *port;
  struct Scope {
    Server& server;
    ~Scope() { server.end_listening(); }
  } const scope{*this};
  std::optional<cluster::WorkerRole> role;
  try {
    role = cluster::WorkerRole::take();
    if (!role) warn_of_missing_services();
    if (!role && env_.config.cluster.enabled) return supervise();
  } catch (const StartupError& error) {
    report_startup_errors(error.errors());
    return 1;
  } catch (const std::exception& error) {
    report_startup_errors({error.what()});
    return 1;
  }
  return serve(role);
}

/// At the start, because the first request would fail otherwise. Once for all workers.
void Server::warn_of_missing_services() const {
  for (const std::string& name : services_never_added()) {
    env_.logger.warn(
        fmt::format("the program gets the service {0}, but contains no code that adds it; add it "
                    "with app.services().add<{0}>() in main or in a plugin",
                    name));
  }
}

void Server::end_listening() {
  const std::lock_guard lock(mutex_);
  stop_signal_.reset();
  supervisor_.reset();
  changed_.notify_all();
}

int Server::serve(const std::optional<cluster::WorkerRole>& role) {
  StopSignal* signal = nullptr;
  bool has_started = false;
  std::vector<std::string> errors;
  try {
    // Before the port is opened, because a process that waits for the port may send a signal at
    // once.
    auto owned = std::make_unique<StopSignal>(role ? StopSignal::OnSecondSignal::ignore
                                                   : StopSignal::OnSecondSignal::ends_process);
    {
      const std::lock_guard lock(mutex_);
      stop_signal_ = std::move(owned);
      signal = stop_signal_.get();
    }
    if (role) {
      inherited_listeners_ = role->listeners();
      ticket_secret_ = role->ticket_secret();
      role_ = &*role;
      env_.logger = env_.logger.child({{"worker", role->number()}});
    }
    start();
    has_started = true;
  } catch (const StartupError& error) {
    errors = error.errors();
  } catch (const std::exception& error) {
    errors = {error.what()};
  }
  if (!has_started && role) role->report_errors(errors);
  if (!has_started && !role) report_startup_errors(errors);
  if (has_started) {
    if (role) role->report_ready();
    // Only this thread stops the adapter, after the signal.
    adapter_->wait_until_readable(signal->descriptor());
    const bool ends_process = signal->wait();
    env_.logger.log(level_of_start_and_stop(), "stopping");
    if (!shut_down(!ends_process)) std::_Exit(0);
  }
  return has_started ? 0 : 1;
}

int Server::supervise() {
  core_.require_no_errors();
  std::vector<std::string> errors;
  open_tls();  // a wrong certificate is an error here, not in each worker
  env_.stores.open(env_.config, errors);
  if (!errors.empty()) throw StartupError(errors);
  if (const auto unshared = env_.stores.unshared(env_.config); !unshared.empty()) {
    env_.logger.warn(
        fmt::format("each worker has a store of its own in memory, which the others do not see, "
                    "for: {}; use the store \"redis\" to share it (docs/stores.md)",
                    fmt::join(unshared, ", ")));
  }
  {
    auto supervisor = std::make_unique<cluster::Supervisor>(
        env_.config, http::AdapterOptions(env_.config), env_.logger);
    const std::lock_guard lock(mutex_);
    supervisor_ = std::move(supervisor);
  }
  env_.logger.log(level_of_start_and_stop(),
                  "supervising workers on " + bound_address(env_.config, port()));
  std::unique_ptr<AdminServer> admin;
  if (env_.config.admin.is_enabled()) {
    try {
      admin = std::make_unique<AdminServer>(
          env_.config, cluster_pages(env_.config, env_.logger, supervisor_->view()));
    } catch (const std::system_error& error) {
      throw StartupError({fmt::format("configuration: /admin: {}", error.what())});
    }
  }
  const int status = supervisor_->run();
  if (admin) admin->stop(kShutdownNoticeTime);
  env_.logger.sink()->flush();
  return status;
}

void Server::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (stop_signal_ || supervisor_) {
      if (stop_signal_) stop_signal_->notify();
      if (supervisor_) supervisor_->request_stop();
      return;
    }
  }
  shut_down();
}

bool Server::begin_stop() {
  std::unique_lock lock(mutex_);
  if (state_ == State::stopping && stopping_thread_ != std::this_thread::get_id()) {
    changed_.wait(lock, [this] { return state_ == State::stopped; });
  }
  if (state_ == State::stopping || state_ == State::stopped) return false;
  state_ = State::stopping;
  stopping_thread_ = std::this_thread::get_id();
  if (admin_) admin_->set_phase(AdminListener::Phase::stopping);
  return true;
}

bool Server::shut_down(bool waits_for_handlers) {
  if (!begin_stop()) return true;
  if (!stop_adapter(waits_for_handlers)) {
    if (core_.trace_export) core_.trace_export->stop(kShutdownNoticeTime);
    env_.logger.sink()->flush();
    return false;  // still stopping; other callers wait until the process exits
  }
  if (core_.is_prepared()) core_.lifecycle.close();
  if (core_.trace_export) core_.trace_export->stop(kSpanFlushTime);
  core_.client->stop();
  Access::relay(core_.topics).stop();
  const std::lock_guard lock(mutex_);
  state_ = State::stopped;
  changed_.notify_all();
  return true;
}

bool Server::stop_adapter(bool waits_for_handlers) {
  std::unique_ptr<http::Adapter> adapter;
  {
    const std::lock_guard lock(mutex_);
    adapter = std::move(adapter_);
    redirect_.reset();
    reload_signal_.reset();
  }
  const std::chrono::milliseconds grace(env_.config.shutdown.timeout);
  const auto until = std::chrono::steady_clock::now() + grace;
  BackgroundPool& renewals = core_.background();
  renewals.stop();
  bool have_ended = !adapter;
  if (adapter) {
    const auto limit = waits_for_handlers ? std::nullopt : limit_callbacks(until + kCallbackTime);
    have_ended = adapter->stop(grace);
    if (limit) env_.deadlines->cancel(*limit);
  }
  if (!have_ended) {
    env_.logger.warn(
        fmt::format("requests were still running after {} ms and were cut off", grace.count()));
  }
  const bool are_renewed = renewals.wait_until(until);
  if (!are_renewed) {
    env_.logger.warn(fmt::format(
        "pages were still being renewed after {} ms; the renewals were canceled", grace.count()));
  }
  renewals.cancel();
  if (!waits_for_handlers) {
    const auto end = std::chrono::steady_clock::now() + kShutdownNoticeTime;
    if (!have_ended) have_ended = adapter->stop(kShutdownNoticeTime);
    if (!renewals.wait_until(end) || !have_ended) {
      static_cast<void>(adapter.release());  // used until the process exits
      stop_admin(false, until);
      return false;
    }
  }
  if (adapter) {
    {
      const std::lock_guard lock(mutex_);
      last_figures_ = measured_->figures();
      measured_ = nullptr;
    }
    adapter.reset();  // waits for its handlers
    const std::lock_guard lock(mutex_);
    // It has no workers and connections any more, but what it has counted stays.
    if (last_figures_) last_figures_ = http::AdapterFigures{.floods = last_figures_->floods};
  }
  renewals.wait();
  return stop_admin(waits_for_handlers, until);
}

/// Ends the process at that time, because callbacks of `req.on_close` take long. Nothing if there
/// is no thread or no memory for it.
std::optional<base::DeadlineTimer::Ticket> Server::limit_callbacks(
    std::chrono::steady_clock::time_point when) {
  const auto end = [this] {
    std::size_t clients = 0;
    {
      const std::lock_guard lock(mutex_);
      if (measured_ != nullptr)
        clients = measured_->figures().value_or(http::AdapterFigures()).connections;
    }
    env_.logger.error(fmt::format(
        "callbacks of clients that were cut off had not ended {} ms after shutdown.timeout, and {} "
        "clients were still to be cut off: the process exits",
        kCallbackTime.count(), clients));
    if (core_.trace_export) core_.trace_export->stop(kShutdownNoticeTime);
    env_.logger.sink()->flush();
    std::_Exit(0);
  };
  try {
    return env_.deadlines->set(when, end);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool Server::stop_admin(bool waits_for_checks, std::chrono::steady_clock::time_point until) {
  std::unique_ptr<AdminListener> admin;
  {
    const std::lock_guard lock(mutex_);
    admin = std::move(admin_);
  }
  if (!admin) return true;
  HealthChecks& checks = Access::checks(core_.health);
  const bool have_ended =
      checks.stop_until(std::max(until, std::chrono::steady_clock::now() + kShutdownNoticeTime));
  admin->stop(kShutdownNoticeTime);
  if (!have_ended) {
    env_.logger.warn("health checks were still running when the application was to stop");
    if (!waits_for_checks) {
      static_cast<void>(admin.release());
      return false;
    }
    checks.stop();
  }
  return true;
}

std::uint16_t Server::port() const {
  const std::lock_guard lock(mutex_);
  if (supervisor_) return supervisor_->port();
  return adapter_ ? adapter_->port() : std::uint16_t{0};
}

std::string Server::address() const {
  {
    const std::lock_guard lock(mutex_);
    if (!adapter_ && !supervisor_) return {};
  }
  const std::string& host = env_.config.host;
  const bool is_any = host == "0.0.0.0" || host == "::" || host.empty();
  return format_address(env_.config, is_any ? "127.0.0.1" : host, port());
}

}  // namespace fw::detail
