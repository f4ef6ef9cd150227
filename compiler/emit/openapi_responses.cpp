#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/media_type.hpp"
#include "base/parse_number.hpp"
#include "base/reason_phrases.hpp"
#include "emit/openapi_parts.hpp"
#include "model/openapi_document.hpp"
#include "options/response_selectors.hpp"
#include "resolve/security.hpp"
#include "schema/operation_caching.hpp"

namespace fairway::emit {
namespace {

using model::Json;
using model::Route;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kAnyType = "*/*";

// The names of the families.
constexpr std::pair<std::string_view, std::string_view> kFamilies[] = {
    {"1xx", "Informational response"},
    {"2xx", "Successful response"},
    {"3xx", "Redirection"},
    {"4xx", "Client error"},
    {"5xx", "Server error"},
    {"default", "Unexpected response"},
};

std::string default_description(std::string_view selector) {
  const auto* family =
      std::ranges::find(kFamilies, selector, &std::pair<std::string_view, std::string_view>::first);
  if (family != std::end(kFamilies)) return std::string(family->second);
  const std::string_view phrase =
      fw::base::reason_phrase(fw::base::parse_number<int>(selector).value_or(0));
  return phrase.empty() ? "Status " + std::string(selector) : std::string(phrase);
}

// OpenAPI writes families in upper case: `2XX`.
std::string response_key(std::string selector) {
  if (selector.ends_with("xx")) selector.replace(1, 2, "XX");
  return selector;
}

bool is_error(std::string_view selector) {
  return selector.starts_with('4') || selector.starts_with('5');
}
bool is_success(std::string_view selector) {
  return selector.starts_with('1') || selector.starts_with('2') || selector.starts_with('3');
}

// The schema that follows from a media type: a string, any JSON value, or bytes.
Json body_of_media_type(std::string_view media_type) {
  if (fw::base::is_json(media_type)) return Json::object();
  const std::string_view type = fw::base::media_type(media_type);
  if (type.starts_with("text/") || type.ends_with("/xml") || type.ends_with("+xml")) {
    Json text;
    text["type"] = "string";
    return text;
  }
  return binary_schema();
}

/// All declarations for one selector.
struct Declaration {
  const model::ResponseSchema* declared = nullptr;        ///< of `responses`
  const model::DocumentedResponse* documented = nullptr;  ///< of `docs.responses`
  std::vector<Json> codes;        ///< bodies of errors with a code that the handler raises
  std::vector<Json> errors;       ///< bodies of other errors, also of the framework's
  Json headers = Json::object();  ///< that the framework sends
  // What the source of the handler shows.
  bool sends_json = false;
  std::set<std::string> json_types;   ///< of JSON with another media type than application/json
  bool sends_raw_json = false;        ///< without the envelope
  bool sends_no_body = false;         ///< at least sometimes
  std::set<std::string> media_types;  ///< of other bodies
};

// Whether requests are limited: by `override.rateLimit` of the route, or by the configuration
// unless that option is `false`.
bool has_rate_limit(const Route& route, const model::AppSettings& settings) {
  const Json overrides = route.options.value("override", Json::object());
  const Json limit = overrides.value("rateLimit", Json());
  return limit.is_object() || (settings.config.rate_limit.enabled && limit.is_null());
}

// Whether the responses to GET are stored.
bool is_cached(const Json& cache, const model::AppSettings& settings) {
  if (!settings.config.cache.enabled || cache.is_null() || cache == false) return false;
  if (!cache.is_object()) return cache.is_number() && cache > 0;
  const Json methods = cache.value("methods", Json::array());
  if (!methods.empty() && std::ranges::find(methods, Json("GET")) == methods.end()) return false;
  double ttl = cache.value("ttl", 0.0);
  if (ttl == 0) ttl = static_cast<double>(settings.config.cache.default_ttl);
  return ttl > 0;
}

// Whether the built-in parser reads a form. It rejects forms that are too large or have another
// media type.
bool accepts_form(const Route& route) {
  const Json multipart = route.options.value("multipart", Json::object());
  return !route.files.empty() || multipart.value("enabled", false);
}

Json rate_limit_headers() {
  constexpr std::pair<const char*, const char*> kHeaders[] = {
      {"RateLimit-Limit", "Requests that the window allows"},
      {"RateLimit-Remaining", "Requests that are left in the window"},
      {"RateLimit-Reset", "Seconds until the window allows more requests"},
      {"Retry-After", "Seconds to wait before the next request"},
  };
  Json headers;
  for (const auto& [name, description] : kHeaders) {
    headers[name]["description"] = description;
    headers[name]["schema"]["type"] = "integer";
  }
  return headers;
}

/// An error that a handler raises.
struct RaisedError {
  int status = 0;
  std::string code = {};  ///< in JSON; empty: the status
};

/// The status and the code may depend on the language of the request.
std::vector<RaisedError> raised_errors(const model::SentResponse& raised,
                                       const model::AppSettings& settings) {
  constexpr int kStatusOfKeys = 400;
  std::vector<RaisedError> errors;
  const auto add = [&](std::optional<int> status, const std::string& code) {
    if (!raised.statuses.empty()) status = raised.statuses.front();
    errors.push_back({status.value_or(kStatusOfKeys), raised.code.empty() ? code : raised.code});
  };
  const auto entries = settings.locale_errors.find(raised.message);
  if (entries != settings.locale_errors.end()) {
    for (const model::LocaleError& entry : entries->second) add(entry.status, entry.code);
  } else if (!raised.statuses.empty() || settings.is_known) {
    add(std::nullopt, "");
  }
  return errors;
}

/// `throw fw::ValidationError(…)` with one of the statuses of the component. With others, its
/// response is an error as any.
bool is_validation_error(const model::SentResponse& raised) {
  return raised.type.name == model::kValidationError &&
         (raised.statuses.front() == 400 || raised.statuses.front() == 422);
}

class ResponseWriter {
 public:
  ResponseWriter(const std::string& file, const Route& route, const model::OpenApiOptions& options,
                 Components& components)
      : file_(file), route_(route), options_(options), components_(components) {}

