#include "settings/proxy_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.hpp"

namespace fw::settings {
namespace {

/// Properties of JavaScript functions. In the JavaScript implementation, targets are properties of
/// a function, and configuration files should work for both.
constexpr std::array<std::string_view, 14> kReservedNames = {
    "__proto__", "apply",       "arguments",      "bind",   "call",
    "caller",    "constructor", "length",         "name",   "hasOwnProperty",
    "prototype", "toString",    "toLocaleString", "valueOf"};

bool read_text(std::string& target, const Json& value) {
  if (!value.is_string()) return false;
  target = value.get<std::string>();
  return !target.empty();
}

bool read_texts(std::vector<std::string>& target, const Json& value) {
  if (!value.is_array()) return false;
  const bool are_texts =
      std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); });
  if (are_texts) target = value.get<std::vector<std::string>>();
  return are_texts;
}

bool read_headers(FetchHeaders& target, const Json& value) {
  if (!value.is_object()) return false;
  for (const auto& [name, item] : value.items()) {
    if (!item.is_string()) return false;
    target.set(name, item.get<std::string>());
  }
  return true;
}

bool read_injected(FetchProxyHeaders& target, const Json& value) {
  if (!value.is_object()) return false;
  const bool are_scalars = std::none_of(value.begin(), value.end(),
                                        [](const Json& item) { return item.is_structured(); });
  if (are_scalars) target = FetchProxyHeaders(value);
  return are_scalars;
}

bool read_number(std::int64_t& target, const Json& value, std::int64_t least) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{kMax}) return false;
  target = value.get<std::int64_t>();
  return target >= least && target <= kMax;
}

/// A member of a target: its reader, and its writer, which omits defaults.
struct Member {
  std::string_view name;
  bool (*read)(FetchProxyTarget&, const Json&);
  void (*write)(const FetchProxyTarget&, Json&);
};

constexpr std::array<Member, 10> kMembers = {{
    {"name",
     [](FetchProxyTarget& target, const Json& value) { return read_text(target.name, value); },
     [](const FetchProxyTarget& target, Json& out) { out = target.name; }},
    {"baseURL",
     [](FetchProxyTarget& target, const Json& value) { return read_text(target.base_url, value); },
     [](const FetchProxyTarget& target, Json& out) { out = target.base_url; }},
    {"headers",
     [](FetchProxyTarget& target, const Json& value) {
       return read_headers(target.headers, value);
     },
     [](const FetchProxyTarget& target, Json& out) {
       for (const auto& [name, value] : target.headers) out[name] = value;
     }},
    {"forwardHeaders",
     [](FetchProxyTarget& target, const Json& value) {
       return read_texts(target.forward_headers, value);
     },
     [](const FetchProxyTarget& target, Json& out) {
       if (!target.forward_headers.empty()) out = target.forward_headers;
     }},
    {"defaultInjectHeaders",
     [](FetchProxyTarget& target, const Json& value) {
       return read_injected(target.default_inject_headers, value);
     },
     [](const FetchProxyTarget& target, Json& out) {
       if (!target.default_inject_headers.values().empty()) {
         out = target.default_inject_headers.values();
       }
     }},
    {"allowAuthorizationForward",
     [](FetchProxyTarget& target, const Json& value) {
       if (!value.is_boolean()) return false;
       target.allow_authorization_forward = value.get<bool>();
       return true;
     },
     [](const FetchProxyTarget& target, Json& out) {
       if (target.allow_authorization_forward) out = true;
     }},
    {"xForwarded",
     [](FetchProxyTarget& target, const Json& value) {
       if (!value.is_boolean()) return false;
       target.x_forwarded = value.get<bool>();
       return true;
     },
     [](const FetchProxyTarget& target, Json& out) {
       if (target.x_forwarded) out = true;
     }},
    {"timeout",
     [](FetchProxyTarget& target, const Json& value) {
       std::int64_t number = 0;
       if (!read_number(number, value, 1)) return false;
       target.timeout = number;
       return true;
     },
     [](const FetchProxyTarget& target, Json& out) {
       if (target.timeout) out = target.timeout->count();
     }},
    {"retry",
     [](FetchProxyTarget& target, const Json& value) {
       std::int64_t number = 0;
       if (!read_number(number, value, 0)) return false;
       target.retry = static_cast<int>(number);
       return true;
     },
     [](const FetchProxyTarget& target, Json& out) {
       if (target.retry) out = *target.retry;
     }},
    {"retryDelay",
     [](FetchProxyTarget& target, const Json& value) {
       std::int64_t number = 0;
       if (!read_number(number, value, 0)) return false;
       target.retry_delay = RetryDelay(number);
       return true;
     },
     [](const FetchProxyTarget& target, Json& out) {
       if (target.retry_delay && target.retry_delay->is_fixed()) out = target.retry_delay->fixed();
     }},
}};

bool read_target(FetchProxyTarget& target, const Json& value) {
  if (!value.is_object() || !value.contains("name") || !value.contains("baseURL")) return false;
  for (const auto& [name, item] : value.items()) {
    const auto member = std::ranges::find(kMembers, name, &Member::name);
    if (member == kMembers.end() || !member->read(target, item)) return false;
  }
  return true;
}

}  // namespace

bool read_proxy_targets(std::vector<FetchProxyTarget>& targets, const Json& value) {
  if (!value.is_array()) return false;
  std::vector<FetchProxyTarget> list;
  for (const Json& item : value) {
    if (!read_target(list.emplace_back(), item)) return false;
  }
  targets = std::move(list);
  return true;
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

Json write_proxy_targets(const std::vector<FetchProxyTarget>& targets) {
  Json list = Json::array();
  for (const FetchProxyTarget& target : targets) {
    Json entry = Json::object();
    for (const Member& member : kMembers) {
      Json value;
      member.write(target, value);
      if (!value.is_null()) entry[member.name] = std::move(value);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace fw::settings
