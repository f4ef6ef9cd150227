// [form-fields-not-kept]
#include <algorithm>

#include "model/value_members.hpp"
#include "rules/linted_route.hpp"
#include "rules/lints.hpp"

namespace fairway::rules {
namespace {

bool requires_field(const model::Route& route) {
  const model::LocationSchema* body = route.schema_of("body");
  return body && std::ranges::any_of(body->schema.fields, [](const fw::schema::Field& field) {
           return field.node.required;
         });
}

}  // namespace

void lint_form_fields_not_kept(const LintedRoute& route, Reporter& reporter) {
  if (route.settings->config.multipart.fields || route.route->files.empty()) return;
  const model::Member* multipart = route.option("multipart");
  if (!multipart || find_member(multipart->value, "fields") ||
      !flag_member(multipart->value, "enabled")
           .value_or(route.settings->config.multipart.enabled) ||
      !requires_field(*route.route)) {
    return;
  }
  reporter.report(rules::form_fields_not_kept,
                  "the text fields of a form are not copied to the body, so each form lacks what "
                  "'validate.body' requires",
                  multipart->name_range,
                  "add '.fields = true', or '.fields = false' if a middleware reads the fields");
}

}  // namespace fairway::rules