  Json write() {
    for (const auto& response : route_.responses)
      declarations_[response.selector].declared = &response;
    for (const auto& response : route_.docs.responses) {
      declarations_[response.selector].documented = &response;
    }
    add_sent_responses();
    add_unknown_errors();
    if (route_.socket) {
      declarations_["101"];
    } else if (!route_.declares_success()) {
      add_unknown_statuses();
      if (route_.sends_others) add_unseen();
    }
    add_framework_errors();
    std::map<std::string, Json> by_key;
    for (const auto& [selector, declaration] : declarations_) {
      by_key.emplace(response_key(selector), response_json(selector, declaration));
    }
    Json responses = Json::object();
    for (auto& [key, response] : by_key) responses[key] = std::move(response);
    if (route_.method == "GET") fw::schema::describe_caching(responses, caching());
    return responses;
  }

 private:
  void add_sent_responses() {
    for (const model::SentResponse& sent : route_.sent) {
      if (sent.function == "raise") {
        add_raised(sent);
        continue;
      }
      for (const int status : sent.statuses) {
        add_sent(sent, declaration_of(std::to_string(status)));
      }
    }
    if (is_rendered_early()) declarations_["200"].media_types.insert("text/html");
  }

  // What is sent with the status of an exception may have the status of each error.
  void add_unknown_errors() {
    if (route_.sends_others) return;
    for (const model::SentResponse& sent : route_.sent) {
      if (!sent.is_error) continue;
      declarations_["default"];
      for (auto& [selector, declaration] : declarations_) {
        if (is_error(selector) && !is_described(declaration)) add_sent(sent, declaration);
      }
    }
  }

  // What is sent with a status that is not constant may be sent with each success, or with an error
  // that nothing else describes; a redirect with each redirection.
  void add_unknown_statuses() {
    for (const model::SentResponse& sent : route_.sent) {
      if (sent.function == "raise" || !sent.statuses.empty() || sent.is_error) continue;
      const std::string family = sent.function == "redirect" ? "3xx" : "2xx";
      for (auto& [selector, declaration] : declarations_) {
        if (selector.front() == family.front() && selector != family) add_sent(sent, declaration);
      }
      add_sent(sent, declarations_[family]);
      if (family == "2xx") add_unknown_error(sent);
    }
  }

