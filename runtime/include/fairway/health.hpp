// Checks of what an application needs to serve: `app.health()` (docs/metrics.md).
#pragma once

#include <fairway/units.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace fw {

namespace detail {

class HealthChecks;
struct Access;

template <class F>
inline constexpr bool kIsHealthResult =
    std::same_as<F, void> || std::same_as<std::remove_cvref_t<F>, bool>;

template <class F>
concept TimedHealthFunction = std::invocable<F&, std::stop_token> &&
                              kIsHealthResult<std::invoke_result_t<F&, std::stop_token>>;

template <class F>
concept PlainHealthFunction = std::invocable<F&> && kIsHealthResult<std::invoke_result_t<F&>>;

}  // namespace detail

/// The checks that `/readyz` of the admin listener runs. Without an admin listener, none runs.
///
///   app.health().check("database", [&pool] { pool.ping(); });
class Health {
 public:
  Health();  ///< `app.health()` has the checks of the application
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  /// Adds a check. It fails if `function` throws, returns false, or takes longer than `timeout`.
  /// The function may have a std::stop_token as its parameter, by which it is asked to end then. It
  /// is called on a thread of its own, never twice at a time; all probes that arrive meanwhile get
  /// the result of the same call. Call it before the application starts: throws std::logic_error
  /// afterwards, and for a name that exists, and std::invalid_argument for an empty function, a
  /// timeout below 1 ms, or a name with other characters than letters, digits and `_-.`.
  template <class F>
    requires detail::TimedHealthFunction<F> || detail::PlainHealthFunction<F>
  void check(std::string name, F function, Milliseconds timeout = 1'000) {
    if constexpr (std::is_pointer_v<F> || requires { function.operator bool(); }) {
      if (!function) return add(std::move(name), {}, timeout);
    }
    add(
        std::move(name),
        [function = std::move(function)](const std::stop_token& stop) mutable {
          if constexpr (detail::TimedHealthFunction<F>) {
            return passes([&] { return function(stop); });
          } else {
            return passes(function);
          }
        },
        timeout);
  }

 private:
  friend struct detail::Access;

  template <class Call>
  static bool passes(Call&& call) {
    if constexpr (std::is_void_v<std::invoke_result_t<Call&>>) {
      call();
      return true;
    } else {
      return call();
    }
  }
  void add(std::string name, std::function<bool(const std::stop_token&)> function,
           Milliseconds timeout);

  std::unique_ptr<detail::HealthChecks> checks_;
};

}  // namespace fw
