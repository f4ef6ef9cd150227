#include "contract_test/socket_conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "contract_test/valid_values.hpp"
#include "files/user_error.hpp"
#include "http/websocket/frames.hpp"

namespace fairway::contract_test {
namespace {

namespace websocket = fw::http::websocket;

constexpr std::chrono::seconds kMaxExchange{20};
constexpr const char* kError = "error";
/// A message that is never valid, and the error in response to it.
struct InvalidMessage {
  std::string_view text;
  std::string_view error;
};
constexpr InvalidMessage kUnknownType{R"({"type":"fairway contract test"})",
                                      "The type of the message is unknown"};
constexpr InvalidMessage kNoObject{R"("fairway contract test")",
                                   R"(The message is not a JSON object with a "type")"};

/// As it is sent: the type and the members, or the value that is no object.
std::string message_text(const std::string& name, const Json& members) {
  if (!members.is_object()) return members.dump();
  Json message = {{"type", name}};
  for (const auto& [member, value] : members.items()) message[member] = value;
  return message.dump();
}

/// A text as a JSON object; null if it is none.
Json object_of(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  return value.is_object() ? value : Json();
}

std::string type_of(const Json& message) {
  const Json type = message.value("type", Json());
  return type.is_string() ? type.get<std::string>() : "";
}

/// The message that is sent after another one, whose own error is never the same. `message` is null
/// if there is none.
const InvalidMessage& message_after(const SocketMessage* message) {
  return message != nullptr && object_of(message->text).is_object() ? kNoObject : kUnknownType;
}

/// Whether the error in `text` says that the message has been handled.
bool reports(const std::string& text, const InvalidMessage& message) {
  const Json error = object_of(text);
  return type_of(error) == kError && error.value("message", Json()) == message.error &&
         !error.contains("received");
}

bool is_error_code(int code) {
  return code == websocket::kProtocolError || code == websocket::kUnsupportedData ||
         code == websocket::kInvalidData || code == websocket::kTooBig ||
         code == websocket::kInternalError;
}

std::optional<Violation> check_sent(const SchemaChecker& checker, const SocketMessages& declared,
                                    const std::string& text) {
  if (declared.is_raw) return std::nullopt;
  Json message = object_of(text);
  const std::string name = type_of(message);
  if (name == kError) return std::nullopt;
  const auto schema = declared.schemas.find(name);
  if (schema == declared.schemas.end()) {
    std::vector<std::string> names;
    for (const auto& [each, unused] : declared.schemas) names.push_back(each);
    return Violation{
        name.empty() ? "a message without a type" : fmt::format("undeclared message '{}'", name),
        names.empty() ? "no message" : fmt::format("{}", fmt::join(names, " or ")), text};
  }
  message.erase("type");
  const auto mismatch = checker.check(message, schema->second);
  if (!mismatch) return std::nullopt;
  const std::string where = mismatch->pointer.empty() ? "" : " at " + mismatch->pointer;
  return Violation{fmt::format("the message '{}' does not match its schema{}", name, where),
                   mismatch->expected, mismatch->found};
}

}  // namespace

std::vector<SocketMessage> make_messages(const Operation& operation, const SchemaChecker& checker,
                                         RandomSource& random) {
  std::vector<SocketMessage> messages;
  std::vector<SocketMessage> invalid;
  ValueMaker values(checker, random);
  for (const auto& [name, schema] : operation.socket->receive.schemas) {
    const auto members = values.valid(schema);
    if (!members) {
      throw UserError(
          fmt::format("{}: no valid value was found for the message '{}'", operation.id, name));
    }
    messages.push_back({message_text(name, *members)});
    for (const InvalidValue& each : invalid_values(checker, schema, *members, Source::json)) {
      invalid.push_back(
          {.text = message_text(name, each.value),
           .is_valid = false,
           .reason = fmt::format("'{}', in which {} {}", name,
                                 each.pointer.empty() ? "the value" : each.pointer, each.error)});
    }
  }
  messages.insert(messages.end(), invalid.begin(), invalid.end());
  return messages;
}

std::string SocketReply::text() const {
  std::string result = fmt::format("{}", fmt::join(texts, "\n"));
  if (end) {
    result += fmt::format("{}closed with {}{}{}", result.empty() ? "" : "\n", end->code,
                          end->content.empty() ? "" : ": ", end->content);
  }
  return result;
}

SocketReply exchange(SocketClient& client, const Operation& operation,
                     const SocketMessage* message) {
  const bool is_raw = operation.socket->receive.is_raw;
  const InvalidMessage& last = message_after(message);
  if (message != nullptr) client.send_text(message->text);
  if (is_raw) {
    client.ping();
  } else {
    client.send_text(last.text);
  }
  SocketReply reply;
  const auto deadline = std::chrono::steady_clock::now() + kMaxExchange;
  while (std::chrono::steady_clock::now() < deadline) {
    SocketEvent event = client.next();
    switch (event.kind) {
      case SocketEvent::Kind::closed:
        reply.end = std::move(event);
        return reply;
      case SocketEvent::Kind::pong:
        if (is_raw) return reply;
        break;
      case SocketEvent::Kind::binary:
        reply.texts.push_back(fmt::format("({} bytes)", event.content.size()));
        break;
      case SocketEvent::Kind::text:
        if (!is_raw && reports(event.content, last)) return reply;
        reply.texts.push_back(std::move(event.content));
        break;
    }
  }
  throw NoResponse(fmt::format(
      "the message was not handled within {} seconds, although others came", kMaxExchange.count()));
}

std::optional<Violation> check_opening(const Response& response) {
  const std::string found = response.header("sec-websocket-accept");
  if (found == kSocketAcceptance) return std::nullopt;
  return Violation{"the response does not accept the key of the socket",
                   fmt::format("Sec-WebSocket-Accept: {}", kSocketAcceptance),
                   found.empty() ? "no Sec-WebSocket-Accept" : "Sec-WebSocket-Accept: " + found};
}

std::optional<Violation> check_reply(const SchemaChecker& checker, const Operation& operation,
                                     const SocketMessage* message, const SocketReply& reply) {
  for (const std::string& text : reply.texts) {
    if (auto violation = check_sent(checker, operation.socket->send, text)) return violation;
  }
  const auto error = std::ranges::find_if(
      reply.texts, [](const std::string& text) { return type_of(object_of(text)) == kError; });
  const int code = reply.end ? reply.end->code : 0;
  // If invalid messages close the socket, the one that is never valid does.
  const bool is_expected =
      code == websocket::kInvalidData && reply.end->content == message_after(message).error;
  if (message != nullptr && !message->is_valid) {
    const bool is_closed = code == websocket::kInvalidData && !is_expected;
    if (error != reply.texts.end() || is_closed) return std::nullopt;
    return Violation{"an invalid message is accepted", "the message 'error', or a close with 1007",
                     ""};
  }
  if (error != reply.texts.end() && !operation.socket->send.is_raw) {
    return Violation{"a valid message is rejected", "no message 'error'", *error};
  }
  if (is_error_code(code) && !is_expected) {
    return Violation{fmt::format("the socket is closed with {}", code),
                     "a close that reports no error", reply.end->content};
  }
  return std::nullopt;
}

}  // namespace fairway::contract_test
