// Concurrent work: `app.fetch.async` and `fw::all`.
#pragma once

#include <fairway/units.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fw {

namespace detail {

/// Runs one function on a thread, with the current request of the thread that started it. The
/// destructor aborts outbound calls of the function and waits for its end.
class BackgroundTask {
 public:
  /// `work` must not throw. If the process has 256 threads for background work, or no more can be
  /// started, it runs at once, on the calling thread.
  explicit BackgroundTask(std::function<void()> work);
  ~BackgroundTask();
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  bool wait_for(std::chrono::milliseconds duration) const;
  void wait() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Runs the functions concurrently, the first and those that get no thread on the calling thread,
/// and waits for all of them. If one throws, outbound calls of the others are aborted, and the
/// exception is rethrown at the end.
void run_together(const std::vector<std::function<void()>>& functions);

/// The type that `fw::all` returns for a function: the type of its value, or std::monostate for
/// void.
template <class F>
using AllResult = std::conditional_t<std::is_void_v<std::invoke_result_t<F&>>, std::monostate,
                                     std::decay_t<std::invoke_result_t<F&>>>;

}  // namespace detail

/// The result of a call that runs in the background. Must be used by one thread at a time. The
/// destructor cancels the call and waits until it has ended, which takes milliseconds.
template <class T>
class Future {
 public:
  /// Starts `work` on a separate thread. The process has at most 256 for such work and for
  /// `fw::all`; if there are so many, runs it at once, on the calling thread.
  explicit Future(std::function<T()> work) : result_(std::make_unique<Result>()) {
    task_ = std::make_unique<detail::BackgroundTask>([&result = *result_, work = std::move(work)] {
      try {
        result.value.emplace(work());
      } catch (...) {
        result.error = std::current_exception();
      }
    });
  }

  /// @{
  /// Moves. `get` of the source then throws std::logic_error. Assignment cancels the call of the
  /// target.
  Future(Future&&) noexcept = default;
  Future& operator=(Future&& other) noexcept {
    task_.reset();  // before the result that it uses
    result_ = std::move(other.result_);
    task_ = std::move(other.task_);
    return *this;
  }
  /// @}

  /// Waits for the value and returns it, or rethrows the exception of the call. Call it only once.
  T get() {
    if (!task_) throw std::logic_error("fw::Future: the value has been taken");
    task_->wait();
    task_.reset();
    if (result_->error) std::rethrow_exception(result_->error);
    return std::move(*result_->value);
  }
  /// Waits for at most `duration`. Returns whether the call has ended.
  bool wait_for(Milliseconds duration) const { return !task_ || task_->wait_for(duration); }
  /// Whether the call has ended. Does not wait.
  bool ready() const { return wait_for(0); }

 private:
  struct Result {
    std::optional<T> value;
    std::exception_ptr error;
  };

  std::unique_ptr<Result> result_;
  std::unique_ptr<detail::BackgroundTask> task_;  ///< last: it uses the result
};

/// Runs callables concurrently, each with the current request, and returns their results in the
/// same order. The first exception cancels the outbound calls of the other callables, and is
/// rethrown when all have ended.
///
///   auto [user, orders] = fw::all([&] { return billing.get("/users/1").json(); },
///                                 [&] { return billing.get("/orders?user=1").json(); });
template <class... F>
  requires(std::is_invocable_v<F&> && ...)
std::tuple<detail::AllResult<F>...> all(F&&... callables) {
  std::tuple<std::optional<detail::AllResult<F>>...> results;
  const auto functions = [&]<std::size_t... I>(std::index_sequence<I...>) {
    [[maybe_unused]] const auto wrap = [](auto& callable, auto& result) -> std::function<void()> {
      return [&callable, &result] {
        if constexpr (std::is_void_v<std::invoke_result_t<decltype(callable)>>) {
          callable();
          result.emplace();
        } else {
          result.emplace(callable());
        }
      };
    };
    return std::vector<std::function<void()>>{wrap(callables, std::get<I>(results))...};
  }(std::index_sequence_for<F...>());
  detail::run_together(functions);
  return std::apply(
      [](auto&... result) { return std::tuple<detail::AllResult<F>...>(std::move(*result)...); },
      results);
}

}  // namespace fw
