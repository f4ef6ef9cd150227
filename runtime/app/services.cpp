#include <fairway/services.hpp>

#include "errors/exception_info.hpp"

namespace fw {

void Services::insert(std::type_index type, std::shared_ptr<void> instance) {
  const std::lock_guard lock(mutex_);
  auto next = versions_.empty() ? std::make_unique<Instances>()
                                : std::make_unique<Instances>(*versions_.back());
  if (!next->emplace(type, std::move(instance)).second) {
    throw std::logic_error("the service " + detail::type_name(type.name()) + " already exists");
  }
  const Instances* const added = next.get();
  versions_.push_back(std::move(next));
  current_.store(added, std::memory_order_release);
}

void* Services::find(std::type_index type, bool required) const {
  if (const Instances* instances = current_.load(std::memory_order_acquire)) {
    const auto found = instances->find(type);
    if (found != instances->end()) return found->second.get();
  }
  if (!required) return nullptr;
  throw std::logic_error("there is no service " + detail::type_name(type.name()) +
                         "; add it with app.services().add<…>() before it is used");
}

}  // namespace fw
