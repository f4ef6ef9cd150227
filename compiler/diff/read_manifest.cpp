#include <fmt/format.h>

#include <utility>

#include "diff/document.hpp"
#include "model/option_reader.hpp"

namespace fairway::diff {
namespace {

/// Reads the output of emit/manifest.cpp into the model.
class ManifestReader {
 public:
  explicit ManifestReader(const std::string& name) : name_(name) {}

  model::Application read(const Json& manifest) {
    if (!manifest["version"].is_number() || manifest["version"] != model::kManifestVersion) {
      fail("/version", fmt::format("is {}: this fairway reads manifests of version {}",
                                   value(manifest["version"]), model::kManifestVersion));
    }
    model::Application application;
    std::size_t number = 0;
    for (const Json& file : manifest["files"]) {
      where_ = fmt::format("/files/{}", number++);
      application.files.push_back({.path = text(file, "path"),
                                   .display_path = {},
                                   .prefix = text(file, "prefix"),
                                   .export_path = {},
                                   .export_range = {},
                                   .routes = {}});
      for (const Json& route : list(file, "routes")) {
        application.files.back().routes.push_back(read_route(route));
      }
    }
    return application;
  }

 private:
  static std::string value(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  [[noreturn]] void fail(const std::string& node, const std::string& what) const {
    throw BadDocument(fmt::format("{}: {}: {}", name_, node, what));
  }
  [[noreturn]] void fail(const std::string& what) const { fail(where_, what); }

  const Json& member(const Json& parent, const char* name) const {
    static const Json kAbsent;
    return parent.is_object() && parent.contains(name) ? parent[name] : kAbsent;
  }
  std::string text(const Json& parent, const char* name) const {
    const Json& found = member(parent, name);
    if (!found.is_string()) fail(fmt::format("'{}' must be a string", name));
    return found;
  }
  const Json& list(const Json& parent, const char* name) const {
    const Json& found = member(parent, name);
    if (!found.is_array()) fail(fmt::format("'{}' must be an array", name));
    return found;
  }
  model::Route read_route(const Json& json) {
    model::Route route;
    route.method = text(json, "method");
    route.path = text(json, "path");
    where_ = fmt::format("{} {}", route.method, route.path);
    const Json& options = member(json, "options");
    model::read_options(options, route, [&](const std::string& what) { fail(what); });
    const Json& inferred = member(json, "inferredResponses");
    if (inferred.is_object()) {
      model::read_options({{"responses", inferred}}, route,
                          [&](const std::string& what) { fail(what); });
    }
    route.operation_id = text(json, "operationId");
    route.docs.hidden = false;
    route.docs.tags.clear();
    for (const Json& tag : member(json, "tags")) {
      if (tag.is_string()) route.docs.tags.push_back(tag);
    }
    const auto groups = rules(member(options, "auth"));
    if (!groups.empty()) route.docs.security = with_rules(route, groups);
    return route;
  }

  /// The groups of a requirement. Each group is a list of alternatives, and every group must pass.
  std::vector<std::vector<Json>> rules(const Json& json) const {
    const bool needs_all = member(json, "mode") == "all";
    std::vector<std::vector<Json>> groups;
    constexpr std::pair<const char*, const char*> kGroups[] = {
        {"roles", "role "}, {"scopes", "scope "}, {"permissions", "permission "}};
    for (const auto& group : kGroups) {
      const Json& items = member(json, group.first);
      std::vector<Json> alternatives;
      Json together = Json::array();
      const auto add = [&](const Json& item) {
        const std::string rule =
            group.second + (item.is_string() ? item.get<std::string>() : value(item));
        alternatives.push_back(Json::array({rule}));
        together.push_back(rule);
      };
      if (items.is_array()) {
        for (const Json& item : items) add(item);
      } else if (!items.is_null()) {
        add(items);
      }
      if (alternatives.empty()) continue;
      groups.push_back(needs_all ? std::vector<Json>{together} : std::move(alternatives));
    }
    return groups;
  }

  static Json with_rules(const model::Route& route, const std::vector<std::vector<Json>>& groups) {
    Json alternatives = route.docs.security   ? *route.docs.security
                        : route.auth.security ? *route.auth.security
                                              : Json::array({{{"bearerAuth", Json::array()}}});
    for (const auto& group : groups) {
      Json longer = Json::array();
      for (const Json& alternative : alternatives) {
        for (const Json& rule : group) {
          Json both = alternative;
          Json& all = both["auth"];
          if (!all.is_array()) all = Json::array();
          all.insert(all.end(), rule.begin(), rule.end());
          longer.push_back(std::move(both));
        }
      }
      alternatives = std::move(longer);
    }
    return alternatives;
  }

  std::string name_;
  std::string where_;  ///< location of the value that is being read
};

}  // namespace

model::Application read_manifest(const std::string& name, const Json& manifest) {
  return ManifestReader(name).read(manifest);
}

}  // namespace fairway::diff
