// The functions of fairway/declared.hpp, to instantiate them for a type.
#pragma once

#include <fairway/declared.hpp>

#include <utility>
#include <vector>

namespace fw::detail {

template <class T>
Constant<T>::Constant(T value) : value_(new T(std::move(value))) {}
template <class T>
Constant<T>::Constant(const Constant& other)
    : value_(other.value_ == nullptr ? nullptr : new T(*other.value_)) {}
template <class T>
Constant<T>::Constant(Constant&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
template <class T>
Constant<T>& Constant<T>::operator=(Constant other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}
template <class T>
Constant<T>::~Constant() {
  delete value_;
}

template <class T>
List<T>::List(std::initializer_list<T> items) {
  if (items.size() > 0) items_ = Constant<std::vector<T>>(std::vector<T>(items));
}
template <class T>
const T* List<T>::begin() const {
  return items_.get() == nullptr ? nullptr : items_.get()->data();
}
template <class T>
const T* List<T>::end() const {
  return items_.get() == nullptr ? nullptr : items_.get()->data() + items_.get()->size();
}

}  // namespace fw::detail
