// The session of a client (reference: RouteOptions, session; docs/sessions.md).
#pragma once

#include <fairway/json.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace fw {

namespace detail {
class Exchange;
struct SessionPolicy;
}  // namespace detail

/// What is remembered of a client between its requests: JSON values by name. Belongs to one
/// request and is used by one thread at a time. The client has a cookie with the id; the values are
/// in the store of the feature "session". They are loaded on the first `req.session()` and saved
/// when the route has ended, also with an error, unless `autoCommit` is false.
///
/// Requests of one session that run at the same time keep each other's changes: what a request has
/// set or erased is applied to what is in the store when it saves; for one name the last save wins.
///
/// Functions that use the store throw StoreError, which is a 503 if it leaves the route.
class Session {
 public:
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// What the cookie has, or will have once a new session is saved.
  const std::string& id() const { return id_; }
  /// Whether the request came without a session that the store knows.
  bool is_new() const { return is_new_; }

  /// A value; nothing if there is none. Throws Json::exception when it is not a T.
  template <class T>
  std::optional<T> get(std::string_view key) const {
    const auto found = data_.find(key);
    if (found == data_.end()) return std::nullopt;
    return found->template get<T>();
  }
  void set(std::string_view key, Json value);
  void erase(std::string_view key);
  /// Everything, as an object.
  const Json& data() const { return data_; }

  /// Saves now, with a whole time to live, and sends the cookie.
  void save();
  /// Gives the session another id when it is saved; the old one then is unknown. To be called when
  /// somebody signs in, so that an id that an attacker planted before is worth nothing. CSRF tokens
  /// of the old id become invalid.
  void regenerate();
  /// Forgets the session at once and tells the client to forget the cookie. What is set afterwards
  /// begins another session.
  void destroy();

 private:
  friend class detail::Exchange;
  enum class Cookie { unchanged, sent, cleared };

  Session(detail::Exchange& exchange, const detail::SessionPolicy& policy);
  /// Saves what has changed, where sessions are saved by themselves, and sends the cookie.
  void finish();
  void set_csrf_secret(std::string secret);
  void load(std::string_view id);
  bool read_record(std::string text);
  std::string make_record() const;
  void replace_with(std::string_view current);
  void forget();
  void write_cookie();

  detail::Exchange& exchange_;
  const detail::SessionPolicy& policy_;
  std::string id_;
  std::string replaced_id_;            ///< of a session that has another id since; to be erased
  std::optional<std::string> stored_;  ///< the record of `id_`, as it was last seen in the store
  Json data_ = Json::object();
  std::string csrf_secret_;                          ///< of its tokens; empty until there is one
  std::set<std::string, std::less<>> changed_keys_;  ///< set or erased since the last save
  bool csrf_secret_is_changed_ = false;
  bool is_changed_ = false;
  bool is_new_ = true;
  Cookie cookie_ = Cookie::unchanged;
};

}  // namespace fw
