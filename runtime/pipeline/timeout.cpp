// `timeout` of a route: responds with 504 at the deadline, even if the handler is still running
// (docs/routing.md).
#include <fairway/errors.hpp>
#include <fairway/units.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/deadline_timer.hpp"
#include "base/tree_guard.hpp"
#include "chain/error_response.hpp"
#include "chain/stages.hpp"
#include "errors/exception_info.hpp"
#include "exchange/cancellation.hpp"
#include "exchange/current.hpp"
#include "exchange/route_plan.hpp"
#include "features/cors/cors_stage.hpp"
#include "pipeline/access_log.hpp"
#include "pipeline/request_tracing.hpp"

namespace fw::detail {
namespace {

/// Longer limits are equivalent to none, and would overflow the clock.
std::chrono::milliseconds shortened(Milliseconds limit) {
  constexpr std::chrono::milliseconds kMax = std::chrono::hours(24 * 365);
  return std::min(std::chrono::milliseconds(limit.count()), kMax);
}

bool is_cancelled(const std::exception_ptr& error) {
  if (!error) return false;
  try {
    std::rethrow_exception(error);
  } catch (const RequestCancelled&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// Shared by the worker that runs the handler and the timer: the first one responds.
class Deadline {
 public:
  Deadline(Exchange& exchange, std::string_view vary)
      : exchange_(exchange),
        transaction_(exchange.transaction),
        cancellation_(exchange.cancellation()),
        fields_(exchange.outgoing.fields),
        context_(exchange.context.for_thread()),
        has_line_(logs_all_responses(exchange.env.config)),
        has_trace_(exchange.env.tracer != nullptr),
        begin_(exchange.start_time(std::chrono::steady_clock::now())) {
    // Found here, so that the timer's thread only reads it.
    if (has_line_ || has_trace_) exchange.ip();
    remove_content_fields(fields_);
    fields_.add("content-type", "application/json; charset=utf-8");
    fields_.add("cache-control", "no-store");
    if (!vary.empty()) http::add_vary(fields_, vary);
  }

  /// On the timer's thread: responds, asks the handler to stop and logs the error.
  void expire() {
    if (decided_.exchange(true)) return;
    if (ActiveRequest* const entry = exchange_.entry()) entry->note_late();
    // Even if this fails, `is_over_` must be set, because the worker waits for it, and then
    // responds itself if possible.
    try {
      const DeadlinePassed error;
      const std::string body = plain_error_text(error.status(), error.what(), context_.request_id);
      size_ = body.size();
      transaction_->respond({.status = error.status(), .fields = std::move(fields_)}, body);
    } catch (...) {
    }
    cancellation_->request_stop();
    try {
      log();
    } catch (...) {
    }
    is_over_ = true;
    is_over_.notify_one();
  }

  /// On the worker, after the handler has returned. Returns whether the deadline was first. Waits
  /// for the end of `expire`, because the server may be destroyed after the worker has returned.
  bool finish() {
    if (!decided_.exchange(true)) return false;
    is_over_.wait(false);
    return true;
  }

 private:
  /// The exchange exists, because the worker waits. The handler changes nothing that this reads.
  void log() {
    const bool has_context = exchange_.env.config.request_context.enabled;
    const CurrentContextScope scope(has_context ? &context_ : nullptr);
    log_deadline(exchange_);
    if (has_line_) write_line_at_deadline(exchange_, {DeadlinePassed().status(), size_, begin_});
    if (has_trace_) end_trace_with(exchange_, DeadlinePassed().status(), "timeout");
  }

  std::atomic<bool> decided_ = false;
  std::atomic<bool> is_over_ = false;
  Exchange& exchange_;
  const std::shared_ptr<http::Transaction> transaction_;
  const std::shared_ptr<Cancellation> cancellation_;
  http::Fields fields_;           ///< the fields of earlier stages
  const RequestContext context_;  ///< as the middlewares of the application have left it
  const bool has_line_;
  const bool has_trace_;
  const std::chrono::steady_clock::time_point begin_;
  std::size_t size_ = 0;
};

/// Responds with 504 to a request whose time is over.
[[noreturn]] void end_late(Exchange& exchange, Deadline& deadline) {
  deadline.expire();
  deadline.finish();
  exchange.outgoing.discard();
  throw DeadlinePassed();
}

class SpentTimeStage : public Stage {
 public:
  /// See `TimeoutStage`.
  SpentTimeStage(Milliseconds limit, std::string_view vary)
      : limit_(shortened(limit)), vary_(vary) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    const RoutePlan* const plan = exchange.plan();
    if (plan != nullptr && plan->begin &&
        base::DeadlineTimer::Clock::now() - *plan->begin >= limit_) {
      Deadline deadline(exchange, vary_);
      end_late(exchange, deadline);
    }
    next(exchange);
  }

 private:
  const std::chrono::milliseconds limit_;
  const std::string_view vary_;
};

class TimeLeftStage : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    if (exchange.transaction->has_response()) throw RequestCancelled();
    next(exchange);
  }
};

class TimeoutStage : public Stage {
 public:
  /// The response at the deadline does not return through the stages before this one. The only
  /// field that these add to each response on its way back is `vary`.
  TimeoutStage(Milliseconds limit, std::string_view vary) : limit_(shortened(limit)), vary_(vary) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    const auto deadline = std::make_shared<Deadline>(exchange, vary_);
    base::DeadlineTimer& timer = *exchange.env.deadlines;
    // The request may have waited for another one before it was handled.
    const auto now = base::DeadlineTimer::Clock::now();
    const auto start = exchange.start_time(now);
    if (now - start >= limit_) end_late(exchange, *deadline);
    const auto ticket = timer.set(start + limit_, [deadline] { deadline->expire(); });
    std::exception_ptr error;
    try {
      next(exchange);
    } catch (...) {
      error = std::current_exception();
    }
    timer.cancel(ticket);
    if (!deadline->finish()) {
      if (error) std::rethrow_exception(error);
      return;
    }
    report_late_end(exchange, error, base::DeadlineTimer::Clock::now() - start);
    exchange.outgoing.discard();
    throw DeadlinePassed();
  }

