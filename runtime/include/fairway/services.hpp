// The typed registry of an application's services.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

namespace fw {

namespace detail {

/// That the program contains code which adds, or gets, the service of a type. One for each type,
/// constructed before `main`, so that services that a program gets but never adds can be reported.
class ServiceCode {
 public:
  enum class Kind { adds, gets };
  ServiceCode(Kind kind, const std::type_info& type) noexcept;

  const std::type_info& type;
  const ServiceCode* const next;  ///< in the list of its kind
};

template <class T>
inline const ServiceCode kAddsService(ServiceCode::Kind::adds, typeid(T));
template <class T>
inline const ServiceCode kGetsService(ServiceCode::Kind::gets, typeid(T));

/// The names of the types which the program gets with `Services::get`, without code that adds them.
std::vector<std::string> services_never_added();

}  // namespace detail

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
    insert(detail::kAddsService<T>, typeid(T), std::move(instance));
    return reference;
  }

  /// The registered T. Throws std::logic_error, which names the type, if there is none. If the
  /// program contains no code that adds a T, App::listen logs a warning.
  template <class T>
  T& get() const {
    return *static_cast<T*>(find(typeid(T), &detail::kGetsService<T>));
  }

  /// The registered T, or null.
  template <class T>
  T* try_get() const {
    return static_cast<T*>(find(typeid(T), nullptr));
  }

 private:
  void insert(const detail::ServiceCode&, std::type_index type, std::shared_ptr<void> instance);
  /// `code` requires the service; null: it may be missing.
  void* find(std::type_index type, const detail::ServiceCode* code) const;

  using Instances = std::unordered_map<std::type_index, std::shared_ptr<void>>;

  std::mutex mutex_;  ///< one thread adds at a time
  /// The last one is current. The others stay, so that requests read without a lock.
  std::vector<std::unique_ptr<const Instances>> versions_;
  std::atomic<const Instances*> current_ = nullptr;
};

}  // namespace fw
