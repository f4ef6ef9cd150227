// [body-on-get]
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/methods.hpp"
#include "model/value_members.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

bool is_switched_off(const model::Value& multipart) {
  return !flag_member(multipart, "enabled").value_or(true);
}

/// `type` of the body; empty if its schema is written out.
std::string remedy_for(std::string_view type) {
  constexpr std::string_view kOr = ", or register the route with 'post'";
  if (type.empty()) return fmt::format("declare the fields in 'validate.query'{}", kOr);
  const std::size_t scope = type.rfind("::");
  const std::string_view name = scope == type.npos ? type : type.substr(scope + 2);
  return fmt::format("write 'fw::Query<{}>'{}", name, kOr);
}

}  // namespace

void lint_body_on_get(const LintedRoute& route, Reporter& reporter) {
  const model::Route& resolved = *route.route;
  const std::string& method = resolved.method;
  if (!fw::base::is_safe(method)) return;

  if (const model::LocationSchema* const body = resolved.schema_of("body")) {
    const bool rejects =
        !fw::schema::validate(body->schema, nullptr, fw::schema::Source::json).errors.empty();
    reporter.report(rules::body_on_get,
                    fmt::format("bodies of {} requests are not parsed, so this schema {}", method,
                                rejects ? "rejects every request" : "is never applied"),
                    body->range, remedy_for(body->type));
  }
  const model::Member* multipart = route.option("multipart");
  if (multipart && !is_switched_off(multipart->value)) {
    reporter.report(rules::body_on_get, fmt::format("a {} request uploads no files", method),
                    multipart->name_range, "register the route with 'post' or 'put'");
  }
  const model::Member* docs = route.option("docs");
  const model::Member* documented = docs ? find_member(docs->value, "request_body") : nullptr;
  if (documented && !resolved.docs.request_body.is_null()) {
    reporter.report(rules::body_on_get,
                    fmt::format("a body of {} requests is documented, but not parsed", method),
                    documented->name_range,
                    "describe the parameters in 'validate.query', or register the route with "
                    "'post'");
  }
}

}  // namespace fairway::rules