  void add_unknown_error(const model::SentResponse& sent) {
    if (route_.sends_others) return;  // it is one of the bodies that are not seen
    Declaration& others = declarations_["default"];
    if (is_described(others)) return;
    add_sent(sent, others);
    // All data that may have any status.
    const auto inferred =
        std::ranges::find(route_.responses, "2xx", &model::ResponseSchema::selector);
    if (sent.function == "json" && inferred != route_.responses.end()) {
      others.declared = &*inferred;
    }
  }

  // Any body, with any status: the source does not show what else the handler sends.
  void add_unseen() {
    for (const char* const selector : {"2xx", "default"}) declarations_[selector];
    for (auto& [selector, declaration] : declarations_) {
      if (is_described(declaration)) continue;
      declaration.sends_raw_json = true;  // or data in the envelope, which is JSON, too
      declaration.media_types.insert(std::string(kAnyType));
    }
  }

  // Whether the application says what is sent.
  static bool is_described(const Declaration& declaration) {
    return declaration.documented || (declaration.declared && !declaration.declared->is_inferred);
  }

  // Other errors with the same status remain possible, because middlewares, hooks and functions of
  // other files may raise them.
  void add_raised(const model::SentResponse& raised) {
    if (is_validation_error(raised)) {
      return add_once(declaration_of(std::to_string(raised.statuses.front())).errors,
                      components_.validation_error());
    }
    for (const auto& [status, code] : raised_errors(raised, options_.settings)) {
      Declaration& declaration = declaration_of(std::to_string(status));
      if (!code.empty())
        add_once(declaration.codes, components_.error_with_code(Json::parse(code)));
      add_once(declaration.errors, components_.error());
    }
  }

  // The declaration that applies to a status, or a new one.
  Declaration& declaration_of(const std::string& status) {
    for (const std::string& selector :
         {status, status.substr(0, 1) + "xx", std::string("default")}) {
      const auto found = declarations_.find(selector);
      if (found != declarations_.end()) return found->second;
    }
    return declarations_[status];
  }

  static void add_sent(const model::SentResponse& sent, Declaration& declaration) {
    if (sent.function == "json" && !sent.media_type.empty()) {
      declaration.json_types.insert(sent.media_type);
    } else if (sent.function == "json") {
      declaration.sends_json = true;
    } else if (sent.function == "raw_json" && sent.media_type.empty()) {
      declaration.sends_raw_json = true;
    } else if (sent.media_type.empty()) {
      declaration.sends_no_body = true;
    } else {
      declaration.media_types.insert(sent.media_type);
    }
  }

  // Whether the page is sent without the handler.
  bool is_rendered_early() const {
    const Json frontend = route_.options.value("frontend", Json::object());
    return frontend.value("mode", "") == "static" || frontend.value("clientOnly", false);
  }

  void add_framework_errors() {
    const auto has_location = [&](std::string_view location) {
      return std::ranges::any_of(
          route_.validate, [&](const auto& declared) { return declared.location == location; });
    };
    const bool has_body = has_location("body");
    if (has_location("param")) add_error("400", components_.validation_error());
    const bool has_form = accepts_form(route_);
    if (has_body || has_form) {
      add_error("400", components_.error());
      add_error("413", components_.error());
    }
    if (has_form) add_error("415", components_.error());
    if (has_body || has_location("query") || has_location("header") || has_location("cookie")) {
      add_error("422", components_.validation_error());
    }
    if (resolve::is_guarded(route_)) {
      add_error("401", components_.error());
      add_error("403", components_.error());
    }
    if (resolve::needs_csrf_token(route_, options_.settings)) add_error("403", components_.error());
    if (has_rate_limit(route_, options_.settings)) {
      add_error("429", components_.error());
      declarations_["429"].headers = rate_limit_headers();
    }
    // A client has a limited number of streams and of sockets.
    if (route_.streamed() != nullptr || route_.socket) add_error("429", components_.error());
    if (route_.socket) {
      add_error("403", components_.error());  // another origin
      add_error("426", components_.error());
    }
    if (route_.proxies) add_error("502", components_.error());
    if (route_.has_timeout || route_.proxies) add_error("504", components_.error());
    add_error("default", components_.error());
  }

  fw::schema::CachingDeclaration caching() const {
    const Json cache = route_.options.value("cache", Json());
    const bool cached = is_cached(cache, options_.settings);
    return {
        .is_cached = cached,
        .sends_cache_control = cached && (!cache.is_object() || cache.value("cacheControl", true)),
        .has_entity_tags = options_.settings.config.etag != fw::EntityTags::off,
        .declares_not_modified = declarations_.contains("304")};
  }

