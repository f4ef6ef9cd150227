#include "features/cache/early_waiter.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "features/cache/cached_route.hpp"

namespace fw::detail {
namespace {

using std::chrono::milliseconds;

bool has_field(const http::RequestHead& head, std::string_view name) {
  return head.fields.index_of(name) < head.fields.size();
}

/// A client that finds a way to make the head and the key differ does not turn early waits off for
/// good.
constexpr std::chrono::minutes kPause{10};

/// Whether the request may identify its user, and so have a response of its own.
bool has_credentials(const http::RequestHead& head, const base::StringPool& fields) {
  bool found = false;
  fields.for_each([&](std::string_view name) { found = found || has_field(head, name); });
  return found;
}

/// Whether the request has a field with which all routes find their users.
bool may_name_user(const http::RequestHead& head) {
  return has_field(head, "cookie") || has_field(head, "authorization");
}

std::string joined(const http::RequestHead& head, std::string_view name) {
  std::string values;
  for (std::size_t i = head.fields.index_of(name); i < head.fields.size();
       i = head.fields.index_of(name, i + 1)) {
    values.append(values.empty() ? "" : ", ").append(head.fields[i].value);
  }
  return values;
}

bool is_revalidated_page(const Route& route) {
  return route.options.frontend.mode.str() == "revalidate";
}

}  // namespace

std::shared_ptr<EarlyWaiter> EarlyWaiter::create(const Environment& env, const Route& route,
                                                 std::shared_ptr<SharedRuns> runs) {
  const auto& cache = route.options.cache.options();
  const bool is_cached = cache && env.config.cache.enabled;
  if (!is_cached && !is_revalidated_page(route)) return nullptr;
  const bool has_functions =
      is_cached && (cache->partition_key || cache->condition ||
                    std::holds_alternative<CacheKey::Function>(cache->key.get()));
  if (has_functions) return nullptr;
  return std::make_shared<EarlyWaiter>(env, route, std::move(runs));
}

EarlyWaiter::EarlyWaiter(const Environment& env, const Route& route,
                         std::shared_ptr<SharedRuns> runs)
    : env_(env),
      path_(route.path),
      credential_fields_(route.credential_fields),
      runs_(std::move(runs)),
      timer_(env.deadlines),
      max_wait_(env.config.cache.wait_timeout) {
  if (const auto& limit = route.time_limit()) {
    max_wait_ = std::min(max_wait_, milliseconds(limit->count()));
  }
  if (!env.locales.empty()) fields_.emplace_back("accept-language");
  const auto& cache = route.options.cache.options();
  is_page_ = !cache;
  if (is_page_) {
    query_.emplace();
    if (const InputSchema* const query = route.input(Location::query)) {
      for (const schema::Field& field : query->fields()) query_->push_back(field.name);
    }
    return;
  }
  for (const Text& name : cache->headers) fields_.push_back(base::lower_case(name.str()));
  if (cache->query.names()) {
    query_.emplace();
    for (const Text& name : *cache->query.names()) query_->push_back(name.str());
  }
  skips_cookies_ = !cache->allow_cookie_cache;
  skips_authorization_ = !cache->allow_authorization_cache;
  // Those that are rejected do not wait first.
  if (route.options.auth.enabled()) {
    fields_.emplace_back("authorization");
    fields_.emplace_back("cookie");
  }
}

std::optional<std::uint64_t> EarlyWaiter::head_digest(const http::RequestHead& head) const {
  const bool is_waiting_method = head.method == "GET" || (is_page_ && head.method == "HEAD");
  if (!is_waiting_method || head.has_body || is_paused(head)) return std::nullopt;
  if (skips_cookies_ && has_field(head, "cookie")) return std::nullopt;
  if (skips_authorization_ && has_field(head, "authorization")) return std::nullopt;
  if (has_credentials(head, *credential_fields_)) return std::nullopt;
  const std::string_view target = head.target;
  const auto mark = std::min(target.find('?'), target.size());
  std::string text = plain_path(without_last_slashes(target.substr(0, mark)), path_);
  const auto add_field = [&](std::string_view name) {
    text += '\n';
    for (std::size_t i = head.fields.index_of(name); i < head.fields.size();
         i = head.fields.index_of(name, i + 1)) {
      const std::string_view value = head.fields[i].value;
      text.append(std::to_string(value.size())).append("=").append(value);
    }
  };
  if (query_) {
    text += declared_query(target.substr(std::min(mark + 1, target.size())), *query_);
  } else {
    text += target.substr(mark);
  }
  const bool is_secure = uses_https(head);
  text += is_secure ? "\nhttps " : "\nhttp ";
  text += plain_host(head.fields.find("host").value_or(std::string_view()), is_secure);
  for (const std::string& name : fields_) add_field(name);
  return hash_(text);
}

void EarlyWaiter::pause(const http::RequestHead& head) {
  paused_until_[may_name_user(head)] =
      (SharedRuns::Clock::now() + kPause).time_since_epoch().count();
}

bool EarlyWaiter::is_paused(const http::RequestHead& head) const {
  const auto until = paused_until_[may_name_user(head)].load();
  return until != 0 && SharedRuns::Clock::now().time_since_epoch().count() < until;
}

bool EarlyWaiter::uses_https(const http::RequestHead& head) const {
  if (env_.config.trust_proxy.mode() == TrustProxy::Mode::none) return head.is_secure;
  const std::string addresses = joined(head, "x-forwarded-for");
  const std::string protocols = joined(head, "x-forwarded-proto");
  return env_.trusted_proxies.client(head.remote_address, addresses, protocols)
      .uses_https(head.is_secure);
}

std::shared_ptr<EarlyWait> EarlyWaiter::park(const EarlyWaiter& waiter,
                                             const http::RequestHead& head,
                                             const std::shared_ptr<http::WaitingRequest>& request) {
  if (!waiter.runs_->has_runs()) return nullptr;
  const auto digest = waiter.head_digest(head);
  if (!digest) return nullptr;
  const auto deadline = SharedRuns::Clock::now() + waiter.max_wait_;
  return waiter.runs_->park(*digest, request, deadline, waiter.timer_);
}

}  // namespace fw::detail
