// `rateLimit`: 429 for clients that send too many requests (docs/rate-limit.md).
#include <fairway/errors.hpp>
#include <fairway/rate_limiter.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/base64url.hpp"
#include "chain/error_response.hpp"
#include "chain/stages.hpp"
#include "crypto/digests.hpp"
#include "errors/exception_info.hpp"
#include "errors/messages.hpp"
#include "http/trusted_proxies.hpp"
#include "store/stores.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;

/// The default limiter: a sliding window in a store. Its keys are digests, because the keys of a
/// function may be long, or secrets of clients.
class StoreRateLimiter : public RateLimiter {
 public:
  explicit StoreRateLimiter(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  Result take(std::string_view key, std::int64_t max, milliseconds window) override {
    std::string digest = "rate-limit:";
    base::append_base64url(digest, crypto::sha256(key));
    const Store::Window counted = store_->increment(digest, window, max);
    return {.allowed = counted.counted, .remaining = max - counted.count, .reset = counted.reset};
  }

 private:
  std::shared_ptr<Store> store_;
};

/// Room in a key for an address or the id of a user.
constexpr std::size_t kUsualClient = 48;

void append_user(std::string& key, Exchange& exchange) {
  const AuthContext& identity = exchange.identity.get();
  const std::string& user = identity.user_id.empty() ? identity.subject : identity.user_id;
  if (!identity.is_authenticated || user.empty()) {
    key.append(RateLimitKey::address(exchange.request));
    return;
  }
  key.append("user:").append(user);
}

/// The limit of a route.
struct Limit {
  int max;
  int window;  ///< seconds
  RateLimitKey key_by;
  std::string scope;  ///< the route, if it has its own limit
};

std::string seconds(milliseconds duration) {
  return std::to_string(std::max<std::int64_t>(0, (duration.count() + 999) / 1000));
}

class RateLimitStage : public Stage {
 public:
  RateLimitStage(const Environment& env, Limit limit)
      : config_(env.config.rate_limit),
        limiter_(env.rate_limiter
                     ? env.rate_limiter
                     : std::make_shared<StoreRateLimiter>(env.stores.of("rate-limit"))),
        limit_(std::move(limit)),
        key_prefix_("rate-limit:" + limit_.scope + ":"),
        max_(std::to_string(limit_.max)) {}

  void run(Exchange& exchange, const NextStages& next) const override {
    std::string key;
    key.reserve(key_prefix_.size() + kUsualClient);
    key = key_prefix_;
    if (!append_client(key, exchange)) return next(exchange);
    RateLimiter::Result result;
    try {
      result = limiter_->take(key, limit_.max, std::chrono::seconds(limit_.window));
    } catch (...) {
      if (!admits_uncounted(exchange)) return;
      return next(exchange);
    }
    OutgoingResponse& response = exchange.outgoing;
    const std::string reset = seconds(result.reset);
    response.set_valid_field("ratelimit-limit", max_);
    response.set_valid_field("ratelimit-remaining",
                             std::to_string(std::max<std::int64_t>(0, result.remaining)));
    response.set_valid_field("ratelimit-reset", reset);
    if (!result.allowed) {
      response.set_field("retry-after", reset == "0" ? "1" : reset);
      exchange.set_rejection(Rejection::rate_limit);
      throw HttpError(429, config_.message);
    }
    next(exchange);
  }

 private:
  /// Returns false for a request that is not counted.
  bool append_client(std::string& key, Exchange& exchange) const {
    const ObservationScope scope(exchange, nullptr);  // responses do not depend on it
    if (const auto& function = limit_.key_by.function()) {
      const std::string own = function(exchange.request);
      key.append("key:").append(own);
      return !own.empty();
    }
    if (limit_.key_by.name() == "user") {
      append_user(key, exchange);
    } else {
      key.append(RateLimitKey::address(exchange.request));
    }
    return true;
  }

  /// Reports an exception of the limiter. Returns whether the request may continue; otherwise it
  /// has responded.
  bool admits_uncounted(Exchange& exchange) const {
    const bool admits = config_.on_store_error == StoreErrorPolicy::allow;
    const std::exception_ptr error = std::current_exception();
    const Logger& logger = exchange.env.logger;
    if (exchange.env.limiter_errors->pass() && !log_lack_of_memory(logger, error)) {
      const ExceptionInfo info = describe(error);
      logger.error(std::string("the rate limiter cannot count, so that requests are ") +
                       (admits ? "admitted: " : "rejected: ") + info.message,
                   log_fields(info));
    }
    if (admits) return true;
    exchange.outgoing.set_field("retry-after", "1");
    respond_with_error_body(
        exchange, 503, plain_error_body(503, default_message(503), exchange.context.request_id));
    return false;
  }

  const RateLimitConfig& config_;
  std::shared_ptr<RateLimiter> limiter_;
  Limit limit_;
  std::string key_prefix_;
  std::string max_;
};

std::optional<Limit> limit_of(const StageContext& context) {
  const RateLimitConfig& global = context.env.config.rate_limit;
  if (!global.enabled) return std::nullopt;
  Limit limit{.max = global.max, .window = global.window, .key_by = global.key_by, .scope = {}};
  if (context.route == nullptr) return limit;
  const RateLimitOverride& own = context.route->options.override_.rate_limit;
  if (!own.declared()) return limit;
  if (!own.enabled()) return std::nullopt;
  const RateLimitOptions& options = own.options();
  limit.max = options.max.value_or(limit.max);
  limit.window = options.window.value_or(limit.window);
  if (!options.key_by.empty()) limit.key_by = options.key_by.str();
  limit.scope = name_of(*context.route);
  return limit;
}

Stages limit_stage(const StageContext& context, bool counts_users) {
  auto limit = limit_of(context);
  if (!limit || (limit->key_by.name() == "user") != counts_users) return {};
  return one_stage<RateLimitStage>(context.env, std::move(*limit));
}

}  // namespace

Stages rate_limit_stage(const StageContext& context) {
  const Route* route = context.route;
  if (route != nullptr && !context.env.config.rate_limit.enabled &&
      route->options.override_.rate_limit.enabled()) {
    context.env.logger.warn(source_of(*route) + ": " + name_of(*route) +
                            " declares a rate limit, but 'rateLimit.enabled' is not "
                            "configured, so its requests are not limited");
  }
  return limit_stage(context, false);
}

// Runs after the middlewares, because they determine the user.
Stages user_rate_limit_stage(const StageContext& context) { return limit_stage(context, true); }

}  // namespace fw::detail

namespace fw {

// All clients without an IP address, such as clients of a unix socket, count as one.
std::string RateLimitKey::address(const Request& req) {
  return "ip:" + http::client_group(req.ip());
}

}  // namespace fw
