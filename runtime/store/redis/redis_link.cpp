#include "store/redis/redis_link.hpp"

#include <fairway/store.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <hiredis/hiredis.h>
#include <iterator>
#include <utility>

namespace fw::detail {
namespace {

constexpr std::string_view kTooLate = "Redis: no reply in time";
constexpr std::string_view kClosed = "Redis: the connection was closed";

RedisReply to_reply(const redisReply& reply) {
  switch (reply.type) {
    case REDIS_REPLY_INTEGER:
      return {.type = RedisReply::Type::integer, .integer = reply.integer};
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      return {.type = RedisReply::Type::string,
              .text = {reply.str, static_cast<std::size_t>(reply.len)}};
    case REDIS_REPLY_ERROR:
      return {.type = RedisReply::Type::error,
              .text = {reply.str, static_cast<std::size_t>(reply.len)}};
    case REDIS_REPLY_ARRAY: {
      RedisReply list{.type = RedisReply::Type::list};
      for (std::size_t i = 0; i < static_cast<std::size_t>(reply.elements); ++i) {
        list.items.push_back(to_reply(*reply.element[i]));
      }
      return list;
    }
    default:
      return {};
  }
}

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};

}  // namespace

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  fmt::format_to(std::back_inserter(out), "*{}\r\n", arguments.size());
  for (const std::string_view argument : arguments) {
    fmt::format_to(std::back_inserter(out), "${}\r\n", argument.size());
    out.append(argument).append("\r\n");
  }
}

void RedisLink::FreeReader::operator()(redisReader* reader) const { redisReaderFree(reader); }

RedisLink::RedisLink(const RedisUrl& url, const std::string& ca_file, Clock::time_point deadline)
    : transport_(url, ca_file, deadline), reader_(redisReaderCreate()) {
  if (!reader_) throw std::bad_alloc();
}

RedisLink::~RedisLink() = default;

bool RedisLink::is_up() {
  const std::lock_guard lock(mutex_);
  if (failure_.empty() && calls_.empty() && !is_receiving_) {
    std::string unexpected;
    try {
      if (!transport_.receive(unexpected) || !unexpected.empty()) fail(kClosed);
    } catch (const StoreError& error) {
      fail(error.what());
    }
  }
  return failure_.empty();
}

RedisReply RedisLink::execute(std::string_view command, Clock::time_point deadline) {
  Call call;
  std::unique_lock lock(mutex_);
  if (failure_.empty()) {
    unsent_.reserve(unsent_.size() +
                    command.size());  // may throw, so it comes before the call is queued
    calls_.push_back(&call);
    unsent_ += command;
    send_unsent(lock, deadline);
  }
  while (!call.is_done && failure_.empty()) {
    if (!is_receiving_) {
      receive_until_done(lock, call, deadline);
    } else if (call.changed.wait_until(lock, deadline) == std::cv_status::timeout &&
               !call.is_done) {
      fail(kTooLate);
    }
  }
  if (!call.is_done) throw StoreError(failure_);
  return std::move(call.reply);
}

void RedisLink::send_unsent(std::unique_lock<std::mutex>& lock, Clock::time_point deadline) {
  if (is_sending_) return;  // the sending thread sends this, too
  is_sending_ = true;
  std::string batch;
  while (!unsent_.empty() && failure_.empty()) {
    batch.clear();
    batch.swap(unsent_);
    lock.unlock();
    std::string error;
    try {
      transport_.send(batch, deadline);
    } catch (const std::exception& failure) {
      error = failure.what();
    }
    lock.lock();
    if (!error.empty()) fail(error);
  }
  is_sending_ = false;
}

void RedisLink::receive_until_done(std::unique_lock<std::mutex>& lock, const Call& call,
                                   Clock::time_point deadline) {
  is_receiving_ = true;
  std::string received;
  while (!call.is_done && failure_.empty()) {
    lock.unlock();
    received.clear();
    std::string_view error;
    std::string reason;
    try {
      if (!transport_.wait_readable(deadline)) {
        error = kTooLate;
      } else if (!transport_.receive(received)) {
        error = kClosed;
      }
    } catch (const std::exception& failure) {
      reason = failure.what();
      error = reason;
    }
    lock.lock();
    try {
      take_replies(received);
    } catch (const std::exception& failure) {  // for example, there is no memory for the reply
      reason = failure.what();
      error = reason;
    }
    if (!error.empty()) fail(error);
  }
  is_receiving_ = false;
  if (!calls_.empty()) calls_.front()->changed.notify_one();  // which receives next
}

void RedisLink::take_replies(std::string_view received) {
  if (received.empty() || !failure_.empty()) return;
  redisReaderFeed(reader_.get(), received.data(), received.size());
  while (true) {
    void* object = nullptr;
    if (redisReaderGetReply(reader_.get(), &object) != REDIS_OK) {
      return fail(fmt::format("Redis: a reply is malformed: {}", reader_->errstr));
    }
    if (object == nullptr) return;
    const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(object));
    if (calls_.empty()) return fail("Redis: a reply without a command");
    Call& call = *calls_.front();
    calls_.pop_front();
    call.reply = to_reply(*reply);
    call.is_done = true;
    call.changed.notify_one();
  }
}

/// Ends all waiting commands with this reason.
void RedisLink::fail(std::string_view reason) {
  if (!failure_.empty()) return;
  failure_ = reason;
  transport_.shut_down();
  for (Call* call : calls_) call->changed.notify_one();
  calls_.clear();
}

}  // namespace fw::detail
