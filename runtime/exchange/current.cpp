#include "exchange/current.hpp"

namespace fw {

std::optional<CurrentRequest> current_request() {
  const detail::RequestContext* const context = detail::current_context();
  if (context == nullptr) return std::nullopt;
  CurrentRequest request{.id = context->request_id, .caller = {}};
  if (context->caller) {
    context->caller->is_used = true;
    request.caller = context->caller->caller;
  }
  return request;
}

}  // namespace fw
