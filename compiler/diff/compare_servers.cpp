#include <fmt/format.h>

#include "diff/comparisons.hpp"

namespace fairway::diff {
namespace {

struct Server {
  std::string url;
  Node node;
};

std::vector<Server> servers_of(const Document& document, const Node& parent) {
  std::vector<Server> servers;
  const Node list = document.array(parent, "servers");
  for (std::size_t i = 0; list && i < list.value->size(); ++i) {
    const Node url = list.item(i).member("url");
    if (!url || !url.value->is_string()) document.fail(list.item(i), "must have a 'url'");
    std::string text = *url.value;
    if (text.size() > 1 && text.ends_with('/')) text.pop_back();
    servers.push_back({std::move(text), list.item(i)});
  }
  // The default of OpenAPI for a document without servers.
  if (servers.empty()) servers.push_back({"/", parent});
  return servers;
}

const Server* find(const std::vector<Server>& servers, const std::string& url) {
  for (const Server& server : servers) {
    if (server.url == url) return &server;
  }
  return nullptr;
}

void compare_variables(const Server& before, const Server& after, const Location& location,
                       Recorder& recorder) {
  const Node old_variables = before.node.member("variables");
  const Node new_variables = after.node.member("variables");
  if (!old_variables || !new_variables || !old_variables.value->is_object()) return;
  for (const auto& [name, value] : old_variables.value->items()) {
    const Node old_default = old_variables.member(name).member("default");
    const Node new_default = new_variables.member(name).member("default");
    if (!old_default || !new_default || same_value(*old_default.value, *new_default.value))
      continue;
    recorder.add(
        "server-variable-changed", location, old_default, new_default,
        fmt::format("the default of variable '{}' of server '{}' was {} and is {}", name,
                    before.url, value_text(*old_default.value), value_text(*new_default.value)));
  }
}

}  // namespace

void compare_servers(const Documents& documents, const Node& before, const Node& after,
                     const Location& location, Recorder& recorder) {
  if (!before.member("servers") && !after.member("servers")) return;
  const auto old_servers = servers_of(documents.before, before);
  const auto new_servers = servers_of(documents.after, after);
  for (const Server& server : old_servers) {
    if (const Server* other = find(new_servers, server.url)) {
      compare_variables(server, *other, location, recorder);
    } else {
      recorder.add("server-removed", location, server.node, {},
                   fmt::format("server '{}' was removed", server.url));
    }
  }
  for (const Server& server : new_servers) {
    if (find(old_servers, server.url)) continue;
    recorder.add("server-added", location, {}, server.node,
                 fmt::format("server '{}' was added", server.url));
  }
}

}  // namespace fairway::diff
