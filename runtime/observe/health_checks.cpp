#include "observe/health_checks.hpp"

#include <fairway/health.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/signals.hpp"
#include "errors/exception_info.hpp"

namespace fw::detail {
namespace {

using std::chrono::steady_clock;

bool is_check_name(const std::string& name) {
  const auto is_allowed = [](char c) {
    return base::is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), is_allowed);
}

/// Why the check has failed that has thrown the current exception.
std::string reason_of_exception() noexcept {
  try {
    ExceptionInfo info = describe(std::current_exception());
    return std::move(info.message.empty() ? info.type : info.message);
  } catch (const std::exception&) {
    return "out of memory";  // so short that it needs none
  }
}

}  // namespace

void HealthChecks::add(std::string name, Function function, std::chrono::milliseconds timeout) {
  if (has_begun_) {
    throw std::logic_error("app.health().check must be called before the application starts");
  }
  if (!is_check_name(name)) {
    throw std::invalid_argument(fmt::format(
        "the name '{}' of a health check must have letters, digits, '_', '-' and '.' only", name));
  }
  if (!function) throw std::invalid_argument("the health check '" + name + "' is empty");
  if (timeout.count() < 1) {
    throw std::invalid_argument("the timeout of the health check '" + name +
                                "' must be 1 ms or more");
  }
  const auto has_name = [&](const Check& check) { return check.name == name; };
  if (std::any_of(checks_.begin(), checks_.end(), has_name)) {
    throw std::logic_error("the health check '" + name + "' already exists");
  }
  checks_.push_back({.name = std::move(name), .function = std::move(function), .timeout = timeout});
}

void HealthChecks::begin(Report report) {
  report_ = std::move(report);
  has_begun_ = true;
}

/// A call that has not ended after its deadline is not followed by another one, so that a check
/// that hangs has one thread only.
void HealthChecks::start(Check& check) {
  if (check.ended != check.begun) return;
  if (check.thread.joinable()) check.thread.join();  // it has left `call`
  check.deadline = steady_clock::now() + check.timeout;
  ++check.begun;
  try {
    check.stop_source = std::stop_source();
    check.thread = std::thread([this, &check] { call(check); });
  } catch (const std::exception&) {
    // There is no thread or no memory for it.
    ++check.ended;
    check.has_passed = false;
    check.reason = reason_of_exception();
  }
}

void HealthChecks::call(Check& check) noexcept {
  base::block_signals();
  bool has_passed = false;
  std::string reason;
  try {
    has_passed = check.function(check.stop_source.get_token());
    if (!has_passed) reason = "it returned false";
  } catch (...) {
    reason = reason_of_exception();
  }
  // Notifies under the lock, because nothing of this object may be used after the thread is joined.
  const std::lock_guard lock(mutex_);
  ++check.ended;
  check.has_passed = has_passed;
  check.reason = std::move(reason);
  changed_.notify_all();
}

void HealthChecks::report(Check& check, State state) {
  if (check.is_reported == (state != State::ok)) return;
  check.is_reported = state != State::ok;
  std::string reason;
  if (state == State::failed) reason = check.reason;
  if (state == State::timeout) reason = fmt::format("no result after {} ms", check.timeout.count());
  report_(check.name, reason);
}

std::vector<HealthChecks::Result> HealthChecks::run() {
  std::unique_lock lock(mutex_);
  std::vector<Result> results;
  if (is_stopped_) return results;
  struct Call {
    Check& check;
    std::uint64_t number;
    steady_clock::time_point deadline;
    std::stop_source stop_source;
  };
  std::vector<Call> calls;
  for (Check& check : checks_) {
    start(check);
    calls.push_back({check, check.begun, check.deadline, check.stop_source});
  }
  for (Call& each : calls) {
    Check& check = each.check;
    changed_.wait_until(lock, each.deadline,
                        [&] { return check.ended >= each.number || is_stopped_; });
    if (is_stopped_) return {};
    const bool has_ended = check.ended >= each.number;
    State state = State::timeout;
    if (has_ended) state = check.has_passed ? State::ok : State::failed;
    if (!has_ended) {
      // Without the lock, because callbacks of the application run here.
      lock.unlock();
      each.stop_source.request_stop();
      lock.lock();
    }
    report(check, state);
    results.push_back({check.name, state});
  }
  return results;
}

bool HealthChecks::stop_until(steady_clock::time_point when) {
  std::unique_lock lock(mutex_);
  is_stopped_ = true;
  changed_.notify_all();
  for (Check& check : checks_) {
    std::stop_source source = check.stop_source;
    lock.unlock();
    source.request_stop();
    lock.lock();
  }
  const auto has_ended = [](const Check& check) { return check.ended == check.begun; };
  return changed_.wait_until(
      lock, when, [&] { return std::all_of(checks_.begin(), checks_.end(), has_ended); });
}

void HealthChecks::stop() {
  stop_until(steady_clock::now());
  // No other thread starts checks any more.
  for (Check& check : checks_) {
    if (check.thread.joinable()) check.thread.join();
  }
}

}  // namespace fw::detail

namespace fw {

Health::Health() : checks_(std::make_unique<detail::HealthChecks>()) {}
Health::~Health() = default;

void Health::add(std::string name, std::function<bool(const std::stop_token&)> function,
                 Milliseconds timeout) {
  checks_->add(std::move(name), std::move(function), timeout);
}

}  // namespace fw
