#include "run_case.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <future>
#include <iterator>
#include <sstream>
#include <thread>

#include "check_log.hpp"
#include "eventually.hpp"
#include "http_message.hpp"

namespace conformance {
namespace {

std::string bytes_of_raw(const std::string& raw) {
  // Characters up to U+00FF stand for one byte each.
  std::string bytes;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    const auto byte = static_cast<unsigned char>(raw[at]);
    if ((byte & 0xE0U) == 0xC0U && at + 1 < raw.size()) {
      const auto next = static_cast<unsigned char>(raw[++at]);
      bytes += static_cast<char>(((byte & 0x1FU) << 6U) | (next & 0x3FU));
    } else {
      bytes += raw[at];
    }
  }
  return bytes;
}

bool has_header(const Json& headers, const std::string& name) {
  for (const auto& [key, value] : headers.items()) {
    if (equal_names(key, name)) return true;
  }
  return false;
}

std::string repeated(const Json& fill) {
  std::string text = fill.value("before", "");
  const std::string unit = fill.at("repeat");
  for (int count = fill.at("times"); count > 0; --count) text += unit;
  return text + fill.value("after", "");
}

std::string chunked(const std::string& body) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx", body.size());
  return (body.empty() ? "" : size + ("\r\n" + body) + "\r\n") + "0\r\n\r\n";
}

