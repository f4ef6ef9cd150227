// What a contract test says to a socket, and what it expects.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract_test/random_source.hpp"
#include "contract_test/response_check.hpp"
#include "contract_test/socket_client.hpp"

namespace fairway::contract_test {

/// A message for a socket.
struct SocketMessage {
  std::string text;
  bool is_valid = true;
  std::string reason = {};  ///< "in which /text is missing"; empty for a valid one

  bool operator==(const SocketMessage&) const = default;
};

/// A valid one for each message that the socket receives, and one for each rule that can be broken.
/// Throws UserError if no valid value is found. None for raw messages.
std::vector<SocketMessage> make_messages(const Operation& operation, const SchemaChecker& checker,
                                         RandomSource& random);

/// What came between a message and the sign that it has been handled.
struct SocketReply {
  std::vector<std::string> texts;
  std::optional<SocketEvent> end;  ///< how the socket was closed

  /// For a report: each message in a line, and the close.
  std::string text() const;
};

/// Sends a message and then one that is never valid: the `error` in response to it says that the
/// first has been handled. Without a message, only the second one; if messages are raw, a ping.
/// Throws NoResponse, also if only other messages come.
SocketReply exchange(SocketClient& client, const Operation& operation,
                     const SocketMessage* message);

/// Checks whether a response that opens a socket accepts the key of the request. Clients close a
/// socket whose opening does not.
std::optional<Violation> check_opening(const Response& response);

/// Checks what came in response to a message, or without one. A valid message gets no `error` and
/// does not close the socket with a code for an error; an invalid one gets an `error` or closes it
/// with 1007. All that came must be declared.
std::optional<Violation> check_reply(const SchemaChecker& checker, const Operation& operation,
                                     const SocketMessage* message, const SocketReply& reply);

}  // namespace fairway::contract_test
