#include "app/declaration_check.hpp"

#include <string_view>

#include "base/strings.hpp"
#include "config/protection_values.hpp"
#include "features/cors/cors.hpp"

namespace fw::detail {
namespace {

void append_page_errors(const Frontend& frontend, std::vector<std::string>& errors) {
  const std::string& mode = frontend.mode.str();
  if (!mode.empty() && mode != "static" && mode != "revalidate") {
    errors.push_back("frontend.mode must be \"static\" or \"revalidate\", not \"" + mode + "\"");
  }
  if (mode == "static" && frontend.page.empty()) {
    errors.emplace_back("frontend.mode \"static\" needs frontend.page");
  }
  if (!frontend.static_params.is_null() && mode != "static") {
    errors.emplace_back("frontend.static_params needs frontend.mode \"static\"");
  }
  if (frontend.data.get() && mode == "static") {
    errors.emplace_back("frontend.mode \"static\" excludes frontend.data");
  }
  if (frontend.revalidate.has_value() != (mode == "revalidate")) {
    errors.emplace_back("frontend.revalidate and frontend.mode \"revalidate\" need each other");
  }
  if (frontend.revalidate.value_or(1) <= 0) {
    errors.emplace_back("frontend.revalidate must be a positive number of seconds");
  }
  if (frontend.client_only && frontend.hydration.str() == "none") {
    errors.emplace_back("frontend.hydration \"none\" excludes frontend.client_only");
  }
}

}  // namespace

std::vector<std::string> declaration_errors(const RouteOptions& options) {
  std::vector<std::string> errors;
  for (const auto& documented : options.docs.responses) {
    if (!documented.value.schema.get()) continue;
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
  append_page_errors(options.frontend, errors);
  return errors;
}

}  // namespace fw::detail
