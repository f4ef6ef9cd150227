#include "features/cache/cached_run.hpp"

#include <fairway/hooks.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "errors/messages.hpp"
#include "exchange/cancellation.hpp"
#include "features/cache/early_waiter.hpp"
#include "observe/active_span.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// How long requests for a key do not wait for each other after a response was not shared.
constexpr std::chrono::seconds kDeclinedFor{10};
/// Between two looks for the response of another process.
constexpr milliseconds kFirstDelay{5};
constexpr milliseconds kMaxDelay{100};

bool is_fresh(const std::shared_ptr<const StoredResponse>& response, const StoredResponses& cache) {
  return response && !response->is_stale(cache.now());
}

bool is_cancelled(Exchange& exchange) { return exchange.cancellation()->token().stop_requested(); }

void require_client(Exchange& exchange) {
  if (is_cancelled(exchange)) throw RequestCancelled();
}

/// After a call of the store: one of the application may have taken longer than the route has time.
void require_time(const Exchange& exchange) {
  if (exchange.transaction->has_response()) throw RequestCancelled();
}

/// After this time, others do not wait for a handler: it may never return.
milliseconds longest_run(const Exchange& exchange) {
  const milliseconds longest(exchange.env.config.cache.wait_timeout);
  const auto& limit = exchange.route->time_limit();
  constexpr milliseconds kMax = std::chrono::hours(24);
  return std::min(limit ? std::max(longest, milliseconds(limit->count())) : longest, kMax);
}

/// The run of another request takes too long.
[[noreturn]] void reject(Exchange& exchange) {
  exchange.outgoing.set_field("retry-after", "1");
  throw status_error(503);
}

}  // namespace

template <class Use>
std::invoke_result_t<Use> CachedRun::guarded(Exchange& exchange, const Use& use) {
  try {
    return use();
  } catch (const StoreError& error) {
    is_down_ = true;
    route_.cache.count_error();
    if (exchange.env.hooks.any<hooks::CacheError>()) {
      const std::string base = key_->base();
      hooks::CacheError event{exchange.request, base, std::current_exception()};
      exchange.env.hooks.emit(event, exchange.env.logger);
    }
    if (route_.cache.may_log_error()) {
      exchange.env.logger.error("the response cache cannot use its store",
                                Json{{"err", error.what()}});
    }
    return {};
  }
}

StoredResponses::Found CachedRun::find(Exchange& exchange, StoredResponse::Clock::time_point now,
                                       std::string* claim) {
  auto found =
      guarded(exchange, [&] { return route_.cache.find(*key_, route_.tags(), now, claim); });
  if (is_down_) found.version = found.own_version = route_.cache.own_version(*key_, route_.tags());
  return found;
}

const std::shared_ptr<const StoredResponse>& CachedRun::look_up(
    Exchange& exchange, StoredResponse::Clock::time_point now) {
  seen_ = route_.cache.runs()->arrivals();
  found_ = find(exchange, now);
  require_time(exchange);
  if (found_.response && found_.response->form == StoredResponse::Form::none) {
    is_declined_ = true;
    found_.response.reset();
  }
  RoutePlan* const plan = exchange.plan();
  if (plan != nullptr && plan->early_wait) {
    if (!plan->early_wait->may_be_for(key_->full(), key_->learned())) {
      exchange.route->early_waiter->pause(exchange.head);
    }
    if (is_fresh(found_.response, route_.cache)) {
      std::exchange(plan->early_wait, nullptr)->pass();
    }
  }
  return found_.response;
}

CachedRun::Next CachedRun::send_for_all(std::shared_ptr<const StoredResponse> response) {
  response_ = std::move(response);
  lead_->publish(response_);
  lead_.reset();
  return Next::send;
}

CachedRun::Next CachedRun::join(Exchange& exchange) {
  const Next next = join_runs(exchange);
  if (next == Next::run) require_time(exchange);
  return next;
}

