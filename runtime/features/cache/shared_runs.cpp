#include "features/cache/shared_runs.hpp"

#include <exception>

#include "exchange/cancellation.hpp"

namespace fw::detail {

bool SharedRuns::Leader::is_replaced() const {
  const std::lock_guard lock(owner_->mutex_);
  return run_ != nullptr && !run_->is_listed;
}

SharedRuns::Leader::~Leader() {
  if (!run_) return;
  std::shared_ptr<base::DeadlineTimer> timer;
  {
    const std::lock_guard lock(owner_->mutex_);
    if (!run_->parked.empty()) timer = run_->parked.front()->timer;
    owner_->vacate(run_);
  }
  if (timer) owner_->resume_all_later(timer);
}

void SharedRuns::Leader::fail() {
  const auto run = std::exchange(run_, nullptr);
  bool is_last = false;
  {
    const std::lock_guard lock(owner_->mutex_);
    is_last = ++run->failures >= kMaxFailures;
    if (!is_last) owner_->vacate(run);
  }
  if (is_last) {
    owner_->end(run, Outcome::failed, nullptr);
  } else {
    owner_->resume_all();
  }
}

void SharedRuns::vacate(const std::shared_ptr<Run>& run) {
  move_on(*run, Moved::all);
  if (run->waiting > 0) {
    run->state = State::vacant;
    run->changed.notify_one();
  } else if (!run->parked.empty()) {
    begin_lead(*run, Clock::now());
    ParkedRequest& next = *run->parked.front();
    next.joined.lead = std::move(next.offered);
    next.joined.lead->run_ = run;
    release(next, Outcome::lead);
  } else {
    run->state = State::vacant;
    unlist(*run);
  }
}

void SharedRuns::Leader::publish(std::shared_ptr<const StoredResponse> response, bool is_current) {
  owner_->end(std::exchange(run_, nullptr), Outcome::response, std::move(response), is_current);
}

bool SharedRuns::Leader::decline() {
  return owner_->end(std::exchange(run_, nullptr), Outcome::declined, nullptr);
}

void SharedRuns::Leader::restart() {
  owner_->end(std::exchange(run_, nullptr), Outcome::restarted, nullptr);
}

bool SharedRuns::end(const std::shared_ptr<Run>& run, Outcome outcome,
                     std::shared_ptr<const StoredResponse> response, bool is_current) {
  bool has_waiting = false;
  std::shared_ptr<base::DeadlineTimer> timer;
  {
    const std::lock_guard lock(mutex_);
    const bool is_newest = run->is_listed;
    unlist(*run);
    run->state = State::ended;
    run->outcome = outcome;
    run->response = std::move(response);
    run->changed.notify_all();
    has_waiting = run->waiting > 0 || !run->parked.empty();
    if (outcome == Outcome::response && (!is_current || !is_newest)) offer_next(*run);
    // Those that are to run the handler, or to fail, need nothing of each other.
    const bool has_next = outcome == Outcome::response || outcome == Outcome::restarted;
    release_first(*run, has_next ? kFirst : run->parked.size());
    if (!run->parked.empty()) timer = run->parked.front()->timer;
  }
  resume_all();
  if (timer) release_rest(run, *timer, 2 * kFirst);
  return has_waiting;
}

void SharedRuns::release_rest(const std::shared_ptr<Run>& run, base::DeadlineTimer& timer,
                              std::size_t count) {
  const auto step = [self = weak_from_this(), ended = std::weak_ptr(run), &timer, count] {
    const auto runs = self.lock();
    const auto rest = ended.lock();
    if (!runs || !rest) return;
    bool is_over = false;
    {
      const std::lock_guard lock(runs->mutex_);
      runs->release_first(*rest, count);
      is_over = rest->parked.empty();
    }
    runs->resume_all();
    if (!is_over) runs->release_rest(rest, timer, 2 * count);
  };
  try {
    timer.set(Clock::now() + kStep, step);
  } catch (const std::exception&) {
    {
      const std::lock_guard lock(mutex_);
      release_first(*run, run->parked.size());
    }
    resume_all();
  }
}

void SharedRuns::park_for(const std::shared_ptr<Run>& next, Run& run) {
  for (const auto& waiting : run.parked) waiting->run = next;
  next->parked.splice(next->parked.end(), run.parked);
}

void SharedRuns::move_on(Run& run, Moved which) {
  if (run.is_listed || run.parked.empty()) return;
  const auto found = runs_.find(run.key);
  if (found == runs_.end()) return;
  const std::shared_ptr<Run> next = found->second;
  const bool is_under_way =
      next->is_awaited && next->state == State::running && Clock::now() < next->abandoned_at;
  // The response of a run that has ended is still valid in its version.
  if (!is_under_way || (run.state == State::ended && run.version == next->version)) return;
  if (which == Moved::all) return park_for(next, run);
  for (auto place = run.parked.begin(); place != run.parked.end();) {
    const auto waiting = place++;
    if ((*waiting)->precedes(run)) continue;
    (*waiting)->run = next;
    next->parked.splice(next->parked.end(), run.parked, waiting);
  }
}

void SharedRuns::offer_next(Run& ended) noexcept {
  for (auto next = ended.parked.begin(); next != ended.parked.end();) {
    ParkedRequest& waiting = **next++;
    if (!waiting.precedes(ended)) continue;
    waiting.joined.response = ended.response;
    release(waiting, ended.outcome);
  }
  // They wait for the run of that key, or, without memory, are released.
  if (ended.parked.empty() || runs_.contains(ended.key)) return;
  try {
    const auto next = std::make_shared<Run>();
    next->key = ended.key;
    // Of no request now: another one that comes first begins a run of its own, and those that are
    // parked wait for that.
    next->version = ended.version;
    next->learned = ended.learned;
    next->longest = ended.longest;
    list(next, runs_.end());
    park_for(next, ended);
    vacate(next);
  } catch (const std::bad_alloc&) {
  }
}

void SharedRuns::release_first(Run& run, std::size_t count) {
  move_on(run, Moved::all);
  for (; count > 0 && !run.parked.empty(); --count) {
    ParkedRequest& next = *run.parked.front();
    next.is_first = true;
    next.joined.response = run.response;
    release(next, run.outcome);
  }
}

void SharedRuns::follow(EarlyWait& first, const std::shared_ptr<Run>& next) {
  ParkedRequest& request = *first.request_;
  if (!std::exchange(request.is_first, false)) return;
  Run& ended = *request.run;
  if (!next || next->key != ended.key) return release_first(ended, kFollowers);
  park_for(next, ended);
}

void SharedRuns::list(const std::shared_ptr<Run>& run, Runs::iterator found) {
  if (found == runs_.end()) {
    found = runs_.emplace(run->key, run).first;
  } else {
    found->second->is_listed = false;
    found->second = run;
  }
  run->place = found;
  run->is_listed = true;
}

void SharedRuns::unlist(Run& run) {
  for (const std::uint64_t digest : run.head_digests) {
    const auto found = by_head_digest_.find(digest);
    if (found != by_head_digest_.end() && found->second.get() == &run) by_head_digest_.erase(found);
  }
  run.head_digests.clear();
  head_digest_count_.store(by_head_digest_.size(), std::memory_order_relaxed);
  if (!std::exchange(run.is_listed, false)) return;
  runs_.erase(run.place);
}

void SharedRuns::await(const std::shared_ptr<Run>& run, std::optional<std::uint64_t> digest) {
  run->is_awaited = true;
  if (!digest || run->head_digests.size() >= kMaxHeadDigests ||
      std::ranges::count(run->head_digests, *digest) > 0)
    return;
  try {
    run->head_digests.push_back(*digest);
    const auto [found, is_new] = by_head_digest_.try_emplace(*digest, run);
    if (!is_new && !found->second->is_listed) found->second = run;
  } catch (const std::bad_alloc&) {
    return;  // requests with the digest wait on threads
  }
  head_digest_count_.store(by_head_digest_.size(), std::memory_order_relaxed);
}

void SharedRuns::begin_lead(Run& run, Clock::time_point now) {
  run.state = State::running;
  run.abandoned_at = now + run.longest;
}

SharedRuns::Joined SharedRuns::lead_new_run(const Joining& joining, Runs::iterator found,
                                            Clock::time_point now) {
  auto lead = std::make_unique<Leader>(shared_from_this(), nullptr);
  auto run = std::make_shared<Run>();
  run->key = joining.key;
  run->version = joining.version;
  run->seen = joining.seen;
  run->learned = joining.learned;
  run->longest = joining.longest;
  begin_lead(*run, now);
  const std::shared_ptr<Run> former = found == runs_.end() ? nullptr : found->second;
  list(run, found);
  // Others do not wait while there is a stale response.
  if (joining.deadline) await(run, joining.head_digest);
  if (former) {
    // A run that is still waited for has a response for those that came before it.
    move_on(*former, now < former->abandoned_at ? Moved::later : Moved::all);
  }
  lead->run_ = std::move(run);
  return {.outcome = Outcome::lead, .lead = std::move(lead)};
}

SharedRuns::Joined SharedRuns::join(const Joining& joining) {
  std::unique_lock lock(mutex_);
  const auto found = runs_.find(joining.key);
  const auto now = Clock::now();
  const bool begins =
      found == runs_.end() || found->second->version != joining.version ||
      (found->second->state == State::running && now >= found->second->abandoned_at);
  Joined lead = begins ? lead_new_run(joining, found, now) : Joined{Outcome::busy};
  const std::shared_ptr<Run> run = begins ? lead.lead->run_ : found->second;
  if (joining.earlier != nullptr) {
    if (!begins && run->state == State::running && joining.deadline)
      await(run, joining.head_digest);
    // Others do not wait while there is a stale response.
    follow(*joining.earlier, joining.deadline ? run : nullptr);
    lock.unlock();
    resume_all();
    lock.lock();
  }
  if (begins) return lead;
  if (run->state == State::running && !joining.deadline) return {.outcome = Outcome::busy};
  // Made in advance: a request that is offered the lead gets it even without memory.
  lead.lead = std::make_unique<Leader>(shared_from_this(), nullptr);
  if (run->state == State::running) {
    const ThreadWait thread(joining.transaction, joining.waiting_threads, run->waiting);
    if (!thread.may_wait()) return {.outcome = Outcome::crowded};
    await(run, joining.head_digest);
    ++run->waiting;
    const bool is_over = run->changed.wait_until(lock, joining.stop, *joining.deadline,
                                                 [&] { return run->state != State::running; });
    --run->waiting;
    if (!is_over || joining.stop.stop_requested()) {
      // The lead may have been offered to this request.
      if (run->state == State::vacant) vacate(run);
      lock.unlock();
      resume_all();
      if (joining.stop.stop_requested()) throw RequestCancelled();
      return {.outcome = Outcome::late};
    }
  }
  if (run->state == State::ended) return {.outcome = run->outcome, .response = run->response};
  if (run->version != joining.version) {
    // It has been led meanwhile by a request that has seen another version.
    vacate(run);
    lock.unlock();
    resume_all();
    return {.outcome = Outcome::restarted};
  }
  begin_lead(*run, Clock::now());
  run->seen = std::max(run->seen, joining.seen);
  lead.lead->run_ = run;
  lead.outcome = Outcome::lead;
  return lead;
}

std::shared_ptr<EarlyWait> SharedRuns::park(std::uint64_t digest,
                                            std::shared_ptr<http::WaitingRequest> request,
                                            Clock::time_point deadline,
                                            const std::shared_ptr<base::DeadlineTimer>& timer) {
  const auto parked = std::make_shared<ParkedRequest>();
  auto wait = std::make_shared<EarlyWait>(shared_from_this(), parked);
  const std::lock_guard lock(mutex_);
  const auto found = by_head_digest_.find(digest);
  if (found == by_head_digest_.end() || Clock::now() >= found->second->abandoned_at) return nullptr;
  parked->run = found->second;
  parked->arrival = ++arrivals_;
  parked->offered = std::make_unique<Leader>(shared_from_this(), nullptr);
  parked->timer = timer;
  parked->ticket = timer->set(
      deadline, [self = weak_from_this(), waiting = std::weak_ptr<ParkedRequest>(parked)] {
        const auto runs = self.lock();
        const auto late = waiting.lock();
        if (!runs || !late) return;
        {
          const std::lock_guard timer_lock(runs->mutex_);
          if (!late->is_waiting) return;
          runs->release(*late, Outcome::late);
        }
        runs->resume_all();
      });
  parked->place = parked->run->parked.insert(parked->run->parked.end(), parked);
  parked->request = std::move(request);
  parked->is_waiting = true;
  return wait;
}

EarlyWait::~EarlyWait() {
  std::unique_ptr<SharedRuns::Leader> unused;  // ends after the lock
  std::shared_ptr<http::WaitingRequest> waiting;
  bool leaves_first = false;
  {
    const std::lock_guard lock(owner_->mutex_);
    if (std::exchange(request_->is_waiting, false)) request_->run->parked.erase(request_->place);
    waiting = std::move(request_->request);
    unused = std::move(request_->joined.lead);
    // It has found nothing out.
    leaves_first = std::exchange(request_->is_first, false) && !request_->run->parked.empty();
    if (leaves_first) owner_->release_first(*request_->run, SharedRuns::kFollowers);
  }
  if (leaves_first) owner_->resume_all_later(request_->timer);
  if (request_->ticket) request_->timer->cancel(*request_->ticket);
}

void EarlyWait::pass() {
  std::unique_ptr<SharedRuns::Leader> lead;
  {
    const std::lock_guard lock(owner_->mutex_);
    lead = std::move(request_->joined.lead);
    if (std::exchange(request_->is_first, false)) {
      owner_->release_first(*request_->run, SharedRuns::kFollowers);
    }
  }
  if (lead) return lead->restart();
  owner_->resume_all();
}

bool EarlyWait::may_be_for(std::string_view key, std::uint8_t learned) const {
  const SharedRuns::Run& run = *request_->run;
  return run.key == key || run.learned != learned;
}

std::optional<SharedRuns::Joined> EarlyWait::take(const SharedRuns::Joining& joining) {
  using Outcome = SharedRuns::Outcome;
  SharedRuns::Joined joined{Outcome::restarted};
  bool is_result = false;
  {
    const std::lock_guard lock(owner_->mutex_);
    std::swap(joined, request_->joined);
    SharedRuns::Run& run = *request_->run;
    const bool is_key = run.key == joining.key;
    if (is_key && joined.outcome == Outcome::lead && run.is_listed) {
      // Its response is of the version that this request has seen.
      run.version = joining.version;
      run.seen = std::max(run.seen, joining.seen);
      if (joining.deadline) owner_->await(request_->run, joining.head_digest);
    }
    const bool is_valid = joined.outcome == Outcome::late || run.version == joining.version ||
                          (joined.outcome == Outcome::response && request_->precedes(run));
    is_result = is_key && is_valid && joined.outcome != Outcome::restarted;
    if (is_result && std::exchange(request_->is_first, false)) {
      owner_->release_first(run, SharedRuns::kFollowers);
    }
  }
  owner_->resume_all();
  if (!is_result) return std::nullopt;
  return joined;
}

void SharedRuns::release(ParkedRequest& parked, Outcome outcome) {
  parked.joined.outcome = outcome;
  parked.is_waiting = false;
  released_.splice(released_.end(), parked.run->parked, parked.place);
}

void SharedRuns::forget_head_digests() {
  const std::lock_guard lock(mutex_);
  by_head_digest_.clear();
  head_digest_count_.store(0, std::memory_order_relaxed);
}

void SharedRuns::resume_all() {
  std::unique_lock lock(mutex_);
  if (std::exchange(is_resuming_, true)) return;
  while (!released_.empty()) {
    auto parked = std::move(released_.front());
    released_.pop_front();
    auto request = std::move(parked->request);
    lock.unlock();
    if (request) request->resume();
    request.reset();
    parked.reset();
    lock.lock();
  }
  is_resuming_ = false;
}

void SharedRuns::resume_all_later(const std::shared_ptr<base::DeadlineTimer>& timer) noexcept {
  try {
    timer->set(Clock::now(), [self = shared_from_this()] { self->resume_all(); });
  } catch (const std::exception&) {
    resume_all();
  }
}

}  // namespace fw::detail
