// What the framework's own parts and its tests use of public classes and users do not:
//
//   detail::Access::core(app).pipeline().handle(transaction);
#pragma once

#include <fairway/app.hpp>
#include <fairway/router.hpp>

#include <utility>
#include <vector>

namespace fw::detail {

struct Access {
  static AppCore& core(App& app) { return *app.core_; }

  /// What was registered. Whatever tries to register more gets std::logic_error.
  static std::vector<RouteRecord> end_registration(Router& router) {
    router.open_ = false;
    return std::exchange(router.records_, {});
  }
};

}  // namespace fw::detail