CachedRun::Next CachedRun::join_runs(Exchange& exchange) {
  RoutePlan* const plan = exchange.plan();
  const auto wait = plan != nullptr ? std::exchange(plan->early_wait, nullptr) : nullptr;
  const EarlyWaiter* const waiter = exchange.route->early_waiter.get();
  const bool is_stale = found_.response != nullptr;
  const auto patience = exchange.start_time(steady_clock::now()) +
                        milliseconds(exchange.env.config.cache.wait_timeout);
  const SharedRuns::Joining joining{
      .key = key_->full(),
      .version = found_.version,
      .seen = seen_,
      .head_digest = waiter != nullptr ? waiter->head_digest(exchange.head) : std::nullopt,
      .deadline = is_stale ? std::nullopt : std::optional(patience),
      .stop = exchange.cancellation()->token(),
      .transaction = *exchange.transaction,
      .waiting_threads = route_.waiting_threads(),
      .earlier = wait.get(),
      .learned = key_->learned(),
      .longest = longest_run(exchange)};
  auto awaited = wait ? wait->take(joining) : std::nullopt;
  if (awaited) require_client(exchange);
  if (is_declined_) return Next::run;
  using Outcome = SharedRuns::Outcome;
  ActiveSpan span("cache wait");
  auto joined = [&] {
    const RequestStateScope scope(exchange, RequestState::waiting);
    return awaited ? std::move(*awaited) : route_.cache.runs()->join(joining);
  }();
  // A wait before the request was handled is a span already.
  const bool has_waited = !awaited && joined.outcome != Outcome::lead &&
                          joined.outcome != Outcome::busy && joined.outcome != Outcome::crowded;
  if (has_waited) {
    span.end();
  } else {
    span.discard();
  }
  switch (joined.outcome) {
    case Outcome::lead:
      break;
    case Outcome::response:
      response_ = std::move(joined.response);
      return Next::send;
    case Outcome::declined:
      return Next::run;
    case Outcome::restarted:
      return Next::again;
    case Outcome::busy:
      response_ = found_.response;
      return Next::send;
    case Outcome::failed:
    case Outcome::late:
    case Outcome::crowded:
      reject(exchange);
  }
  lead_ = std::move(joined.lead);
  if (!route_.is_current(*key_)) {
    // Another request has learned since.
    std::exchange(lead_, nullptr)->restart();
    return Next::again;
  }
  if (is_down_) return Next::run;
  if (route_.cache.is_shared()) return claim_or_wait(exchange, patience);
  return has_been_stored(exchange) ? Next::send : Next::run;
}

bool CachedRun::is_response(const std::shared_ptr<const StoredResponse>& entry) const {
  return is_fresh(entry, route_.cache) && entry->form != StoredResponse::Form::none;
}

bool CachedRun::has_been_stored(Exchange& exchange) {
  if (!lead_ || is_down_) return false;
  const auto found = find(exchange, route_.cache.now());
  // The store may be back when there is a response to store.
  is_down_ = false;
  if (!is_response(found.response)) return false;
  send_for_all(found.response);
  return true;
}

