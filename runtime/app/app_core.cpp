// Construction and preparation. Mounting is in mount.cpp, serving in serve.cpp.
#include "app/app_core.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "config/config_errors.hpp"
#include "errors/exception_info.hpp"
#include "errors/throw_trace.hpp"
#include "logging/async_sink.hpp"

namespace fw::detail {
namespace {

/// Where standard streams are closed (`>&-`), the next descriptors would take their numbers, and
/// the log would go to a socket.
void keep_standard_streams() {
  int opened = STDIN_FILENO;
  while (opened >= 0 && opened <= STDERR_FILENO) opened = ::open("/dev/null", O_RDWR);
  if (opened >= 0) ::close(opened);
}

Logger make_logger(LoggerConfig config, std::vector<std::string>& errors) {
  keep_standard_streams();
  std::shared_ptr<LogSink> sink;
  try {
    sink = std::make_shared<AsyncSink>(config);
  } catch (const std::system_error& error) {
    errors.emplace_back(error.what());
    config.file.clear();
    sink = std::make_shared<AsyncSink>(config);
  }
  return Logger(std::move(sink), config.level);
}

}  // namespace

AppCore::AppCore(App& app, Config config)
    : env(app, config, make_logger(config.logger, errors_)), app_(app), pipeline_(env) {
  env.generate_request_id = env.config.request_id.generate;
  const std::vector<std::string> errors = config_errors(env.config);
  errors_.insert(errors_.end(), errors.begin(), errors.end());
  if (errors.empty()) env.body_limit = env.config.body_parser.max_body_size.bytes();
}

AppCore::~AppCore() {
  stop();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !stop_signal_ && !supervisor_; });  // `listen` may be on
  lock.unlock();
  shut_down();
}

void AppCore::require_set_up(std::string_view action) const {
  if (prepared_) {
    throw std::logic_error(fmt::format("{} comes before the application starts", action));
  }
}

void AppCore::use(Middleware middleware) {
  require_set_up("app.use");
  if (!middleware) throw std::invalid_argument("app.use: the middleware is empty");
  global_middlewares_.push_back(std::move(middleware));
}

void AppCore::on_ready(std::function<void(App&)> callback) {
  if (callback) ready_callbacks_.push_back(std::move(callback));
}

void AppCore::on_close(std::function<void(App&)> callback) {
  if (callback) close_callbacks_.push_back(std::move(callback));
}

void AppCore::prepare() {
  if (prepared_) return;
  env.locales = Locales::load(env.config.locale, errors_);
  env.stores.open(env.config, errors_);
  if (env.config.openapi.enabled) add_docs_routes();
  pipeline_.compose(
      global_middlewares_,
      [this](const MiddlewareRef& reference) { return make_middleware(reference); }, errors_);
  if (!errors_.empty()) throw StartupError(errors_);
  if (env.config.environment == "development") record_throws();  // for the error page
  prepared_ = true;
  hooks::RoutesReady event{app_};
  env.hooks.emit(event, env.logger);
  if (env.config.openapi.enabled) prepare_documentation();
}

void AppCore::announce_ready() {
  try {
    for (const auto& callback : ready_callbacks_) callback(app_);
  } catch (...) {
    throw StartupError({"on_ready: " + describe(std::current_exception()).stack});
  }
  hooks::AppReady event{app_};
  env.hooks.emit(event, env.logger);
}

void AppCore::close() {
  if (closed_.exchange(true)) return;
  for (auto callback = close_callbacks_.rbegin(); callback != close_callbacks_.rend(); ++callback) {
    try {
      (*callback)(app_);
    } catch (...) {
      const ExceptionInfo info = describe(std::current_exception());
      env.logger.error("on_close: " + info.stack, Json{{"err", to_log_field(info)}});
    }
  }
  hooks::AppClose event{app_};
  env.hooks.emit(event, env.logger);
  env.logger.sink()->flush();
}

}  // namespace fw::detail