  void add_error(const std::string& selector, Json schema) {
    add_once(declarations_[selector].errors, std::move(schema));
  }

  static void add_once(std::vector<Json>& schemas, Json schema) {
    if (std::ranges::find(schemas, schema) == schemas.end()) schemas.push_back(std::move(schema));
  }

  // Whether this is the response of an upstream, which the route does not describe.
  bool is_passed_on(const std::string& selector, const Declaration& declaration) const {
    return route_.proxies && is_success(selector) && !declaration.declared &&
           !declaration.documented;
  }

  Json response_json(const std::string& selector, const Declaration& declaration) {
    Json response;
    if (is_passed_on(selector, declaration)) {
      response["description"] = "Response of the upstream";
      if (route_.method != "HEAD")
        response["content"][std::string(kAnyType)]["schema"] = binary_schema();
      return response;
    }
    response["description"] = declaration.documented && !declaration.documented->description.empty()
                                  ? declaration.documented->description
                                  : default_description(selector);
    Json headers = declaration.headers;
    if (declaration.documented) headers.update(headers_json(declaration.documented->headers));
    if (!headers.empty()) response["headers"] = std::move(headers);
    Json content = content_json(selector, declaration);
    if (!content.is_null()) response["content"] = std::move(content);
    return response;
  }

  static Json headers_json(const Json& headers) {
    Json result = headers;
    for (auto& [name, header] : result.items()) {
      if (!header.contains("schema")) header["schema"]["type"] = "string";
    }
    return result;
  }

  Json content_json(const std::string& selector, const Declaration& declaration) {
    if (route_.method == "HEAD" || !fw::options::may_have_content(selector)) return nullptr;
    const bool has_own_type =
        declaration.documented && !declaration.documented->content_type.empty();
    const std::string media_type =
        has_own_type ? declaration.documented->content_type : std::string(kJson);
    const bool is_json = media_type == kJson;
    Json content;
    Json schema;
    if (is_json) {
      std::vector<Json> bodies;
      if (Json data = data_schema(selector, declaration); !data.is_null()) {
        for (const std::string& type : declaration.json_types) content[type]["schema"] = data;
        if (sends_plain_json(declaration)) bodies.push_back(std::move(data));
      }
      schema = with_errors(selector, declaration, std::move(bodies));
    } else {
      schema = other_schema(selector, declaration);
    }
    if (declaration.declared && declaration.declared->stream) {
      const model::Stream& stream = *declaration.declared->stream;
      content[std::string(stream.media_type())] = stream_json(stream, selector);
    }
    if (!schema.is_null()) {
      Json& media = content[media_type];
      media["schema"] = std::move(schema);
      if (declaration.documented) {
        add_examples(*declaration.documented, is_json && is_wrapped(selector), media);
      }
    }
    // The declared type is what the application says of all of them.
    if (!has_own_type) {
      for (const std::string& type : declaration.media_types) {
        // A stream that is declared has its own.
        const bool is_declared = declaration.declared && declaration.declared->stream &&
                                 declaration.declared->stream->media_type() == type;
        if (!is_declared) add_body(content[type], body_of_media_type(type));
      }
    }
    return content;
  }

  // Another body of a media type.
  static void add_body(Json& media, Json body) {
    Json& schema = media["schema"];
    if (schema.is_null()) {
      schema = std::move(body);
    } else if (!schema.empty() && schema != body) {
      Json any;
      any["anyOf"] = Json::array({std::move(schema), std::move(body)});
      schema = std::move(any);
    }
  }

  bool is_wrapped(std::string_view selector) const {
    return options_.envelope && !is_error(selector);
  }

  // The schema of a body that is not JSON, which never has an envelope.
  Json other_schema(const std::string& selector, const Declaration& declaration) {
    if (declaration.declared && declaration.declared->stream) return nullptr;
    if (declaration.declared) return declared_json(declaration.declared->schema, selector);
    if (declaration.documented->schema)
      return declared_json(*declaration.documented->schema, selector);
    return body_of_media_type(declaration.documented->content_type);
  }

