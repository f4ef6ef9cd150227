#include "store/redis/redis_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <stdexcept>
#include <utility>

#include "crypto/openssl.hpp"

namespace fw::store {
namespace {

using std::chrono::milliseconds;

// The delay before the second attempt to connect; it doubles with each attempt.
constexpr milliseconds kFirstWait{50};
constexpr milliseconds kMaxWait{500};
constexpr int kMaxConnections = 1'000;
/// `error.type` of spans. What Redis says may contain keys.
constexpr std::string_view kFailed = "fw::StoreError";

std::string sha1_of(std::string_view text) {
  std::array<unsigned char, 20> digest{};
  if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha1(), nullptr) != 1) {
    throw std::bad_alloc();
  }
  std::string digits;
  for (const unsigned char byte : digest) digits += fmt::format("{:02x}", byte);
  return digits;
}

}  // namespace

milliseconds reconnect_wait(int failures) {
  return std::min(kMaxWait, kFirstWait * (1 << std::min(failures - 1, 8)));
}

RedisScript::RedisScript(std::string text) : source(std::move(text)), sha1(sha1_of(source)) {}

RedisClient::RedisClient(RedisStoreOptions options)
    : options_(std::move(options)), url_(base::parse_redis_url(options_.url)) {
  if (options_.timeout.count() <= 0) {
    throw std::invalid_argument("the time-out of a Redis store must be positive");
  }
  if (options_.connections < 1 || options_.connections > kMaxConnections) {
    throw std::invalid_argument(
        fmt::format("a Redis store has 1 to {} connections", kMaxConnections));
  }
  crypto::prepare_openssl(url_.uses_tls);  // at the start rather than with the first request
  for (int i = 0; i < options_.connections; ++i) slots_.push_back(std::make_unique<Slot>());
}

std::shared_ptr<RedisLink> RedisClient::connect(Clock::time_point deadline) const {
  auto link = std::make_shared<RedisLink>(url_, options_.ca_file, deadline);
  for (const std::string& command : opening_commands(url_)) {
    require_no_error(link->execute(command, deadline));
  }
  return link;
}

std::shared_ptr<RedisLink> RedisClient::acquire(Slot& slot, Clock::time_point deadline) {
  std::unique_lock lock(slot.mutex);
  bool is_probe = false;
  while (true) {
    if (slot.link && slot.link->is_up()) return slot.link;
    if (const auto ended = std::exchange(slot.link, nullptr); ended && ended->was_silent()) {
      // Perhaps only commands without a waiting thread were on it.
      lock.unlock();
      note_silence(Clock::now() - std::chrono::milliseconds(options_.timeout));
      lock.lock();
      continue;
    }
    if (!slot.is_connecting) {
      is_probe = begin_attempt();
      break;
    }
    require_up();
    if (slot.changed.wait_until(lock, deadline) == std::cv_status::timeout) {
      throw StoreError("Redis: not connected in time");
    }
  }
  slot.is_connecting = true;
  lock.unlock();
  std::shared_ptr<RedisLink> link;
  std::string failure;
  try {
    link = connect(deadline);
  } catch (const std::exception& error) {
    failure = error.what();
  }
  end_attempt(is_probe, failure);
  lock.lock();
  slot.is_connecting = false;
  slot.link = link;
  slot.changed.notify_all();
  if (!link) throw StoreError(failure);
  return link;
}

/// Throws StoreError while the server is down.
void RedisClient::require_up() {
  const std::lock_guard lock(outage_.mutex);
  if (outage_.failures > 0) throw StoreError(outage_.reason);
}

/// Before connecting. Returns whether it finds out if the server is up again. Throws StoreError
/// while it is too early for that, or while another thread does.
bool RedisClient::begin_attempt() {
  const std::lock_guard lock(outage_.mutex);
  if (outage_.failures == 0) return false;
  if (outage_.is_probed || Clock::now() < outage_.next_attempt) throw StoreError(outage_.reason);
  outage_.is_probed = true;
  return true;
}

