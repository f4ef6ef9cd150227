// The request that the calling thread is working on: the one piece of global mutable state. Read by
// the logger and the outbound client.
#pragma once

#include <string>

namespace fw::detail {

/// What code far from the request may know about it.
struct RequestContext {
  std::string request_id;
};

/// Null outside a request, and when `requestContext.enabled` is false.
const RequestContext* current_context();

/// Makes `context` the thread's current one for the life of the scope; the former one comes back.
class CurrentContextScope {
 public:
  explicit CurrentContextScope(const RequestContext* context);
  ~CurrentContextScope();
  CurrentContextScope(const CurrentContextScope&) = delete;
  CurrentContextScope& operator=(const CurrentContextScope&) = delete;

 private:
  const RequestContext* previous_;
};

}  // namespace fw::detail
