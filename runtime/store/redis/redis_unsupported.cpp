// Replaces the Redis store in builds without hiredis.
#include <fairway/store.hpp>

#include <stdexcept>

namespace fw {

std::shared_ptr<Store> redis_store(RedisStoreOptions) {
  throw std::invalid_argument(
      "this build of Fairway has no Redis store: build it with hiredis and FAIRWAY_REDIS=ON");
}

}  // namespace fw
