#include "contract_test/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/media_type.hpp"
#include "base/url_encoding.hpp"
#include "contract_test/socket_client.hpp"
#include "contract_test/valid_values.hpp"
#include "files/user_error.hpp"
#include "files/whole_file.hpp"

namespace fairway::contract_test {
namespace {

constexpr std::string_view kForm = "multipart/form-data";
constexpr std::string_view kUrlEncoded = "application/x-www-form-urlencoded";
constexpr std::string_view kBoundary = "fairway-contract-test-7d1f0c";
/// What RFC 3986 allows in a segment, besides letters and digits.
constexpr std::string_view kSegment = "-._~";

bool has_field(const Headers& headers, std::string_view name) {
  return std::ranges::any_of(
      headers, [&](const auto& field) { return fw::base::equal_ignoring_case(field.first, name); });
}

/// A request before it is written: values by the index of their parameters.
struct Draft {
  std::vector<std::optional<Json>> values;
  const MediaType* media = nullptr;
  std::optional<Json> body;
};

class Maker {
 public:
  Maker(const Operation& operation, const RequestContext& context, RandomSource& random)
      : operation_(operation),
        context_(context),
        random_(random),
        values_(context.checker, random) {}

  std::vector<Request> make(unsigned valid_count) {
    for (unsigned i = 0; i < valid_count; ++i) {
      // The first request has what is required, the second one everything.
      const std::size_t optional_percent = i == 0 ? 0 : i == 1 ? 100 : 50;
      add(write(draft(optional_percent, i)));
    }
    const Draft complete = draft(100, 0);
    if (operation_.is_secured && !context_.credentials.empty()) add_unauthorized(complete);
    for (std::size_t i = 0; i < operation_.parameters.size(); ++i) add_invalid(complete, i);
    add_invalid_bodies(complete);
    return std::move(requests_);
  }

 private:
  void add(Request request) {
    if (std::ranges::find(requests_, request) == requests_.end()) {
      requests_.push_back(std::move(request));
    }
  }

  void add_invalid_request(Request request, int status, std::string reason) {
    request.expectation = Expectation::rejected;
    request.status = status;
    request.reason = std::move(reason);
    add(std::move(request));
  }

  void add_unauthorized(const Draft& complete) {
    Request request = write(complete, false);
    request.expectation = Expectation::unauthorized;
    request.reason = "without credentials";
    add(std::move(request));
  }

  // Parameters.

  const std::map<std::string, Json>* given_values(const Parameter& parameter) const {
    if (parameter.location == "path") return &context_.values.path;
    if (parameter.location == "query") return &context_.values.query;
    return parameter.location == "cookie" ? &context_.values.cookies : nullptr;
  }

  /// Whether the settings send this header in every request.
  bool is_sent_anyway(const Parameter& parameter) const {
    if (parameter.location != "header") return false;
    return has_field(context_.headers, parameter.name) ||
           has_field(context_.credentials, parameter.name) ||
           has_field(context_.values.headers, parameter.name);
  }

  std::optional<Json> value_of(const Parameter& parameter, std::size_t optional_percent) {
    if (const auto* given = given_values(parameter)) {
      const auto value = given->find(parameter.name);
      if (value != given->end()) return value->second;
    }
    if (is_sent_anyway(parameter)) return std::nullopt;
    if (!parameter.required && !random_.chance(optional_percent)) return std::nullopt;
    const bool is_field = parameter.location == "header" || parameter.location == "cookie";
    auto value = values_.valid(parameter.schema, is_field ? Alphabet::plain : Alphabet::any);
    // An empty segment would be another path.
    for (int i = 0; i < 20 && value && text_of(*value).empty() && parameter.location == "path";
         ++i) {
      value = values_.valid(parameter.schema);
    }
    if (value) return value;
    throw UserError(fmt::format(
        "{}: no valid value was found for the {} parameter '{}': give one in the settings, below "
        "/operations/{}",
        operation_.id, parameter.location, parameter.name, operation_.id));
  }

