#include "options/option_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <span>
#include <utility>

#include "base/ascii.hpp"
#include "base/media_type.hpp"
#include "base/methods.hpp"
#include "base/origin.hpp"
#include "base/parse_number.hpp"
#include "metrics/metric_table.hpp"
#include "options/option_members.hpp"
#include "options/response_selectors.hpp"

namespace fw::options {
namespace {

const std::string& string_of(const Json& value) { return value.get_ref<const std::string&>(); }

std::vector<std::string> steps_of(std::string_view option) {
  std::vector<std::string> steps;
  base::for_each_token(option, '.', [&](std::string_view step) { steps.emplace_back(step); });
  return steps;
}

/// The value of an option such as "override_.cors.max_age"; null if it is absent.
const Json& value_of(const Json& options, std::string_view option) {
  static const Json kAbsent;
  const Json* value = &options;
  for (const std::string& step : steps_of(option)) {
    const auto member = value->is_object() ? value->find(reference_name(step)) : value->end();
    if (!value->is_object() || member == value->end()) return kAbsent;
    value = &*member;
  }
  return *value;
}

// Constraints on single values. Values of another type are not errors here: they are unresolved.

bool is_positive(const Json& value) { return !value.is_number() || value > 0; }
bool is_not_negative(const Json& value) { return !value.is_number() || value >= 0; }
bool is_not_true(const Json& value) { return value != true; }
bool is_deadline(const Json& value) { return is_not_true(value) && is_positive(value); }
bool is_lifetime(const Json& value) { return is_not_true(value) && is_not_negative(value); }

bool is_size(const Json& value) {
  if (value.is_string()) return base::parse_byte_size(string_of(value)).has_value();
  return is_not_negative(value);
}

template <int kMaxMegabytes>
bool is_size(const Json& value) {
  constexpr int kMaxBytes = kMaxMegabytes * 1024 * 1024;
  if (value.is_string()) {
    const auto size = base::parse_byte_size(string_of(value));
    return size && *size >= 1024 && *size <= kMaxBytes;
  }
  return !value.is_number() || (value >= 1024 && value <= kMaxBytes);
}

template <bool (*allows)(std::string_view)>
bool is_string_that(const Json& value) {
  return !value.is_string() || allows(string_of(value));
}

bool is_origin(std::string_view text) {
  return text == "*" || text == "null" || base::parse_origin(text);
}

bool is_token(std::string_view text) { return base::is_token(text); }

bool is_method(std::string_view text) {
  return std::ranges::find(base::kMethods, text) != base::kMethods.end();
}

/// Custom methods are case-sensitive, too, but none of ours.
bool is_in_upper_case(std::string_view text) {
  return is_method(text) || base::find_method(text).empty();
}

bool is_rate_limit_key(std::string_view text) {
  return text.empty() || text == "ip" || text == "user";
}

bool is_page_mode(std::string_view text) {
  return text.empty() || text == "static" || text == "revalidate";
}

bool is_hydration(std::string_view text) { return text.empty() || text == "none"; }

bool is_overflow(std::string_view text) {
  return text.empty() || text == "close" || text == "drop_oldest" || text == "coalesce";
}

std::string known_method(const Json& value) {
  return std::string(base::find_method(string_of(value)));
}

/// A quantile of a histogram is at most its last bound, and between 0 and the first bound, it says
/// nothing.
bool is_measured_duration(const Json& value) {
  constexpr double kFirst = metrics::kDurationBounds.front() * 1'000;
  constexpr double kLast = metrics::kDurationBounds.back() * 1'000;
  static_assert(kFirst == 5 && kLast == 10'000);  // as the message says
  return !value.is_number() || (value >= kFirst && value < kLast);
}

/// Below 90 %, no share of errors would exceed some of the bounds of alerts.
bool is_availability(const Json& value) {
  return !value.is_number() || (value >= 90 && value < 100);
}

constexpr std::string_view kSizeHelp =
    R"(write a number of bytes, or a string such as "512kb" or "1mb")";

struct ValueConstraint {
  std::string_view option;  ///< the names in C++; ".*" for each item of a list
  bool (*allows)(const Json& value);
  std::string_view message;  ///< {0}: the option, {1}: the value, {2}: the correction
  std::string_view help = {};
  std::string (*correction)(const Json& value) = nullptr;
};

constexpr ValueConstraint kValueConstraints[] = {
    {"csrf", is_not_true, "'{0}' can only be false", "remove it: the global setting applies"},
    {"security_headers", is_not_true, "'{0}' can only be false",
     "remove it: the global setting applies"},
    {"timeout", is_deadline, "'{0}' must be false or a positive number of milliseconds",
     "write the deadline, for example '5s'"},
    {"cache", is_lifetime, "'{0}' must be false, a positive time to live, or options",
     "write the time to live, for example '30s', or 'false' to disable the cache"},
    {"cache.methods.*", is_string_that<is_method>, "'{0}' has the unknown method '{1}'",
     R"(write methods in upper case, for example "GET")", known_method},
    {"override_.timeout", is_positive, "'{0}' must be a positive number of milliseconds"},
    {"override_.max_body_size", is_size, "'{0}' is not a valid size", kSizeHelp},
    {"override_.rate_limit", is_not_true,
     "'{0}' must be false or values that override the values of the global limiter",
     "a route cannot enable the limiter"},
    {"override_.rate_limit.max", is_positive, "'{0}' must be a positive number of requests"},
    {"override_.rate_limit.window", is_positive, "'{0}' must be a positive number of seconds"},
    {"override_.rate_limit.key_by", is_string_that<is_rate_limit_key>, "'{0}' cannot be '{1}'",
     R"(write "ip" or "user")"},
    {"override_.cors.max_age", is_not_negative, "'{0}' must not be negative"},
    {"body_parser.max_body_size", is_size, "'{0}' is not a valid size", kSizeHelp},
    {"multipart.max_files", is_positive, "'{0}' must be a positive number of files"},
    {"multipart.max_file_size", is_size, "'{0}' is not a valid size", kSizeHelp},
    {"multipart.allowed_mime_types.*", is_string_that<base::is_media_range>,
     "'{1}' is not a media type",
     R"(write a type such as "image/png", without parameters, or "image/*")"},
    {"frontend.mode", is_string_that<is_page_mode>, "'{0}' cannot be '{1}'",
     R"(write "static" or "revalidate", or omit it for rendering on demand)"},
    {"frontend.revalidate", is_positive, "'{0}' must be a positive number of seconds"},
    {"frontend.hydration", is_string_that<is_hydration>, "'{0}' cannot be '{1}'",
     R"(write "none" for pages without scripts, or omit it)"},
    {"events.queue", is_size<16>, "'{0}' must be a size from 1kb to 16mb", kSizeHelp},
    {"events.overflow", is_string_that<is_overflow>, "'{0}' cannot be '{1}'",
     R"(write "close", "drop_oldest" or "coalesce")"},
    {"events.retry", is_positive, "'{0}' must be a positive number of milliseconds"},
    {"events.max_per_address", is_positive, "'{0}' must be a positive number of streams"},
    {"socket.max_message", is_size<16>, "'{0}' must be a size from 1kb to 16mb", kSizeHelp},
    {"socket.queue", is_size<32>, "'{0}' must be a size from 1kb to 32mb", kSizeHelp},
    {"socket.overflow", is_string_that<is_overflow>, "'{0}' cannot be '{1}'",
     R"(write "close", "drop_oldest" or "coalesce")"},
    {"socket.protocols.*", is_string_that<is_token>, "'{1}' is not the name of a protocol",
     "write a name without spaces, such as \"chat.v1\""},
    {"socket.origins.*", is_string_that<is_origin>, "'{1}' is not an origin",
     R"(write a scheme and a host, such as "https://app.example", or "*")"},
    {"socket.max_per_address", is_positive, "'{0}' must be a positive number of sockets"},
    {"objective.p99", is_measured_duration, "'{0}' must be 5 to 9999 milliseconds, not {1}",
     "write a duration, for example '200ms'"},
    {"objective.availability", is_availability,
     "'{0}' must be at least 90 and below 100 percent, not {1}",
     "write percent, for example '99.9'"},
};

// The members of `cors` of the configuration, too.
constexpr ValueConstraint kCorsConstraints[] = {
    {"origins.*", is_string_that<is_origin>, "'{1}' is not an origin",
     R"(write a scheme and a host, such as "https://app.example", or "*")"},
    {"methods.*", is_string_that<is_token>, "'{1}' is not a method"},
    {"methods.*",
     is_string_that<is_in_upper_case>,
     "'{1}' never matches, because methods are case-sensitive: write \"{2}\"",
     {},
     known_method},
    {"headers.*", is_string_that<is_token>, "'{1}' is not the name of a header"},
};

// Constraints between options.

/// An option that is declared, or that has a value.
struct Condition {
  std::string_view option;
  std::string_view value = {};  ///< a string, or "true"
};

constexpr Condition kStatic{"frontend.mode", "static"};
constexpr Condition kRevalidated{"frontend.mode", "revalidate"};
constexpr Condition kClientOnly{"frontend.client_only", "true"};

struct Exclusion {
  Condition option;
  Condition excluded;  ///< reported here
  std::string_view help;
};

constexpr std::string_view kOneRendering = "one rendering is sent to everyone";
constexpr std::string_view kStoredAlready = "the rendering is stored already";

constexpr Exclusion kExclusions[] = {
    {{"cache.key"},
     {"cache.query"},
     "remove it: the key of the route replaces the path and the query"},
    {{"body_parser.stream", "true"},
     {"multipart.enabled", "true"},
     "the handler reads the form, for example with fw::MultipartStream"},
    {{"frontend.hydration", "none"},
     kClientOnly,
     "without hydration nothing would render the page in the browser"},
    {kStatic,
     {"frontend.data"},
     "remove it: the data of a static page is an object of 'frontend.static_params'"},
    {kStatic, {"auth"}, kOneRendering},
    {kStatic, {"cache"}, kStoredAlready},
    {kStatic, {"session"}, kOneRendering},
    {kStatic, {"validate"}, kOneRendering},
    {kRevalidated, {"auth"}, kOneRendering},
    {kRevalidated, {"cache"}, kStoredAlready},
    {kRevalidated, {"session"}, kOneRendering},
};

struct Need {
  Condition option;  ///< reported here
  Condition needed;
  std::string_view help = {};
};

constexpr Need kNeeds[] = {
    {{"frontend.static_params"}, kStatic},
    {{"frontend.revalidate"}, kRevalidated},
    {kRevalidated,
     {"frontend.revalidate"},
     "write the seconds after which the page is rendered again"},
    {kStatic,
     {"frontend.page"},
     "name the page, because static generation runs no handler that could choose it"},
    {kClientOnly,
     {"frontend.page"},
     "name the page, because its script shows the page in the browser"},
};

// A socket has no response and no body.
constexpr std::string_view kNotOfSockets[] = {
    "validate.body",  "cache",       "responses",
    "multipart",      "body_parser", "csrf",
    "frontend",       "events",      "override_.max_body_size",
    "override_.cors",
};
constexpr std::string_view kOfSockets[] = {
    "receive",
    "send",
    "socket",
};

/// Whether a path such as "cache.methods.*" leads through members of records.
constexpr bool is_option(std::string_view path, std::string_view record) {
  if (path.ends_with(".*")) path.remove_suffix(2);
  while (true) {
    const auto end = path.find('.');
    const OptionMember* member = find_option_member(record, path.substr(0, end));
    if (member == nullptr) return false;
    if (end == std::string_view::npos) return true;
    record = member->record_type;
    path.remove_prefix(end + 1);
  }
}

static_assert(std::ranges::all_of(kValueConstraints, [](const ValueConstraint& constraint) {
  return is_option(constraint.option, RecordOf<RouteOptions>::kName);
}));
static_assert(std::ranges::all_of(kCorsConstraints, [](const ValueConstraint& constraint) {
  return is_option(constraint.option, RecordOf<CorsOverride>::kName);
}));
static_assert(std::ranges::all_of(kExclusions, [](const Exclusion& exclusion) {
  return is_option(exclusion.option.option, RecordOf<RouteOptions>::kName) &&
         is_option(exclusion.excluded.option, RecordOf<RouteOptions>::kName);
}));
static_assert(std::ranges::all_of(kNeeds, [](const Need& need) {
  return is_option(need.option.option, RecordOf<RouteOptions>::kName) &&
         is_option(need.needed.option, RecordOf<RouteOptions>::kName);
}));

static_assert(std::ranges::all_of(kNotOfSockets, [](std::string_view option) {
  return is_option(option, RecordOf<RouteOptions>::kName);
}));
static_assert(std::ranges::all_of(kOfSockets, [](std::string_view option) {
  return is_option(option, RecordOf<RouteOptions>::kName);
}));

/// The violations of a route.
class Check {
 public:
  Check(const Json& options, std::string_view method, const std::vector<std::string>& parameters)
      : options_(options), method_(method), parameters_(parameters) {}

  std::vector<Violation> run() && {
    check_values(kValueConstraints, options_, "");
    check_values(kCorsConstraints, value_of(options_, "override_.cors"), "override_.cors.");
    for (const Exclusion& exclusion : kExclusions) check(exclusion);
    for (const Need& need : kNeeds) check(need);
    check_method();
    check_socket();
    check_static_params();
    check_content();
    return std::move(found_);
  }

  /// `record` is at `prefix` of the options.
  void check_values(std::span<const ValueConstraint> constraints, const Json& record,
                    std::string_view prefix) {
    for (const ValueConstraint& constraint : constraints) {
      std::string_view option = constraint.option;
      const bool is_list = option.ends_with(".*");
      if (is_list) option.remove_suffix(2);
      const Json& value = value_of(record, option);
      const std::string name = fmt::format("{}{}", prefix, option);
      if (is_of_other_method(name)) continue;
      if (!is_list) {
        if (!constraint.allows(value)) add(constraint, name, value, {});
      } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
          if (!constraint.allows(value[i])) add(constraint, name, value[i], std::to_string(i));
        }
      }
    }
  }

  std::vector<Violation> take() { return std::move(found_); }

 private:
  static bool is_declared(const Json& value) {
    return !value.is_null() && value != false && value != "";
  }

  bool applies(const Condition& condition) const {
    const Json& value = value_of(options_, condition.option);
    if (condition.value.empty()) return is_declared(value);
    return value.is_string() ? string_of(value) == condition.value
                             : value == true && condition.value == "true";
  }

  static OptionLocation location_of(const Condition& condition) {
    return {steps_of(condition.option), condition.value.empty() || condition.value == "true"};
  }

  /// "'frontend.mode' 'static'"
  static std::string text_of(const Condition& condition) {
    if (condition.value.empty() || condition.value == "true") {
      return fmt::format("'{}'", condition.option);
    }
    return fmt::format("'{}' '{}'", condition.option, condition.value);
  }

  Violation& add(OptionLocation location, std::string message, std::string_view help = {}) {
    return found_.emplace_back(
        Violation{std::move(location), std::move(message), std::string(help)});
  }

  void add(const ValueConstraint& constraint, const std::string& option, const Json& value,
           std::string item) {
    const std::string text = value.is_string() ? string_of(value) : value.dump();
    const std::string correction = constraint.correction ? constraint.correction(value) : "";
    OptionLocation location{steps_of(option)};
    if (!item.empty()) location.path.push_back(std::move(item));
    add(std::move(location),
        fmt::vformat(constraint.message, fmt::make_format_args(option, text, correction)),
        constraint.help)
        .correction = correction;
  }

  void check(const Exclusion& exclusion) {
    if (!applies(exclusion.option) || !applies(exclusion.excluded)) return;
    Violation& violation =
        add(location_of(exclusion.excluded),
            fmt::format("{} excludes {}", text_of(exclusion.option), text_of(exclusion.excluded)),
            exclusion.help);
    violation.other = location_of(exclusion.option);
    violation.note = fmt::format("'{}' is set here", violation.other->path.back());
  }

  void check(const Need& need) {
    if (!applies(need.option) || applies(need.needed)) return;
    const auto& [option, value] = need.needed;
    add(location_of(need.option),
        fmt::format("{} needs '{}'{}", text_of(need.option), option,
                    value.empty() ? "" : fmt::format(" to be '{}'", value)),
        need.help);
  }

  void check_method() {
    for (const Condition& mode : {kStatic, kRevalidated}) {
      if (method_ == "GET" || !applies(mode)) continue;
      add(location_of(mode), text_of(mode) + " needs a GET route",
          "pages are rendered in advance only for requests that change nothing");
    }
  }

  bool is_socket() const { return method_ == base::kSocketMethod; }

  /// The options that do not apply.
  std::span<const std::string_view> others() const {
    return is_socket() ? std::span<const std::string_view>(kNotOfSockets) : kOfSockets;
  }

  /// Whether `check_socket` reports the option or a record that it is in.
  bool is_of_other_method(std::string_view option) const {
    return std::ranges::any_of(others(), [&](std::string_view other) {
      return option.starts_with(other) &&
             (option.size() == other.size() || option[other.size()] == '.');
    });
  }

  void check_socket() {
    for (const std::string_view option : others()) {
      const Json& value = value_of(options_, option);
      if (value.is_null()) continue;
      add({steps_of(option), true},
          is_socket() ? fmt::format("'{}' does not apply to a socket", option)
                      : fmt::format("'{}' applies to a socket only", option),
          is_socket() ? "remove it" : "register the route with app.socket");
    }
  }

  /// Each object of `static_params` has a value for each parameter of the path; it may have more.
  void check_static_params() {
    if (!applies(kStatic)) return;
    constexpr Condition kParams{"frontend.static_params"};
    const Json& list = value_of(options_, kParams.option);
    const auto has_parameters = [&](const Json& params) {
      return params.is_object() && std::ranges::all_of(parameters_, [&](const std::string& name) {
               const auto value = params.find(name);
               return value != params.end() && value->is_primitive() && !value->is_null();
             });
    };
    if (!is_declared(list)) {
      if (parameters_.empty()) return;
      add(location_of(kStatic),
          text_of(kStatic) + " needs 'frontend.static_params' for a path with parameters",
          fmt::format("list the values of '{}'", parameters_.front()));
    } else if (parameters_.empty()) {
      add(location_of(kParams), "'frontend.static_params' needs a path with parameters",
          "remove it: the page is rendered once");
    } else if (!list.is_array() || !std::ranges::all_of(list, has_parameters)) {
      add(location_of(kParams),
          "'frontend.static_params' must be a list of objects with the parameters of the path",
          fmt::format("give each object a value for '{}'", parameters_.front()));
    }
  }

  /// Responses without content have no schema, and no documentation of their content.
  void check_content() {
    for (const auto& [selector, schema] : value_of(options_, "responses").items()) {
      if (may_have_content(selector)) continue;
      add({{"responses", selector}, true},
          fmt::format("'responses' declares a schema for '{}', which has no body", selector),
          "describe it in 'docs.responses', without a schema");
    }
    for (const auto& [selector, response] : value_of(options_, "docs.responses").items()) {
      if (may_have_content(selector)) continue;
      for (const std::string_view name : {"schema", "content_type", "example", "examples"}) {
        if (!response.is_object() || !response.contains(reference_name(name))) continue;
        add({{"docs", "responses", selector, std::string(name)}, true},
            fmt::format("'docs.responses' declares '{}' for '{}', which has no body", name,
                        selector),
            "remove it");
      }
    }
  }

  const Json& options_;
  const std::string_view method_;
  const std::vector<std::string>& parameters_;
  std::vector<Violation> found_;
};

}  // namespace

std::string Violation::text() const {
  std::string text = help.empty() ? message : fmt::format("{}; {}", message, help);
  const bool is_item =
      !location.is_name && location.path.size() > 1 && base::is_digit(location.path.back().front());
  if (!is_item) return text;
  const std::string member =
      fmt::format("{}", fmt::join(location.path.begin(), location.path.end() - 1, "."));
  // Most messages about an item do not say which list it is in.
  const bool is_named = message.find('\'' + member + '\'') != std::string::npos;
  return is_named ? text : member + ": " + text;
}

std::vector<Violation> violations(const Json& options, std::string_view method,
                                  const std::vector<std::string>& parameters) {
  return Check(options, method, parameters).run();
}

std::vector<Violation> cors_violations(const Json& cors) {
  const std::vector<std::string> kNoParameters;
  Check check(cors, {}, kNoParameters);
  check.check_values(kCorsConstraints, cors, "");
  return check.take();
}

std::vector<Violation> duplicate_response_schemas(const Json& options) {
  std::vector<Violation> found;
  const Json& declared = value_of(options, "responses");
  for (const auto& [selector, response] : value_of(options, "docs.responses").items()) {
    if (value_of(response, "schema").is_null() || !declared.contains(selector)) continue;
    found.push_back(
        {.location = {{"docs", "responses", selector, "schema"}, true},
         .message = fmt::format("'docs.responses' also declares a schema for '{}'", selector),
         .help = "keep the schema in 'responses' only",
         .other = OptionLocation{{"responses", selector}, true},
         .note = "'responses' declares it here"});
  }
  return found;
}

}  // namespace fw::options
