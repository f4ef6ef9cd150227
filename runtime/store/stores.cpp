#include "store/stores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/redis_url.hpp"

namespace fw::store {
namespace {

struct Feature {
  std::string_view name;
  std::string_view pointer;  ///< JSON pointer of its StoreConfig
  StoreConfig (*config)(const Config&);
  bool (*is_enabled)(const Config&);  ///< whether it is enabled for all routes
};

constexpr Feature kFeatures[] = {
    {"rate-limit", "/rateLimit/store", [](const Config& config) { return config.rate_limit.store; },
     [](const Config& config) { return config.rate_limit.enabled; }},
    {"cache", "/cache/store",
     [](const Config& config) {
       StoreConfig store = config.cache.store;
       store.max_entries = config.cache.max_entries;
       store.max_memory = config.cache.max_memory;
       return store;
     },
     [](const Config& config) { return config.cache.enabled && config.cache.default_ttl > 0; }},
    {"session", "/session/store", [](const Config& config) { return config.session.store; },
     [](const Config& config) { return config.session.enabled; }},
};

/// The memory limits of a feature default to the limits of the application.
StoreConfig with_bounds(StoreConfig own, const StoreConfig& application) {
  const StoreConfig defaults;
  if (own.max_entries == defaults.max_entries) own.max_entries = application.max_entries;
  if (own.max_memory.text() == defaults.max_memory.text()) own.max_memory = application.max_memory;
  return own;
}

using StoreClock = std::function<std::chrono::steady_clock::time_point()>;

std::shared_ptr<Store> make_memory_store(const StoreConfig& config, const StoreClock& clock) {
  return memory_store({.max_entries = static_cast<std::size_t>(config.max_entries),
                       .max_memory = config.max_memory,
                       .clock = clock});
}

std::shared_ptr<Store> make_redis_store(const StoreConfig& config, const StoreClock&) {
  return redis_store({.url = config.url,
                      .key_prefix = config.key_prefix,
                      .timeout = config.timeout,
                      .connections = config.connections,
                      .ca_file = config.ca_file});
}

struct Backend {
  StoreType type;
  std::string_view name;
  bool is_server;  ///< has a url, and features share one store in it
  /// Throws std::invalid_argument for an invalid configuration.
  std::shared_ptr<Store> (*make)(const StoreConfig&, const StoreClock&);
};

constexpr Backend kBackends[] = {
    {StoreType::memory, "memory", false, make_memory_store},  // also "default"
    {StoreType::redis, "redis", true, make_redis_store},
};

const Backend& backend_of(const StoreConfig& config) {
  const auto* const found =
      std::find_if(std::begin(kBackends), std::end(kBackends),
                   [&](const Backend& backend) { return backend.type == config.type; });
  return found == std::end(kBackends) ? kBackends[0] : *found;
}

std::shared_ptr<Store> make_store(const StoreConfig& config, const StoreClock& clock) {
  const Backend& backend = backend_of(config);
  if (!backend.is_server && config.url != StoreConfig().url) {
    std::string types;
    for (const Backend& each : kBackends) {
      if (each.is_server) types += fmt::format("{}\"{}\"", types.empty() ? "" : " or ", each.name);
    }
    throw std::invalid_argument("a url needs the type " + types);
  }
  return backend.make(config, clock);
}

}  // namespace

void Stores::set(std::string_view feature, std::shared_ptr<Store> store) {
  const bool is_known = std::any_of(std::begin(kFeatures), std::end(kFeatures),
                                    [&](const Feature& each) { return each.name == feature; });
  if (!is_known) {
    throw std::invalid_argument(fmt::format("app.set_store: there is no feature '{}'", feature));
  }
  if (!store) throw std::invalid_argument("app.set_store: the store is null");
  stores_.insert_or_assign(std::string(feature), std::move(store));
}

void Stores::open(const Config& config, std::vector<std::string>& errors) {
  std::shared_ptr<Store> common;
  const auto make = [&](const StoreConfig& store, std::string_view pointer) {
    try {
      return make_store(store, clock_);
    } catch (const base::RedisUrlError&) {
      // The check of the configuration reports it.
    } catch (const std::invalid_argument& error) {
      errors.push_back(fmt::format("configuration: {}: {}", pointer, error.what()));
    }
    return memory_store();  // the error prevents the start, but the application is composed
  };
  common = make(config.store, "/store");
  const bool is_common = backend_of(config.store).is_server;
  for (const Feature& feature : kFeatures) {
    if (stores_.contains(feature.name)) continue;
    const StoreConfig own = feature.config(config);
    const bool has_own = own.type != StoreType::standard || own.url != StoreConfig().url;
    if (has_own) {
      stores_.emplace(feature.name, make(own, feature.pointer));
    } else if (is_common) {
      stores_.emplace(feature.name, common);
    } else {
      // Each feature has its own store, so that keys of rate limits and cached responses, which
      // clients cause, cannot displace sessions.
      stores_.emplace(feature.name, make(with_bounds(own, config.store), feature.pointer));
    }
  }
  if (config.admin.is_enabled()) measure();
}

void Stores::measure() {
  std::vector<std::string> names;
  std::vector<std::shared_ptr<Store>*> shared;
  for (auto& [name, store] : stores_) {
    if (!store->is_shared()) continue;
    names.push_back(name);
    shared.push_back(&store);
  }
  if (names.empty()) return;
  metrics_ = std::make_unique<detail::StoreMetrics>(std::move(names));
  for (std::size_t i = 0; i < shared.size(); ++i) {
    *shared[i] = measured_store(std::move(*shared[i]), *metrics_, i);
  }
}

const std::shared_ptr<Store>& Stores::of(std::string_view feature) const {
  return stores_.find(feature)->second;
}

std::vector<std::string_view> Stores::unshared(const Config& config) const {
  std::vector<std::string_view> features;
  for (const Feature& feature : kFeatures) {
    if (feature.is_enabled(config) && !of(feature.name)->is_shared()) {
      features.push_back(feature.name);
    }
  }
  return features;
}

}  // namespace fw::store
