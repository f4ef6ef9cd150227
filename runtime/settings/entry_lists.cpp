#include "settings/entry_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"

namespace fw::settings {
namespace {

bool read(bool& target, const Json& value) {
  if (value.is_boolean()) target = value.get<bool>();
  return value.is_boolean();
}

/// Reads a list of the entries that `Members` describes: calls `use(name, member)` for each member,
/// and reads and writes it. A member that is written as null is omitted.
template <class Members, class Entry>
bool read_entries(std::vector<Entry>& target, const Json& value) {
  if (!value.is_array()) return false;
  std::vector<Entry> entries;
  for (const Json& item : value) {
    const auto is_present = [&](const char* name) { return item.contains(name); };
    if (!item.is_object() || !std::ranges::all_of(Members::kRequired, is_present)) return false;
    std::size_t known = 0;
    bool is_valid = true;
    Members::for_each(entries.emplace_back(), [&](const char* name, auto& member) {
      const auto found = item.find(name);
      if (found == item.end()) return;
      ++known;
      is_valid = is_valid && Members::read(member, *found);
    });
    if (!is_valid || known != item.size()) return false;
  }
  target = std::move(entries);
  return true;
}

template <class Members, class Entry>
Json written_entries(const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) {
    Json written = Json::object();
    Members::for_each(entry, [&](const char* name, const auto& member) {
      Json value = Members::write(member);
      if (!value.is_null()) written[name] = std::move(value);
    });
    list.push_back(std::move(written));
  }
  return list;
}

struct StaticMembers {
  static constexpr std::array<const char*, 2> kRequired = {"prefix", "root"};
  static constexpr std::array<std::string_view, 3> kImmutable = {"hashed", "all", "none"};

  template <class Entry, class Use>
  static void for_each(Entry& entry, const Use& use) {
    use("prefix", entry.prefix);
    use("root", entry.root);
    use("index", entry.options.index);
    use("fallback", entry.options.fallback);
    use("immutable", entry.options.immutable);
    use("cacheControl", entry.options.cache_control);
    use("precompressed", entry.options.precompressed);
    use("dotFiles", entry.options.dot_files);
    use("mediaTypes", entry.options.media_types);
  }

  static bool read(bool& target, const Json& value) { return settings::read(target, value); }
  static bool read(std::string& target, const Json& value) {
    if (value.is_string()) target = value.get<std::string>();
    return value.is_string();
  }
  static bool read(ImmutableFiles& target, const Json& value) {
    const auto* const found = std::ranges::find_if(
        kImmutable, [&](std::string_view name) { return value == Json(name); });
    if (found == kImmutable.end()) return false;
    target = static_cast<ImmutableFiles>(found - kImmutable.begin());
    return true;
  }
  static bool read(std::map<std::string, std::string>& target, const Json& value) {
    if (!value.is_object()) return false;
    for (const auto& [extension, type] : value.items()) {
      if (!read(target[extension], type)) return false;
    }
    return true;
  }

  static Json write(const auto& member) { return member; }
  static Json write(const ImmutableFiles& member) {
    return kImmutable[static_cast<std::size_t>(member)];
  }
};

struct ProxyMembers {
  static constexpr std::array<const char*, 2> kRequired = {"name", "baseURL"};

  template <class Target, class Use>
  static void for_each(Target& target, const Use& use) {
    use("name", target.name);
    use("baseURL", target.base_url);
    use("headers", target.headers);
    use("forwardHeaders", target.forward_headers);
    use("defaultInjectHeaders", target.default_inject_headers);
    use("allowAuthorizationForward", target.allow_authorization_forward);
    use("xForwarded", target.x_forwarded);
    use("timeout", target.timeout);
    use("retry", target.retry);
    use("retryDelay", target.retry_delay);
  }