std::string request_bytes(const Json& request, const Memory& memory) {
  if (request.contains("raw")) return bytes_of_raw(request.at("raw"));
  const Json headers = request.value("headers", Json::object());
  std::string head = request.at("method").get<std::string>() + " " +
                     substituted(request.at("path"), memory) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  bool is_chunked = false;
  for (const auto& [name, value] : headers.items()) {
    const std::vector<Json> values =
        value.is_array() ? value.get<std::vector<Json>>() : std::vector<Json>{value};
    for (const Json& each : values) {
      head += name + ": " + substituted(each.get<std::string>(), memory) + "\r\n";
    }
    if (equal_names(name, "Transfer-Encoding")) is_chunked = true;
  }
  std::string body;
  bool has_body = true;
  if (request.contains("json")) {
    body = substituted(request.at("json").dump(), memory);
    if (!has_header(headers, "Content-Type")) head += "Content-Type: application/json\r\n";
  } else if (request.contains("text")) {
    body = substituted(request.at("text"), memory);
  } else if (request.contains("fill")) {
    body = repeated(request.at("fill"));
  } else {
    has_body = false;
  }
  if (has_body && is_chunked) return head + "\r\n" + chunked(body);
  if (has_body && !has_header(headers, "Content-Length")) {
    head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return head + "\r\n" + body;
}

/// A Set-Cookie field: the cookie's name and value, and its attributes.
struct SetCookie {
  std::string name;
  std::string value;
  std::vector<std::string> attributes;
};

std::vector<SetCookie> cookies_of(const ReceivedResponse& response) {
  std::vector<SetCookie> cookies;
  for (const auto& [name, field] : response.fields) {
    if (!equal_names(name, "Set-Cookie")) continue;
    std::istringstream parts(field);
    std::string pair;
    std::getline(parts, pair, ';');
    const auto equals = pair.find('=');
    SetCookie& cookie =
        cookies.emplace_back(SetCookie{pair.substr(0, equals), pair.substr(equals + 1), {}});
    for (std::string part; std::getline(parts, part, ';');) {
      cookie.attributes.push_back(part.substr(std::min(part.find_first_not_of(' '), part.size())));
    }
  }
  return cookies;
}

/// Cookies that later requests of the group send back.
void remember_cookies(const ReceivedResponse& response, Memory& memory) {
  for (const SetCookie& cookie : cookies_of(response)) {
    if (cookie.value.empty()) continue;
    if (cookie.name == memory.session_cookie) memory.remembered["session_id"] = cookie.value;
    if (cookie.name == "fw.csrf") memory.remembered["csrf_cookie"] = cookie.value;
  }
}

std::string attribute_name(const std::string& attribute) {
  return attribute.substr(0, attribute.find('='));
}

class Checker {
 public:
  Checker(const Json& expect, const ReceivedResponse& response, Memory& memory,
          std::vector<std::string>& failures)
      : expect_(expect), response_(response), memory_(memory), failures_(failures) {}

  void status() {
    if (expect_.contains("status") && expect_.at("status") != response_.status) {
      fail("status", expect_.at("status").dump(), std::to_string(response_.status));
    }
  }

  void body() {
    if (expect_.contains("text") && expect_.at("text") != response_.body) {
      fail("text", expect_.at("text").dump(), response_.body);
    }
    if (expect_.contains("hex") && expect_.at("hex") != hex(response_.body)) {
      fail("hex", expect_.at("hex"), hex(response_.body));
    }
    if (!expect_.contains("body") && !expect_.contains("errors_fields") &&
        !expect_.contains("errors")) {
      return;
    }
    Json came = Json::parse(response_.body, nullptr, false);
    if (came.is_discarded()) {
      fail("body", expect_.value("body", Json()).dump(), "not JSON: " + response_.body);
      return;
    }
    media_type();
    errors(came);
    if (expect_.contains("body") && !matches_json(expect_.at("body"), came, memory_)) {
      fail("body", expect_.at("body").dump(), came.dump());
    }
    request_id(came);
  }

  /// Compact cases: a validation failure whose errors are on these fields only.
  void only_fields() {
    if (!expect_.contains("only_fields")) return;
    const Json came = Json::parse(response_.body, nullptr, false);
    bool right = came.is_object() && came.value("code", 0) == 422 &&
                 came.value("message", "") == "Validation failed" &&
                 !came.value("errors", Json::array()).empty();
    if (right) {
      for (const Json& error : came.at("errors")) {
        const Json& allowed = expect_.at("only_fields");
        right =
            right && std::find(allowed.begin(), allowed.end(), error.at("field")) != allowed.end();
      }
    }
    if (!right) fail("validation failure on", expect_.at("only_fields").dump(), response_.body);
  }

  void headers() {
    const Json headers = expect_.value("headers", Json::object());
    for (const auto& [name, value] : headers.items()) {
      const auto came = response_.field(name);
      if (!came || !matches_text(value, *came, memory_)) {
        fail("header " + name, value, came.value_or("(absent)"));
      }
    }
    for (const auto& name : expect_.value("absent", Json::array())) {
      if (const auto came = response_.field(name.get<std::string>())) {
        fail("header " + name.get<std::string>(), "(absent)", *came);
      }
    }
  }

  void cookies() {
    const std::vector<SetCookie> came = cookies_of(response_);
    for (const Json& expected : expect_.value("set_cookie", Json::array())) {
      const auto cookie = std::find_if(came.begin(), came.end(), [&](const SetCookie& each) {
        return expected.at("name") == each.name;
      });
      if (cookie == came.end()) {
        fail("set_cookie", expected.dump(), "none of that name");
        continue;
      }
      if (expected.contains("value") &&
          !matches_text(expected.at("value"), cookie->value, memory_)) {
        fail("set_cookie", expected.dump(), cookie->value);
      }
      for (const std::string attribute : expected.value("attributes", Json::array())) {
        if (!has_attribute(*cookie, attribute)) {
          fail("set_cookie", attribute, Json(cookie->attributes).dump());
        }
      }
      for (const std::string attribute : expected.value("without", Json::array())) {
        if (has_attribute(*cookie, attribute)) {
          fail("set_cookie", "no " + attribute, Json(cookie->attributes).dump());
        }
      }
    }
  }

  void elapsed() {
    if (!expect_.contains("elapsed_ms")) return;
    const Json& bounds = expect_.at("elapsed_ms");
    if (response_.elapsed_ms < bounds[0].get<double>() ||
        response_.elapsed_ms > bounds[1].get<double>()) {
      fail("elapsed_ms", bounds.dump(), std::to_string(response_.elapsed_ms));
    }
  }

  void completeness() {
    if (expect_.value("aborted", false) == response_.complete) {
      fail("aborted", expect_.value("aborted", false) ? "true" : "false",
           response_.complete ? "a complete body" : "a broken body");
    }
  }

 private:
  void fail(const std::string& what, const std::string& expected, const std::string& came) {
    failures_.push_back(what + ": expected " + expected + ", came " + came);
  }

  void media_type() {
    if (has_header(expect_.value("headers", Json::object()), "Content-Type")) return;
    const std::string type = response_.field("Content-Type").value_or("");
    if (!equal_names(type.substr(0, type.find(';')), "application/json")) {
      fail("content-type", "application/json", type);
    }
  }

  void errors(Json& came) {
    if (expect_.contains("errors") &&
        !matches_json(expect_.at("errors"), came.value("errors", Json()), memory_)) {
      fail("errors", expect_.at("errors").dump(), came.dump());
    }
    if (!expect_.contains("errors_fields")) return;
    Json fields = Json::array();
    for (const Json& error : came.value("errors", Json::array())) {
      fields.push_back(error.value("field", Json()));
      if (error.value("message", "").empty()) fail("errors", "a message", error.dump());
    }
    if (fields != expect_.at("errors_fields")) {
      fail("errors_fields", expect_.at("errors_fields").dump(), came.dump());
    }
    came["errors"] = "<errors>";
  }

  void request_id(const Json& came) {
    if (!came.is_object() || !came.contains("requestId")) return;
    const Json expected = expect_.value("body", Json::object()).value("requestId", Json());
    if (expected == "" || expected == "<any>") return;
    if (came.at("requestId") != memory_.request_id) {
      fail("requestId", "the value of the header, " + memory_.request_id,
           came.at("requestId").dump());
    }
  }

  /// `wanted` with its value, or a name alone for any value.
  static bool has_attribute(const SetCookie& cookie, const std::string& wanted) {
    return std::any_of(cookie.attributes.begin(), cookie.attributes.end(),
                       [&](const std::string& attribute) {
                         const std::string name = attribute_name(attribute);
                         if (!equal_names(name, attribute_name(wanted))) return false;
                         return wanted.find('=') == std::string::npos ||
                                attribute.substr(name.size()) == wanted.substr(name.size());
                       });
  }

  static std::string hex(const std::string& bytes) {
    std::string text;
    for (const char c : bytes) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      text += digits;
    }
    return text;
  }

  const Json& expect_;
  const ReceivedResponse& response_;
  Memory& memory_;
  std::vector<std::string>& failures_;
};

