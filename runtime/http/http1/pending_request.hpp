// Requests that cannot be handled yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/adapter.hpp"
#include "http/body_decoder.hpp"
#include "http/buffer_budget.hpp"
#include "http/framing.hpp"

namespace fw::http {

/// A body that was received before its request is handled.
struct ReceivedBody {
  BodyStatus status = BodyStatus::disconnected;
  std::string content;
  BufferBudget::Share share;  ///< share of the content, until its request has been handled
};

/// Stored in its connection until the body has arrived, so that a slow client occupies no thread.
struct PendingRequest {
  PendingRequest(RequestHead request_head, const Framing& request_framing,
                 std::unique_ptr<RequestPlan> request_plan, std::uint64_t limit,
                 BufferBudget& budget)
      : head(std::move(request_head)),
        framing(request_framing),
        plan(std::move(request_plan)),
        decoder(request_framing, limit),
        body{BodyStatus::disconnected, {}, BufferBudget::Share(budget)} {}

  RequestHead head;
  Framing framing;
  std::unique_ptr<RequestPlan> plan;
  BodyDecoder decoder;
  ReceivedBody body;
  std::uint64_t received = 0;  ///< bytes, including framing
  std::int64_t since = 0;      ///< by `coarse_now`
};

/// A complete request. Stored in its connection while it is prepared (`RequestPlan::prepare`).
struct ReadyRequest {
  RequestHead head;
  Framing framing;
  std::optional<ReceivedBody> body = {};        ///< if it was awaited
  std::unique_ptr<RequestPlan> plan = nullptr;  ///< null: it was not planned
};

}  // namespace fw::http
