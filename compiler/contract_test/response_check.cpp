#include "contract_test/response_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "base/event_parser.hpp"
#include "base/media_type.hpp"
#include "files/data_file.hpp"
#include "model/application.hpp"
#include "model/openapi_document.hpp"
#include "options/response_selectors.hpp"

namespace fairway::contract_test {
namespace {

/// Whether the framework, and no handler, has stopped the request: credentials, rate limits.
bool is_turned_away(int status) { return status == 401 || status == 403 || status == 429; }

bool is_success(std::string_view selector) {
  return selector.starts_with('2') || selector.starts_with('3');
}

class ResponseCheck {
 public:
  ResponseCheck(const SchemaChecker& checker, const Operation& operation, const Request& request,
                const Response& response, ErrorStatuses error_statuses)
      : checker_(checker),
        operation_(operation),
        request_(request),
        response_(response),
        error_statuses_(error_statuses) {}

  std::optional<Violation> run() const {
    const Json* declared = declared_response();
    if (declared == nullptr) {
      return Violation{fmt::format("undeclared status {}", response_.status), declared_statuses(),
                       ""};
    }
    if (auto violation = check_expectation()) return violation;
    if (auto violation = check_headers(*declared)) return violation;
    return check_body(*declared);
  }

 private:
  const Json* find(const std::string& selector) const {
    const auto found = operation_.responses.find(selector);
    return found == operation_.responses.end() ? nullptr : &*found;
  }

  bool declares_success() const {
    for (const auto& [selector, response] : operation_.responses.items()) {
      if (is_success(selector)) return true;
    }
    return false;
  }

  bool default_counts() const {
    const bool is_client_error = response_.status >= 400 && response_.status < 500;
    return is_client_error ? error_statuses_ == ErrorStatuses::any
                           : response_.status < 400 && !declares_success();
  }

  const Json* declared_response() const {
    const std::string status = std::to_string(response_.status);
    if (const Json* exact = find(status)) return exact;
    if (const Json* family = find(status.substr(0, 1) + "XX")) return family;
    return default_counts() ? find("default") : nullptr;
  }

  std::string declared_statuses() const {
    std::vector<std::string> statuses;
    for (const auto& [selector, response] : operation_.responses.items()) {
      if (selector != "default") statuses.push_back(selector);
    }
    const bool has_default = find("default") != nullptr;
    if (has_default && error_statuses_ == ErrorStatuses::any) statuses.push_back("any 4xx");
    std::string text = "status ";
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      text += i == 0 ? "" : i + 1 == statuses.size() ? " or " : ", ";
      text += statuses[i];
    }
    return text;
  }

  std::optional<Violation> check_expectation() const {
    const int status = response_.status;
    const auto violation = [&](std::string title, std::string expected) {
      return Violation{std::move(title), std::move(expected), fmt::format("status {}", status)};
    };
    switch (request_.expectation) {
      case Expectation::accepted:
        if (status != 400 && status != 422) return std::nullopt;
        return violation("a valid request is rejected", "a status other than 400 and 422");
      case Expectation::unauthorized:
        if (status == 401 || status == 403) return std::nullopt;
        return violation(status < 400 ? "a request is accepted" : "wrong status for a request",
                         "status 401 or 403");
      case Expectation::rejected:
        break;
    }
    if (status == request_.status || is_turned_away(status)) return std::nullopt;
    const std::string expected = fmt::format("status {}", request_.status);
    return status < 400 ? violation("an invalid request is accepted", expected)
                        : violation("wrong status for an invalid request", expected);
  }

  std::optional<Violation> check_headers(const Json& declared) const {
    const Json headers = declared.value("headers", Json::object());
    for (const auto& [name, header] : headers.items()) {
      if (header.value("required", false) && response_.header(name).empty()) {
        return Violation{"missing header", fmt::format("the header '{}'", name), ""};
      }
    }
    return std::nullopt;
  }

