#include "app/lifecycle.hpp"

#include <fairway/errors.hpp>

#include <exception>
#include <utility>

#include "errors/exception_info.hpp"

namespace fw::detail {

void Lifecycle::on_ready(std::function<void(App&)> callback) {
  if (callback) ready_callbacks_.push_back(std::move(callback));
}

void Lifecycle::on_close(std::function<void(App&)> callback) {
  if (callback) close_callbacks_.push_back(std::move(callback));
}

void Lifecycle::announce_ready() {
  try {
    for (const auto& callback : ready_callbacks_) callback(env_.app);
  } catch (...) {
    throw StartupError({"on_ready: " + describe(std::current_exception()).stack});
  }
  hooks::AppReady event{env_.app};
  env_.hooks.emit(event, env_.logger);
}

void Lifecycle::close() {
  if (closed_.exchange(true)) return;
  for (auto callback = close_callbacks_.rbegin(); callback != close_callbacks_.rend(); ++callback) {
    try {
      (*callback)(env_.app);
    } catch (...) {
      const ExceptionInfo info = describe(std::current_exception());
      env_.logger.error("on_close: " + info.stack, log_fields(info));
    }
  }
  hooks::AppClose event{env_.app};
  env_.hooks.emit(event, env_.logger);
  env_.logger.sink()->flush();
}

}  // namespace fw::detail
