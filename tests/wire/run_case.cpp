#include "run_case.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <poll.h>
#include <random>
#include <stdexcept>
#include <thread>

#include "loopback.hpp"

namespace wire {
namespace {

using fw::http::test::Client;
using fw::http::test::ReceivedResponse;
using namespace std::chrono_literals;

/// How long nothing may come from a server that waits.
constexpr auto kSilence = 15ms;
/// Sent behind a case's own bytes: gets a response if and only if the connection stays open.
const std::string kProbe = "GET /-/probe HTTP/1.1\r\nHost: probe\r\n\r\n";
const std::string kProbeLine = "GET /-/probe";

bool is_silent(const Client& client, std::chrono::milliseconds time) {
  pollfd entry{client.fd(), POLLIN | POLLRDHUP, 0};
  return client.input().empty() && poll(&entry, 1, static_cast<int>(time.count())) == 0;
}

std::string method_of(const ExpectedResponse& expected) {
  return expected.text.substr(0, expected.text.find(' ')) == "HEAD" ? "HEAD" : "GET";
}

/// What was wrong with an error body, if anything: every error response has the shape that the
/// application's own errors have.
std::string error_in_body(const ReceivedResponse& response) {
  const auto body = nlohmann::json::parse(response.body, nullptr, false);
  if (!body.is_object()) return "the body is not JSON: " + response.body;
  if (!body.contains("code") || !body.contains("message") || !body.contains("requestId")) {
    return "the body has no code, message or requestId: " + response.body;
  }
  if (body["code"] != response.status) return "the body's code differs: " + response.body;
  return {};
}

std::string message_of(const ReceivedResponse& response) {
  const auto body = nlohmann::json::parse(response.body, nullptr, false);
  return body.is_object() ? body.value("message", std::string()) : response.body;
}

class Run {
 public:
  Run(std::uint16_t port, const Case& wire_case, const char* variant)
      : client_(port), case_(wire_case), variant_(variant) {}

  void send(const std::function<void(Client&)>& send_bytes, bool probe_is_sent) {
    try {
      send_bytes(client_);
      for (const auto& expected : case_.responses) check(expected);
      check_ending(probe_is_sent);
    } catch (const std::exception& error) {
      fail(error.what());
    }
  }

  void expect_silence() {
    if (!is_silent(client_, kSilence)) fail("a response came before the request was complete");
  }

  std::string got;
  std::vector<std::string> failures;

 private:
  void fail(const std::string& text) { failures.push_back(std::string(variant_) + ": " + text); }

  void expect(bool is_right, const std::string& text) {
    if (!is_right) fail(text);
  }

  void check(const ExpectedResponse& expected) {
    auto response = client_.read_response(method_of(expected));
    // A client that sends slowly may get a 100 Continue.
    if (response.status == 100 && expected.status != 100) {
      response = client_.read_response(method_of(expected));
    }
    const auto saw = response.field("x-saw");
    got += (got.empty() ? "" : ", ") +
           (response.status == 0 ? "nothing" : std::to_string(response.status));
    if (response.status >= 400) got += " " + message_of(response);
    expect(response.status == expected.status,
           "status " + std::to_string(response.status) + " instead of " +
               std::to_string(expected.status) +
               (response.status >= 400 ? ": " + message_of(response) : ""));
    if (response.status == 0 || expected.status != response.status) return;
    expect(response.is_complete, "the response is cut short");
    for (const auto& [name, value] : expected.sent) {
      const auto found = response.field(name);
      expect(found == (value == "-" ? "(none)" : value), "the response's " + name + " is " + found);
    }
    if (response.status >= 400) {
      if (method_of(expected) != "HEAD") check_error(expected, response);
      return;
    }
    if (response.status < 200) return;
    if (expected.text == "-") return;
    expect(saw == expected.text, "the application saw '" + saw + "'");
    check_echo(expected, response);
  }

