// Replaces the Redis store in builds without hiredis.
#include <fairway/store.hpp>

#include <stdexcept>

#include "store/message_bus.hpp"

namespace fw {
namespace {

constexpr const char* kUnsupported =
    "this build of Fairway has no Redis store: build it with hiredis and FAIRWAY_REDIS=ON";

}  // namespace

std::shared_ptr<Store> redis_store(RedisStoreOptions) { throw std::invalid_argument(kUnsupported); }

namespace store {

std::unique_ptr<MessageBus> make_redis_bus(const RedisStoreOptions&, MessageBus::Observer&) {
  throw std::invalid_argument(kUnsupported);
}

}  // namespace store
}  // namespace fw