  void add_invalid(const Draft& complete, std::size_t index) {
    const Parameter& parameter = operation_.parameters[index];
    const int status = parameter.location == "path" ? 400 : 422;
    if (!complete.values[index] || !operation_.declares(status == 400 ? "400" : "422")) return;
    const std::string name =
        fmt::format("the {} parameter '{}'", parameter.location, parameter.name);
    if (parameter.required && status == 422) {
      Draft incomplete = complete;
      incomplete.values[index].reset();
      add_invalid_request(write(incomplete), status, "without " + name);
    }
    for (InvalidValue& invalid : invalid_values(context_.checker, parameter.schema,
                                                *complete.values[index], Source::text)) {
      if (status == 400 && text_of(invalid.value).empty()) continue;
      Draft wrong = complete;
      wrong.values[index] = std::move(invalid.value);
      add_invalid_request(write(wrong), status,
                          fmt::format("with {}, which {}", name, invalid.error));
    }
  }

  // Bodies.

  Draft draft(std::size_t optional_percent, unsigned number) {
    Draft result;
    for (const Parameter& parameter : operation_.parameters) {
      result.values.push_back(value_of(parameter, optional_percent));
    }
    if (operation_.bodies.empty()) return result;
    if (!operation_.needs_body && !random_.chance(optional_percent)) return result;
    result.media = &operation_.bodies[number % operation_.bodies.size()];
    result.body = values_.valid(result.media->schema);
    const Json& given = context_.values.body;
    if (!result.body && given.is_null()) {
      throw UserError(
          fmt::format("{}: no valid body was found for {}: give one in the settings, as "
                      "/operations/{}/body",
                      operation_.id, result.media->name, operation_.id));
    }
    if (!result.body) result.body.emplace();
    if (!given.is_null()) result.body->merge_patch(given);
    return result;
  }

  void add_invalid_bodies(const Draft& complete) {
    if (!complete.media || !fw::base::is_json(complete.media->name)) return;
    if (operation_.declares("422")) {
      if (operation_.needs_body) {
        Draft without = complete;
        without.media = nullptr;
        add_invalid_request(write(without), 422, "without a body");
      }
      for (InvalidValue& invalid :
           invalid_values(context_.checker, complete.media->schema, *complete.body, Source::json)) {
        Draft wrong = complete;
        wrong.body = std::move(invalid.value);
        const std::string part = invalid.pointer.empty()
                                     ? "a body that "
                                     : fmt::format("a body in which {} ", invalid.pointer);
        add_invalid_request(write(wrong), 422, fmt::format("with {}{}", part, invalid.error));
      }
    }
    if (!operation_.declares("400")) return;
    Request malformed = write(complete);
    malformed.body.pop_back();
    if (Json::accept(malformed.body)) return;  // of a number, for example
    add_invalid_request(std::move(malformed), 400, "with a body that is not JSON");
  }

  // Requests as they are sent.

  Request write(const Draft& draft, bool has_credentials = true) const {
    Request request{
        .method = operation_.method, .target = operation_.path, .headers = context_.headers};
    if (has_credentials) append(request.headers, context_.credentials);
    append(request.headers, context_.values.headers);
    if (operation_.socket) append(request.headers, socket_opening());
    std::string query;
    std::string cookies;
    for (std::size_t i = 0; i < operation_.parameters.size(); ++i) {
      if (!draft.values[i]) continue;
      const Parameter& parameter = operation_.parameters[i];
      const std::string value = text_of(*draft.values[i]);
      if (parameter.location == "path") {
        const std::string hole = "{" + parameter.name + "}";
        const std::size_t position = request.target.find(hole);
        if (position == std::string::npos) continue;
        const std::string safe = std::string(kSegment) + (parameter.is_wildcard ? "/" : "");
        request.target.replace(position, hole.size(), fw::base::percent_encode(value, safe));
      } else if (parameter.location == "query") {
        query += fmt::format("{}{}={}", query.empty() ? "?" : "&",
                             fw::base::encode_form(parameter.name), fw::base::encode_form(value));
      } else if (parameter.location == "header") {
        request.headers.emplace_back(parameter.name, value);
      } else {
        cookies += fmt::format("{}{}={}", cookies.empty() ? "" : "; ", parameter.name,
                               fw::base::percent_encode(value, kSegment));
      }
    }
    request.target += query;
    if (!cookies.empty()) add_cookies(request.headers, cookies);
    if (draft.media != nullptr) write_body(*draft.media, *draft.body, request);
    return request;
  }

