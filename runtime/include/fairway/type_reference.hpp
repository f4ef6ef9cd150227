// fw::type<T>: a struct as the schema of a location or of a response:
//
//   .validate = {.body = fw::type<NewOrder>}, .responses = {{"201", fw::type<Order>}}
#pragma once

#include <atomic>
#include <typeinfo>

namespace fw {

namespace detail {

struct TypeRow;

/// The generated code of a type. `App::mount` sets it; null if there is none.
template <class T>
inline constinit std::atomic<const TypeRow*> type_slot{nullptr};

}  // namespace detail

/// A C++ type whose code and schema the route compiler generates; see `type`.
class TypeReference {
 public:
  /// See `type`.
  constexpr TypeReference(const std::type_info& type,
                          const std::atomic<const detail::TypeRow*>& slot)
      : type_(&type), slot_(&slot) {}

  /// The type.
  const std::type_info& type() const { return *type_; }
  /// For the framework: the generated code, or null before it is mounted.
  const detail::TypeRow* row() const { return slot_->load(std::memory_order_acquire); }

 private:
  const std::type_info* type_;
  const std::atomic<const detail::TypeRow*>* slot_;
};

/// The type T as a schema: `.validate = {.body = fw::type<NewOrder>}`.
template <class T>
inline constexpr TypeReference type{typeid(T), detail::type_slot<T>};

}  // namespace fw
