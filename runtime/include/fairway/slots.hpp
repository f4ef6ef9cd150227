// Typed values that middleware and plugins attach to a request.
#pragma once

#include <any>
#include <typeindex>
#include <utility>
#include <vector>

namespace fw {

/// At most one value a type. Not thread-safe: belongs to one request.
class Slots {
 public:
  template <class T>
  T& set(T value) {
    for (auto& [type, slot] : slots_) {
      if (type == typeid(T)) return slot.template emplace<T>(std::move(value));
    }
    std::any& slot = slots_.emplace_back(std::type_index(typeid(T)), std::any()).second;
    return slot.template emplace<T>(std::move(value));
  }
  /// The stored T, or null.
  template <class T>
  T* get() {
    for (auto& [type, slot] : slots_) {
      if (type == typeid(T)) return std::any_cast<T>(&slot);
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<std::type_index, std::any>> slots_;
};

}  // namespace fw
