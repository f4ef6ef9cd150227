#include "client/proxy_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/json_text.hpp"
#include "base/url_encoding.hpp"
#include "client/outbound_client.hpp"

namespace fw::detail {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::array<std::string_view, 9> kHopByHop = {"connection",
                                                       "keep-alive",
                                                       "proxy-authenticate",
                                                       "proxy-authorization",
                                                       "proxy-connection",
                                                       "te",
                                                       "trailer",
                                                       "transfer-encoding",
                                                       "upgrade"};
/// Headers for the connection of the client, which the connection to the upstream sets itself.
constexpr std::array<std::string_view, 3> kNeverForwarded = {"content-length", "expect", "host"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view candidate) {
    return base::equal_ignoring_case(candidate, name);
  });
}

/// A string, number or boolean as a string; empty for null.
std::optional<std::string> scalar_text(std::string_view what, std::string_view name,
                                       const Json& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_structured()) {
    throw OptionError(fmt::format("{}: '{}' is not a string, number or boolean", what, name));
  }
  return base::to_json_text(value);
}

/// Whether a segment is "..", possibly percent-encoded, so that the path could be outside of the
/// target's base URL.
bool leaves_base(std::string_view path) {
  bool leaves = false;
  base::for_each_token(path.substr(0, path.find_first_of("?#")), '/', [&](std::string_view part) {
    base::for_each_token(part, '\\', [&](std::string_view segment) {
      leaves = leaves || base::decode_path(segment).value_or("") == "..";
    });
  });
  return leaves;
}

void set_pair(Pairs& pairs, const std::string& name, const std::string& value) {
  const auto first = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  if (first == pairs.end()) {
    pairs.emplace_back(name, value);
    return;
  }
  first->second = value;
  pairs.erase(std::remove_if(std::next(first), pairs.end(),
                             [&](const auto& pair) { return pair.first == name; }),
              pairs.end());
}

std::string merged_query(std::string_view url_query, Request& req,
                         const FetchProxyOptions& options) {
  Pairs pairs;
  base::for_each_form_pair(url_query, [&](std::string name, std::string value) {
    pairs.emplace_back(std::move(name), std::move(value));
  });
  for (const auto& [name, value] : req.query()) set_pair(pairs, name, value);
  for (const auto& [name, value] : options.query) {
    if (const auto text = scalar_text("query", name, value)) {
      set_pair(pairs, name, *text);
    } else {
      std::erase_if(pairs, [&, &key = name](const auto& pair) { return pair.first == key; });
    }
  }
  std::string query;
  for (const auto& [name, value] : pairs) {
    query += fmt::format("{}{}={}", query.empty() ? '?' : '&', base::encode_form(name),
                         base::encode_form(value));
  }
  return query;
}

void inject(FetchHeaders& headers, const FetchProxyHeaders& injected,
            const FetchProxyHeaderContext& context) {
  const Json values = injected.make(context);
  if (values.is_null()) return;
  if (!values.is_object()) throw OptionError("injectHeaders: the function must return an object");
  for (const auto& [name, value] : values.items()) {
    if (const auto text = scalar_text("injectHeaders", name, value)) headers.set(name, *text);
  }
}

void forward(FetchHeaders& headers, const FetchProxyTarget* target, Request& req,
             const FetchProxyOptions& options) {
  std::vector<std::string> names = options.forward_headers;
  if (target != nullptr) {
    names.insert(names.end(), target->forward_headers.begin(), target->forward_headers.end());
  }
  const bool forwards_authorization = options.allow_authorization_forward ||
                                      (target != nullptr && target->allow_authorization_forward);
  for (const std::string& name : names) {
    if (is_hop_by_hop(name) || is_one_of(kNeverForwarded, name)) continue;
    if (base::equal_ignoring_case(name, "authorization") && !forwards_authorization) continue;
    if (const auto value = req.header(name)) headers.set(name, *value);
  }
}

}  // namespace

bool is_hop_by_hop(std::string_view name) { return is_one_of(kHopByHop, name); }

std::string proxy_url(const FetchProxyTarget* target, Request& req,
                      const FetchProxyOptions& options) {
  std::string url;
  if (target == nullptr) {
    if (options.url.empty()) throw OptionError("url: required for a call without a target");
    check_base_url("url", options.url);
    url = options.url;
  } else {
    if (options.path.empty()) throw OptionError("path: required for a call of a target");
    if (leaves_base(options.path)) {
      throw OptionError(fmt::format("path: '{}' leaves the base URL of the target", options.path));
    }
    url = joined_url(target->base_url, options.path);
  }
  url.erase(std::min(url.find('#'), url.size()));
  const auto mark = std::min(url.find('?'), url.size());
  const std::string query =
      merged_query(std::string_view(url).substr(std::min(mark + 1, url.size())), req, options);
  return url.substr(0, mark) + query;
}

FetchHeaders proxy_headers(const FetchProxyTarget* target, Request& req,
                           const FetchProxyOptions& options) {
  const FetchProxyHeaderContext context{req, target, options};
  FetchHeaders headers;
  if (target != nullptr) headers.merge(target->headers);
  forward(headers, target, req, options);
  if (target != nullptr) inject(headers, target->default_inject_headers, context);
  headers.merge(options.headers);
  inject(headers, options.inject_headers, context);
  return headers;
}

}  // namespace fw::detail
