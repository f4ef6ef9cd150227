#include "app/declaration_check.hpp"

#include <string_view>

#include "schema/unsupported_options.hpp"

namespace fw::detail {
namespace {

struct UnsupportedOption {
  std::string_view name;
  bool (*asks)(const RouteOptions&);
};

// A value that switches the option off asks for nothing, and neither does an aggregate without
// values: the compiler judges the declarations alike (compiler/check/unsupported_option.cpp).
constexpr UnsupportedOption kUnsupported[] = {
    {"multipart",
     [](const RouteOptions& options) {
       const Multipart& form = options.multipart;
       return form.enabled.value_or(form.max_files || form.max_file_size.is_set() ||
                                    !form.files.empty() || !form.allowed_mime_types.empty());
     }},
    {"override_.rate_limit",
     [](const RouteOptions& options) { return options.override_.rate_limit.enabled(); }},
    {"override_.cors",
     [](const RouteOptions& options) {
       const CorsOverride& cors = options.override_.cors;
       return cors.enabled.value_or(!cors.origins.empty() || !cors.methods.empty() ||
                                    !cors.headers.empty() || cors.credentials.value_or(false) ||
                                    cors.max_age);
     }},
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
    errors.push_back("timeout is a positive number of milliseconds, or false");
  }
  if (options.override_.timeout && options.override_.timeout->count() <= 0) {
    errors.push_back("override_.timeout is a positive number of milliseconds");
  }
  for (const UnsupportedOption& option : kUnsupported) {
    if (!option.asks(options)) continue;
    errors.push_back(std::string(option.name) +
                     " is not implemented in this version; remove the option");
  }
  return errors;
}

}  // namespace fw::detail
