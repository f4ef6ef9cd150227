// The typed registry of an application's services.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fw {

/// One instance per type. With fw::add_announced, the calls of a service are events. Thread-safe;
/// references are valid as long as the application exists.
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

  using Instances = std::unordered_map<std::type_index, std::shared_ptr<void>>;

  std::mutex mutex_;  ///< one thread adds at a time
  /// The last one is current. The others stay, so that requests read without a lock.
  std::vector<std::unique_ptr<const Instances>> versions_;
  std::atomic<const Instances*> current_ = nullptr;
};

}  // namespace fw
