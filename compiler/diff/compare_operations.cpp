#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "diff/comparisons.hpp"

namespace fairway::diff {
namespace {

constexpr std::array<TextMember, 3> kTexts = {{{"summary", "summary-changed"},
                                               {"description", "description-changed"},
                                               {"externalDocs", "external-docs-changed"}}};

struct Operation {
  std::string method;
  std::string path;
  Node item;
  Node node;
};

/// The path without the names of its parameters, which are not part of requests.
std::string shape(std::string_view path) {
  std::string result;
  bool is_name = false;
  for (const char c : path) {
    if (c == '}') is_name = false;
    if (!is_name) result += c;
    if (c == '{') is_name = true;
  }
  return result;
}

std::vector<Operation> operations_of(const Document& document, const Node& items) {
  std::vector<Operation> operations;
  if (!items) return operations;
  for (const auto& [path, value] : items.value->items()) {
    if (path.starts_with("x-")) continue;
    const Node item = document.resolved(items.member(path));
    if (!item.value->is_object()) document.fail(items.member(path), "must be an object");
    for (OperationNode& each : operations_in(document, item)) {
      operations.push_back({std::move(each.method), path, item, std::move(each.node)});
    }
  }
  return operations;
}

bool is_deprecated(const Node& node) {
  const Node deprecated = node.member("deprecated");
  return deprecated && *deprecated.value == true;
}

const Operation* find(const std::vector<Operation>& operations, const Operation& wanted) {
  const Operation* similar = nullptr;
  for (const Operation& operation : operations) {
    if (operation.method != wanted.method) continue;
    if (operation.path == wanted.path) return &operation;
    if (shape(operation.path) == shape(wanted.path)) similar = &operation;
  }
  return similar;
}

/// The probable new path of a removed operation, as the end of a message.
std::string whereabouts(const std::vector<Operation>& operations, const Operation& gone) {
  const std::string id = operation_id(gone.node);
  if (id.empty()) return {};
  for (const Operation& operation : operations) {
    if (operation_id(operation.node) != id) continue;
    return fmt::format("; the operation id '{}' now belongs to {} {}", id, operation.method,
                       operation.path);
  }
  return {};
}

void compare_own_servers(const Documents& documents, const Operation& before,
                         const Operation& after, Recorder& recorder) {
  const auto own = [](const Document& document, const Operation& operation) {
    if (operation.node.member("servers")) return operation.node;
    return operation.item.member("servers") ? operation.item : document.root();
  };
  const Node old_node = own(documents.before, before);
  const Node new_node = own(documents.after, after);
  const bool inherit = old_node.value == documents.before.root().value &&
                       new_node.value == documents.after.root().value;
  if (!inherit) compare_servers(documents, old_node, new_node, {"servers", ""}, recorder);
}

void compare_deprecation(const Operation& before, const Operation& after, Recorder& recorder) {
  const bool is = is_deprecated(after.node);
  if (is == is_deprecated(before.node)) return;
  recorder.add(is ? "operation-deprecated" : "operation-no-longer-deprecated", {}, before.node,
               after.node,
               is ? "the operation became deprecated" : "the operation is no longer deprecated");
}

void compare_callbacks(const Documents& documents, const Operation& before, const Operation& after,
                       Recorder& recorder);

void compare_operation(const Documents& documents, const Operation& before, const Operation& after,
                       Direction direction, Recorder& recorder) {
  compare_deprecation(before, after, recorder);
  compare_operation_ids(before.node, after.node, recorder);
  compare_security(documents, before.node, after.node, recorder);
  compare_own_servers(documents, before, after, recorder);
  compare_parameters(documents, {before.path, before.item, before.node},
                     {after.path, after.item, after.node}, recorder);
  compare_request_bodies(documents, before.node, after.node, direction, "request body", recorder);
  compare_responses(documents, before.node, after.node, opposite(direction), "response", recorder);
  compare_sockets(documents, before.node, after.node, recorder);
  compare_callbacks(documents, before, after, recorder);
  compare_text_members(kTexts, before.node, after.node, {}, recorder);
  compare_operation_tags(before.node, after.node, recorder);
  compare_extensions(before.node, after.node, {}, recorder);
}

/// Operations of a webhook or callback: bodies and responses with the directions swapped.
void compare_called(const Documents& documents, const std::string& name,
                    const std::vector<Operation>& before, const std::vector<Operation>& after,
                    Recorder& recorder) {
  const auto label = [&](const Operation& operation) {
    return Location{fmt::format("{} {}", name, operation.method), ""};
  };
  for (const Operation& old_operation : before) {
    const Operation* other = find(after, old_operation);
    if (!other) {
      recorder.add("callback-removed", label(old_operation), old_operation.node, {},
                   fmt::format("{} to '{}' was removed", name, old_operation.path));
      continue;
    }
    compare_request_bodies(documents, old_operation.node, other->node, Direction::response,
                           label(*other).part + " body", recorder);
    compare_responses(documents, old_operation.node, other->node, Direction::request,
                      label(*other).part + " response", recorder);
  }
  for (const Operation& new_operation : after) {
    if (find(before, new_operation)) continue;
    recorder.add("callback-added", label(new_operation), {}, new_operation.node,
                 fmt::format("{} to '{}' was added", name, new_operation.path));
  }
}

void compare_callbacks(const Documents& documents, const Operation& before, const Operation& after,
                       Recorder& recorder) {
  const Node old_list = documents.before.object(before.node, "callbacks");
  const Node new_list = documents.after.object(after.node, "callbacks");
  const auto operations = [](const Document& document, const Node& list, const std::string& name) {
    const Node callback = list.member(name);
    return operations_of(document, callback ? document.resolved(callback) : Node());
  };
  std::vector<std::string> names;
  for (const Node& list : {old_list, new_list}) {
    if (!list) continue;
    for (const auto& [name, value] : list.value->items()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    compare_called(documents, fmt::format("callback '{}'", name),
                   operations(documents.before, old_list, name),
                   operations(documents.after, new_list, name), recorder);
  }
}

}  // namespace

std::string operation_id(const Node& operation) {
  const Node id = operation.member("operationId");
  return id && id.value->is_string() ? id.value->get<std::string>() : std::string();
}

void compare_operation_ids(const Node& before, const Node& after, Recorder& recorder) {
  const std::string old_id = operation_id(before);
  const std::string new_id = operation_id(after);
  if (old_id == new_id) return;
  recorder.add("operation-id-changed", {}, old_id.empty() ? before : before.member("operationId"),
               new_id.empty() ? after : after.member("operationId"),
               old_id.empty()   ? fmt::format("operation id '{}' was added", new_id)
               : new_id.empty() ? fmt::format("operation id '{}' was removed", old_id)
                                : fmt::format("operation id '{}' became '{}'", old_id, new_id));
}

void compare_operation_tags(const Node& before, const Node& after, Recorder& recorder) {
  const Node old_tags = before.member("tags");
  const Node new_tags = after.member("tags");
  const auto sorted = [](const Node& tags) {
    std::vector<Json> list;
    for (std::size_t i = 0; tags && i < tags.value->size(); ++i)
      list.push_back(*tags.item(i).value);
    std::ranges::sort(list);
    return list;
  };
  const auto was = sorted(old_tags);
  const auto is = sorted(new_tags);
  if (was == is) return;
  recorder.add("tags-changed", {}, old_tags ? old_tags : before, new_tags ? new_tags : after,
               fmt::format("tags {} became {}", list_text(was), list_text(is)));
}

void compare_operations(const Documents& documents, Changes& changes) {
  const auto before =
      operations_of(documents.before, documents.before.object(documents.before.root(), "paths"));
  const auto after =
      operations_of(documents.after, documents.after.object(documents.after.root(), "paths"));
  for (const Operation& operation : after) {
    Recorder recorder(changes, operation.method, operation.path);
    if (const Operation* other = find(before, operation)) {
      compare_operation(documents, *other, operation, Direction::request, recorder);
    } else {
      recorder.add("operation-added", {}, {}, operation.node, "the operation was added");
    }
  }
  for (const Operation& operation : before) {
    if (find(after, operation)) continue;
    const bool was_deprecated = is_deprecated(operation.node);
    Recorder(changes, operation.method, operation.path)
        .add(was_deprecated ? "deprecated-operation-removed" : "operation-removed", {},
             operation.node, {},
             fmt::format("the {}operation was removed{}", was_deprecated ? "deprecated " : "",
                         whereabouts(after, operation)));
  }
}

void compare_webhooks(const Documents& documents, Changes& changes) {
  const Node before = documents.before.object(documents.before.root(), "webhooks");
  const Node after = documents.after.object(documents.after.root(), "webhooks");
  if (!before && !after) return;
  Recorder recorder(changes, "", "");
  compare_called(documents, "webhook", operations_of(documents.before, before),
                 operations_of(documents.after, after), recorder);
}

}  // namespace fairway::diff
