#include "pipeline/planned_request.hpp"

#include <chrono>
#include <exception>

#include "exchange/body_turns.hpp"
#include "exchange/exchange.hpp"
#include "features/cache/early_waiter.hpp"
#include "features/session/session_prefetch.hpp"

namespace fw::detail {

using std::chrono::steady_clock;

bool PlannedRequest::prepare(const http::RequestHead& head,
                             const std::shared_ptr<http::WaitingRequest>& request) noexcept {
  if (route() == nullptr) return false;
  try {
    if (route()->early_waiter) {
      begin = steady_clock::now();
      early_wait = route()->early_waiter->begin(head, request);
      if (early_wait) return waits();
      begin.reset();
    }
    if (head.has_body && !head.has_whole_body && route()->body_turns) {
      begin = steady_clock::now();
      body_turn = route()->body_turns->begin(request);
      if (body_turn->must_wait()) return true;
      begin.reset();
    }
    if (!route()->session_prefetcher) return false;
    session = route()->session_prefetcher->begin(head, request);
  } catch (const std::exception&) {
    return false;  // the request itself will report it
  }
  if (!session) return false;
  begin = session->begin();
  return waits();
}

bool PlannedRequest::waits() noexcept {
  if (entry) entry->set_state(RequestState::waiting);
  return true;
}

void finish_plan(const Exchange& exchange) {
  RoutePlan* const plan = exchange.plan();
  if (exchange.route != nullptr && exchange.route->session_prefetcher) {
    const RequestSession* const session = exchange.session();
    exchange.route->session_prefetcher->note(plan != nullptr && plan->session,
                                             session != nullptr && session->is_loaded());
  }
  if (plan != nullptr) plan->early_wait.reset();
}

}  // namespace fw::detail
