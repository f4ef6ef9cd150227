#include "mcp/tool_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.hpp"
#include "base/base64url.hpp"
#include "base/connection_fields.hpp"
#include "base/json_text.hpp"
#include "base/media_type.hpp"
#include "base/methods.hpp"
#include "base/reason_phrases.hpp"
#include "base/url_encoding.hpp"
#include "base/utf8.hpp"

namespace fw::mcp {
namespace {

// Lower-case names of header fields, beside those about the connection.

constexpr std::array<std::string_view, 12> kOfClient = {
    "host", "authorization", "cookie",    "proxy-authorization", "origin",     "referer",
    "via",  "forwarded",     "x-real-ip", "traceparent",         "tracestate", "expect"};
constexpr std::array<std::string_view, 4> kPrefixesOfClient = {"x-forwarded-", "sec-", "proxy-",
                                                               "mcp-"};

// They describe the message to the endpoint, not the request of the tool.
constexpr std::array<std::string_view, 7> kOfEndpoint = {
    "expect", "accept", "accept-encoding", "last-event-id", "http2-settings", "range", "if-range"};
constexpr std::array<std::string_view, 3> kPrefixesOfEndpoint = {"content-", "if-", "mcp-"};

template <std::size_t kNames, std::size_t kPrefixes>
bool is_listed(std::string_view name, const std::array<std::string_view, kNames>& names,
               const std::array<std::string_view, kPrefixes>& prefixes) {
  const auto begins = [&](std::string_view prefix) {
    return base::equal_ignoring_case(name.substr(0, prefix.size()), prefix);
  };
  return base::is_connection_field(name) ||
         std::ranges::any_of(
             names, [&](std::string_view each) { return base::equal_ignoring_case(name, each); }) ||
         std::ranges::any_of(prefixes, begins);
}

bool is_scalar(const Json& value) { return value.is_primitive() && !value.is_null(); }

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : base::to_json_text(value);
}

/// The arguments of one location: an object, or nothing.
class ArgumentGroup {
 public:
  ArgumentGroup(const Tool& tool, ParameterLocation location, std::string_view name,
                const Json& arguments)
      : name_(name) {
    const auto found = arguments.find(name);
    if (found == arguments.end() || found->is_null()) return;
    if (!found->is_object()) throw ArgumentError(fmt::format("'{}' must be an object", name));
    values_ = &*found;
    for (const auto& item : values_->items()) {
      const std::string& argument = item.key();
      const bool is_known = std::ranges::any_of(tool.parameters, [&](const ToolParameter& each) {
        return each.location == location && each.name == argument;
      });
      if (!is_known) {
        throw ArgumentError(fmt::format("the tool has no argument '{}.{}'", name, argument));
      }
    }
  }

  /// Null without an argument of that name.
  const Json* find(const std::string& argument) const {
    if (values_ == nullptr) return nullptr;
    const auto found = values_->find(argument);
    return found == values_->end() || found->is_null() ? nullptr : &*found;
  }

  const Json& scalar(const std::string& argument) const {
    const Json* const value = find(argument);
    if (value == nullptr) {
      throw ArgumentError(fmt::format("the argument '{}.{}' is missing", name_, argument));
    }
    if (!is_scalar(*value)) {
      throw ArgumentError(
          fmt::format("'{}.{}' must be a string, a number or a boolean", name_, argument));
    }
    return *value;
  }

