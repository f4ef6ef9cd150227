#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "diff/comparisons.hpp"

namespace fairway::diff {
namespace {

struct Response {
  std::string status;  ///< "201", "4XX", "default"
  Node node;
};

std::vector<Response> responses_of(const Document& document, const Node& operation) {
  std::vector<Response> responses;
  const Node list = document.object(operation, "responses");
  if (!list) return responses;
  for (const auto& [status, value] : list.value->items()) {
    if (status.starts_with("x-")) continue;
    std::string name = status;
    std::ranges::replace(name, 'x', 'X');
    const Node node = document.resolved(list.member(status));
    if (!node.value->is_object()) document.fail(list.member(status), "must be an object");
    responses.push_back({name, node});
  }
  return responses;
}

bool is_error(const std::string& status) {
  return status.starts_with('4') || status.starts_with('5') || status == "default";
}

const char* kind_of_removal(const std::string& status) {
  if (status == "304") return "not-modified-response-removed";
  return is_error(status) ? "error-response-removed" : "success-response-removed";
}

const Response* find(const std::vector<Response>& responses, const std::string& status) {
  const auto found = std::ranges::find(responses, status, &Response::status);
  return found == responses.end() ? nullptr : &*found;
}

/// The response that applies to a status without an exact entry. `default` applies to errors only,
/// so a success status must be found by its range.
const Response* cover(const std::vector<Response>& responses, const std::string& status) {
  if (status == "default") return nullptr;
  const Response* family = find(responses, status.substr(0, 1) + "XX");
  if (family || !is_error(status)) return family;
  return find(responses, "default");
}

Node header_of(const Node& headers, const std::string& wanted) {
  if (!headers) return {};
  for (const auto& [name, value] : headers.value->items()) {
    if (fw::base::lower_case(name) == fw::base::lower_case(wanted)) return headers.member(name);
  }
  return {};
}

/// Whether a header only tells caches how long they may use the response, and where it is from.
bool describes_caching(const std::string& header) {
  constexpr std::array<std::string_view, 4> kNames = {"age", "cache-control", "expires", "x-cache"};
  return std::ranges::find(kNames, fw::base::lower_case(header)) != kNames.end();
}

void compare_header(const Documents& documents, const Node& before, const Node& after,
                    Direction direction, const Location& location, Recorder& recorder) {
  const bool was_required = is_true(before.member("required"));
  const bool is_required = is_true(after.member("required"));
  if (was_required != is_required) {
    recorder.add(
        is_required ? "response-header-became-required" : "response-header-became-optional",
        location, before, after,
        is_required ? "the optional header became required"
                    : "the required header became optional");
  }
  SchemaComparison(documents, direction, true, recorder)
      .compare(conjunction_of(before.member("schema")), conjunction_of(after.member("schema")),
               location);
  compare_descriptions(before, after, location, recorder);
}

void compare_headers(const Documents& documents, const Node& before, const Node& after,
                     Direction direction, const std::string& label, Recorder& recorder) {
  const Node old_headers = documents.before.object(before, "headers");
  const Node new_headers = documents.after.object(after, "headers");
  const auto location = [&](const std::string& name) {
    return Location{fmt::format("{} header '{}'", label, name), ""};
  };
  if (old_headers) {
    for (const auto& [name, value] : old_headers.value->items()) {
      const Node other = header_of(new_headers, name);
      if (other) {
        compare_header(documents, documents.before.resolved(old_headers.member(name)),
                       documents.after.resolved(other), direction, location(name), recorder);
      } else {
        recorder.add(describes_caching(name) ? "caching-header-removed" : "response-header-removed",
                     location(name), old_headers.member(name), {}, "the header was removed");
      }
    }
  }
  if (!new_headers) return;
  for (const auto& [name, value] : new_headers.value->items()) {
    if (header_of(old_headers, name)) continue;
    recorder.add("response-header-added", location(name), {}, new_headers.member(name),
                 "the header was added");
  }
}

void compare_response(const Documents& documents, const Node& before, const Node& after,
                      Direction direction, const std::string& label, Recorder& recorder) {
  // The headers that the receiver of a webhook sends are not compared.
  if (direction == Direction::response) {
    compare_headers(documents, before, after, direction, label, recorder);
  }
  compare_contents(documents, documents.before.object(before, "content"),
                   documents.after.object(after, "content"), direction, {label, ""}, recorder);
}

}  // namespace

void compare_request_bodies(const Documents& documents, const Node& before, const Node& after,
                            Direction direction, const std::string& label, Recorder& recorder) {
  const Location location{label, ""};
  const Node old_reference = documents.before.object(before, "requestBody");
  const Node new_reference = documents.after.object(after, "requestBody");
  if (!old_reference && !new_reference) return;
  if (!old_reference) {
    const Node body = documents.after.resolved(new_reference);
    const bool is_required = is_true(body.member("required"));
    recorder.add(is_required && direction == Direction::request ? "required-request-body-added"
                                                                : "optional-request-body-added",
                 location, {}, body,
                 fmt::format("{} body was added", is_required ? "required" : "optional"));
    return;
  }
  if (!new_reference) {
    recorder.add("request-body-removed", location, old_reference, {}, "the body was removed");
    return;
  }
  const Node old_body = documents.before.resolved(old_reference);
  const Node new_body = documents.after.resolved(new_reference);
  const bool was_required = is_true(old_body.member("required"));
  const bool is_required = is_true(new_body.member("required"));
  if (was_required != is_required && direction == Direction::request) {
    recorder.add(
        is_required ? "request-body-became-required" : "request-body-became-optional", location,
        old_body, new_body,
        is_required ? "the optional body became required" : "the required body became optional");
  }
  compare_contents(documents, documents.before.object(old_body, "content"),
                   documents.after.object(new_body, "content"), direction, location, recorder);
  compare_descriptions(old_body, new_body, location, recorder);
}

void compare_responses(const Documents& documents, const Node& before, const Node& after,
                       Direction direction, const std::string& label, Recorder& recorder) {
  const auto old_responses = responses_of(documents.before, before);
  const auto new_responses = responses_of(documents.after, after);
  for (const Response& response : old_responses) {
    const std::string part = fmt::format("{} {}", label, response.status);
    if (const Response* other = find(new_responses, response.status)) {
      compare_response(documents, response.node, other->node, direction, part, recorder);
      compare_descriptions(response.node, other->node, {part, ""}, recorder);
    } else if (const Response* general = cover(new_responses, response.status)) {
      compare_response(documents, response.node, general->node, direction, part, recorder);
    } else {
      recorder.add(kind_of_removal(response.status), {part, ""}, response.node, {},
                   fmt::format("response {} was removed", response.status));
    }
  }
  for (const Response& response : new_responses) {
    if (find(old_responses, response.status)) continue;
    const std::string part = fmt::format("{} {}", label, response.status);
    if (const Response* general = cover(old_responses, response.status)) {
      compare_response(documents, general->node, response.node, direction, part, recorder);
    }
    recorder.add("response-added", {part, ""}, {}, response.node,
                 fmt::format("response {} was added", response.status));
  }
}

}  // namespace fairway::diff