void check_events(const Json& expected, const std::vector<std::string>& came,
                  std::vector<std::string>& failures) {
  const auto occurred = [&](const Json& name) {
    return std::find(came.begin(), came.end(), name.get<std::string>()) != came.end();
  };
  for (const Json& name : expected.value("include", Json::array())) {
    if (!occurred(name))
      failures.push_back("events: missing " + name.dump() + " in " + Json(came).dump());
  }
  for (const Json& name : expected.value("exclude", Json::array())) {
    if (occurred(name)) failures.push_back("events: unexpected " + name.dump());
  }
}

/// The log and the events: what there is 100 ms after the response, and if that is not what is
/// expected, what comes later on a busy machine.
void check_traces(const Json& expect, RunningGroup& application, Memory& memory,
                  std::vector<std::string>& failures) {
  if (!expect.contains("log") && !expect.contains("events")) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::vector<std::string> lines;
  std::vector<std::string> events;
  std::vector<std::string> differences;
  fairway::test::eventually([&] {
    std::ranges::copy(application.take_log(), std::back_inserter(lines));
    std::ranges::copy(application.events().take(), std::back_inserter(events));
    differences.clear();
    if (expect.contains("log")) check_log(expect.at("log"), lines, memory, differences);
    if (expect.contains("events")) check_events(expect.at("events"), events, differences);
    return differences.empty();
  });
  failures.insert(failures.end(), differences.begin(), differences.end());
}

