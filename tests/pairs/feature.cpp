#include "feature.hpp"

#include <fairway/testing.hpp>

#include <algorithm>
#include <utility>

namespace pairs {
namespace {

using fw::Json;
using fw::Next;
using fw::Request;
using fw::Response;

Surroundings surroundings;

std::string value_or(std::optional<std::string_view> value, std::string_view other = "none") {
  return std::string(value.value_or(other));
}

/// The user of a token; empty for others.
std::string user_of(std::string_view credential) {
  for (std::size_t i = 0; i < std::size(kTokens); ++i) {
    if (credential.ends_with(kTokens[i])) return std::string(kUsers[i]);
  }
  return {};
}

std::string bearer_user(Request& req) { return user_of(req.header("authorization").value_or("")); }

void observe(Blueprint& app, Dimension dimension, Blueprint::Observer observer) {
  app.observed.insert(dimension);
  app.observers.push_back(std::move(observer));
}

void observe_tenant(Blueprint& app) {
  observe(app, Dimension::tenant, [](Request& req, Response&, Json& seen) {
    seen["tenant"] = value_or(req.header("x-tenant"));
  });
}

/// `RouteCacheOptions::query`, where there is one. Returns whether there is.
template <class Options>
bool declare_query(Options& options) {
  if constexpr (requires { options.query = {"q"}; }) {
    options.query = {"q"};
    return true;
  }
  return false;
}

constexpr Feature kFeatures[] = {
    {"cache", [](Blueprint& app) { app.cached(); }},
    {"partition",
     [](Blueprint& app) {
       // With `auth`, the handler reads the identity, so the partition has to contain it.
       app.cached().partition_key = [](Request& req) {
         return bearer_user(req) + req.auth().user_id;
       };
       app.is_personal = true;
       observe(app, Dimension::user,
               [](Request& req, Response&, Json& seen) { seen["user"] = bearer_user(req); });
     }},
    {"cache-headers",
     [](Blueprint& app) {
       app.cached().headers = {"X-Tenant"};
       observe_tenant(app);
     }},
    {"stale",
     [](Blueprint& app) {
       app.cached().ttl = 1;
       app.cached().stale_while_revalidate = 60'000;
     }},
    {"custom-key", [](Blueprint&) {}},  // routes of its own: see Application
    {"post-cache",
     [](Blueprint& app) {
       app.kinds.push_back(Kind::post);
       app.observed.insert(Dimension::word);
     }},
    {"auth",
     [](Blueprint& app) {
       app.options.auth = true;
       app.requires_user = app.is_personal = true;
       app.middlewares.push_back(fw::auth(
           {.verify = [](std::string_view credential, Request&) -> std::optional<fw::AuthIdentity> {
             std::string user = user_of(credential);
             if (user.empty()) return std::nullopt;
             return fw::AuthIdentity{.user_id = std::move(user)};
           }}));
       observe(app, Dimension::user,
               [](Request& req, Response&, Json& seen) { seen["user"] = req.auth().user_id; });
     }},
    {"guard",
     [](Blueprint& app) {
       app.middlewares.push_back([](Request& req, Response&, Next next) {
         if (req.header("x-tenant") == kTenants[1]) fw::raise(403, "not for this tenant");
         next();
       });
       app.observed.insert(Dimension::tenant);
     }},
    {"session",
     [](Blueprint& app) {
       app.config.session.enabled = true;
       app.is_personal = app.observes_undeclared = true;
       observe(app, Dimension::session, [](Request& req, Response&, Json& seen) {
         if (!req.has_session()) return;
         seen["session"] = req.session().get<std::string>("user").value_or("none");
       });
     }},
    {"rolling",
     [](Blueprint& app) {
       app.config.session.enabled = app.config.session.rolling = true;
       app.observed.insert(Dimension::session);
     }},
    {"csrf",
     [](Blueprint& app) {
       app.config.csrf.enabled = true;
       app.config.csrf.secret = std::string(40, 's');
       app.observers.push_back([](Request& req, Response&, Json& seen) {
         const std::string_view path = req.path();  // pages contain forms
         if (path == path_of(Kind::page) || path == path_of(Kind::revalidated_page)) {
           seen["csrf"] = req.csrf_token();
         }
       });
     }},
    {"cors",
     [](Blueprint& app) {
       app.config.cors.origins.assign(std::begin(kOrigins), std::end(kOrigins));
       app.config.cors.credentials = true;
       app.observed.insert(Dimension::origin);
     }},
    {"rate-limit",
     [](Blueprint& app) {
       app.config.rate_limit.enabled = true;
       app.config.rate_limit.max = 200;
     }},
    {"rate-key",
     [](Blueprint& app) {
       app.config.rate_limit.enabled = true;
       app.config.rate_limit.max = 2'000;
       // As long as a client likes.
       app.config.rate_limit.key_by = [](Request& req) {
         return std::string(4000, 'k') + std::string(req.header("x-tenant").value_or(""));
       };
     }},
#ifdef PAIRS_DECODE
    {"compression",
     [](Blueprint& app) {
       app.config.compression.enabled = true;
       app.config.compression.min_size = "64b";
       app.config.compression.encodings = {"gzip"};
     }},
#endif
    {"etag", [](Blueprint& app) { app.config.etag = fw::EntityTags::weak; }},
    {"timeout", [](Blueprint& app) { app.kinds.push_back(Kind::slow); }},
    {"policy",
     [](Blueprint& app) {
       app.config.security_headers.enabled = true;
       app.config.security_headers.content_security_policy.policy =
           "default-src 'self'; script-src 'self'";
     }},
    {"hook",
     [](Blueprint& app) {
       app.observed.insert(Dimension::tenant);
       app.set_up.push_back([](fw::App& application) {
         application.hooks().on<fw::hooks::ResponseBefore>([](fw::hooks::ResponseBefore& event) {
           const std::string tenant = value_or(event.req.header("x-tenant"));
           if (tenant == kTenants[0]) event.res.set_header("X-Hook", tenant);
         });
       });
     }},
    {"language",
     [](Blueprint& app) {
       observe(app, Dimension::language,
               [](Request& req, Response&, Json& seen) { seen["greeting"] = req.t("greeting"); });
     }},
    {"host",
     [](Blueprint& app) {
       observe(app, Dimension::host, [](Request& req, Response&, Json& seen) {
         seen["link"] = "https://" + value_or(req.header("host"));
       });
     }},
    {"address",
     [](Blueprint& app) {
       app.is_personal = app.observes_undeclared = true;
       observe(app, Dimension::address,
               [](Request& req, Response&, Json& seen) { seen["address"] = req.ip(); });
     }},
    {"version",
     [](Blueprint& app) {
       app.cached();
       app.observes_undeclared = true;
       app.observers.push_back([](Request& req, Response&, Json& seen) {
         seen["protocol"] = std::string(kProtocol) + std::string(req.http_version());
       });
     }},
    {"header",
     [](Blueprint& app) {
       observe_tenant(app);
       app.observes_undeclared = true;
     }},
    {"vary",
     [](Blueprint& app) {
       observe_tenant(app);
       app.observes_undeclared = true;
       app.observers.push_back(
           [](Request&, Response& res, Json&) { res.append_header("vary", "X-Tenant"); });
     }},
    {"own-vary",
     [](Blueprint& app) {
       app.cached();
       // Instead of the names that others have added.
       app.observers.push_back(
           [](Request&, Response& res, Json&) { res.set_header("vary", "Host"); });
     }},
    {"own-freshness",
     [](Blueprint& app) {
       app.sets_freshness = true;
       app.observers.push_back([](Request&, Response& res, Json&) {
         res.set_header("cache-control", "public, max-age=60");
       });
     }},
    {"announced",
     [](Blueprint& app) {
       // What a middleware attaches to the request is not observed; Vary tells of it.
       struct Tenant {
         std::string name;
       };
       app.middlewares.push_back([](Request& req, Response&, Next next) {
         req.set(Tenant{value_or(req.header("x-tenant"))});
         next();
       });
       app.observes_undeclared = true;
       observe(app, Dimension::tenant, [](Request& req, Response& res, Json& seen) {
         const Tenant* tenant = req.get<Tenant>();
         if (tenant == nullptr) return;
         res.append_header("vary", "X-Tenant");
         seen["tenant"] = tenant->name;
       });
     }},
    {"cookie",
     [](Blueprint& app) {
       app.is_personal = app.observes_undeclared = true;
       observe(app, Dimension::visitor, [](Request& req, Response&, Json& seen) {
         seen["visitor"] = value_or(req.cookie("visitor"));
       });
     }},
    {"sets-cookie",
     [](Blueprint& app) {
       app.sets_cookies = true;
       app.observers.push_back(
           [](Request&, Response& res, Json&) { res.set_cookie("last-seen", "today"); });
     }},
    {"middleware-cookie",
     [](Blueprint& app) {
       app.middlewares.push_back([](Request&, Response& res, Next next) {
         next();
         res.set_cookie("campaign", "autumn");
       });
     }},
    {"query",
     [](Blueprint& app) {
       observe(app, Dimension::query, [](Request& req, Response&, Json& seen) {
         seen["query"] = value_or(req.query("q"));
       });
     }},
    {"page", [](Blueprint& app) { app.kinds.push_back(Kind::page); }},
    {"static-page", [](Blueprint& app) { app.kinds.push_back(Kind::static_page); }},
    {"revalidated-page", [](Blueprint& app) { app.kinds.push_back(Kind::revalidated_page); }},
    {"stream", [](Blueprint& app) { app.kinds.push_back(Kind::stream); }},
    {"error", [](Blueprint& app) { app.kinds.push_back(Kind::error); }},
    {"range", [](Blueprint& app) { app.kinds.push_back(Kind::partial); }},
    {"upload", [](Blueprint& app) { app.kinds.push_back(Kind::upload); }},
    {"live-upload", [](Blueprint& app) { app.kinds.push_back(Kind::live_upload); }},
    {"events", [](Blueprint& app) { app.kinds.push_back(Kind::events); }},
    {"tool",
     [](Blueprint& app) {
       app.config.mcp.path = path_of(Kind::tool);
       app.config.mcp.origins.assign(std::begin(kOrigins), std::end(kOrigins));
       app.kinds.push_back(Kind::tool);
     }},
    {"proxy",
     [](Blueprint& app) {
       app.config.fetch.proxy = {{.name = "upstream",
                                  .base_url = surroundings.upstream,
                                  .forward_headers = {"x-tenant", "x-hop"}},
                                 {.name = "nobody", .base_url = surroundings.nobody}};
       app.kinds.push_back(Kind::proxied);
       app.observed.insert(Dimension::tenant);
       app.observes_undeclared = true;
     }},
    {"file",
     [](Blueprint& app) {
       app.config.static_files = {{.prefix = "/files", .root = surroundings.files}};
       app.kinds.push_back(Kind::file);
     }},
};

}  // namespace

std::string path_of(Kind kind) {
  switch (kind) {
    case Kind::json:
      return "/t/json";
    case Kind::page:
      return "/t/page";
    case Kind::static_page:
      return "/t/static-page";
    case Kind::revalidated_page:
      return "/t/revalidated-page";
    case Kind::stream:
      return "/t/stream";
    case Kind::error:
      return "/t/error";
    case Kind::partial:
      return "/t/partial";
    case Kind::proxied:
      return "/t/proxied";
    case Kind::upload:
      return "/t/upload";
    case Kind::post:
      return "/t/post";
    case Kind::slow:
      return "/t/slow";
    case Kind::file:
      return "/files/hello.txt";
    case Kind::events:
      return "/t/events";
    case Kind::live_upload:
      return "/t/live-upload";
    case Kind::tool:
      return "/t/tool";
  }
  return {};
}

std::string marker_of(Kind kind) {
  const bool has_none = kind == Kind::file || kind == Kind::static_page || kind == Kind::proxied;
  return has_none ? std::string() : "route-" + path_of(kind).substr(3) + "-c4n";
}

bool has_body(Kind kind) {
  return kind == Kind::upload || kind == Kind::live_upload || kind == Kind::post ||
         kind == Kind::tool;
}

fw::RouteCacheOptions& Blueprint::cached() {
  if (!cache) cache = {.ttl = 60'000, .tags = {"items"}};
  return *cache;
}

bool Blueprint::is_storable() const {
  if (!cache || has("stale") || sets_cookies || observes_undeclared) return false;
  return !requires_user || cache->partition_key;
}

void set_surroundings(Surroundings value) { surroundings = std::move(value); }
const Surroundings& get_surroundings() { return surroundings; }

std::span<const Feature> all_features() { return kFeatures; }

Blueprint make_blueprint(const std::vector<const Feature*>& features) {
  Blueprint blueprint;
  blueprint.config = fw::testing::TestApp::test_config();
  blueprint.config.response.log_errors = {.http4xx = true};
  blueprint.config.locale.directory = surroundings.locales;
  blueprint.config.middlewares = {{.name = "watch"}};  // see Application
  for (const Feature* feature : features) {
    blueprint.features.insert(feature->name);
    feature->apply(blueprint);
  }
  if (blueprint.cache && blueprint.has("query")) {
    blueprint.declares_query = declare_query(*blueprint.cache);
  }
  auto& kinds = blueprint.kinds;
  const auto has_content = [](Kind kind) {
    return !has_body(kind) && kind != Kind::slow && kind != Kind::file;
  };
  if (std::ranges::none_of(kinds, has_content)) kinds.push_back(Kind::json);
  return blueprint;
}

}  // namespace pairs
