#include "exchange/current.hpp"

namespace fw {
namespace detail {

const KeptCaller* RequestContext::keep_caller(bool is_logged) const {
  if (!caller && identity != nullptr) {
    auto kept = std::make_shared<KeptCaller>();
    kept->is_logged = is_logged;
    if (identity->is_authenticated) {
      kept->caller = {.user_id = identity->user_id,
                      .subject = identity->subject,
                      .provider = identity->provider,
                      .scheme = identity->scheme};
    }
    caller = std::move(kept);
  }
  return caller.get();
}

RequestContext RequestContext::for_thread() const {
  keep_caller();
  RequestContext copy = *this;
  copy.identity = nullptr;
  const SpanPosition* const current = current_span();
  if (span && current != nullptr && current->trace == span.trace()) {
    copy.span = KeptPosition(span.shared_trace(), current->span);
  }
  return copy;
}

std::string_view RequestContext::logged_user() const {
  if (!caller || !caller->is_logged || !caller->caller) return {};
  return caller->caller->user_id.empty() ? caller->caller->subject : caller->caller->user_id;
}

}  // namespace detail

std::optional<CurrentRequest> current_request() {
  const detail::RequestContext* const context = detail::current_context();
  if (context == nullptr) return std::nullopt;
  CurrentRequest request{.id = context->request_id, .caller = {}};
  if (detail::t_counts_reads) context->id_is_used.exchange(true);
  if (const detail::KeptCaller* kept = context->keep_caller()) {
    if (detail::t_counts_reads) kept->is_used = true;
    request.caller = kept->caller;
  }
  return request;
}

}  // namespace fw