bool brings_request_id(const Json& request) {
  const Json headers = request.value("headers", Json::object());
  for (const auto& [name, value] : headers.items()) {
    if ((equal_names(name, "x-request-id") || equal_names(name, "x-trace")) && value != "")
      return true;
  }
  return request.value("raw", "").find("equest-I") != std::string::npos;
}

/// The responses to copies of a request that are sent at once: one, unless it says how many.
std::vector<ReceivedResponse> responses_to(const Json& request, const std::string& bytes,
                                           int port) {
  const bool head =
      request.value("method", "") == "HEAD" || request.value("raw", "").starts_with("HEAD ");
  std::vector<std::future<ReceivedResponse>> pending;
  for (int copy = request.value("concurrent", 1); copy > 0; --copy) {
    pending.push_back(std::async(std::launch::async, [&] { return exchange(port, bytes, head); }));
  }
  std::vector<ReceivedResponse> responses;
  for (auto& each : pending) responses.push_back(each.get());
  return responses;
}

void send_and_check(const Json& request, const Json& expect, const std::string& bytes, int port,
                    Memory& memory, std::vector<std::string>& failures) {
  for (const ReceivedResponse& response : responses_to(request, bytes, port)) {
    for (const char* name : {"x-request-id", "x-trace-out"}) {
      if (const auto id = response.field(name)) memory.request_id = *id;
    }
    Checker check(expect, response, memory, failures);
    check.status();
    check.headers();
    check.cookies();
    check.body();
    remember_cookies(response, memory);
    check.only_fields();
    check.elapsed();
    check.completeness();
  }
}

}  // namespace

std::vector<std::string> run_case(const Json& test_case, RunningGroup& application,
                                  Memory& memory) {
  std::vector<std::string> failures;
  const Json& request = test_case.at("request");
  const Json& expect = test_case.at("expect");
  if (request.contains("wait_ms")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(request.at("wait_ms").get<int>()));
  }
  memory.request_id.clear();
  memory.request_brought_id = brings_request_id(request);
  application.drop_log();
  application.events().take();
  const std::string bytes = request_bytes(request, memory);
  try {
    send_and_check(request, expect, bytes, application.port(), memory, failures);
  } catch (const std::exception& error) {
    failures.push_back(error.what());
  }
  check_traces(expect, application, memory, failures);
  return failures;
}

Json expanded(const Json& compact, const std::string& path) {
  const Json& value = compact.at("value");
  const bool absent = value.is_object() && value.value("absent", false);
  const bool in_body = compact.at("in") == "body";
  Json request;
  if (in_body) {
    request = {{"method", "POST"}, {"path", path}};
    request["json"] = absent ? Json::object() : Json{{"v", value}};
  } else {
    std::string target = path;
    if (!absent) {
      target += "?v=";
      for (const char c : value.get<std::string>()) {
        char code[4];
        std::snprintf(code, sizeof code, "%%%02X",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        target += code;
      }
    }
    request = {{"method", "GET"}, {"path", target}};
  }
  Json expect;
  if (compact.at("ok").get<bool>()) {
    Json valid = Json::object();
    const Json result = compact.value("result", Json{{"absent", true}});
    if (!(result.is_object() && result.value("absent", false))) valid["v"] = result;
    expect = {{"status", 200},
              {"body", {{"code", 0}, {"data", {{"valid", valid}}}, {"requestId", "<request_id>"}}}};
  } else {
    expect = {{"status", 422}, {"only_fields", compact.value("fields", Json::array({"v"}))}};
  }
  return {{"id", compact.at("id")}, {"request", request}, {"expect", expect}};
}

}  // namespace conformance
