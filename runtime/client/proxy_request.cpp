#include "client/proxy_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/connection_fields.hpp"
#include "base/json_text.hpp"
#include "base/url_encoding.hpp"
#include "client/outbound_client.hpp"
#include "client/upstream_path.hpp"
#include "compression/compression_policy.hpp"
#include "compression/decoder.hpp"
#include "errors/messages.hpp"
#include "exchange/exchange.hpp"
#include "http/trusted_proxies.hpp"

namespace fw::detail {
namespace {

/// What a client and a proxy tell each other of who the client is.
constexpr std::array<std::string_view, 2> kOfProxy = {"proxy-authenticate", "proxy-authorization"};
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

/// A part of a query.
struct QueryPair {
  std::string name;  ///< decoded
  std::string text;  ///< as it is sent
};
using QueryPairs = std::vector<QueryPair>;

QueryPairs pairs_of(std::string_view query, bool encodes_again) {
  QueryPairs pairs;
  base::for_each_token(query, '&', [&](std::string_view text) {
    if (text.empty()) return;
    const auto equals = text.find('=');
    std::string name = base::decode_form(text.substr(0, equals));
    if (!encodes_again) return pairs.push_back({std::move(name), std::string(text)});
    std::string encoded = base::encode_form(name);
    if (equals != text.npos) {
      encoded.append("=").append(base::encode_form(base::decode_form(text.substr(equals + 1))));
    }
    pairs.push_back({std::move(name), std::move(encoded)});
  });
  return pairs;
}

bool has_name(const QueryPairs& pairs, std::string_view name) {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const QueryPair& pair) { return pair.name == name; });
}

/// The query of the URL, then of the request, then of the options (docs/proxy.md). Pairs
/// of the request keep their order and may repeat.
std::string merged_query(std::string_view url_query, std::string_view request_query,
                         bool request_replaces_url, const FetchProxyOptions& options) {
  QueryPairs of_url = pairs_of(url_query, false);
  // Encoded again: an upstream that separates pairs by other characters, too, must not find names
  // that are not compared here.
  QueryPairs of_request = pairs_of(request_query, true);
  QueryPairs& replaced = request_replaces_url ? of_url : of_request;
  const QueryPairs& replacing = request_replaces_url ? of_request : of_url;
  std::erase_if(replaced, [&](const QueryPair& pair) { return has_name(replacing, pair.name); });
  std::string query;
  const auto add = [&](std::string_view text) {
    query.append(query.empty() ? "?" : "&").append(text);
  };
  for (const QueryPairs* pairs : {&of_url, &of_request}) {
    for (const auto& [name, text] : *pairs) {
      if (!options.query.contains(name)) add(text);
    }
  }
  for (const auto& [name, value] : options.query) {
    if (const auto text = scalar_text("query", name, value)) {
      add(base::encode_form(name) + '=' + base::encode_form(*text));
    }
  }
  return query;
}

/// Throws OptionError if the value of a parameter of the route, which is decoded, is part of the
/// URL and would end its path.
void require_encoded_params(std::string_view what, std::string_view url, Request& req) {
  for (const auto& [name, value] : req.params()) {
    if (value.find_first_of("?#") != value.npos && url.find(value) != url.npos) {
      throw OptionError(fmt::format(
          "{}: the parameter '{}' of the route is not encoded: use fw::url_path or fw::url_subpath",
          what, name));
    }
  }
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
  const auto hop_by_hop = connection_options(req.header("connection").value_or(""));
  for (const std::string& name : names) {
    if (is_hop_by_hop(name) || is_one_of(kNeverForwarded, name)) continue;
    if (is_one_of(hop_by_hop, name)) continue;
    if (options.body && has_own_type(*options.body) &&
        base::equal_ignoring_case(name, "content-type")) {
      continue;
    }
    if (base::equal_ignoring_case(name, "authorization") && !forwards_authorization) continue;
    if (const auto value = req.header(name)) headers.set(name, *value);
  }
}

/// X-Forwarded headers (RFC 7239 has others, which few servers read).
void add_x_forwarded(FetchHeaders& headers, Request& req) {
  Exchange& exchange = Exchange::of(req);
  const std::string& peer = exchange.head.remote_address;
  const bool trusts_peer = exchange.env.trusted_proxies.trusts_peer(peer);
  const auto said = [&](std::string_view name) {
    return trusts_peer ? req.header(name).value_or("") : std::string_view();
  };
  std::string clients(said("x-forwarded-for"));
  if (peer != base::kUnixClients) clients.append(clients.empty() ? "" : ", ").append(peer);
  headers.erase("x-forwarded-for");
  if (!clients.empty()) headers.set("x-forwarded-for", clients);
  headers.set("x-forwarded-proto", req.protocol());
  const std::string_view host = said("x-forwarded-host");
  headers.set("x-forwarded-host", host.empty() ? req.header("host").value_or("") : host);
}