  void check_error(const ExpectedResponse& expected, const ReceivedResponse& response) {
    const auto wrong = error_in_body(response);
    expect(wrong.empty(), wrong);
    expect(message_of(response).find(expected.text) != std::string::npos,
           "the message is '" + message_of(response) + "'");
  }

  void check_echo(const ExpectedResponse& expected, const ReceivedResponse& response) {
    const auto& text = response.body;
    if (text.empty()) return;  // HEAD, 204 and 304
    const auto body = text.find("\n\n");
    expect(body != std::string::npos && text.substr(body + 2) == expected.body,
           "the application was given the body '" +
               (body == std::string::npos ? text : text.substr(body + 2)) + "'");
    for (const auto& [name, value] : expected.saw) {
      const auto begin = text.find("\n" + name + ": ");
      const auto line = begin == std::string::npos
                            ? std::string("-")
                            : text.substr(begin + name.size() + 3,
                                          text.find('\n', begin + 1) - begin - name.size() - 3);
      expect(line == value, "the application was given " + name + ": " + line);
    }
  }

  void check_ending(bool probe_is_sent) {
    got += std::string(got.empty() ? "" : ", ") + name_of(case_.ending);
    switch (case_.ending) {
      case Ending::open: {
        if (!probe_is_sent) client_.send(kProbe);
        const auto probe = client_.read_response();
        expect(probe.field("x-saw") == kProbeLine,
               "the next request on the connection got " + std::to_string(probe.status));
        break;
      }
      case Ending::closed:
        expect(client_.sees_end(), "the connection stays open: " + client_.input());
        expect(!client_.was_reset(), "the connection was reset");
        break;
      case Ending::waits:
        expect(is_silent(client_, kSilence), "the server did not wait for more");
        break;
      case Ending::ends:
        expect(is_silent(client_, kSilence), "the server did not wait for more");
        client_.end_sending();
        expect(client_.sees_end(), "there is a response: " + client_.input());
        break;
    }
  }

  Client client_;
  const Case& case_;
  const char* variant_;
};

void send_cut(Client& client, const std::string& bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t begin = 0; begin < bytes.size();) {
    const auto left = bytes.size() - begin;
    const auto size = std::uniform_int_distribution<std::size_t>(
        1, std::min<std::size_t>(left, left / 3 + 20))(random);
    client.send(std::string_view(bytes).substr(begin, size));
    begin += size;
    std::this_thread::sleep_for(200us);
  }
}

void send_singly(Client& client, const std::string& bytes) {
  // Long ones would only take long.
  const auto size = std::max<std::size_t>(1, bytes.size() / 1000);
  for (std::size_t begin = 0; begin < bytes.size(); begin += size) {
    client.send(std::string_view(bytes).substr(begin, size));
    std::this_thread::sleep_for(20us);
  }
}

}  // namespace

CaseResult run_case(std::uint16_t port, const Case& wire_case) {
  CaseResult result;
  const auto bytes = wire_case.bytes();
  const auto vary = [&](const char* name, bool probe_is_sent, auto send) {
    Run run(port, wire_case, name);
    run.send([&](Client& client) { send(client, run); }, probe_is_sent);
    result.failures.insert(result.failures.end(), run.failures.begin(), run.failures.end());
    if (result.got.empty()) result.got = run.got;
  };
  vary("at once", false, [&](Client& client, Run& run) {
    for (std::size_t i = 0; i < wire_case.pieces.size(); ++i) {
      if (i > 0) run.expect_silence();
      client.send(wire_case.pieces[i]);
    }
  });
  vary("byte by byte", false, [&](Client& client, Run&) { send_singly(client, bytes); });
  for (std::uint32_t seed = 1; seed <= 3; ++seed) {
    vary("in pieces", false, [&](Client& client, Run&) { send_cut(client, bytes, seed); });
  }
  if (wire_case.ending == Ending::open || wire_case.ending == Ending::closed) {
    vary("pipelined", true, [&](Client& client, Run&) { client.send(bytes + kProbe); });
  }
  return result;
}

}  // namespace wire
