#include "diff/compare_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diff/compare_bodies.hpp"
#include "diff/compare_parameters.hpp"
#include "diff/compare_security.hpp"
#include "diff/compare_servers.hpp"
#include "diff/compare_texts.hpp"

namespace fairway::diff {
namespace {

constexpr std::array<std::string_view, 8> kMethods = {"get",    "put",     "post", "patch",
                                                      "delete", "options", "head", "trace"};
constexpr std::array<TextMember, 3> kTexts = {{{"summary", "summary-changed"},
                                               {"description", "description-changed"},
                                               {"externalDocs", "external-docs-changed"}}};

struct Operation {
  std::string method;
  std::string path;
  Place item;
  Place place;
};

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

/// The path without the names of its parameters, which requests do not show.
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

std::vector<Operation> operations_of(const Document& document, const Place& items) {
  std::vector<Operation> operations;
  if (!items) return operations;
  for (const auto& [path, value] : items.value->items()) {
    if (path.starts_with("x-")) continue;
    const Place item = document.resolved(items.member(path));
    if (!item.value->is_object()) document.fail(items.member(path), "must be an object");
    for (const std::string_view method : kMethods) {
      const Place place = document.object(item, method);
      if (place) operations.push_back({upper(method), path, item, place});
    }
  }
  return operations;
}

bool is_deprecated(const Place& place) {
  const Place deprecated = place.member("deprecated");
  return deprecated && *deprecated.value == true;
}

std::string operation_id(const Place& operation) {
  const Place id = operation.member("operationId");
  return id && id.value->is_string() ? id.value->get<std::string>() : std::string();
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

/// Where an operation that is gone seems to be now.
std::string whereabouts(const std::vector<Operation>& operations, const Operation& gone) {
  const std::string id = operation_id(gone.place);
  if (id.empty()) return {};
  for (const Operation& operation : operations) {
    if (operation_id(operation.place) != id) continue;
    return fmt::format("; operation id '{}' is {} {} now", id, operation.method, operation.path);
  }
  return {};
}

void compare_tags(const Operation& before, const Operation& after, Recorder& recorder) {
  const Place old_tags = before.place.member("tags");
  const Place new_tags = after.place.member("tags");
  const auto sorted = [](const Place& tags) {
    std::vector<Json> list;
    for (std::size_t i = 0; tags && i < tags.value->size(); ++i)
      list.push_back(*tags.item(i).value);
    std::ranges::sort(list);
    return list;
  };
  const auto was = sorted(old_tags);
  const auto is = sorted(new_tags);
  if (was == is) return;
  recorder.add("tags-changed", {}, old_tags ? old_tags : before.place,
               new_tags ? new_tags : after.place,
               fmt::format("tags {} became {}", list_text(was), list_text(is)));
}

void compare_own_servers(const Documents& documents, const Operation& before,
                         const Operation& after, Recorder& recorder) {
  const auto own = [](const Document& document, const Operation& operation) {
    if (operation.place.member("servers")) return operation.place;
    return operation.item.member("servers") ? operation.item : document.root();
  };
  const Place old_place = own(documents.before, before);
  const Place new_place = own(documents.after, after);
  const bool inherit = old_place.value == documents.before.root().value &&
                       new_place.value == documents.after.root().value;
  if (!inherit) compare_servers(documents, old_place, new_place, {"servers", ""}, recorder);
}

void compare_identity(const Operation& before, const Operation& after, Recorder& recorder) {
  if (is_deprecated(before.place) != is_deprecated(after.place)) {
    const bool is = is_deprecated(after.place);
    recorder.add(
        is ? "operation-deprecated" : "operation-no-longer-deprecated", {}, before.place,
        after.place,
        is ? "the operation became deprecated" : "the operation was deprecated, and is no longer");
  }
  const std::string old_id = operation_id(before.place);
  const std::string new_id = operation_id(after.place);
  if (old_id == new_id) return;
  recorder.add("operation-id-changed", {},
               old_id.empty() ? before.place : before.place.member("operationId"),
               new_id.empty() ? after.place : after.place.member("operationId"),
               old_id.empty()   ? fmt::format("operation id '{}' was added", new_id)
               : new_id.empty() ? fmt::format("operation id '{}' was removed", old_id)
                                : fmt::format("operation id '{}' became '{}'", old_id, new_id));
}

void compare_callbacks(const Documents& documents, const Operation& before, const Operation& after,
                       Recorder& recorder);

void compare_operation(const Documents& documents, const Operation& before, const Operation& after,
                       Direction direction, Recorder& recorder) {
  compare_identity(before, after, recorder);
  compare_security(documents, before.place, after.place, recorder);
  compare_own_servers(documents, before, after, recorder);
  compare_parameters(documents, {before.path, before.item, before.place},
                     {after.path, after.item, after.place}, recorder);
  compare_request_bodies(documents, before.place, after.place, direction, "request body", recorder);
  compare_responses(documents, before.place, after.place, opposite(direction), "response",
                    recorder);
  compare_callbacks(documents, before, after, recorder);
  compare_text_members(kTexts, before.place, after.place, {}, recorder);
  compare_tags(before, after, recorder);
  compare_extensions(before.place, after.place, {}, recorder);
}

/// Operations of a webhook or callback: bodies and answers with the directions turned round.
void compare_called(const Documents& documents, const std::string& name,
                    const std::vector<Operation>& before, const std::vector<Operation>& after,
                    Recorder& recorder) {
  const auto label = [&](const Operation& operation) {
    return Location{fmt::format("{} {}", name, operation.method), ""};
  };
  for (const Operation& old_operation : before) {
    const Operation* other = find(after, old_operation);
    if (!other) {
      recorder.add("callback-removed", label(old_operation), old_operation.place, {},
                   fmt::format("{} to '{}' was removed", name, old_operation.path));
      continue;
    }
    compare_request_bodies(documents, old_operation.place, other->place, Direction::response,
                           label(*other).part + " body", recorder);
    compare_responses(documents, old_operation.place, other->place, Direction::request,
                      label(*other).part + " response", recorder);
  }
  for (const Operation& new_operation : after) {
    if (find(before, new_operation)) continue;
    recorder.add("callback-added", label(new_operation), {}, new_operation.place,
                 fmt::format("{} to '{}' was added", name, new_operation.path));
  }
}

void compare_callbacks(const Documents& documents, const Operation& before, const Operation& after,
                       Recorder& recorder) {
  const Place old_list = documents.before.object(before.place, "callbacks");
  const Place new_list = documents.after.object(after.place, "callbacks");
  const auto operations = [](const Document& document, const Place& list, const std::string& name) {
    const Place callback = list.member(name);
    return operations_of(document, callback ? document.resolved(callback) : Place());
  };
  std::vector<std::string> names;
  for (const Place& list : {old_list, new_list}) {
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
      recorder.add("operation-added", {}, {}, operation.place, "the operation was added");
    }
  }
  for (const Operation& operation : before) {
    if (find(after, operation)) continue;
    const bool was_deprecated = is_deprecated(operation.place);
    Recorder(changes, operation.method, operation.path)
        .add(was_deprecated ? "deprecated-operation-removed" : "operation-removed", {},
             operation.place, {},
             fmt::format("the {}operation was removed{}", was_deprecated ? "deprecated " : "",
                         whereabouts(after, operation)));
  }
}

void compare_webhooks(const Documents& documents, Changes& changes) {
  const Place before = documents.before.object(documents.before.root(), "webhooks");
  const Place after = documents.after.object(documents.after.root(), "webhooks");
  if (!before && !after) return;
  Recorder recorder(changes, "", "");
  compare_called(documents, "webhook", operations_of(documents.before, before),
                 operations_of(documents.after, after), recorder);
}

}  // namespace fairway::diff
