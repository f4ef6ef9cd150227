#include <fairway/hooks.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "errors/exception_info.hpp"

namespace fw {

struct Hooks::State {
  struct Handler {
    std::uint64_t id;
    Erased call;
  };
  using Handlers = std::vector<Handler>;

  // Lists are replaced instead of modified, because they are read far more often than they change.
  std::shared_mutex mutex;
  std::unordered_map<std::type_index, std::shared_ptr<const Handlers>> handlers;
  std::atomic<std::size_t> count = 0;
  std::uint64_t next_id = 0;

  std::shared_ptr<const Handlers> find(std::type_index type) {
    const std::shared_lock lock(mutex);
    const auto found = handlers.find(type);
    return found == handlers.end() ? nullptr : found->second;
  }

  std::uint64_t add(std::type_index type, Erased call) {
    const std::lock_guard lock(mutex);
    auto& slot = handlers[type];
    auto copy = slot ? std::make_shared<Handlers>(*slot) : std::make_shared<Handlers>();
    const std::uint64_t id = next_id++;
    copy->push_back({id, std::move(call)});
    slot = std::move(copy);
    ++count;
    return id;
  }

  void remove(std::type_index type, std::uint64_t id) {
    const std::lock_guard lock(mutex);
    const auto slot = handlers.find(type);
    if (slot == handlers.end()) return;
    auto copy = std::make_shared<Handlers>(*slot->second);
    count -= std::erase_if(*copy, [&](const Handler& handler) { return handler.id == id; });
    if (copy->empty()) {
      handlers.erase(slot);
    } else {
      slot->second = std::move(copy);
    }
  }
};

std::shared_ptr<Hooks::State> Hooks::make_state() { return std::make_shared<State>(); }

Hooks::Unsubscribe Hooks::add(std::type_index type, Erased handler) {
  const std::uint64_t id = state_->add(type, std::move(handler));
  return [weak = std::weak_ptr<State>(state_), type, id] {
    if (const auto state = weak.lock()) state->remove(type, id);
  };
}

bool Hooks::any(std::type_index type) const {
  if (state_->count.load(std::memory_order_relaxed) == 0) return false;
  return state_->find(type) != nullptr;
}

void Hooks::emit(std::type_index type, void* event, std::string_view name, bool propagates,
                 const Logger& logger) const {
  const auto handlers = state_->find(type);
  if (!handlers) return;
  for (const State::Handler& handler : *handlers) {
    try {
      handler.call(event);
    } catch (...) {
      if (propagates) throw;
      const detail::ExceptionInfo info = detail::describe(std::current_exception());
      logger.error("hook " + std::string(name) + ": " + info.stack,
                   Json{{"err", detail::to_log_field(info)}});
    }
  }
}

}  // namespace fw
