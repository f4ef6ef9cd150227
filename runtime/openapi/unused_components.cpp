#include <string_view>
#include <utility>
#include <vector>

#include "openapi/openapi_document.hpp"
#include "openapi/openapi_walk.hpp"

namespace fw::openapi {
namespace {

constexpr std::string_view kComponents = "#/components/";

/// "schemas/Order" of "#/components/schemas/Order/properties/id".
std::string component_of(std::string_view reference) {
  reference.remove_prefix(kComponents.size());
  const auto first = reference.find('/');
  if (first == std::string_view::npos) return {};
  return std::string(reference.substr(0, reference.find('/', first + 1)));
}

/// Collects the components that are reachable by references.
class Reach {
 public:
  explicit Reach(const OrderedJson& document) : document_(document) {
    for (const auto& [name, value] : document.items()) {
      if (name != "components") visit(value);
    }
  }

  void visit_component(const std::string& name) {
    if (name.empty() || !reached_.insert(name).second) return;
    const auto slash = name.find('/');
    const auto* components = member(document_, "components");
    const auto* group = components ? member(*components, name.substr(0, slash)) : nullptr;
    const auto* component = group ? member(*group, name.substr(slash + 1)) : nullptr;
    if (component) visit(*component);
  }

  const ComponentNames& reached() const { return reached_; }

 private:
  void visit(const OrderedJson& value) {
    if (value.is_string()) {
      const auto& text = value.get_ref<const std::string&>();
      if (text.starts_with(kComponents)) visit_component(component_of(text));
    } else if (value.is_array()) {
      for (const OrderedJson& item : value) visit(item);
    } else if (value.is_object()) {
      for (const auto& [name, item] : value.items()) {
        if (name == "security") visit_security(item);
        visit(item);
      }
    }
  }

  // Security requirements refer to schemes by name.
  void visit_security(const OrderedJson& requirements) {
    if (!requirements.is_array()) return;
    for (const OrderedJson& requirement : requirements) {
      if (!requirement.is_object()) continue;
      for (const auto& [scheme, scopes] : requirement.items()) {
        visit_component("securitySchemes/" + scheme);
      }
    }
  }

  const OrderedJson& document_;
  ComponentNames reached_;
};

template <class Visit>
void for_each_component(const OrderedJson& document, Visit visit) {
  const auto* components = member(document, "components");
  if (!components || !components->is_object()) return;
  for (const auto& [group, members] : components->items()) {
    if (!members.is_object()) continue;
    for (const auto& [name, component] : members.items()) visit(group, name);
  }
}

}  // namespace

ComponentNames unused_components(const OrderedJson& document) {
  if (!document.is_object()) return {};
  const Reach reach(document);
  ComponentNames unused;
  for_each_component(document, [&](const std::string& group, const std::string& name) {
    std::string name_in_group = group + "/" + name;
    if (!reach.reached().contains(name_in_group)) unused.insert(std::move(name_in_group));
  });
  return unused;
}

void remove_unused_components(OrderedJson& document, const ComponentNames& kept) {
  if (!document.is_object()) return;
  Reach reach(document);
  for (const std::string& name : kept) reach.visit_component(name);
  std::vector<std::pair<std::string, std::string>> unused;
  for_each_component(document, [&](const std::string& group, const std::string& name) {
    if (!reach.reached().contains(group + "/" + name)) unused.emplace_back(group, name);
  });
  for (const auto& [group, name] : unused) {
    OrderedJson& components = document["components"];
    components[group].erase(name);
    if (components[group].empty()) components.erase(group);
    if (components.empty()) document.erase("components");
  }
}

}  // namespace fw::openapi
