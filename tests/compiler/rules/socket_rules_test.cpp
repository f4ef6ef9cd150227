// Sockets: what is wrong with their declaration.
#include <doctest/doctest.h>

#include <string>

#include "rules/lints.hpp"
#include "support/builders.hpp"

namespace socket_rules_test {

using namespace fairway;
using namespace fairway::testing;
using model::Value;

namespace {

const Value kText = entries({{"text", text("string:1-500")}});
const Value kRaw = call("raw", {});

Value with(const Named& receive, const Named& send, Named others = {}) {
  if (!receive.empty()) others.emplace_back("receive", entries(receive));
  if (!send.empty()) others.emplace_back("send", entries(send));
  return options(std::move(others));
}

model::Registration socket(Value value, const std::string& path = "/") {
  return route("SOCKET", path, std::move(value));
}

std::string errors(const std::vector<model::Registration>& registrations) {
  const auto resolution = checked({route_file("routes/rooms.cpp", registrations)});
  std::string found;
  for (const auto& diagnostic : resolution.diagnostics) {
    found += diagnostic.id + ": " + diagnostic.message + "\n";
  }
  return found;
}

std::string errors(const Value& value) { return errors(std::vector{socket(value)}); }

}  // namespace

TEST_CASE("[bad-socket] each message has one declaration in each direction") {
  CHECK(errors(with({{"say", kText}}, {{"said", kText}})) == "");
  CHECK(errors(with({{"say", kText}}, {{"say", kText}})) == "");
  CHECK(errors(options({{"receive", kRaw}})) == "");
  CHECK(errors(with({}, {{"said", kText}, {"said", kText}})) ==
        "bad-socket: the message 'said' is declared twice in 'send'\n");
  CHECK(errors(with({{"", kText}}, {})) == "bad-socket: a message has no name\n");
  CHECK(errors(with({{"a\nb", kText}}, {})) ==
        "bad-socket: the name of a message cannot contain control characters\n");
  CHECK(errors(with({{"a b", kText}}, {{"a-b", kText}})) ==
        "same-cpp-name: the messages 'a b' and 'a-b' have the same name in C++, 'AB_'\n");
  CHECK(errors(options({})) ==
        "bad-socket: the socket declares no message in 'receive' and 'send'\n");
}

TEST_CASE("[bad-socket] a message of both directions has the same members in both") {
  const Value other = entries({{"text", text("integer")}});
  CHECK(errors(with({{"say", kText}}, {{"say", other}})) ==
        "bad-socket: the message 'say' has different members in 'receive' and 'send'\n");
}

TEST_CASE("[bad-socket] 'type' and the message 'error' are the framework's") {
  CHECK(errors(with({{"say", entries({{"type", text("string")}})}}, {})) ==
        "bad-socket: a message cannot have the member 'type', which is its name\n");
  CHECK(errors(with({{"error", kText}}, {})) ==
        "bad-socket: the message 'error' is sent by the framework: it tells a client what was not "
        "valid in its message\n");
  CHECK(errors(with({}, {{"error", kText}})) ==
        "bad-socket: the message 'error' is sent by the framework: it tells a client what was not "
        "valid in its message\n");
}

TEST_CASE("[undeclared-message] a handler handles and sends messages that are declared") {
  const auto found = [](const Value& value, std::vector<model::NamedMessage> sets,
                        std::vector<model::NamedMessage> sends = {}) {
    model::Registration registration = socket(value);
    registration.handler.messages = {.sets = std::move(sets), .sends = std::move(sends)};
    std::string text;
    const auto file = route_file("routes/rooms.cpp", {registration});
    const auto resolution = checked({file});
    REQUIRE(summary(resolution.diagnostics) == "");
    for (const auto& each : rules::lint(resolution.application, {file})) {
      if (each.id != "undeclared-message") continue;
      text += each.id + ": " + each.message + " (" + each.help + ")\n";
    }
    return text;
  };
  const Value messages = with({{"say", kText}}, {{"said", kText}});
  CHECK(found(messages, {{.name = "say"}}) == "");
  CHECK(found(messages, {{.name = "sya"}}) ==
        "undeclared-message: the handler has a function for the message 'sya', which 'receive' "
        "does not "
        "declare (did you mean 'say'?)\n");
  CHECK(found(messages, {{.name = "leave"}, {.name = "say"}}) ==
        "undeclared-message: the handler has a function for the message 'leave', which 'receive' "
        "does not "
        "declare (declare the message in 'receive', or remove the call)\n");
  CHECK(found(options({{"receive", kRaw}}), {{.name = "say"}}) ==
        "undeclared-message: the handler has a function for the message 'say', and 'receive' is "
        "'fw::raw' "
        "(call 'socket.on_text' or 'socket.on_binary')\n");
  CHECK(found(messages, {}, {{.name = "said"}}) == "");
  CHECK(found(messages, {}, {{.name = "sayd"}}) ==
        "undeclared-message: the handler sends the message 'sayd', which 'send' does not declare "
        "(did you "
        "mean 'said'?)\n");
  CHECK(found(options({{"send", kRaw}}), {}, {{.name = "said"}}) ==
        "undeclared-message: the handler sends the message 'said', and 'send' is 'fw::raw' (call "
        "'socket.send_text' or 'socket.send_binary')\n");
}

TEST_CASE("[bad-schema] the schemas of messages are checked at the message") {
  const Value wrong = entries({{"text", text("strin")}});
  CHECK(errors(with({{"say", wrong}}, {})) == "bad-schema: unknown type 'strin'\n");
  CHECK(errors(with({}, {{"said", wrong}})) == "bad-schema: unknown type 'strin'\n");
}

TEST_CASE("[conflicting-options] options of routes and of sockets do not mix") {
  CHECK(errors(with({{"say", kText}}, {}, {{"cache", integer(5)}})) ==
        "conflicting-options: 'cache' does not apply to a socket\n");
  CHECK(errors(with({{"say", kText}}, {}, {{"responses", entries({{"200", kText}})}})) ==
        "conflicting-options: 'responses' does not apply to a socket\n");
  CHECK(errors(with({{"say", kText}}, {},
                    {{"events", record("EventOptions", {{"retry", integer(5)}})}})) ==
        "conflicting-options: 'events' does not apply to a socket\n");
  // The value of an option that does not apply is not checked.
  CHECK(errors(with({{"say", kText}}, {}, {{"csrf", flag(true)}})) ==
        "conflicting-options: 'csrf' does not apply to a socket\n");
  CHECK(errors({route("GET", "/", with({{"say", kText}}, {}))}) ==
        "conflicting-options: 'receive' applies to a socket only\n");
}

TEST_CASE("[duplicate-route] a socket occupies GET of its path") {
  const Value value = with({{"say", kText}}, {});
  CHECK(errors({route("GET", "/"), socket(value)}) ==
        "duplicate-route: a socket and a GET route have the path '/rooms'\n");
  CHECK(errors({socket(value), socket(value)}) ==
        "duplicate-route: 'SOCKET /rooms' is registered twice\n");
  CHECK(errors({route("POST", "/"), socket(value)}) == "");
  CHECK(errors({route("GET", "/:id"), socket(value, "/:name")}) ==
        "ambiguous-route: 'SOCKET /rooms/:name' and 'GET /rooms/:id' match the same requests\n");
}

TEST_CASE("[message-not-handled] only messages that the source shows to be ignored") {
  const auto lints = [](std::vector<model::NamedMessage> handled, bool others) {
    model::Registration registration =
        socket(with({{"say", kText}, {"typing", kText}}, {},
                    {{"docs", record("Docs", {{"hidden", flag(true)}})}}));
    registration.handler.messages = {.handled = std::move(handled), .handles_others = others};
    const auto file = route_file("routes/rooms.cpp", {registration});
    const auto resolution = checked({file});
    REQUIRE(summary(resolution.diagnostics) == "");
    std::string found;
    for (const auto& each : rules::lint(resolution.application, {file})) {
      if (each.id != "message-not-handled") continue;
      found += each.id + ": " + each.message + "\n";
    }
    return found;
  };
  CHECK(lints({}, true) == "");
  CHECK(lints({{.name = "say"}}, false) ==
        "message-not-handled: the handler has no function for the message 'typing'\n");
  CHECK(lints({{.name = "say"}, {.type = "Typing"}}, false) == "");
}

}  // namespace socket_rules_test
