// The current request of the calling thread, the only global mutable state. The logger and the
// outbound client read it.
#pragma once

#include <fairway/auth.hpp>
#include <fairway/request_context.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/traceparent.hpp"
#include "observe/active_span.hpp"

namespace fw::detail {

/// The headers of a request that the outbound client passes on.
struct PropagatedContext {
  std::vector<std::pair<std::string, std::string>> headers;  ///< `fetch.propagateHeaders`
  /// For `fetch.traceContext`: the request's, or a new one.
  std::optional<base::TraceParent> traceparent = {};
  std::string tracestate;
  /// Set when the headers are passed on: the response may depend on them.
  mutable std::atomic<bool> is_used = false;
};

/// The caller of a request, or that it is anonymous.
struct KeptCaller {
  std::optional<Caller> caller = {};
  bool is_logged = false;  ///< in log lines, as `user`
  /// Set when the application reads it: the response may depend on it.
  mutable std::atomic<bool> is_used = false;
};

/// Whether something has been read. Threads may set it at a time; a copy is not set.
class ReadFlag {
 public:
  ReadFlag() = default;
  ReadFlag(const ReadFlag&) noexcept {}
  ReadFlag& operator=(const ReadFlag&) noexcept { return *this; }
  ~ReadFlag() = default;

  bool is_set() const { return is_set_.load(std::memory_order_relaxed); }
  /// Sets it, and returns the former value. Most often there is nothing to change.
  bool exchange(bool value) {
    const bool former = is_set();
    if (former != value) is_set_.store(value, std::memory_order_relaxed);
    return former;
  }

 private:
  std::atomic<bool> is_set_ = false;
};

/// The part of a request that code without access to it may use.
struct RequestContext {
  std::string request_id;
  /// What the middlewares have found, for `keep_caller`; null if they cannot find a caller, and in
  /// a copy for another thread.
  const AuthContext* identity = nullptr;
  mutable std::shared_ptr<const KeptCaller> caller = {};     ///< null until it is kept
  std::shared_ptr<const PropagatedContext> propagated = {};  ///< null if nothing is passed on
  mutable ReadFlag id_is_used = {};  ///< by the application, with fw::current_request
  /// The span of the request; in a copy, the one within which the copy was made.
  KeptPosition span = {};

  /// Keeps the caller on the first call, because few requests need it. Only on the thread that
  /// works on the request. Null if no middleware can find a caller.
  const KeptCaller* keep_caller(bool is_logged = false) const;
  /// A copy with the caller, for another thread; it may outlive the request.
  RequestContext for_thread() const;
  /// `user` of log lines; empty if they have none.
  std::string_view logged_user() const;
  /// `traceId` of log lines, written to `digits`; empty if they have none.
  std::string_view write_trace_id(std::array<char, 32>& digits) const {
    if (!span) return {};
    base::write_hex(span.trace()->self().trace, digits);
    return {digits.data(), digits.size()};
  }
};

inline thread_local const RequestContext* t_current_context = nullptr;

/// Null outside of a request, and if `requestContext.enabled` is false.
inline const RequestContext* current_context() { return t_current_context; }

/// Whether what this thread reads of a context counts as used.
inline thread_local bool t_counts_reads = true;

/// What the thread reads of a context during the lifetime of the scope does not count as used.
class UnrecordedScope {
 public:
  UnrecordedScope() : counted_(std::exchange(t_counts_reads, false)) {}
  ~UnrecordedScope() { t_counts_reads = counted_; }
  UnrecordedScope(const UnrecordedScope&) = delete;
  UnrecordedScope& operator=(const UnrecordedScope&) = delete;

 private:
  const bool counted_;
};

/// Makes `context` and its span the current ones of the thread during the lifetime of the scope,
/// and then restores the former ones.
class CurrentContextScope {
 public:
  explicit CurrentContextScope(const RequestContext* context)
      : previous_(t_current_context),
        span_(context != nullptr ? context->span.trace() : nullptr,
              context != nullptr ? context->span.span() : RequestTrace::kOwnSpan) {
    t_current_context = context;
  }
  ~CurrentContextScope() { t_current_context = previous_; }
  CurrentContextScope(const CurrentContextScope&) = delete;
  CurrentContextScope& operator=(const CurrentContextScope&) = delete;

 private:
  const RequestContext* previous_;
  const CurrentSpanScope span_;
};

}  // namespace fw::detail
