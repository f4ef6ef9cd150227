// The applications that the cases run on.
#pragma once

#include <fairway/app.hpp>
#include <fairway/config.hpp>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace conformance {

/// Names of the hooks that ran, for groups whose cases expect `events`.
class EventList {
 public:
  void add(std::string name);
  std::vector<std::string> take();

 private:
  std::mutex mutex_;
  std::vector<std::string> names_;
};

/// One group's application. `configure` and `set_up` do what the group's `setup` says in words;
/// what the group's `config` says is applied before.
struct Group {
  std::string area;
  std::string name;
  /// Null when the route compiler must reject the route files.
  const fw::AppTable& (*table)() = nullptr;
  std::function<void(fw::Config&)> configure = {};
  std::function<void(fw::App&, EventList&)> set_up = {};
};

/// All groups: one for each folder with route files.
const std::vector<Group>& groups();

/// The group's application; null when there is none.
const Group* find_group(const std::string& area, const std::string& name);

}  // namespace conformance
