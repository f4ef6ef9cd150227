#include <fairway/services.hpp>

#include <algorithm>
#include <set>

#include "errors/exception_info.hpp"

namespace fw {
namespace detail {
namespace {

/// Set before `main`, and by libraries that are loaded later.
constinit std::atomic<const ServiceCode*> added_types = nullptr;
constinit std::atomic<const ServiceCode*> used_types = nullptr;

std::atomic<const ServiceCode*>& list_of(ServiceCode::Kind kind) {
  return kind == ServiceCode::Kind::adds ? added_types : used_types;
}

std::set<std::type_index> types_in(const std::atomic<const ServiceCode*>& list) {
  std::set<std::type_index> types;
  for (const ServiceCode* code = list.load(); code != nullptr; code = code->next) {
    types.insert(code->type);
  }
  return types;
}

}  // namespace

ServiceCode::ServiceCode(Kind kind, const std::type_info& service) noexcept
    : type(service), next(list_of(kind).exchange(this)) {}

std::vector<std::string> services_never_added() {
  const std::set<std::type_index> added = types_in(added_types);
  std::vector<std::string> names;
  for (const std::type_index& type : types_in(used_types)) {
    if (!added.contains(type)) names.push_back(type_name(type.name()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace detail

void Services::insert(const detail::ServiceCode&, std::type_index type,
                      std::shared_ptr<void> instance) {
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

void* Services::find(std::type_index type, const detail::ServiceCode* code) const {
  if (const Instances* instances = current_.load(std::memory_order_acquire)) {
    const auto found = instances->find(type);
    if (found != instances->end()) return found->second.get();
  }
  if (code == nullptr) return nullptr;
  throw std::logic_error("there is no service " + detail::type_name(type.name()) +
                         "; add it with app.services().add<…>() before it is used");
}

}  // namespace fw
