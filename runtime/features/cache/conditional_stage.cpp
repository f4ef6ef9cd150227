// Entity tags of JSON responses and pages, and conditional requests (RFC 9110, section 13;
// docs/cache.md).
#include <string>
#include <string_view>

#include "chain/error_response.hpp"
#include "chain/rendered_page.hpp"
#include "chain/stages.hpp"
#include "errors/messages.hpp"
#include "features/cache/cache_policy.hpp"
#include "features/cache/preconditions.hpp"
#include "features/compression/compression_stage.hpp"
#include "http/http_date.hpp"

namespace fw::detail {
namespace {

/// The validators in the fields of a response, the first one of each.
Validators validators_of(const OutgoingResponse& response) {
  const auto date = response.fields.find("last-modified");
  return {.entity_tag = response.fields.find("etag").value_or(""),
          .last_modified = date ? http::parse_http_date(*date) : std::nullopt};
}

class ConditionalStage : public Stage {
 public:
  void run(Exchange& exchange, const NextStages& next) const override {
    next(exchange);
    OutgoingResponse& response = exchange.outgoing;
    if (response.kind != OutgoingResponse::Kind::body || response.status != 200) return;
    add_entity_tag(exchange);
    respond_to_preconditions(exchange, response.body.size());
  }
};

}  // namespace

bool respond_to_preconditions(Exchange& exchange, std::optional<std::uint64_t> size) {
  if (!Preconditions::may_be_in(exchange.head.fields)) return false;
  OutgoingResponse& response = exchange.outgoing;
  const std::string_view method = exchange.head.method;
  if (response.status != 200 || (method != "GET" && method != "HEAD")) return false;
  const Preconditions preconditions(exchange);
  if (preconditions.empty()) return false;
  // A 304 has the fields of the response that it replaces.
  negotiate_coding(exchange, size);
  switch (preconditions.evaluate(validators_of(response))) {
    case Precondition::met:
      return false;
    case Precondition::failed:
      response.discard();
      throw status_error(412);
    case Precondition::not_modified:
      remove_body_fields(response.fields);
      response.status = 304;
      response.body.clear();
  }
  return true;
}

void add_entity_tag(Exchange& exchange) {
  const EntityTags mode = exchange.env.config.etag;
  OutgoingResponse& response = exchange.outgoing;
  if (mode == EntityTags::off || response.status != 200 || response.field("etag")) return;
  // A page with a nonce differs each time.
  const bool may_have_tag = response.is_page ? page_nonce(exchange).empty() : response.is_json();
  if (!may_have_tag) return;
  // The tag does not cover the request id in the envelope. Because it is part of the bytes, such a
  // tag is weak.
  const std::string_view content = response.body_before_request_id();
  std::string tag = make_entity_tag(content);
  if (mode == EntityTags::weak || content.size() != response.body.size()) tag.insert(0, "W/");
  response.set_field("etag", tag);
}

Stages conditional_stage(const StageContext& context) {
  if (context.route == nullptr) return {};
  const Route& route = *context.route;
  if (route.method != "GET" && route.method != "HEAD") return {};
  const bool is_cached = cache_ttl(route, context.env.config.cache).count() > 0;
  const bool is_rendered = !route.options.frontend.mode.empty();
  if (context.env.config.etag == EntityTags::off && !is_cached && !is_rendered) return {};
  return one_stage<ConditionalStage>();
}

}  // namespace fw::detail
