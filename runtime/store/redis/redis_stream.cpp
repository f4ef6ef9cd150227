#include "store/redis/redis_stream.hpp"

#include <fairway/store.hpp>

#include <algorithm>
#include <array>
#include <poll.h>

namespace fw::store {
namespace {

using std::chrono::milliseconds;

/// Servers close connections that are idle for longer than their option `timeout`.
constexpr milliseconds kMaxSilence{5'000};
constexpr std::string_view kNoReply = "Redis: no reply in time";
constexpr std::string_view kEnded = "Redis: the connection was closed";
/// Connecting and sending cannot be interrupted.
constexpr milliseconds kMaxUninterrupted{5'000};

}  // namespace

bool is_pong(const RedisReply& reply) {
  if (reply.type == RedisReply::Type::string) return reply.text == "PONG";
  return reply.type == RedisReply::Type::list && !reply.items.empty() &&
         reply.items[0].text == "pong";
}

RedisStream::RedisStream(const base::RedisUrl& url, const std::string& ca_file,
                         milliseconds timeout, int interrupt)
    : transport_(url, ca_file, Clock::now() + std::min(timeout, kMaxUninterrupted)),
      timeout_(timeout),
      since_(Clock::now()) {
  const auto deadline = since_ + timeout;
  for (const std::string& command : opening_commands(url)) {
    send(command, 1);
    std::vector<RedisReply> replies;
    while (replies.empty()) {
      await_reply(deadline, interrupt);
      replies = receive();
    }
    require_no_error(replies.front());
    note_reply();
  }
}

void RedisStream::await_reply(Clock::time_point deadline, int interrupt) const {
  std::array<pollfd, 2> waited = {{{interrupt, POLLIN, 0}, {descriptor(), POLLIN, 0}}};
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  ::poll(waited.data(), waited.size(), static_cast<int>(std::clamp<long long>(left, 0, 60'000)));
  if (waited[0].revents != 0) throw StoreError("Redis: connecting was interrupted");
  if (Clock::now() >= deadline) throw StoreError(std::string(kNoReply));
}

void RedisStream::send(std::string_view commands, std::size_t replies) {
  if (awaited_ == 0) since_ = Clock::now();
  awaited_ += replies;
  transport_.send(commands, Clock::now() + std::min(timeout_, kMaxUninterrupted));
}

std::vector<RedisReply> RedisStream::receive() {
  std::string received;
  const bool is_open = transport_.receive(received);
  std::vector<RedisReply> replies;
  reader_.read(received, replies);
  if (!is_open && replies.empty()) throw StoreError(std::string(kEnded));
  is_drained_ = received.empty();
  if (!is_drained_) since_ = Clock::now();
  return replies;
}

void RedisStream::note_reply() {
  if (awaited_ == 0) throw StoreError("Redis: a reply without a command");
  --awaited_;
}

void RedisStream::check() {
  const auto now = Clock::now();
  if (now < next_check()) return;
  if (awaited_ > 0) {
    // To handle what has arrived may have taken long, and the reply may follow that.
    if (is_drained_) throw StoreError(std::string(kNoReply));
    return;
  }
  std::string ping;
  append_command(ping, {"PING"});
  send(ping, 1);
}

RedisStream::Clock::time_point RedisStream::next_check() const {
  return since_ + (awaited_ > 0 ? timeout_ : std::min(timeout_, kMaxSilence));
}

}  // namespace fw::store
