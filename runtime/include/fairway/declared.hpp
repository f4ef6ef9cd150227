// Storage of declarations. Its functions are in the library, so that the files that declare routes
// compile only calls of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace fw::detail {

/// Owns a constant, or nothing. A copy has a constant of its own. The library contains the
/// functions for the types of declarations: see runtime/options/declared_types.cpp.
template <class T>
class Constant {
 public:
  Constant() = default;  ///< nothing
  explicit Constant(T value);
  Constant(const Constant& other);
  Constant(Constant&& other) noexcept;
  Constant& operator=(Constant other) noexcept;
  ~Constant();

  /// Null: nothing.
  const T* get() const { return value_; }

 private:
  const T* value_ = nullptr;
};

/// A constant list.
template <class T>
class List {
 public:
  List() = default;  ///< empty
  List(std::initializer_list<T> items);
  template <std::same_as<std::vector<T>> Items>
  List(const Items& items) : items_(items) {}

  bool empty() const { return begin() == end(); }
  std::size_t size() const { return static_cast<std::size_t>(end() - begin()); }
  const T* begin() const;
  const T* end() const;
  const T& operator[](std::size_t index) const { return begin()[index]; }

 private:
  Constant<std::vector<T>> items_;  ///< nothing: the list is empty
};

}  // namespace fw::detail
