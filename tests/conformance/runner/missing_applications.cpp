#include "missing_applications.hpp"

#include <fairway/route_table.hpp>

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

class Check {
 public:
  void area(const Json& file) {
    const std::string area = file.at("area");
    const Json groups = file.value("groups", Json::object());
    for (const auto& [name, description] : groups.items()) {
      const std::string full_name = area + "/" + name;
      const Group* group = find_group(area, name);
      if (judge(full_name, group != nullptr, {area, full_name}) && group->table != nullptr) {
        routes(*group, full_name, description.at("routes"));
      }
    }
  }

  std::vector<std::string> finish() {
    for (const auto& [name, reason] : left_out()) {
      if (!used_.contains(name))
        faults_.push_back(name + " is left out, and there is no such thing");
    }
    return std::move(faults_);
  }

 private:
  void routes(const Group& group, const std::string& full_name, const Json& expected) {
    const std::set<std::string> present = routes_of(group);
    for (const Json& route : expected) {
      const std::string path = route.at("path");
      const std::string name = route.at("method").get<std::string>() + " " + path + " in " +
                               route.at("file").get<std::string>();
      judge(full_name + ": " + name, present.contains(name), {full_name + path});
    }
  }

  /// Returns `present`. `names` are those by which it may be left out.
  bool judge(const std::string& what, bool present, const std::vector<std::string>& names) {
    bool excused = false;
    for (const std::string& name : names) {
      if (!left_out().contains(name)) continue;
      excused = true;
      used_.insert(name);
    }
    if (!present && !excused) faults_.push_back("no application: " + what);
    if (present && excused) faults_.push_back(what + " is left out, and it is there");
    return present;
  }

  std::set<std::string> used_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> missing_applications(const std::vector<Json>& areas) {
  Check check;
  for (const Json& file : areas) check.area(file);
  return check.finish();
}

}  // namespace conformance
