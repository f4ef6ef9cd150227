#include <fairway/services.hpp>

#include <mutex>

#include "errors/exception_info.hpp"

namespace fw {

void Services::insert(std::type_index type, std::shared_ptr<void> instance) {
  const std::lock_guard lock(mutex_);
  if (!instances_.emplace(type, std::move(instance)).second) {
    throw std::logic_error("the service " + detail::type_name(type.name()) + " already exists");
  }
}

void* Services::find(std::type_index type, bool required) const {
  const std::shared_lock lock(mutex_);
  const auto found = instances_.find(type);
  if (found != instances_.end()) return found->second.get();
  if (!required) return nullptr;
  throw std::logic_error("there is no service " + detail::type_name(type.name()) +
                         "; add it with app.services().add<…>() before it is used");
}

}  // namespace fw
