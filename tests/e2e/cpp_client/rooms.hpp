// What the tests of sockets of a generated client share: rooms, their messages and errors.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <sockets_client.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace sockets_test {

using namespace std::chrono_literals;
using sockets_api::RoomReceives;
using sockets_api::RoomSaidMessage;
using sockets_api::RoomSayMessage;
using sockets_api::RoomSocket;
using sockets_api::RoomTypingMessage;
using sockets_api::SocketClose;
using sockets_api::SocketsClient;
using sockets_api::TransportError;
using Kind = TransportError::Kind;

inline SocketsClient client_of(const std::string& url) {
  return SocketsClient({.base_url = url, .retry = {.first_delay = 5ms, .longest_delay = 20ms}});
}

/// The message of the service that a user has said this.
inline std::string said(const std::string& text) {
  return R"({"type":"said","by":"a","text":")" + text + R"(","mood":"good"})";
}

/// "said hi", "joined a", "typing".
inline std::string text_of(const RoomReceives& message) {
  if (const auto* said = std::get_if<RoomSaidMessage>(&message)) return "said " + said->data.text;
  if (const auto* joined = std::get_if<sockets_api::RoomJoinedMessage>(&message)) {
    return "joined " + joined->data.by.value_or("");
  }
  return "typing";
}

/// The messages of the room until its end.
inline std::vector<std::string> all(RoomSocket& room) {
  std::vector<std::string> texts;
  for (const RoomReceives& message : room) texts.push_back(text_of(message));
  return texts;
}

/// The error of this type that the call throws.
template <class Error, class Call>
Error thrown_by(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    FAIL("another error: " << std::string(error.what()));
  }
  FAIL("no error");
  throw std::logic_error("unreachable");
}

}  // namespace sockets_test
