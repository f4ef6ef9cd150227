// Typed values that middlewares and plugins attach to a request.
#pragma once

#include <memory>
#include <optional>
#include <typeindex>
#include <utility>
#include <vector>

namespace fw {

/// At most one value of each type; types may be move-only. The address of a value stays the same
/// until the Slots are destroyed. Not thread-safe: belongs to one request.
class Slots {
 public:
  /// Stores the value; replaces an existing one of its type.
  template <class T>
  T& set(T value) {
    for (auto& [type, slot] : slots_) {
      if (type == typeid(T)) return static_cast<Slot<T>&>(*slot).value.emplace(std::move(value));
    }
    auto slot = std::make_unique<Slot<T>>();
    T& stored = slot->value.emplace(std::move(value));
    slots_.emplace_back(std::type_index(typeid(T)), std::move(slot));
    return stored;
  }
  /// The stored T, or null.
  template <class T>
  T* get() {
    for (auto& [type, slot] : slots_) {
      if (type != typeid(T)) continue;
      auto& value = static_cast<Slot<T>&>(*slot).value;
      return value ? &*value : nullptr;
    }
    return nullptr;
  }

 private:
  struct SlotBase {
    virtual ~SlotBase() = default;
  };
  template <class T>
  struct Slot : SlotBase {
    std::optional<T> value;
  };

  std::vector<std::pair<std::type_index, std::unique_ptr<SlotBase>>> slots_;
};

}  // namespace fw
