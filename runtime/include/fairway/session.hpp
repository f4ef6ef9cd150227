// The session of a client (docs/session.md).
#pragma once

#include <fairway/json_type.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace fw {

namespace detail {
class SessionPrefetch;
class SessionState;
struct SessionPolicy;
struct SessionRecord;
}  // namespace detail

/// Data that is kept for a client between its requests: JSON values by name. Belongs to one
/// request; must be used by one thread at a time. The client has a cookie with the id; the values
/// are in the store of the feature "session". They are loaded on the first `req.session()` and
/// saved when the route has ended, even with an error, unless `autoCommit` is false.
///
/// Requests of one session that run at the same time keep each other's changes: when a request
/// saves, its changes are applied to the stored values. For one name, the last save wins.
///
/// Functions that use the store throw StoreError, which results in a 503 if it leaves the route.
class Session {
 public:
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The id of the stored session that the cookie names. Without one, and after `regenerate` or
  /// `destroy`, the id that the cookie gets when the session is saved.
  const std::string& id() const { return id_; }
  /// Whether the request came without a session that the store knows, or the session has been
  /// destroyed since.
  bool is_new() const { return is_new_; }

  /// A value; nothing if there is none. Throws Json::exception when it is not a T.
  template <class T>
  std::optional<T> get(std::string_view key) const {
    const Json& values = data();
    const auto found = values.find(key);
    if (found == values.end()) return std::nullopt;
    return found->template get<T>();
  }
  /// @{
  /// Sets or removes a value; saved when the route has ended, or by `save`.
  void set(std::string_view key, Json value);
  void erase(std::string_view key);
  /// @}
  /// All values, as an object.
  const Json& data() const { return *data_; }

  /// Saves now, and sends the cookie. Throws StoreError, too, if other requests of the session save
  /// all the time.
  void save();
  /// Gives the session a new id when it is saved; the old id then becomes invalid. Call it when a
  /// user signs in, so that an id that an attacker planted before is useless. CSRF tokens of the
  /// old id become invalid. A session that another request destroys meanwhile is destroyed under
  /// both ids. If the `timeout` of the route passes first, the session stays as it is, with its old
  /// id: the client would not get the new one.
  void regenerate();
  /// Deletes the session at once and clears the cookie. Values that are set afterwards start a new
  /// session. If another request has given the session a new id up to five minutes ago, the old one
  /// still deletes it.
  void destroy();

 private:
  friend class detail::SessionState;
  enum class Cookie { unchanged, sent, cleared };

  /// `cookie` is its value in the request, and `prefetch`, which may be null, what was read for it.
  Session(const detail::SessionPolicy& policy, std::optional<std::string> cookie,
          detail::SessionPrefetch* prefetch);
  /// Saves changes unless `autoCommit` is false.
  void finish();
  void set_csrf_secret(std::string secret);
  void load(std::string id, detail::SessionPrefetch* prefetch);
  void find_successor(const std::string& old_key, const detail::SessionRecord& record);
  void set_id(std::string id);
  const std::string& key();
  std::string stored_key();
  Json& own_data();
  bool is_unconfirmed() const { return is_new_ && !has_new_id_; }
  std::string make_record() const;
  bool write(const std::string& record);
  void replace_with(std::string current);
  void confirm();
  void forget();

  const detail::SessionPolicy& policy_;
  const bool had_cookie_;
  std::string id_;
  std::string key_;          ///< of `id_` in the store; empty until it is needed
  std::string replaced_id_;  ///< the id before `regenerate`, until it is saved
  std::string successor_;    ///< the key of the session if the cookie has its old id; or empty
  /// The record of the session, as it was last seen in the store, where `replaced_id_` is still its
  /// id; null if there is none. Other requests use it, too.
  std::shared_ptr<const detail::SessionRecord> stored_;
  std::shared_ptr<const detail::SessionRecord> loaded_;  ///< owns the data that was loaded
  std::unique_ptr<Json> own_data_;  ///< a copy of it for changes; null until there are any
  const Json* data_ = nullptr;      ///< the current data, of `loaded_` or `own_data_`
  std::string csrf_secret_;         ///< of its tokens; empty until there is one
  std::set<std::string, std::less<>> changed_keys_;  ///< set or erased since the last save
  bool csrf_secret_is_changed_ = false;
  bool is_changed_ = false;
  bool is_new_ = true;
  bool has_new_id_ = false;            ///< by `regenerate`
  Cookie cookie_ = Cookie::unchanged;  ///< what the response does with it
};

}  // namespace fw
