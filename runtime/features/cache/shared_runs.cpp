#include "features/cache/shared_runs.hpp"

#include <utility>

#include "exchange/cancellation.hpp"

namespace fw::detail {

SharedRuns::Lead::~Lead() {
  if (!run_) return;
  const std::lock_guard lock(owner_.mutex_);
  owner_.vacate(*run_);
}

void SharedRuns::Lead::fail() {
  const auto run = std::exchange(run_, nullptr);
  {
    const std::lock_guard lock(owner_.mutex_);
    if (++run->failures < kMaxFailures) return owner_.vacate(*run);
  }
  owner_.end(*run, Outcome::failed, nullptr);
}

void SharedRuns::vacate(Run& run) {
  run.state = State::vacant;
  if (run.waiting == 0) {
    unlist(run);
  } else {
    run.changed.notify_one();
  }
}

void SharedRuns::Lead::publish(std::shared_ptr<const StoredResponse> response) {
  owner_.end(*std::exchange(run_, nullptr), Outcome::response, std::move(response));
}

bool SharedRuns::Lead::decline() {
  return owner_.end(*std::exchange(run_, nullptr), Outcome::declined, nullptr);
}

void SharedRuns::Lead::restart() {
  owner_.end(*std::exchange(run_, nullptr), Outcome::restarted, nullptr);
}

bool SharedRuns::end(Run& run, Outcome outcome, std::shared_ptr<const StoredResponse> response) {
  const std::lock_guard lock(mutex_);
  unlist(run);
  run.state = State::ended;
  run.outcome = outcome;
  run.response = std::move(response);
  run.changed.notify_all();
  return run.waiting > 0;
}

void SharedRuns::unlist(Run& run) {
  if (!std::exchange(run.is_listed, false)) return;
  runs_.erase(run.place);
}

SharedRuns::Joined SharedRuns::join(std::string_view key, std::uint64_t version,
                                    const std::stop_token& stop,
                                    std::optional<Clock::time_point> deadline) {
  std::unique_lock lock(mutex_);
  auto found = runs_.find(key);
  if (found == runs_.end() || found->second->version != version) {
    auto run = std::make_shared<Run>();
    run->version = version;
    if (found == runs_.end()) {
      found = runs_.emplace(key, run).first;
    } else {
      found->second->is_listed = false;
      found->second = run;
    }
    run->place = found;
    run->is_listed = true;
    return {.outcome = Outcome::lead, .lead = std::make_unique<Lead>(*this, std::move(run))};
  }
  const std::shared_ptr<Run> run = found->second;
  if (run->state == State::running) {
    if (!deadline) return {.outcome = Outcome::busy};
    ++run->waiting;
    const bool is_over = run->changed.wait_until(lock, stop, *deadline,
                                                 [&] { return run->state != State::running; });
    --run->waiting;
    if (!is_over || stop.stop_requested()) {
      // The lead may have been offered to this request.
      if (run->state == State::vacant) {
        if (run->waiting == 0) unlist(*run);
        run->changed.notify_one();
      }
      if (stop.stop_requested()) throw RequestCancelled();
      return {.outcome = Outcome::late};
    }
  }
  if (run->state == State::ended) return {.outcome = run->outcome, .response = run->response};
  run->state = State::running;
  return {.outcome = Outcome::lead, .lead = std::make_unique<Lead>(*this, run)};
}

}  // namespace fw::detail
