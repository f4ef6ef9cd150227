// The features that applications are generated from: a row each, in feature.cpp.
#pragma once

#include <fairway/fairway.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client.hpp"

namespace pairs {

/// What a route responds with. Each kind of an application is a route of its own, with all options
/// of the application's features.
enum class Kind {
  json,
  page,
  static_page,
  revalidated_page,
  stream,
  error,
  partial,
  proxied,
  upload,
  post,
  slow,
  file,
  events,
  live_upload,
  tool,  ///< a message to the endpoint for agents, which calls the route kToolRoute
};

inline constexpr std::string_view kToolRoute = "/t/called";

/// "/t/json"; the path of a kind.
std::string path_of(Kind kind);
/// "route-json-c4n", which the responses of a kind contain; empty for kinds without.
std::string marker_of(Kind kind);
bool has_body(Kind kind);

/// What the features of an application add to it.
struct Blueprint {
  /// Puts what a handler observes into its response.
  using Observer = std::function<void(fw::Request&, fw::Response&, fw::Json& seen)>;

  fw::Config config;
  fw::RouteOptions options;
  std::optional<fw::RouteCacheOptions> cache;
  std::vector<fw::Middleware> middlewares;  ///< global
  std::vector<Observer> observers;
  std::vector<std::function<void(fw::App&)>> set_up;
  std::vector<Kind> kinds;
  std::set<Dimension> observed;  ///< requests that differ in them are sent
  std::set<std::string_view> features;

  bool requires_user = false;  ///< only requests with a token pass
  /// Whether responses depend on who asks.
  bool is_personal = false;
  /// Whether handlers observe what the cache does not know of.
  bool observes_undeclared = false;
  bool sets_cookies = false;    ///< in every response
  bool sets_freshness = false;  ///< handlers say that their responses are for everybody
  bool declares_query = false;  ///< whether the key of the cache has only the parameter `q`

  bool has(std::string_view feature) const { return features.contains(feature); }
  fw::RouteCacheOptions& cached();
  /// Whether the second of two requests for JSON is served from the cache.
  bool is_storable() const;
};

struct Feature {
  std::string_view name;
  void (*apply)(Blueprint&);
};

/// What applications share: directories with locale files and files to serve, and an upstream.
struct Surroundings {
  std::string locales;
  std::string files;
  std::string upstream;  ///< URL
  std::string nobody;    ///< URL of a port where nobody listens
  /// The number of bodies that the upstream holds open: the route /held has them.
  std::shared_ptr<std::atomic<int>> held = std::make_shared<std::atomic<int>>(0);
};
void set_surroundings(Surroundings surroundings);
const Surroundings& get_surroundings();

std::span<const Feature> all_features();
/// The blueprint of these features.
Blueprint make_blueprint(const std::vector<const Feature*>& features);

}  // namespace pairs
