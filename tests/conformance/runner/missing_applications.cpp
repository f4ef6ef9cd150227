#include "missing_applications.hpp"

#include <fairway/generated/route_table.hpp>

#include <set>

#include "group.hpp"

namespace conformance {
namespace {

/// The routes of an application as the case files name them: "GET /a in src/routes/index.cpp".
std::set<std::string> routes_of(const Group& group) {
  std::set<std::string> routes;
  for (const fw::RouteFileRow& file : group.table().files) {
    for (const fw::RouteRow& route : file.routes) {
      routes.insert(std::string(route.method) + " " + std::string(route.subpath) + " in " +
                    std::string(file.file));
    }
  }
  return routes;
}

}  // namespace

std::vector<std::string> missing_applications(const std::vector<Json>& areas) {
  std::vector<std::string> missing;
  for (const Json& file : areas) {
    const std::string area = file.at("area");
    const Json groups = file.value("groups", Json::object());
    for (const auto& [name, description] : groups.items()) {
      const Group* group = find_group(area, name);
      if (group == nullptr) {
        missing.push_back(area + "/" + name);
      } else if (group->table != nullptr) {
        const std::set<std::string> present = routes_of(*group);
        for (const Json& route : description.at("routes")) {
          const std::string wanted = route.at("method").get<std::string>() + " " +
                                     route.at("path").get<std::string>() + " in " +
                                     route.at("file").get<std::string>();
          if (!present.contains(wanted)) missing.push_back(area + "/" + name + ": " + wanted);
        }
      }
    }
  }
  return missing;
}

}  // namespace conformance