  static void append(Headers& headers, const Headers& others) {
    headers.insert(headers.end(), others.begin(), others.end());
  }

  static void add_cookies(Headers& headers, const std::string& cookies) {
    const auto field = std::ranges::find_if(headers, [](const auto& each) {
      return fw::base::equal_ignoring_case(each.first, "cookie");
    });
    if (field == headers.end()) {
      headers.emplace_back("cookie", cookies);
    } else {
      field->second += "; " + cookies;
    }
  }

  void write_body(const MediaType& media, const Json& body, Request& request) const {
    std::string type = media.name;
    if (fw::base::is_json(media.name)) {
      request.body = body.dump();
    } else if (media.name == kForm && body.is_object()) {
      type += fmt::format("; boundary={}", kBoundary);
      for (const auto& [name, value] : body.items()) {
        request.body += form_part(media, name, value);
      }
      request.body += fmt::format("--{}--\r\n", kBoundary);
    } else if (media.name == kUrlEncoded && body.is_object()) {
      for (const auto& [name, value] : body.items()) {
        request.body +=
            fmt::format("{}{}={}", request.body.empty() ? "" : "&", fw::base::encode_form(name),
                        fw::base::encode_form(text_of(value)));
      }
    } else {
      request.body = text_of(body);
    }
    if (!has_field(request.headers, "content-type")) {
      request.headers.emplace_back("content-type", type);
    }
  }

  /// A file if the schema says bytes, or if the settings name one: `{"file": "avatar.png"}`.
  std::string form_part(const MediaType& media, const std::string& name, const Json& value) const {
    const Json properties =
        context_.checker.resolved(media.schema).value("properties", Json::object());
    const Json schema = context_.checker.resolved(properties.value(name, Json::object()));
    const bool is_named = value.is_object() && value.size() == 1 && value.contains("file");
    const bool is_file = is_named || schema.value("format", "") == "binary";
    std::string head =
        fmt::format("--{}\r\ncontent-disposition: form-data; name=\"{}\"", kBoundary, name);
    std::string content = text_of(value);
    if (is_named) {
      const auto path = context_.directory / value["file"].get<std::string>();
      auto bytes = files::read_file(path);
      if (!bytes) throw UserError(fmt::format("cannot read '{}'", path.string()));
      content = *std::move(bytes);
      head += fmt::format("; filename=\"{}\"", path.filename().string());
    } else if (is_file) {
      head += "; filename=\"file\"";
    }
    if (is_file) {
      const Json encoding = media.encoding.value(name, Json::object());
      const auto types = encoding.value("contentType", std::string("application/octet-stream"));
      head += fmt::format("\r\ncontent-type: {}", types.substr(0, types.find(',')));
    }
    return head + "\r\n\r\n" + content + "\r\n";
  }

  const Operation& operation_;
  const RequestContext& context_;
  RandomSource& random_;
  ValueMaker values_;
  std::vector<Request> requests_;
};

}  // namespace

std::vector<Request> make_requests(const Operation& operation, const RequestContext& context,
                                   RandomSource random, unsigned valid_count) {
  return Maker(operation, context, random).make(valid_count);
}

}  // namespace fairway::contract_test
