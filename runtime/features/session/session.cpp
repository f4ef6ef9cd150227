#include <fairway/session.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/json_text.hpp"
#include "exchange/json_body.hpp"
#include "features/session/session_id.hpp"
#include "features/session/session_policy.hpp"
#include "features/session/session_prefetch.hpp"

namespace fw {

/// A record of the store: {"data": {…}, "csrf": "…", "new": true}. `csrf` is absent if there is no
/// secret, and `new` once a request has used the session after the one that created it.
///
/// A session ends by a record in its place, {"end": "…", "until": …}, with the key that the session
/// has from now on, or none if it was destroyed, and the time in milliseconds since 1970 until
/// which a request that destroys the session under its old key destroys it under the new one. Since
/// each record replaces the one that its request has seen, one of two requests that end the session
/// at the same time always sees what the other has done.
struct detail::SessionRecord {
  std::shared_ptr<const std::string> text;
  Json data = {};
  std::string csrf_secret = {};
  bool is_new = false;
  std::optional<std::string> end = {};
  std::int64_t until = 0;
};

namespace {

using detail::SessionRecord;

/// The object of a record is a SessionRecord.
Store::Object read_record(const std::shared_ptr<const std::string>& text) {
  std::string padded = *text;
  auto members = detail::parse_json_members(padded);
  if (!members) return {};
  auto record = std::make_shared<SessionRecord>();
  for (auto& [name, value] : *members) {
    if (name == "data") {
      record->data = std::move(value);
    } else if (name == "csrf" && value.is_string()) {
      record->csrf_secret = std::move(value.get_ref<std::string&>());
    } else if (name == "new") {
      record->is_new = value == true;
    } else if (name == "end" && value.is_string()) {
      record->end = std::move(value.get_ref<std::string&>());
    } else if (name == "until" && value.is_number_integer()) {
      record->until = value.get<std::int64_t>();
    }
  }
  if (!record->data.is_object() && !record->end) return {};
  record->text = text;
  const std::size_t bytes =
      sizeof *record + record->csrf_secret.size() + base::memory_of(record->data);
  return {.value = std::move(record), .bytes = bytes};
}

std::shared_ptr<const SessionRecord> to_record(std::shared_ptr<const void> object) {
  return std::static_pointer_cast<const SessionRecord>(std::move(object));
}

std::shared_ptr<const SessionRecord> to_record(std::string text) {
  return to_record(read_record(std::make_shared<const std::string>(std::move(text))).value);
}

std::string record_text(const Json& data, std::string_view csrf_secret, bool is_new) {
  std::string text = "{\"data\":";
  base::append_json(text, data);
  if (!csrf_secret.empty()) {
    text += ",\"csrf\":";
    base::append_json_text(text, csrf_secret);
  }
  if (is_new) text += ",\"new\":true";
  text += '}';
  return text;
}

/// How long the old key of a session leads to the new one: for requests that run meanwhile, or were
/// sent before their client had the new id.
constexpr std::chrono::minutes kEndKept{5};
/// How long the record of a destroyed session is kept.
constexpr std::chrono::milliseconds kAtOnce{1};

std::chrono::milliseconds now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

std::string end_text(std::string_view new_key) {
  std::string text = "{\"end\":";
  base::append_json_text(text, new_key);
  if (!new_key.empty()) text += fmt::format(",\"until\":{}", (now() + kEndKept).count());
  text += '}';
  return text;
}

/// How often a request that saves or destroys a session tries again because another one has saved.
constexpr int kMaxAttempts = 100;

bool has_ended(std::string text) {
  const auto record = to_record(std::move(text));
  return record && record->end;
}

/// Destroys a session whose record was `text` (empty: unknown), also if other requests have saved
/// it since, or have given it a new key, which `Store::erase` would not detect.
void end_session(Store& store, std::string key, std::string text) {
  const auto replaces = [&] {
    try {
      return store.set_if_equal(key, text, end_text(""), kAtOnce);
    } catch (const StoreError&) {
      // A store that is full takes no record, but a client must be able to sign out.
      store.erase(key);
      return true;
    }
  };
  for (int attempt = 1; !replaces(); ++attempt) {
    if (attempt == kMaxAttempts) {
      store.erase(key);
      return;
    }
    auto current = store.get(key);
    if (!current) return;
    const auto record = to_record(*current);
    if (!record || !record->end) {
      text = std::move(*current);
    } else if (record->end->empty()) {
      return;
    } else {
      key = *record->end;
      text.clear();  // never the text of a record, so that the next attempt reads it
    }
  }
}

}  // namespace

Session::Session(const detail::SessionPolicy& policy, std::optional<std::string> cookie,
                 detail::SessionPrefetch* prefetch)
    : policy_(policy), had_cookie_(cookie.has_value()) {
  if (cookie) load(std::move(*cookie), prefetch);
  if (is_new_) forget();
}

void Session::load(std::string id, detail::SessionPrefetch* prefetch) {
  std::shared_ptr<const SessionRecord> stored;
  std::string key;
  if (prefetch != nullptr && prefetch->serves(id)) {
    key = prefetch->key();
    if (auto record = prefetch->take_record()) stored = to_record(std::move(*record));
  } else {
    auto found = detail::session_key_of_cookie(id);
    if (!found) return;
    key = std::move(*found);
    stored = to_record(policy_.rolling
                           ? policy_.store.get_object_and_renew(key, read_record, policy_.ttl())
                           : policy_.store.get_object(key, read_record));
  }
  if (!stored) return;
  if (stored->end) return find_successor(key, *stored);
  id_ = std::move(id);
  key_ = std::move(key);
  stored_ = std::move(stored);
  data_ = &stored_->data;
  csrf_secret_ = stored_->csrf_secret;
  is_new_ = false;
}

/// For a session that has another id now: no request can use it under this one, but a request that
/// destroys it can, because its client had not got the new one yet.
void Session::find_successor(const std::string& old_key, const detail::SessionRecord& record) {
  const std::chrono::milliseconds left = std::chrono::milliseconds(record.until) - now();
  if (left.count() > 0) successor_ = *record.end;
  if (!policy_.rolling) return;
  // Loading has renewed the record as if it were a session.
  try {
    policy_.store.set_if_equal(old_key, *record.text, *record.text,
                               std::clamp<std::chrono::milliseconds>(left, kAtOnce, kEndKept));
  } catch (const StoreError&) {
    // The record has no effect after its time; only its memory is used for longer.
  }
}

void Session::set_id(std::string id) {
  id_ = std::move(id);
  key_.clear();
}

const std::string& Session::key() {
  if (key_.empty()) key_ = detail::session_key_of(id_);
  return key_;
}

/// The key of `stored_`.
std::string Session::stored_key() {
  return replaced_id_.empty() ? key() : detail::session_key_of(replaced_id_);
}

/// Must be called before `stored_` changes, which may own the data.
Json& Session::own_data() {
  if (!own_data_) {
    own_data_ = std::make_unique<Json>(data_ != nullptr ? *data_ : Json::object());
    data_ = own_data_.get();
    loaded_ = stored_;  // the application may have references to its data
  }
  return *own_data_;
}

std::string Session::make_record() const {
  return record_text(data(), csrf_secret_, is_unconfirmed());
}

void Session::set(std::string_view key, Json value) {
  changed_keys_.emplace(key);
  own_data()[std::string(key)] = std::move(value);
  is_changed_ = true;
}

void Session::erase(std::string_view key) {
  if (!data().contains(key)) return;
  own_data().erase(std::string(key));
  changed_keys_.emplace(key);
  is_changed_ = true;
}

void Session::set_csrf_secret(std::string secret) {
  csrf_secret_ = std::move(secret);
  csrf_secret_is_changed_ = true;
  is_changed_ = true;
}

/// Applies the changes of this request to a record that another request has saved since.
void Session::replace_with(std::string current) {
  Json& merged = own_data();
  Json own = std::exchange(merged, Json::object());
  // An unreadable record is replaced: comparing with the earlier one would never succeed.
  const auto text = std::make_shared<const std::string>(std::move(current));
  stored_ = std::static_pointer_cast<const SessionRecord>(read_record(text).value);
  if (stored_) {
    merged = stored_->data;
    if (!csrf_secret_is_changed_) csrf_secret_ = stored_->csrf_secret;
  } else {
    stored_ = std::make_shared<const SessionRecord>(SessionRecord{.text = text});
  }
  for (const std::string& key : changed_keys_) {
    if (const auto value = own.find(key); value != own.end()) {
      merged[key] = std::move(*value);
    } else {
      merged.erase(key);
    }
  }
}

/// Writes the record if `stored_` is still in the store, or if there is none.
bool Session::write(const std::string& record) {
  const auto ttl = is_unconfirmed() ? policy_.new_ttl() : policy_.ttl();
  if (!stored_) {
    policy_.store.set(key(), record, ttl);
    return true;
  }
  if (replaced_id_.empty()) {
    return policy_.store.set_if_equal(key(), *stored_->text, record, ttl);
  }
  // No client knows the new id yet: the session has it from the second of these steps on.
  policy_.store.set(key(), record, ttl);
  if (policy_.store.set_if_equal(stored_key(), *stored_->text, end_text(key()), kEndKept)) {
    return true;
  }
  policy_.store.erase(key());
  return false;
}

void Session::save() {
  std::string record = make_record();
  for (int attempt = 1; !write(record); ++attempt) {
    if (attempt == kMaxAttempts) {
      throw StoreError("the session could not be saved: other requests changed it all the time");
    }
    auto current = policy_.store.get(stored_key());
    // Another request has destroyed the session or changed its id. That stays in effect, and so
    // does the cookie of that request.
    if (!current || has_ended(*current)) return forget();
    replace_with(std::move(*current));
    record = make_record();
  }
  own_data();
  stored_ = std::make_shared<const SessionRecord>(
      SessionRecord{.text = std::make_shared<const std::string>(std::move(record))});
  replaced_id_.clear();
  changed_keys_.clear();
  csrf_secret_is_changed_ = false;
  is_changed_ = false;
  cookie_ = Cookie::sent;
}

/// Gives a session that is used for the first time since it was created its full time to live.
void Session::confirm() {
  const std::string record = record_text(stored_->data, stored_->csrf_secret, false);
  try {
    policy_.store.set_if_equal(key(), *stored_->text, record, policy_.ttl());
  } catch (const StoreError&) {
    // The next request tries again. This one has saved what it had to.
  }
}

void Session::regenerate() {
  if (stored_) {
    if (replaced_id_.empty()) replaced_id_ = id_;
    own_data();
    is_changed_ = true;
  }
  set_id(detail::make_session_id(policy_.config.id_length));
  has_new_id_ = true;
  csrf_secret_.clear();
  csrf_secret_is_changed_ = true;
}

void Session::destroy() {
  if (stored_) {
    end_session(policy_.store, stored_key(), *stored_->text);
  } else if (!successor_.empty()) {
    end_session(policy_.store, std::exchange(successor_, {}), "");
  }
  forget();
  cookie_ = had_cookie_ ? Cookie::cleared : Cookie::unchanged;
}

void Session::forget() {
  set_id(detail::make_session_id(policy_.config.id_length));
  has_new_id_ = false;
  replaced_id_.clear();
  own_data() = Json::object();
  stored_.reset();
  csrf_secret_.clear();
  changed_keys_.clear();
  csrf_secret_is_changed_ = false;
  is_changed_ = false;
  is_new_ = true;
  cookie_ = Cookie::unchanged;
}

void Session::finish() {
  if (is_changed_ && policy_.auto_commit) {
    save();
  } else if (stored_ && replaced_id_.empty()) {
    // A rolling session was renewed when it was loaded.
    if (policy_.rolling && cookie_ == Cookie::unchanged) cookie_ = Cookie::sent;
    if (!policy_.rolling && stored_->is_new) confirm();
  }
}

}  // namespace fw