 private:
  /// Logs the end of a handler after the deadline.
  void report_late_end(const Exchange& exchange, const std::exception_ptr& error,
                       base::DeadlineTimer::Clock::duration duration) const {
    if (error && log_lack_of_memory(exchange.env.logger, error)) return;
    const bool has_begun = !is_cancelled(error);
    // The cancellation is an error neither of the application nor of the client.
    Json fields = error && has_begun ? log_fields(describe(error)) : Json::object();
    const base::TreeGuard guard(fields);
    fields["timeout"] = limit_.count();
    fields["duration"] = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
    const std::string route = name_of(*exchange.route) + " (" + source_of(*exchange.route) + ")";
    exchange.env.logger.warn(
        has_begun
            ? "the handler of " + route + " ended after the deadline"
            : "a request of " + route + " ended after the deadline, before its handler had begun",
        std::move(fields));
  }

  const std::chrono::milliseconds limit_;
  const std::string_view vary_;
};

}  // namespace

Stages spent_time_stage(const StageContext& context) {
  if (context.route == nullptr || !context.route->time_limit()) return {};
  return one_stage<SpentTimeStage>(*context.route->time_limit(), vary_of_cors(context));
}

Stages time_left_stage(const StageContext& context) {
  if (context.route == nullptr || !context.route->time_limit()) return {};
  return one_stage<TimeLeftStage>();
}

Stages timeout_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  const auto& limit = context.route->time_limit();
  if (!limit) return {};
  return one_stage<TimeoutStage>(*limit, vary_of_cors(context));
}

}  // namespace fw::detail