CachedRun::Next CachedRun::claim_or_wait(Exchange& exchange, steady_clock::time_point patience) {
  auto stored =
      guarded(exchange, [&] { return route_.cache.claim(*key_, found_.version, claim_); });
  if (stored && stored->form != StoredResponse::Form::none) return send_for_all(std::move(stored));
  if (claim_ || stored || is_down_) return Next::run;
  if (found_.response) {
    // The other process renews it.
    response_ = found_.response;
    lead_.reset();
    return Next::send;
  }
  // The process with the claim is the only one that is waited for: if it ends without a response,
  // this one runs the handler.
  // It is the only one of its run in this process.
  const ThreadWait thread(*exchange.transaction, route_.waiting_threads(), 0);
  if (!thread.may_wait()) reject(exchange);
  const ActiveSpan span("cache wait");
  // The looks have no spans: a request keeps a limited number of them.
  const CurrentSpanScope unrecorded(nullptr);
  std::string other;
  const auto deadline = steady_clock::now() + StoredResponses::kMaxClaim;
  for (auto delay = kFirstDelay; steady_clock::now() < deadline;
       delay = std::min(2 * delay, kMaxDelay)) {
    if (steady_clock::now() >= patience) reject(exchange);
    std::this_thread::sleep_for(delay);
    require_client(exchange);
    std::string claim;
    const auto found = find(exchange, route_.cache.now(), &claim);
    if (is_fresh(found.response, route_.cache)) {
      if (found.response->form != StoredResponse::Form::none) return send_for_all(found.response);
      break;
    }
    if (other.empty()) other = claim;
    if (is_down_ || claim.empty() || claim != other) break;
  }
  return Next::run;
}

/// Whether others have stored a response since this run was replaced, or before it had this key:
/// theirs is newer. A replaced run whose successors have failed stores its own.
bool CachedRun::is_superseded(Exchange& exchange) {
  const bool may_be = is_restarted_ || (lead_ && lead_->is_replaced());
  if (!may_be || is_down_) return false;
  return is_response(find(exchange, route_.cache.now()).response);
}

bool CachedRun::store(Exchange& exchange, StoredResponse response) {
  response.version = found_.version;
  response.complete();
  const auto shared = std::make_shared<const StoredResponse>(std::move(response));
  bool is_stored = false;
  const bool is_current = route_.cache.may_be_current(*key_, route_.tags(), found_);
  if (is_current && !is_superseded(exchange) && !is_down_) {
    is_stored = guarded(exchange, [&] {
      route_.cache.put(*key_, *shared, route_.group(), claim_.get());
      return true;
    });
  }
  // Requests find the entry as soon as they have the new key.
  if (is_restarted_) route_.learn(*key_);
  if (!lead_) return is_stored;
  const auto lead = std::move(lead_);
  if (is_restarted_) {
    lead->restart();
  } else {
    lead->publish(shared, is_current);
  }
  return is_stored;
}

void CachedRun::decline(Exchange& exchange) {
  if (may_be_cut_short(exchange)) return;
  if (!lead_ || !std::exchange(lead_, nullptr)->decline() || is_down_) return;
  const StoredResponse none{.expires = route_.cache.now() + kDeclinedFor,
                            .version = found_.version,
                            .status = 200,
                            .form = StoredResponse::Form::none};
  guarded(exchange, [&] {
    if (!route_.cache.may_be_current(*key_, route_.tags(), found_)) return true;
    // An entry that others have stored meanwhile stays.
    const bool replaces_outdated =
        found_.is_outdated && !route_.cache.find(*key_, route_.tags(), route_.cache.now()).response;
    route_.cache.put(*key_, none, route_.group(), claim_.get(), !replaces_outdated);
    return true;
  });
}

void CachedRun::fail(Exchange& exchange) {
  if (!lead_ || is_cancelled(exchange)) return;
  std::exchange(lead_, nullptr)->fail();
}

void CachedRun::restart(const StoredKey& key) {
  is_restarted_ = true;
  claim_.reset();
  key_ = &key;
}

void CachedRun::replace(Exchange& exchange, const StoredResponse& stored,
                        const StoredResponse& by) {
  guarded(exchange, [&] {
    route_.cache.replace(*key_, stored, by);
    return true;
  });
}

void leave_early_wait(Exchange& exchange) {
  RoutePlan* const plan = exchange.plan();
  if (plan == nullptr || !plan->early_wait) return;
  exchange.route->early_waiter->pause(exchange.head);
  std::exchange(plan->early_wait, nullptr)->pass();
}

bool may_be_cut_short(Exchange& exchange) {
  return exchange.cancellation_is_shown() && is_cancelled(exchange);
}

}  // namespace fw::detail
