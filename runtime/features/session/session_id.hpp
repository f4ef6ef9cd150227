// The ids of sessions and their keys in the store.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fw::detail {

/// A new id with so many random bytes.
std::string make_session_id(int length);
/// The key of a session. Keys are hashes, so that readers of the store do not learn ids.
std::string session_key_of(std::string_view id);
/// The key of the session that a cookie names; nothing if its value cannot be an id.
std::optional<std::string> session_key_of_cookie(std::string_view value);

}  // namespace fw::detail
