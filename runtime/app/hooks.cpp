#include <fairway/hooks.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "errors/exception_info.hpp"

namespace fw {

struct Hooks::State {
  struct Handler {
    std::uint64_t id;
    Erased call;
  };
  using Handlers = std::vector<Handler>;
  struct Event {
    unsigned slot;
    std::shared_ptr<const Handlers> handlers;
  };

  // Lists are replaced instead of modified, because they are read far more often than they change.
  std::shared_mutex mutex;
  std::unordered_map<std::type_index, Event> events;
  std::atomic<std::uint64_t> slots = 0;  ///< a set: the slots of events that have handlers
  std::uint64_t next_id = 0;

  std::shared_ptr<const Handlers> find(std::type_index type) {
    const std::shared_lock lock(mutex);
    const auto found = events.find(type);
    return found == events.end() ? nullptr : found->second.handlers;
  }

  std::uint64_t add(std::type_index type, unsigned slot, Erased call) {
    const std::lock_guard lock(mutex);
    auto& [own_slot, handlers] = events[type];
    auto copy = handlers ? std::make_shared<Handlers>(*handlers) : std::make_shared<Handlers>();
    const std::uint64_t id = next_id++;
    copy->push_back({id, std::move(call)});
    own_slot = slot;
    handlers = std::move(copy);
    slots |= std::uint64_t{1} << slot;
    return id;
  }

  void remove(std::type_index type, std::uint64_t id) {
    const std::lock_guard lock(mutex);
    const auto event = events.find(type);
    if (event == events.end()) return;
    auto copy = std::make_shared<Handlers>(*event->second.handlers);
    std::erase_if(*copy, [&](const Handler& handler) { return handler.id == id; });
    if (!copy->empty()) {
      event->second.handlers = std::move(copy);
      return;
    }
    events.erase(event);
    std::uint64_t used = 0;
    for (const auto& [other, left] : events) used |= std::uint64_t{1} << left.slot;
    slots = used;
  }
};

std::shared_ptr<Hooks::State> Hooks::make_state() { return std::make_shared<State>(); }

unsigned Hooks::next_slot() {
  static std::atomic<unsigned> next = 0;
  return next++ % 64;
}

Hooks::Unsubscribe Hooks::add(std::type_index type, unsigned slot, Erased handler) {
  const std::uint64_t id = state_->add(type, slot, std::move(handler));
  return [weak = std::weak_ptr<State>(state_), type, id] {
    if (const auto state = weak.lock()) state->remove(type, id);
  };
}

bool Hooks::any(unsigned slot) const {
  return (state_->slots.load(std::memory_order_relaxed) >> slot & 1U) != 0;
}

void Hooks::emit(std::type_index type, void* event, std::string_view name, bool propagates,
                 const Logger& logger, const std::function<bool()>* is_over) const {
  const auto handlers = state_->find(type);
  if (!handlers) return;
  for (const State::Handler& handler : *handlers) {
    if (is_over != nullptr && (*is_over)()) return;
    try {
      handler.call(event);
    } catch (...) {
      if (propagates) throw;
      const std::exception_ptr error = std::current_exception();
      if (detail::log_lack_of_memory(logger, error)) continue;
      const detail::ExceptionInfo info = detail::describe(error);
      logger.error("hook " + std::string(name) + ": " + info.stack, detail::log_fields(info));
    }
  }
}

}  // namespace fw