  std::optional<Violation> check_body(const Json& declared) const {
    if (!fw::options::may_have_content(std::to_string(response_.status))) return std::nullopt;
    if (request_.method == "HEAD") return std::nullopt;
    if (!declared.contains("content")) return std::nullopt;
    const Json& content = declared["content"];
    const std::string type =
        fw::base::lower_case(fw::base::media_type(response_.header("content-type")));
    const Json* media = find_media(content, type);
    if (media == nullptr) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : content.items()) names.push_back(name);
      return Violation{"undeclared media type", fmt::format("{}", fmt::join(names, " or ")),
                       type.empty() ? "no Content-Type" : type};
    }
    if (is_stream_type(type)) return check_stream(type, *media);
    if (!fw::base::is_json(type)) return std::nullopt;
    return check_json("the body", response_.body, media->value("schema", Json(true)));
  }

  /// `subject` names the text.
  std::optional<Violation> check_json(std::string_view subject, const std::string& text,
                                      const Json& schema) const {
    Json value;
    try {
      value = files::read_data("body.json", text);
    } catch (const files::BadData&) {
      return Violation{fmt::format("{} is not JSON", subject), "a JSON value", ""};
    }
    const auto mismatch = checker_.check(value, schema);
    if (!mismatch) return std::nullopt;
    const std::string where = mismatch->pointer.empty() ? "" : " at " + mismatch->pointer;
    return Violation{fmt::format("{} does not match its schema{}", subject, where),
                     mismatch->expected, mismatch->found};
  }

  /// Checks the events or lines that have arrived completely.
  std::optional<Violation> check_stream(std::string_view type, const Json& media) const {
    const bool are_lines = type == model::kLinesType;
    const auto declared =
        media.find(are_lines ? model::extensions::kLines : model::extensions::kEvents);
    if (declared == media.end()) return std::nullopt;
    fw::base::EventParser parser(are_lines);
    for (const fw::base::ParsedEvent& event : parser.feed(response_.body)) {
      auto violation =
          are_lines ? check_json("a line", event.data, *declared) : check_event(event, *declared);
      if (violation) return violation;
    }
    return std::nullopt;
  }

  std::optional<Violation> check_event(const fw::base::ParsedEvent& event,
                                       const Json& declared) const {
    const auto schema = declared.find(event.name);
    if (schema != declared.end()) {
      return check_json(fmt::format("the event '{}'", event.name), event.data, *schema);
    }
    std::vector<std::string> names;
    for (const auto& [name, unused] : declared.items()) names.push_back(name);
    return Violation{fmt::format("undeclared event '{}'", event.name),
                     fmt::format("{}", fmt::join(names, " or ")), event.data};
  }

  /// The exact type, else a range such as "text/*".
  static const Json* find_media(const Json& content, const std::string& type) {
    const Json* range = nullptr;
    for (const auto& [name, media] : content.items()) {
      const std::string declared = fw::base::lower_case(fw::base::media_type(name));
      if (declared == type) return &media;
      const bool is_range =
          declared.ends_with("/*") &&
          (declared == "*/*" || type.starts_with(declared.substr(0, declared.size() - 1)));
      if (is_range) range = &media;
    }
    return range;
  }

  const SchemaChecker& checker_;
  const Operation& operation_;
  const Request& request_;
  const Response& response_;
  const ErrorStatuses error_statuses_;
};

}  // namespace

std::string Response::header(std::string_view name) const {
  const auto field = std::ranges::find_if(
      headers, [&](const auto& each) { return fw::base::equal_ignoring_case(each.first, name); });
  return field == headers.end() ? std::string() : field->second;
}

std::optional<Violation> check_response(const SchemaChecker& checker, const Operation& operation,
                                        const Request& request, const Response& response,
                                        ErrorStatuses error_statuses) {
  return ResponseCheck(checker, operation, request, response, error_statuses).run();
}

}  // namespace fairway::contract_test
