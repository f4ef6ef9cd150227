// A connection to a Redis server for one thread, which need not wait for replies.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "store/redis/redis_protocol.hpp"
#include "store/redis/redis_transport.hpp"

namespace fw::store {

/// Not thread-safe. Functions throw StoreError when the connection has ended.
class RedisStream {
 public:
  using Clock = RedisTransport::Clock;

  /// Connects and signs in. `timeout` is the time for it, and later for replies. Throws when
  /// `interrupt`, a descriptor, becomes readable while the server does not reply.
  RedisStream(const base::RedisUrl& url, const std::string& ca_file,
              std::chrono::milliseconds timeout, int interrupt);

  /// For poll: it becomes readable when replies arrive.
  int descriptor() const { return transport_.descriptor(); }
  /// Sends commands to which there will be so many replies.
  void send(std::string_view commands, std::size_t replies);
  /// The replies that have arrived.
  std::vector<RedisReply> receive();
  /// The number of bytes of a reply that is not complete.
  std::size_t buffered() const { return reader_.buffered(); }
  /// One of the replies has arrived that `send` has announced.
  void note_reply();

  /// Sends a PING if nothing was received for a while. Throws if replies are late and the last
  /// `receive` has got nothing. Call it after `receive`, or while replies of it are not handled.
  void check();
  /// When `check` must be called next.
  Clock::time_point next_check() const;

 private:
  void await_reply(Clock::time_point deadline, int interrupt) const;

  RedisTransport transport_;
  RedisReplyReader reader_;
  const std::chrono::milliseconds timeout_;
  std::size_t awaited_ = 0;
  bool is_drained_ = true;   ///< there was nothing to receive
  Clock::time_point since_;  ///< the wait for replies, or the silence
};

/// Whether it is a reply to PING, on a connection with or without subscriptions.
bool is_pong(const RedisReply& reply);

}  // namespace fw::store