 private:
  std::string_view name_;
  const Json* values_ = nullptr;
};

std::string path_of(const Tool& tool, const ArgumentGroup& params) {
  std::string path = tool.path;
  for (const ToolParameter& parameter : tool.parameters) {
    if (parameter.location != ParameterLocation::param) continue;
    const std::string written = fmt::format("{{{}}}", parameter.name);
    const auto at = path.find(written);
    if (at == std::string::npos) continue;
    const std::string value = text_of(params.scalar(parameter.name));
    // With an empty or relative segment, it would be another path.
    if (value.empty() || value == "." || value == "..") {
      throw ArgumentError(fmt::format("'param.{}' cannot be '{}'", parameter.name, value));
    }
    path.replace(at, written.size(),
                 base::percent_encode(value, parameter.is_wildcard ? "-._~/" : "-._~"));
  }
  return path;
}

std::string query_of(const Tool& tool, const ArgumentGroup& query) {
  std::string text;
  const auto add = [&](const std::string& name, const Json& value) {
    text += text.empty() ? '?' : '&';
    text += base::encode_form(name) + '=' + base::encode_form(text_of(value));
  };
  for (const ToolParameter& parameter : tool.parameters) {
    if (parameter.location != ParameterLocation::query) continue;
    const Json* const value = query.find(parameter.name);
    if (value == nullptr) continue;
    if (!value->is_array()) {
      add(parameter.name, *value);
      continue;
    }
    for (const Json& item : *value) add(parameter.name, item);
  }
  return text;
}

void add_fields(const Tool& tool, const ArgumentGroup& header, const ToolRequestContext& context,
                http::Fields& fields) {
  for (const auto& [name, value] : context.outer.fields) {
    if (!is_listed(name, kOfEndpoint, kPrefixesOfEndpoint)) fields.add(name, value);
  }
  for (const ToolParameter& parameter : tool.parameters) {
    if (parameter.location != ParameterLocation::header) continue;
    if (header.find(parameter.name) == nullptr) continue;
    // What the client, or a proxy, has sent counts.
    if (context.is_reserved(parameter.name) || fields.find(parameter.name)) continue;
    const std::string value = text_of(header.scalar(parameter.name));
    if (std::ranges::any_of(value, base::is_control)) {
      throw ArgumentError(
          fmt::format("'header.{}' must not have control characters", parameter.name));
    }
    fields.add(parameter.name, value);
  }
  fields.set("accept", "application/json, */*;q=0.1");
}

std::string to_base64(std::string_view bytes) {
  std::string text =
      base::encode_base64url({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

Json text_content(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

/// What a body is for an agent, by its media type.
Json content_of(const std::string& body, std::string_view media_type, std::string_view url) {
  for (const std::string_view family : {"image", "audio"}) {
    if (!media_type.starts_with(family) || !media_type.substr(family.size()).starts_with('/')) {
      continue;
    }
    return {{"type", family}, {"data", to_base64(body)}, {"mimeType", media_type}};
  }
  if (base::count_code_points(body).well_formed) return text_content(body);
  return {{"type", "resource"},
          {"resource", {{"uri", url}, {"mimeType", media_type}, {"blob", to_base64(body)}}}};
}

std::string status_text(int status) {
  return fmt::format("{} {}", status, base::reason_phrase(status));
}

}  // namespace

bool is_field_of_client(std::string_view name) {
  return is_listed(name, kOfClient, kPrefixesOfClient) ||
         base::equal_ignoring_case(name.substr(0, 8), "content-");
}

ToolRequest make_request(const Tool& tool, const Json& arguments,
                         const ToolRequestContext& context) {
  for (const auto& [name, value] : arguments.items()) {
    if (name == "param" || name == "query" || name == "header") continue;
    if (name == "body" && tool.has_body) continue;
    throw ArgumentError(fmt::format("the tool has no argument '{}'", name));
  }
  const ArgumentGroup params(tool, ParameterLocation::param, "param", arguments);
  const ArgumentGroup query(tool, ParameterLocation::query, "query", arguments);
  const ArgumentGroup header(tool, ParameterLocation::header, "header", arguments);
  ToolRequest request;
  http::RequestHead& head = request.head;
  head.method = base::find_method(tool.route->method);
  head.target = path_of(tool, params) + query_of(tool, query);
  add_fields(tool, header, context, head.fields);
  if (const auto body = arguments.find("body"); body != arguments.end()) {
    request.body = base::to_json_text(*body);
    head.has_body = true;
    head.has_whole_body = true;
    head.content_length = request.body.size();
    head.fields.add("content-type", "application/json");
    head.fields.add("content-length", std::to_string(request.body.size()));
  }
  head.remote_address = context.outer.remote_address;
  head.is_secure = context.outer.is_secure;
  head.client_certificate = context.outer.client_certificate;
  if (head.target.size() + head.fields.lines_size() > context.max_head) {
    throw ArgumentError("the arguments for the path, the query and the header are too long");
  }
  return request;
}

Json error_result(std::string_view message) {
  return {{"content", Json::array({text_content(message)})}, {"isError", true}};
}

Json result_of(const Tool& tool, const ToolResponse& response, std::string_view base_url,
               std::string_view target) {
  const int status = response.head.status;
  const bool is_success = status >= 200 && status < 300;
  const std::string type(
      base::media_type(response.head.fields.find("content-type").value_or("text/plain")));
  Json result;
  if (response.is_too_large) {
    result = error_result(
        fmt::format("{}: the body is longer than a tool may respond with", status_text(status)));
  } else if (response.is_broken) {
    result = error_result(
        fmt::format("{}: the response ended before it was complete", status_text(status)));
  } else if (response.body.empty()) {
    result = error_result(status_text(status));
    if (const auto location = response.head.fields.find("location")) {
      result["content"].push_back(text_content(fmt::format("Location: {}", *location)));
    }
    result["isError"] = !is_success;
  } else {
    const std::string url = fmt::format("{}{}", base_url, target);
    result = {{"content", Json::array({content_of(response.body, type, url)})},
              {"isError", !is_success}};
    if (is_success && base::is_json(type)) {
      // It is not parsed with the depth of a request: the program has written it.
      Json value = Json::parse(response.body, nullptr, false);
      if (value.is_object()) result["structuredContent"] = std::move(value);
    }
  }
  if (tool.has_output && result["isError"] == false && !result.contains("structuredContent")) {
    result =
        error_result(fmt::format("{}: the response is not the object that the document "
                                 "declares",
                                 status_text(status)));
  }
  result["_meta"] = {{"status", status}};
  return result;
}

}  // namespace fw::mcp
