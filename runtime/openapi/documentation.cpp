#include "openapi/documentation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "errors/exception_info.hpp"
#include "features/cache/preconditions.hpp"
#include "openapi/openapi_walk.hpp"

namespace fw::openapi {
namespace {

constexpr std::size_t kMaxViews = 16;  // number of cached views

bool flag(const Json& access, const char* name) {
  if (!access.is_object()) return true;
  const auto found = access.find(name);
  return found == access.end() || !found->is_boolean() || found->get<bool>();
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

DocsDescriptor describe_operation(const std::string& path, const std::string& method,
                                  const OrderedJson& operation, const detail::Route* route) {
  DocsDescriptor descriptor{
      .method = upper(method), .path = path, .operation_id = text_member(operation, "operationId")};
  if (const auto* access = member(operation, schema::extensions::kDocsAccess))
    descriptor.access = Json(*access);
  if (const auto* tags = member(operation, "tags"); tags && tags->is_array()) {
    for (const OrderedJson& tag : *tags) {
      if (tag.is_string()) descriptor.tags.push_back(tag);
    }
  }
  if (route != nullptr) {
    for (const MiddlewareRef& reference : route->options.middlewares) {
      descriptor.middlewares.push_back(reference.name());
    }
  }
  descriptor.declared = {.visible = flag(descriptor.access, "visible"),
                         .try_it_out = flag(descriptor.access, "tryItOut")};
  return descriptor;
}

std::set<std::string> tags_in_use(const OrderedJson& document) {
  std::set<std::string> names;
  for_each_operation(document, [&](const auto&, const auto&, const OrderedJson& operation) {
    const auto* tags = member(operation, "tags");
    if (!tags || !tags->is_array()) return;
    for (const OrderedJson& tag : *tags) {
      if (tag.is_string()) names.insert(tag);
    }
  });
  return names;
}

/// Removes an operation, and its path item if it has no others.
void remove_operation(OrderedJson& document, const std::string& path, const std::string& method) {
  OrderedJson& item = document["paths"][path];
  item.erase(method);
  const bool has_operation =
      std::any_of(schema::kOperationMembers.begin(), schema::kOperationMembers.end(),
                  [&](std::string_view name) { return item.contains(std::string(name)); });
  if (!has_operation) document["paths"].erase(path);
}

/// Removes tags that are no longer in use, because their descriptions belong to removed operations.
void remove_unused_tags(OrderedJson& document, const std::set<std::string>& before) {
  auto* tags = member(document, "tags");
  if (!tags || !tags->is_array()) return;
  const std::set<std::string> now = tags_in_use(document);
  OrderedJson kept = OrderedJson::array();
  for (OrderedJson& tag : *tags) {
    const std::string name = text_member(tag, "name");
    if (now.contains(name) || !before.contains(name)) kept.push_back(std::move(tag));
  }
  if (kept.empty()) {
    document.erase("tags");
  } else {
    *tags = std::move(kept);
  }
}

std::string to_text(const OrderedJson& document) {
  return document.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

Documentation::Documentation(OrderedJson document, std::span<const detail::Route* const> routes,
                             DocsAccessResolver resolver, const Logger& logger)
    : document_(std::move(document)),
      unused_(unused_components(document_)),
      resolver_(std::move(resolver)),
      logger_(logger) {
  std::map<std::string_view, const detail::Route*> by_id;
  for (const detail::Route* route : routes) by_id.emplace(route->operation_id, route);
  for_each_operation(
      std::as_const(document_),
      [&](const std::string& path, const std::string& method, const OrderedJson& operation) {
        const std::string id = text_member(operation, "operationId");
        const auto route = id.empty() ? by_id.end() : by_id.find(id);
        operations_.push_back(
            {method, describe_operation(path, method, operation,
                                        route == by_id.end() ? nullptr : route->second)});
      });
  if (!resolver_) {
    std::vector<DocsVisibility> declared;
    for (const Operation& operation : operations_) {
      declared.push_back(operation.descriptor.declared);
    }
    text_ = to_text(view(declared));
    entity_tag_ = detail::make_entity_tag(text_);
  }
}

std::string Documentation::text_for(Request& request) const {
  if (!resolver_) return text_;
  std::vector<DocsVisibility> visibilities;
  std::string key;
  for (const Operation& operation : operations_) {
    visibilities.push_back(resolve(request, operation.descriptor));
    key += !visibilities.back().visible ? 'h' : visibilities.back().try_it_out ? 't' : 'r';
  }
  {
    const std::lock_guard lock(views_mutex_);
    if (const auto known = views_.find(key); known != views_.end()) return known->second;
  }
  std::string text = to_text(view(visibilities));
  const std::lock_guard lock(views_mutex_);
  if (views_.size() >= kMaxViews) views_.clear();
  views_.emplace(std::move(key), text);
  return text;
}

bool Documentation::shows(Request& request, std::string_view operation_id) const {
  const auto found = std::ranges::find_if(operations_, [&](const Operation& operation) {
    return operation.descriptor.operation_id == operation_id;
  });
  if (found == operations_.end()) return false;
  const DocsDescriptor& descriptor = found->descriptor;
  return (resolver_ ? resolve(request, descriptor) : descriptor.declared).visible;
}

DocsVisibility Documentation::resolve(Request& request, const DocsDescriptor& descriptor) const {
  try {
    return resolver_(request, descriptor);
  } catch (...) {
    const detail::ExceptionInfo info = detail::describe(std::current_exception());
    logger_.error(fmt::format("openapi.docs.access.resolver failed: {} {} is hidden",
                              descriptor.method, descriptor.path),
                  detail::log_fields(info));
    return {.visible = false, .try_it_out = false};
  }
}

OrderedJson Documentation::view(const std::vector<DocsVisibility>& visibilities) const {
  OrderedJson seen = document_;
  bool hides = false;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    const DocsDescriptor& descriptor = operations_[i].descriptor;
    const DocsVisibility& visibility = visibilities[i];
    if (!visibility.visible) {
      remove_operation(seen, descriptor.path, operations_[i].member);
      hides = true;
    } else if (!visibility.try_it_out) {
      seen["paths"][descriptor.path][operations_[i].member]
          [std::string(schema::extensions::kDocsTryItOut)] = false;
    }
  }
  if (hides) {
    remove_unused_tags(seen, tags_in_use(document_));
    remove_unused_components(seen, unused_);
  }
  return seen;
}

}  // namespace fw::openapi
