// The request that the calling thread is working on: the one piece of global mutable state. Read by
// the logger and the outbound client.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fw::detail {

/// What the outbound client passes on of a request.
struct PropagatedContext {
  std::vector<std::pair<std::string, std::string>> headers;  ///< `fetch.propagateHeaders`
  std::string traceparent;  ///< of `fetch.traceContext`: the request's, or one made for it
  std::string tracestate;
};

/// What code far from the request may know about it.
struct RequestContext {
  std::string request_id;
  std::shared_ptr<const PropagatedContext> propagated = {};  ///< null where nothing is
};

inline thread_local const RequestContext* t_current_context = nullptr;

/// Null outside a request, and when `requestContext.enabled` is false.
inline const RequestContext* current_context() { return t_current_context; }

/// Makes `context` the thread's current one for the life of the scope; the former one comes back.
class CurrentContextScope {
 public:
  explicit CurrentContextScope(const RequestContext* context) : previous_(t_current_context) {
    t_current_context = context;
  }
  ~CurrentContextScope() { t_current_context = previous_; }
  CurrentContextScope(const CurrentContextScope&) = delete;
  CurrentContextScope& operator=(const CurrentContextScope&) = delete;

 private:
  const RequestContext* previous_;
};

}  // namespace fw::detail
