// Services whose calls are events (docs/hooks.md, "Services").
#pragma once

#include <fairway/app.hpp>
#include <fairway/hooks.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace fw {

/// A service that was registered with `fw::add_announced`. Thread-safe if the service is.
template <class T>
class AnnouncedService {
 public:
  /// Used by `fw::add_announced`.
  AnnouncedService(App& app, std::string name, std::shared_ptr<T> service)
      : app_(app), name_(std::move(name)), service_(std::move(service)) {}

  /// Calls a member function of the service, or a function whose first argument is `T&`, and emits
  /// ServiceBeforeCall, and ServiceAfterCall or ServiceError, in which `method` names the function.
  /// Throws what the function or a ServiceBeforeCall handler throws.
  template <class F, class... Arguments>
  decltype(auto) call(std::string_view method, F&& function, Arguments&&... arguments) const {
    Announcement announcement(*this, method);
    try {
      return std::invoke(std::forward<F>(function), *service_,
                         std::forward<Arguments>(arguments)...);
    } catch (...) {
      announcement.fail();
      throw;
    }
  }

  /// The service, for calls that are not announced.
  T& service() const { return *service_; }

 private:
  /// One call. The result is constructed before this object is destroyed.
  class Announcement {
   public:
    Announcement(const AnnouncedService& service, std::string_view method)
        : service_(service), method_(method) {
      hooks::ServiceBeforeCall event{service_.name_, method_};
      service_.emit(event);
    }
    ~Announcement() {
      if (has_failed_) return;
      hooks::ServiceAfterCall event{service_.name_, method_, duration()};
      service_.emit(event);
    }
    Announcement(const Announcement&) = delete;
    Announcement& operator=(const Announcement&) = delete;

    void fail() {
      has_failed_ = true;
      hooks::ServiceError event{service_.name_, method_, std::current_exception(), duration()};
      service_.emit(event);
    }

   private:
    std::chrono::nanoseconds duration() const { return std::chrono::steady_clock::now() - begin_; }

    const AnnouncedService& service_;
    const std::string_view method_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    bool has_failed_ = false;
  };

  template <class Event>
  void emit(Event& event) const {
    if (app_.hooks().any<Event>()) app_.hooks().emit(event, app_.logger());
  }

  App& app_;
  const std::string name_;
  const std::shared_ptr<T> service_;
};

/// Constructs and registers a T, as `app.services().add<T>(…)` does, and an AnnouncedService<T>
/// through which its calls are events. `name` is the name of the service in the events. Throws
/// std::logic_error if there is a T already.
template <class T, class... Arguments>
AnnouncedService<T>& add_announced(App& app, std::string name, Arguments&&... arguments) {
  auto service = std::make_shared<T>(std::forward<Arguments>(arguments)...);
  app.services().add_instance<T>(service);
  auto& announced = app.services().add<AnnouncedService<T>>(app, name, std::move(service));
  hooks::ServiceLoaded event{name};
  app.hooks().emit(event, app.logger());
  return announced;
}

}  // namespace fw
