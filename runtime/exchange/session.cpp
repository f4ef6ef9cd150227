#include <fairway/session.hpp>

#include <chrono>
#include <utility>
#include <vector>

#include "base/base64url.hpp"
#include "base/json_text.hpp"
#include "base/random.hpp"
#include "exchange/body_text.hpp"
#include "exchange/cookies.hpp"
#include "exchange/crypto.hpp"
#include "exchange/exchange.hpp"
#include "exchange/session_policy.hpp"

namespace fw {
namespace {

// The lengths of encoded ids of 16 to 128 bytes. Other ids are not looked up.
constexpr std::size_t kShortestId = 22;
constexpr std::size_t kLongestId = 171;

bool may_be_id(std::string_view text) {
  return text.size() >= kShortestId && text.size() <= kLongestId && base::is_base64url(text);
}

std::string make_id(int length) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(length));
  base::fill_random(bytes);
  return base::encode_base64url(bytes);
}

/// Keys are hashes, so that readers of the store do not learn session ids.
std::string key_of(std::string_view id) {
  return "session:" + base::encode_base64url(detail::sha256(id));
}

std::chrono::milliseconds time_to_live(const SessionConfig& config) {
  return std::chrono::seconds(config.ttl);
}

}  // namespace

Session::Session(detail::Exchange& exchange, const detail::SessionPolicy& policy)
    : exchange_(exchange), policy_(policy) {
  const auto cookie = exchange.cookie(policy.config.name);
  if (cookie && may_be_id(*cookie)) load(*cookie);
  if (!id_.empty()) return;
  id_ = make_id(policy.config.id_length);
  data_ = Json::object();
}

void Session::load(std::string_view id) {
  auto text = policy_.store.get(key_of(id));
  if (!text || !read_record(std::move(*text))) return;
  id_ = id;
  is_new_ = false;
}

/// A record is {"data": {…}, "csrf": "…"}; `csrf` is absent if there is no secret.
bool Session::read_record(std::string text) {
  auto members = detail::parse_json_members(text);
  if (!members) return false;
  Json data;
  std::string csrf_secret;
  for (auto& [name, value] : *members) {
    if (name == "data") {
      data = std::move(value);
    } else if (name == "csrf" && value.is_string()) {
      csrf_secret = std::move(value.get_ref<std::string&>());
    }
  }
  if (!data.is_object()) return false;
  data_ = std::move(data);
  csrf_secret_ = std::move(csrf_secret);
  stored_ = std::move(text);
  return true;
}

std::string Session::make_record() const {
  std::string text = "{\"data\":";
  base::append_json(text, data_);
  if (!csrf_secret_.empty()) {
    text += ",\"csrf\":";
    base::append_json_text(text, csrf_secret_);
  }
  text += '}';
  return text;
}

void Session::set(std::string_view key, Json value) {
  changed_keys_.emplace(key);
  data_[std::string(key)] = std::move(value);
  is_changed_ = true;
}

void Session::erase(std::string_view key) {
  if (data_.erase(std::string(key)) == 0) return;
  changed_keys_.emplace(key);
  is_changed_ = true;
}

void Session::set_csrf_secret(std::string secret) {
  csrf_secret_ = std::move(secret);
  csrf_secret_is_changed_ = true;
  is_changed_ = true;
}

/// Applies the changes of this request to a record that another request has saved since.
void Session::replace_with(std::string_view current) {
  Json own_data = std::move(data_);
  const std::string own_secret = csrf_secret_;
  if (!read_record(std::string(current))) {
    // An unreadable record is replaced: comparing with the earlier one would never succeed.
    data_ = Json::object();
    stored_ = current;
  }
  for (const std::string& key : changed_keys_) {
    if (const auto own = own_data.find(key); own != own_data.end()) {
      data_[key] = std::move(*own);
    } else {
      data_.erase(key);
    }
  }
  if (csrf_secret_is_changed_) csrf_secret_ = own_secret;
}

void Session::save() {
  const auto ttl = time_to_live(policy_.config);
  const std::string key = key_of(id_);
  std::optional<std::string> record;
  if (stored_) {
    record = make_record();
    while (!policy_.store.set_if_equal(key, *stored_, *record, ttl)) {
      const auto current = policy_.store.get(key);
      if (!current) {
        // Another request has destroyed the session or changed its id. That stays in effect, and so
        // does the cookie of that request.
        return forget();
      }
      replace_with(*current);
      record = make_record();
    }
  } else {
    if (!replaced_id_.empty()) {
      const auto current = policy_.store.get(key_of(replaced_id_));
      if (current) replace_with(*current);
    }
    record = make_record();
    policy_.store.set(key, *record, ttl);
    if (!replaced_id_.empty()) policy_.store.erase(key_of(std::exchange(replaced_id_, {})));
  }
  stored_ = std::move(record);
  changed_keys_.clear();
  csrf_secret_is_changed_ = false;
  is_changed_ = false;
  cookie_ = Cookie::sent;
}

void Session::regenerate() {
  if (stored_) {
    replaced_id_ = id_;
    stored_.reset();
    is_changed_ = true;
  }
  id_ = make_id(policy_.config.id_length);
  csrf_secret_.clear();
  csrf_secret_is_changed_ = true;
}

void Session::destroy() {
  if (stored_) policy_.store.erase(key_of(id_));
  if (!replaced_id_.empty()) policy_.store.erase(key_of(replaced_id_));
  forget();
  cookie_ = exchange_.cookie(policy_.config.name) ? Cookie::cleared : Cookie::unchanged;
}

void Session::forget() {
  id_ = make_id(policy_.config.id_length);
  replaced_id_.clear();
  stored_.reset();
  data_ = Json::object();
  csrf_secret_.clear();
  changed_keys_.clear();
  csrf_secret_is_changed_ = false;
  is_changed_ = false;
  is_new_ = true;
}

void Session::finish() {
  if (is_changed_ && policy_.auto_commit) {
    save();
  } else if (policy_.rolling && stored_ && cookie_ == Cookie::unchanged) {
    // If it fails, another request has saved and renewed the session.
    policy_.store.set_if_equal(key_of(id_), *stored_, *stored_, time_to_live(policy_.config));
    cookie_ = Cookie::sent;
  }
  write_cookie();
}

void Session::write_cookie() {
  const Cookie change = std::exchange(cookie_, Cookie::unchanged);
  if (change == Cookie::unchanged) return;
  const SessionConfig& config = policy_.config;
  CookieOptions options = detail::configured_cookie(config.name, config.cookie,
                                                    exchange_.protocol() == "https", config.ttl);
  if (change == Cookie::cleared) {
    exchange_.response.clear_cookie(config.name, std::move(options));
  } else {
    exchange_.response.set_cookie(config.name, id_, std::move(options));
  }
}

}  // namespace fw

namespace fw::detail {

std::optional<SessionPolicy> session_policy(const Environment& env, const Route& route) {
  const SessionConfig& config = env.config.session;
  const SessionSwitch& option = route.options.session;
  if (!option.enabled().value_or(config.enabled)) return std::nullopt;
  return SessionPolicy{.store = *env.stores.of("session"),
                       .config = config,
                       .rolling = option.options().rolling.value_or(config.rolling),
                       .auto_commit = option.options().auto_commit.value_or(config.auto_commit)};
}

}  // namespace fw::detail
