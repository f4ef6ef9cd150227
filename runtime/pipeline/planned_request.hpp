// What a request does between its head and its handler, without a thread.
#pragma once

#include <memory>

#include "exchange/route_plan.hpp"

namespace fw::detail {

class Exchange;

/// A plan that waits for the response to another request, or for the turn of its body, or reads the
/// session of the request, before it is handled.
class PlannedRequest final : public RoutePlan {
 public:
  using RoutePlan::RoutePlan;

  bool prepare(const http::RequestHead& head,
               const std::shared_ptr<http::WaitingRequest>& request) noexcept override;
  bool ends_with_client() const noexcept override { return early_wait != nullptr; }

 private:
  bool waits() noexcept;
};

/// The stages have run: notes whether it was useful to read the session before, and lets the next
/// request lead if this one was to lead those that wait for its response, and has not.
void finish_plan(const Exchange& exchange);

}  // namespace fw::detail
