// The typed registry of an application's services.
#pragma once

#include <memory>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>

namespace fw {

/// One instance per type. Thread-safe; references are valid as long as the application exists.
class Services {
 public:
  /// Constructs and registers a T. Throws std::logic_error when there is one already.
  template <class T, class... Arguments>
  T& add(Arguments&&... arguments) {
    return add_instance(std::make_shared<T>(std::forward<Arguments>(arguments)...));
  }

  /// Registers an existing instance under T, which may be a base class of it.
  template <class T>
  T& add_instance(std::shared_ptr<T> instance) {
    T& reference = *instance;
    insert(typeid(T), std::move(instance));
    return reference;
  }

  /// The registered T. Throws std::logic_error, which names the type, if there is none.
  template <class T>
  T& get() const {
    return *static_cast<T*>(find(typeid(T), true));
  }

  /// The registered T, or null.
  template <class T>
  T* try_get() const {
    return static_cast<T*>(find(typeid(T), false));
  }

 private:
  void insert(std::type_index type, std::shared_ptr<void> instance);
  void* find(std::type_index type, bool required) const;

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::type_index, std::shared_ptr<void>> instances_;
};

}  // namespace fw
