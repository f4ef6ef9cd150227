#include "store/redis/redis_protocol.hpp"

#include <fairway/store.hpp>

#include <fmt/format.h>

#include <hiredis/hiredis.h>
#include <new>

namespace fw::store {
namespace {

/// The maximum number of elements of an array. hiredis allocates them all when it has read their
/// number.
constexpr std::size_t kMaxElements = 1 << 20;

/// Lets the reader reject longer arrays as it does those for which there is no memory. The type of
/// a number of elements is not the same in all versions of hiredis.
void bound_arrays(redisReader& reader) {
  static const redisReplyObjectFunctions kOriginal = *reader.fn;
  static redisReplyObjectFunctions bounded = [] {
    redisReplyObjectFunctions functions = kOriginal;
    functions.createArray = [](const redisReadTask* task, auto elements) -> void* {
      if (static_cast<std::size_t>(elements) > kMaxElements) return nullptr;
      return kOriginal.createArray(task, elements);
    };
    return functions;
  }();
  reader.fn = &bounded;
}

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

/// Appends an integer in decimal digits.
template <class Number>
void append_number(std::string& out, Number number) {
  const fmt::format_int text(number);
  out.append(text.data(), text.size());
}

std::string command_of(std::initializer_list<std::string_view> arguments) {
  std::string command;
  append_command(command, arguments);
  return command;
}

}  // namespace

void require_no_error(const RedisReply& reply) {
  if (reply.type == RedisReply::Type::error) throw StoreError("Redis: " + reply.text);
}

void append_command(std::string& out, std::span<const std::string_view> arguments) {
  append_number(out += '*', arguments.size());
  out += "\r\n";
  for (const std::string_view argument : arguments) {
    append_number(out += '$', argument.size());
    out.append("\r\n").append(argument).append("\r\n");
  }
}

std::vector<std::string> opening_commands(const base::RedisUrl& url) {
  std::vector<std::string> commands;
  if (!url.user.empty()) {
    commands.push_back(command_of({"AUTH", url.user, url.password}));
  } else if (!url.password.empty()) {
    commands.push_back(command_of({"AUTH", url.password}));
  }
  if (url.database != 0) commands.push_back(command_of({"SELECT", std::to_string(url.database)}));
  commands.push_back(command_of({"PING"}));
  return commands;
}

void RedisReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

RedisReplyReader::RedisReplyReader() : reader_(redisReaderCreate()) {
  if (!reader_) throw std::bad_alloc();
  bound_arrays(*reader_);
}

void RedisReplyReader::read(std::string_view received, std::vector<RedisReply>& replies) {
  if (received.empty()) return;
  redisReaderFeed(reader_.get(), received.data(), received.size());
  while (true) {
    void* object = nullptr;
    if (redisReaderGetReply(reader_.get(), &object) != REDIS_OK) {
      throw StoreError(fmt::format("Redis: a reply is malformed: {}", reader_->errstr));
    }
    if (object == nullptr) return;
    const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(object));
    replies.push_back(to_reply(*reply));
  }
}

std::size_t RedisReplyReader::buffered() const { return reader_->len - reader_->pos; }

}  // namespace fw::store