  // The schema of the data, with the envelope; null: the handler sends no JSON.
  Json data_schema(const std::string& selector, const Declaration& declaration) {
    // Bodies declared in `responses` have the envelope with every status; error bodies declared in
    // `docs.responses` are described without it.
    if (declaration.declared && declaration.declared->stream) {
      return nullptr;  // the media type of the stream has a schema of its own
    }
    if (declaration.declared) {
      const model::ResponseSchema& declared = *declaration.declared;
      return wrapped(declared_json(declared.schema, declared.selector, declared.is_inferred));
    }
    if (declaration.documented && declaration.documented->schema) {
      Json documented = declared_json(*declaration.documented->schema, selector);
      return is_error(selector) ? std::move(documented) : wrapped(std::move(documented));
    }
    if (declaration.sends_raw_json) return Json::object();
    const bool has_any = declaration.sends_json || !declaration.json_types.empty() ||
                         (selector.starts_with('2') && !sends_other_bodies(declaration));
    return has_any ? wrapped(Json::object()) : nullptr;
  }

  // Whether data has the usual media type: what is not known to be sent otherwise.
  bool sends_plain_json(const Declaration& declaration) const {
    return declaration.json_types.empty() || declaration.sends_json || declaration.sends_raw_json ||
           route_.sends_others;
  }

  // JSON with one of these schemas, or an error.
  Json with_errors(const std::string& selector, const Declaration& declaration,
                   std::vector<Json> bodies) {
    bodies.insert(bodies.end(), declaration.codes.begin(), declaration.codes.end());
    bodies.insert(bodies.end(), declaration.errors.begin(), declaration.errors.end());
    const bool has_other_bodies =
        sends_other_bodies(declaration) || !declaration.json_types.empty();
    const bool may_be_raised = is_error(selector) && declaration.errors.empty() &&
                               !has_other_bodies &&
                               !(declaration.documented && declaration.documented->schema);
    if (may_be_raised) bodies.push_back(components_.error());
    if (bodies.empty()) return nullptr;
    if (bodies.size() == 1) return std::move(bodies.front());
    Json any;
    any["anyOf"] = bodies;
    return any;
  }

  // Whether the handler is known to send something else than JSON, or nothing.
  static bool sends_other_bodies(const Declaration& declaration) {
    return declaration.sends_no_body || !declaration.media_types.empty();
  }

  /// A string for tools that do not know the extension, which has the schemas of the items.
  Json stream_json(const model::Stream& stream, const std::string& selector) {
    Json media;
    media["schema"]["type"] = "string";
    for (const model::StreamItem& item : stream.items) {
      Json schema =
          components_.declared(item.schema, {.file = file_,
                                             .operation_id = route_.operation_id,
                                             .part = "Response" + selector,
                                             .event = item.name.empty() ? "Line" : item.name});
      if (stream.format == model::Stream::Format::lines) {
        media[std::string(model::extensions::kLines)] = std::move(schema);
      } else {
        media[std::string(model::extensions::kEvents)][item.name] = std::move(schema);
      }
    }
    return media;
  }

  Json declared_json(const model::Schema& schema, const std::string& selector,
                     bool is_inferred = false) {
    return components_.declared(schema, {.file = file_,
                                         .operation_id = route_.operation_id,
                                         .part = "Response" + selector,
                                         .is_inferred = is_inferred});
  }

  Json wrapped(Json data) const {
    return options_.envelope ? envelope_schema(std::move(data)) : std::move(data);
  }

  static void add_examples(const model::DocumentedResponse& documented, bool wrap, Json& media) {
    if (!documented.example.is_null()) {
      media["example"] = wrap ? envelope_example(documented.example) : documented.example;
    } else if (!documented.examples.empty()) {
      media["examples"] = documented.examples;
      for (auto& [name, example] : media["examples"].items()) {
        if (wrap && example.contains("value"))
          example["value"] = envelope_example(example["value"]);
      }
    }
  }

  const std::string& file_;
  const Route& route_;
  const model::OpenApiOptions& options_;
  Components& components_;
  std::map<std::string, Declaration> declarations_;
};

}  // namespace

Json operation_responses(const std::string& file, const Route& route,
                         const model::OpenApiOptions& options, Components& components) {
  return ResponseWriter(file, route, options, components).write();
}

}  // namespace fairway::emit
