// What is known of a request before it is handled.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "exchange/request_session.hpp"
#include "exchange/route.hpp"
#include "http/adapter.hpp"
#include "observe/active_requests.hpp"
#include "routing/matcher.hpp"

namespace fw::detail {

class BodyTurn;
class EarlyWait;
class SessionPrefetch;

/// The plan of every transaction that has one is of this type. The pipeline makes it, and takes the
/// match when it handles the request.
class RoutePlan : public http::RequestPlan {
 public:
  /// `route` is the route of the match; null without a match.
  RoutePlan(routing::Matcher::Match found, const Route* route)
      : match(std::move(found)), route_(route) {}

  std::uint64_t body_limit() const override {
    const bool reads_body = route_ != nullptr && !route_->options.body_parser.stream;
    return reads_body ? route_->body_limit : 0;
  }

  /// Null without a match.
  const Route* route() const { return route_; }

  routing::Matcher::Match match;
  /// When work on the request began, if this was before it was handled.
  std::optional<std::chrono::steady_clock::time_point> begin = {};
  /// The session that was read before the request was handled; null if none was.
  std::shared_ptr<SessionPrefetch> session = {};
  /// The session of the request that sends this one to the application, and is handled until this
  /// one has been; null if there is none, or it has no session.
  RequestSession* outer_session = nullptr;
  /// Whether the client of that request is known to have disconnected; null if there is none.
  std::shared_ptr<const std::atomic<bool>> outer_is_lost = {};
  /// The wait for the response to another request, before this one was handled; null if it did not
  /// wait.
  std::shared_ptr<EarlyWait> early_wait = {};
  /// The turn of a request that reads its body while it arrives; null if it needs none, or none any
  /// more.
  std::shared_ptr<BodyTurn> body_turn = {};
  /// The entry of the request, from before it is handled; empty if requests are not listed.
  std::optional<ActiveRequest> entry = {};

 private:
  const Route* route_;
};

}  // namespace fw::detail
