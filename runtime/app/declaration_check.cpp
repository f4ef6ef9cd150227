#include "app/declaration_check.hpp"

#include <string_view>

#include "base/text.hpp"
#include "config/protection_values.hpp"
#include "pipeline/cors.hpp"
#include "schema/unsupported_options.hpp"

namespace fw::detail {
namespace {

struct UnsupportedOption {
  std::string_view name;
  bool (*asks)(const RouteOptions&);
};

// A value that disables an option, or an aggregate without values, is accepted. The compiler has
// the same rule (compiler/check/unsupported_option.cpp).
constexpr UnsupportedOption kUnsupported[] = {
    {"frontend",
     [](const RouteOptions& options) {
       const Frontend& page = options.frontend;
       return !page.page.empty() || !page.mode.empty() || !page.static_params.is_null() ||
              page.revalidate || page.client_only || !page.hydration.empty() || !page.seo.is_null();
     }},
};
static_assert(schema::names_unsupported_options(kUnsupported));

}  // namespace

std::vector<std::string> declaration_errors(const RouteOptions& options) {
  std::vector<std::string> errors;
  for (const auto& documented : options.docs.responses) {
    if (!documented.value.schema) continue;
    for (const auto& declared : options.responses) {
      if (declared.name.str() == documented.name.str()) {
        errors.push_back("the schema of '" + declared.name.str() +
                         "' is declared in responses and in docs.responses; keep the one in "
                         "responses");
      }
    }
  }
  const auto& deadline = options.timeout.deadline();
  if (deadline && deadline->count() <= 0) {
    errors.push_back("timeout must be a positive number of milliseconds, or false");
  }
  if (options.override_.timeout && options.override_.timeout->count() <= 0) {
    errors.push_back("override_.timeout must be a positive number of milliseconds");
  }
  const CorsOverride& cors = options.override_.cors;
  for (const ValueError& error : cors_errors(merge_cors({}, cors))) {
    errors.push_back("override_.cors." + error.member + ": " + error.message);
  }
  if (cors.max_age && *cors.max_age < 0) {
    errors.push_back("override_.cors.max_age must not be negative");
  }
  const RateLimitOptions& limit = options.override_.rate_limit.options();
  if (limit.max.value_or(1) <= 0) {
    errors.emplace_back("override_.rate_limit.max must be a positive number of requests");
  }
  if (limit.window.value_or(1) <= 0) {
    errors.emplace_back("override_.rate_limit.window must be a positive number of seconds");
  }
  if (!limit.key_by.empty() && limit.key_by.str() != "ip" && limit.key_by.str() != "user") {
    errors.push_back("override_.rate_limit.key_by must be \"ip\" or \"user\", not \"" +
                     limit.key_by.str() + "\"");
  }
  if (options.multipart.max_files.value_or(1) <= 0) {
    errors.emplace_back("multipart.max_files must be a positive number of files");
  }
  for (const Text& type : options.multipart.allowed_mime_types) {
    if (base::is_media_range(type.str())) continue;
    errors.push_back("multipart.allowed_mime_types: '" + type.str() + "' is not a media type");
  }
  if (options.body_parser.stream && options.multipart.enabled.value_or(false)) {
    errors.emplace_back(
        "body_parser.stream excludes multipart.enabled: the handler reads the form, for example "
        "with fw::MultipartStream");
  }
  for (const UnsupportedOption& option : kUnsupported) {
    if (!option.asks(options)) continue;
    errors.push_back(std::string(option.name) +
                     " is not implemented in this version; remove the option");
  }
  return errors;
}

}  // namespace fw::detail