/// What upstreams may do to the body: the codings that the client accepts, so that it can be passed
/// on as it is. Without the field, the client gets it decoded.
void add_accept_encoding(FetchHeaders& headers, Request& req) {
  const auto accepted = req.header("accept-encoding");
  if (!accepted || headers.has("accept-encoding")) return;
  std::vector<std::pair<int, std::string_view>> codings;
  base::for_each_token(compression::decodable_codings(), ',', [&](std::string_view name) {
    name = base::trim_ows(name);
    if (const int weight = compression::weight_of_coding(accepted, name))
      codings.emplace_back(weight, name);
  });
  std::stable_sort(codings.begin(), codings.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string value;
  for (const auto& [weight, name] : codings) value.append(value.empty() ? "" : ", ").append(name);
  headers.set("accept-encoding", value.empty() ? "identity" : value);
}

}  // namespace

bool is_hop_by_hop(std::string_view name) {
  return base::is_connection_field(name) || is_one_of(kOfProxy, name);
}

std::vector<std::string> connection_options(std::string_view connection) {
  std::vector<std::string> names;
  base::for_each_token(connection, ',', [&](std::string_view name) {
    names.push_back(base::lower_case(base::trim_ows(name)));
  });
  return names;
}

ProxyUrl proxy_url(const FetchProxyTarget* target, Request& req, const FetchProxyOptions& options) {
  ProxyUrl url;
  if (target == nullptr) {
    if (options.url.empty()) throw OptionError("url: required for a call without a target");
    require_encoded_params("url", options.url, req);
    url.text = options.url;
    url.text.erase(std::min(url.text.find('#'), url.text.size()));
    const auto authority = url.text.find("://");
    const auto path = url.text.find('/', authority == url.text.npos ? 0 : authority + 3);
    if (path != url.text.npos) check_upstream_path("url", std::string_view(url.text).substr(path));
  } else {
    if (options.path.empty()) throw OptionError("path: required for a call of a target");
    require_encoded_params("path", options.path, req);
    check_upstream_path("path", options.path);
    if (options.path.find('#') != options.path.npos) {
      throw OptionError("path: it has a '#': encode values with fw::url_path");
    }
    auto base = checked_base_url("baseURL", target->base_url);
    url.text = joined_url(base.text, options.path);
    url.unix_socket = std::move(base.unix_socket);
  }
  const std::string_view query = Exchange::of(req).query();
  const auto mark = std::min(url.text.find('?'), url.text.size());
  const std::string url_query = url.text.substr(std::min(mark + 1, url.text.size()));
  url.text.resize(mark);
  if (url_query.empty() && options.query.empty()) {
    if (!query.empty()) url.text.append("?").append(query);
  } else {
    url.text += merged_query(url_query, query, target == nullptr, options);
  }
  return url;
}

FetchHeaders proxy_headers(const FetchProxyTarget* target, Request& req,
                           const FetchProxyOptions& options) {
  const FetchProxyHeaderContext context{req, target, options};
  FetchHeaders headers;
  if (target != nullptr) headers.merge(target->headers);
  forward(headers, target, req, options);
  if (options.x_forwarded || (target != nullptr && target->x_forwarded)) {
    add_x_forwarded(headers, req);
  }
  if (target != nullptr) inject(headers, target->default_inject_headers, context);
  headers.merge(options.headers);
  inject(headers, options.inject_headers, context);
  add_accept_encoding(headers, req);
  return headers;
}

void add_via(FetchHeaders& headers, std::string_view name, Request& req) {
  std::string via(req.header("via").value_or(""));
  // "1.1 name (comment), …"
  base::for_each_token(via, ',', [&](std::string_view entry) {
    entry = base::trim_ows(entry);
    entry.remove_prefix(std::min(entry.find(' '), entry.size()));
    entry = base::trim_ows(entry);
    if (base::equal_ignoring_case(entry.substr(0, entry.find(' ')), name)) {
      throw status_error(508);
    }
  });
  if (!via.empty()) via += ", ";
  // The protocol of the request that was received, not of the one that is sent.
  via.append(Exchange::of(req).transaction->http_version()).append(" ").append(name);
  headers.set("via", via);
}

}  // namespace fw::detail
