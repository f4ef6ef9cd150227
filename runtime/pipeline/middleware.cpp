// Runs middlewares: first the application's, then the ones that the route refers to.
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "chain/stages.hpp"

namespace fw::detail {
namespace {

/// A middleware that is running on this thread. A `Next` refers to its frame by number, so that a
/// stored `Next`, or one on another thread, detects that the frame no longer exists.
struct Frame {
  Exchange& exchange;
  const NextStages& next;
  std::uint64_t number;  ///< unique within the thread, because addresses are reused
  Frame* outer;
  bool called = false;
};

thread_local Frame* innermost = nullptr;
thread_local std::uint64_t frames_so_far = 0;

class RunningFrame {
 public:
  RunningFrame(Exchange& exchange, const NextStages& next)
      : frame_{exchange, next, ++frames_so_far, innermost} {
    innermost = &frame_;
  }
  ~RunningFrame() { innermost = frame_.outer; }
  RunningFrame(const RunningFrame&) = delete;
  RunningFrame& operator=(const RunningFrame&) = delete;

  /// Small enough for std::function to store without an allocation.
  Next next() const {
    return Next([frame = &frame_, number = frame_.number] { call_next(frame, number); });
  }

 private:
  static void call_next(const Frame* wanted, std::uint64_t number) {
    Frame* frame = innermost;
    while (frame != nullptr && (frame != wanted || frame->number != number)) frame = frame->outer;
    if (frame == nullptr) {
      throw std::logic_error(
          "a middleware called next after it had returned, or on another thread");
    }
    if (std::exchange(frame->called, true)) {
      throw std::logic_error("a middleware called next twice");
    }
    frame->next(frame->exchange);
  }

  Frame frame_;
};

class MiddlewareStage : public Stage {
 public:
  explicit MiddlewareStage(Middleware middleware) : middleware_(std::move(middleware)) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    const RunningFrame frame(exchange, next);
    middleware_(exchange.request, exchange.response, frame.next());
  }

 private:
  Middleware middleware_;
};

}  // namespace

Stages global_middleware_stages(const StageContext& context) {
  Stages stages;
  if (context.route == nullptr) return stages;
  for (const Middleware& middleware : context.global_middlewares) {
    stages.push_back(std::make_unique<MiddlewareStage>(middleware));
  }
  return stages;
}

Stages route_middleware_stages(const StageContext& context) {
  Stages stages;
  if (context.route == nullptr) return stages;
  for (const MiddlewareRef& reference : context.route->options.middlewares) {
    try {
      stages.push_back(std::make_unique<MiddlewareStage>(context.resolve_middleware(reference)));
    } catch (const std::exception& error) {
      context.error("middleware '" + reference.name() + "' " + error.what());
    }
  }
  return stages;
}

}  // namespace fw::detail
