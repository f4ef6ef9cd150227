// The way of a client's message to the function that the application has set for it: it is read,
// validated and converted.
#pragma once

#include <fairway/errors.hpp>
#include <fairway/sockets.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "features/sockets/socket_policy.hpp"

namespace fw::detail {

/// Of one socket. The policy and the mutex must outlive it. Thread-safe.
class MessageDispatcher {
 public:
  /// `mutex` guards the functions. The caller must not hold it.
  MessageDispatcher(const SocketPolicy& policy, std::mutex& mutex)
      : policy_(policy), mutex_(mutex) {}

  /// Throws std::invalid_argument if the message is not declared, or with another type.
  void set(std::string_view message, MessageHandler handler);
  /// The same for texts or bytes. Throws std::logic_error if messages are declared.
  void set_raw(bool is_text, MessageHandler handler);
  /// Removes all functions, and ignores later ones.
  void clear() noexcept;

  /// Why no function was called.
  struct Rejection {
    int code;  ///< of the close, if it closes the socket
    std::string_view problem;
    std::string_view message = {};  ///< its name; empty: unknown
    std::vector<FieldError> errors = {};
  };
  /// Calls the function, and throws what it throws. Messages without one are ignored. `content` is
  /// changed meanwhile.
  std::optional<Rejection> dispatch(std::string& content, bool is_text, Socket& socket) const;

 private:
  using Received = DeclaredMessages::Received;

  std::optional<Rejection> dispatch_raw(std::string_view content, bool is_text,
                                        Socket& socket) const;
  std::optional<Rejection> dispatch_tree(std::string& text, Socket& socket) const;
  std::optional<Rejection> dispatch_tree(const Received& declared, const MessageHandler& handler,
                                         Json members, Socket& socket) const;
  std::shared_ptr<const MessageHandler> find(std::size_t index) const;
  std::shared_ptr<const MessageHandler> find(const Received& declared) const;
  void store(std::size_t index, MessageHandler handler);

  const SocketPolicy& policy_;
  std::mutex& mutex_;  ///< guards the following members
  bool is_cleared_ = false;
  /// By the index in `declared.received`; of raw messages, for text and for bytes.
  std::vector<std::shared_ptr<const MessageHandler>> handlers_;
};

}  // namespace fw::detail
