// Entity tags of JSON responses, and conditional requests: If-None-Match and If-Match (RFC 9110,
// section 13; docs/caching.md).
#include <fairway/errors.hpp>

#include <string>
#include <string_view>

#include "exchange/header_values.hpp"
#include "pipeline/error_response.hpp"
#include "pipeline/stages.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kWeak = "W/";

class ConditionalStage : public Stage {
 public:
  void run(Exchange& exchange, const Rest& rest) const override {
    rest(exchange);
    OutgoingResponse& response = exchange.outgoing;
    if (response.kind != OutgoingResponse::Kind::body || response.status != 200) return;
    add_entity_tag(exchange);
    if (!response.field("etag")) return;
    const std::string tag(*response.field("etag"));
    require_match(exchange, tag);
    const auto known = exchange.header("if-none-match");
    if (known && names_entity_tag(*known, without_weakness(tag))) make_not_modified(response, tag);
  }

 private:
  static std::string_view without_weakness(std::string_view tag) {
    if (tag.starts_with(kWeak)) tag.remove_prefix(kWeak.size());
    return tag;
  }

  /// If-Match uses the strong comparison: a weak tag only matches "*".
  static void require_match(Exchange& exchange, const std::string& tag) {
    const auto wanted = exchange.header("if-match");
    if (!wanted || *wanted == "*") return;
    const bool matches = !tag.starts_with(kWeak) && names_strong_entity_tag(*wanted, tag);
    if (matches) return;
    exchange.outgoing.discard();
    throw HttpError(412, "Precondition Failed");
  }

  static void make_not_modified(OutgoingResponse& response, const std::string& tag) {
    remove_content_fields(response.fields);
    response.set_field("etag", tag);
    response.status = 304;
    response.body.clear();
  }
};

}  // namespace

void add_entity_tag(Exchange& exchange) {
  const EntityTags mode = exchange.env.config.etag;
  OutgoingResponse& response = exchange.outgoing;
  if (mode == EntityTags::off || response.status != 200 || response.field("etag") ||
      !response.is_json()) {
    return;
  }
  // The tag does not cover the request id in the envelope. Because it is part of the bytes, such a
  // tag is weak.
  const std::string_view content = response.body_before_request_id();
  std::string tag = make_entity_tag(content);
  if (mode == EntityTags::weak || content.size() != response.body.size()) tag.insert(0, kWeak);
  response.set_field("etag", tag);
}

Stages conditional_stage(const Composition& composition) {
  if (composition.route == nullptr || composition.env.config.etag == EntityTags::off) return {};
  const std::string& method = composition.route->method;
  if (method != "GET" && method != "HEAD") return {};
  return one_stage<ConditionalStage>();
}

}  // namespace fw::detail