  static bool read(bool& target, const Json& value) { return settings::read(target, value); }
  static bool read(std::string& target, const Json& value) {
    if (value.is_string()) target = value.get<std::string>();
    return value.is_string() && !target.empty();
  }
  static bool read(std::vector<std::string>& target, const Json& value) {
    if (!value.is_array()) return false;
    const bool are_texts =
        std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
    if (are_texts) target = value.get<std::vector<std::string>>();
    return are_texts;
  }
  static bool read(FetchHeaders& target, const Json& value) {
    if (!value.is_object()) return false;
    for (const auto& [name, item] : value.items()) {
      if (!item.is_string()) return false;
      target.set(name, item.get<std::string>());
    }
    return true;
  }
  static bool read(FetchProxyHeaders& target, const Json& value) {
    if (!value.is_object()) return false;
    const bool are_scalars = std::none_of(value.begin(), value.end(),
                                          [](const Json& item) { return item.is_structured(); });
    if (are_scalars) target = FetchProxyHeaders(value);
    return are_scalars;
  }
  static bool read(std::optional<Milliseconds>& target, const Json& value) {
    if (const auto number = number_of(value, 1)) target = *number;
    return target.has_value();
  }
  static bool read(std::optional<int>& target, const Json& value) {
    if (const auto number = number_of(value, 0)) target = static_cast<int>(*number);
    return target.has_value();
  }
  static bool read(std::optional<RetryDelay>& target, const Json& value) {
    if (const auto number = number_of(value, 0)) target = RetryDelay(*number);
    return target.has_value();
  }
  static std::optional<std::int64_t> number_of(const Json& value, std::int64_t min) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{kMax})
      return std::nullopt;
    const auto number = value.get<std::int64_t>();
    return number >= min && number <= kMax ? std::optional(number) : std::nullopt;
  }

  static Json write(const std::string& member) { return member; }
  static Json write(bool member) { return member ? Json(true) : Json(); }
  static Json write(const std::vector<std::string>& member) {
    return member.empty() ? Json() : Json(member);
  }
  static Json write(const FetchHeaders& member) {
    Json written;
    for (const auto& [name, value] : member) written[name] = value;
    return written;
  }
  static Json write(const FetchProxyHeaders& member) {
    return member.values().empty() ? Json() : Json(member.values());
  }
  static Json write(const std::optional<Milliseconds>& member) {
    return member ? Json(member->count()) : Json();
  }
  static Json write(const std::optional<int>& member) { return member ? Json(*member) : Json(); }
  static Json write(const std::optional<RetryDelay>& member) {
    return member && member->is_fixed() ? Json(member->fixed()) : Json();
  }
};

/// Properties of JavaScript functions. In the JavaScript implementation, targets are properties of
/// a function, and configuration files should work for both.
constexpr std::array<std::string_view, 14> kReservedNames = {
    "__proto__", "apply",       "arguments",      "bind",   "call",
    "caller",    "constructor", "length",         "name",   "hasOwnProperty",
    "prototype", "toString",    "toLocaleString", "valueOf"};

}  // namespace

bool read_static_files(std::vector<StaticConfig>& target, const Json& value) {
  return read_entries<StaticMembers>(target, value);
}

bool read_proxy_targets(std::vector<FetchProxyTarget>& target, const Json& value) {
  return read_entries<ProxyMembers>(target, value);
}

Json write_static_files(const std::vector<StaticConfig>& entries) {
  return written_entries<StaticMembers>(entries);
}

Json write_proxy_targets(const std::vector<FetchProxyTarget>& targets) {
  return written_entries<ProxyMembers>(targets);
}

ValueErrors proxy_target_errors(const std::vector<FetchProxyTarget>& targets) {
  ValueErrors errors;
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const FetchProxyTarget& target = targets[i];
    const auto add = [&](std::string_view member, std::string message) {
      errors.push_back({fmt::format("/{}/{}", i, member), std::move(message)});
    };
    if (std::ranges::find(kReservedNames, target.name) != kReservedNames.end()) {
      add("name", fmt::format("'{}' is reserved: choose another name", target.name));
    }
    for (const auto& [name, value] : target.headers) {
      if (!base::is_token(name))
        add("headers", fmt::format("'{}' is not a valid header name", name));
    }
    if (!names.insert(target.name).second) {
      add("name", fmt::format("there is another target '{}'", target.name));
    }
  }
  return errors;
}

}  // namespace fw::settings