void RedisClient::end_attempt(bool is_probe, const std::string& failure) noexcept {
  const std::lock_guard lock(outage_.mutex);
  if (is_probe) outage_.is_probed = false;
  if (failure.empty()) {
    outage_.failures = 0;
    return;
  }
  ++outage_.failures;
  try {
    outage_.reason = failure;
  } catch (const std::bad_alloc&) {
    outage_.reason.clear();  // other threads wait for the end of the attempt
  }
  outage_.next_attempt = Clock::now() + reconnect_wait(outage_.failures);
}

/// A command that was sent at that time has got no reply. If none of the connections has received
/// anything since, the server hangs: a request that uses several would wait for one after the
/// other.
void RedisClient::note_silence(Clock::time_point since) {
  std::vector<std::shared_ptr<RedisLink>> links;
  for (const auto& slot : slots_) {
    const std::lock_guard lock(slot->mutex);
    if (slot->link) links.push_back(slot->link);
  }
  const bool replies = std::ranges::any_of(
      links, [&](const auto& link) { return link->is_up() && link->has_received_since(since); });
  if (replies) return;
  {
    const std::lock_guard lock(outage_.mutex);
    if (outage_.failures == 0) {
      outage_.failures = 1;
      outage_.reason = "Redis: no reply in time";
      outage_.next_attempt = Clock::now() + reconnect_wait(outage_.failures);
    }
  }
  for (const auto& link : links) link->cancel();
}

RedisClient::Slot& RedisClient::next_slot() {
  return *slots_[next_slot_.fetch_add(1, std::memory_order_relaxed) % slots_.size()];
}

RedisClient::Clock::time_point RedisClient::deadline() const {
  return Clock::now() + std::chrono::milliseconds(options_.timeout);
}

RedisReply RedisClient::execute_once(std::span<const std::string_view> arguments,
                                     Clock::time_point deadline) {
  Slot& slot = next_slot();
  std::string command;
  append_command(command, arguments);
  const auto link = acquire(slot, deadline);
  try {
    return link->execute(command, deadline);
  } catch (const StoreError&) {
    if (link->was_silent()) note_silence(deadline - std::chrono::milliseconds(options_.timeout));
    throw;
  }
}

bool RedisClient::begin(std::initializer_list<std::string_view> arguments,
                        std::unique_ptr<RedisCompletion>&& completion) {
  std::string command;
  append_command(command, arguments);
  const auto end = deadline();
  // Rather a connection in use than an idle one, for which a thread would have to wait.
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = next_slot();
    std::shared_ptr<RedisLink> link;
    {
      const std::lock_guard lock(slot.mutex);
      link = slot.link;
    }
    if (link && link->begin(command, end, std::move(completion))) return true;
  }
  return false;
}

/// The semantic conventions of databases. Keys and values may be secrets.
void RedisClient::describe_command(detail::ActiveSpan& span, std::string_view command) const {
  if (!span.is_recorded()) return;
  span.set("db.system.name", std::string_view("redis"));
  span.set("db.operation.name", command);
  span.set("server.address", url_.unix_socket.empty() ? url_.host : url_.unix_socket);
  if (url_.unix_socket.empty()) span.set("server.port", std::int64_t{url_.port});
}

RedisReply RedisClient::execute(std::span<const std::string_view> arguments) {
  detail::ActiveSpan span(arguments.front(), detail::SpanKind::client);
  describe_command(span, arguments.front());
  try {
    RedisReply reply = execute_once(arguments, deadline());
    require_no_error(reply);
    return reply;
  } catch (const StoreError&) {
    span.fail(kFailed);
    throw;
  }
}

RedisReply RedisClient::run(const RedisScript& script, std::span<const std::string_view> keys,
                            std::span<const std::string_view> arguments) {
  detail::ActiveSpan span("EVALSHA", detail::SpanKind::client);
  describe_command(span, "EVALSHA");
  const std::string number = std::to_string(keys.size());
  std::vector<std::string_view> command = {"EVALSHA", script.sha1, number};
  command.insert(command.end(), keys.begin(), keys.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto end = deadline();
  try {
    RedisReply reply = execute_once(command, end);
    if (reply.type == RedisReply::Type::error && reply.text.starts_with("NOSCRIPT")) {
      command[0] = "EVAL";
      command[1] = script.source;
      reply = execute_once(command, end);
    }
    require_no_error(reply);
    return reply;
  } catch (const StoreError&) {
    span.fail(kFailed);
    throw;
  }
}

}  // namespace fw::store
