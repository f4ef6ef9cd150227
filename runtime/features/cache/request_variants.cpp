#include "features/cache/request_variants.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "base/ascii.hpp"
#include "base/base64url.hpp"
#include "chain/rendered_page.hpp"
#include "crypto/digests.hpp"
#include "features/cache/cached_route.hpp"

namespace fw::detail {
namespace {

/// Adds a name to a list of names, unless it has it.
void add_name(std::string& names, std::string_view name) {
  bool is_new = true;
  base::for_each_token(names, ',', [&](std::string_view each) {
    is_new = is_new && !base::equal_ignoring_case(base::trim_ows(each), name);
  });
  if (is_new) names.append(names.empty() ? "" : ", ").append(name);
}

/// Adds the header fields that these parts of a request come from.
void add_names(std::string& names, std::span<const Dependency> dependencies) {
  for (const auto& [part, name] : dependencies) {
    switch (part) {
      case RequestPart::header:
        if (name != "host") add_name(names, name);
        break;
      case RequestPart::cookie:
      case RequestPart::cookies:
      case RequestPart::session:
        add_name(names, "Cookie");
        break;
      case RequestPart::identity:
        base::for_each_token(kFieldsOfIdentity, ',', [&](std::string_view field) {
          add_name(names, base::trim_ows(field));
        });
        break;
      case RequestPart::headers:
        add_name(names, "*");
        break;
      case RequestPart::language:
        add_name(names, "Accept-Language");
        break;
      default:
        break;
    }
  }
}

}  // namespace

bool may_need_nonce(const Exchange& exchange) {
  return !exchange.env.pages.empty() && needs_nonce(exchange);
}

std::string preset_of(const OutgoingResponse& outgoing) {
  std::string preset;
  if (outgoing.status != 200) preset.append("status ").append(std::to_string(outgoing.status));
  if (const auto type = outgoing.field("content-type")) preset.append("type ").append(*type);
  if (!preset.empty()) preset += '\n';
  return preset;
}

std::vector<std::string> strings_of(const TextList& list) {
  std::vector<std::string> all;
  for (const Text& each : list) all.push_back(each.str());
  return all;
}

RequestVariants::RequestVariants(const Route& route, const RouteCacheOptions& options)
    : options_(options),
      base_method_(route.method == "HEAD" ? "GET" : route.method),
      needs_certificate_(route.options.auth.enabled() &&
                         route.options.auth.requirement().client_certificate),
      has_own_key_(!std::holds_alternative<std::monostate>(options.key.get())),
      credential_fields_(*route.credential_fields) {
  for (const Text& name : options.headers) {
    headers_.push_back(base::lower_case(name.str()));
    add_name(vary_, name.str());
  }
  vary_with_language_ = vary_;
  add_name(vary_with_language_, "Accept-Language");
  if (options.query.names()) query_ = strings_of(*options.query.names());
  is_guarded_ = route.options.auth.enabled() || has_header("cookie") ||
                has_header("authorization") || requires_input_of_client(route);
}

bool RequestVariants::has_header(std::string_view name) const {
  return std::find(headers_.begin(), headers_.end(), name) != headers_.end();
}

/// Whether a request without some header field, which the key does not have, or without some
/// cookie is rejected.
bool RequestVariants::requires_input_of_client(const Route& route) const {
  const auto is_required = [](const schema::Field& field) {
    return field.node.required && !field.node.default_value;
  };
  const InputSchema* const headers = route.input(Location::header);
  const InputSchema* const cookies = route.input(Location::cookie);
  return (cookies != nullptr && std::ranges::any_of(cookies->fields(), is_required)) ||
         (headers != nullptr && std::ranges::any_of(headers->fields(), [&](const auto& field) {
            return is_required(field) && !has_header(base::lower_case(field.name));
          }));
}

bool RequestVariants::is_authorized(Exchange& exchange) const {
  return needs_certificate_ || exchange.identity.is_set() || exchange.header("authorization");
}

bool RequestVariants::complete_key(Exchange& exchange, StoredKey& key,
                                   RequestVariant& variant) const {
  variant.is_authorized = is_authorized(exchange);
  if (has_own_key_) {
    const std::string own = own_key(exchange, variant);
    if (own.empty()) return false;
    key.append_size(own);
    key.begin_base({});
    key.append(own);
  } else {
    key.begin_base(base_method_);
    append_target(key, exchange);
  }
  key.end_base();
  key.append('\n');
  if (options_.partition_key) {
    const ObservationScope scope(exchange, &variant.declared);
    variant.partition = options_.partition_key(exchange.request);
  }
  key.append(may_need_nonce(exchange) ? '+' : '-');
  key.append(variant.preset);
  for (const std::string& name : headers_) {
    // Distinguishes absent fields from empty ones. Values contain no line breaks.
    const auto value = exchange.header(name);
    key.append(value ? '=' : '-');
    key.append(value.value_or(std::string_view()));
    key.append('\n');
  }
  if (!has_own_key_ && exchange.head.has_body) {
    // The same bytes mean something else in another media type.
    key.append("body ");
    key.append(exchange.header("content-type").value_or(std::string_view()));
    key.append("\n");
    key.append(exchange.header("content-encoding").value_or(std::string_view()));
    key.append("\n");
    const crypto::Digest digest = crypto::sha256(exchange.raw_body());
    key.append(base::encode_base64url(digest));
    key.append('\n');
  }
  if (!variant.partition.empty()) {
    key.append_size(variant.partition);
    key.append(variant.partition);
  }
  return true;
}

std::string RequestVariants::own_key(Exchange& exchange, RequestVariant& variant) const {
  const auto& key = options_.key.get();
  if (const auto* fixed = std::get_if<Text>(&key)) return fixed->str();
  const ObservationScope scope(exchange, &variant.declared);
  return std::get<CacheKey::Function>(key)(exchange.request);
}

/// Appends the path, and the query or its declared parameters.
void RequestVariants::append_target(StoredKey& key, Exchange& exchange) const {
  key.append_path(without_last_slashes(exchange.path), exchange.route->path);
  const std::string_view query = exchange.query();
  if (query.empty()) return;
  if (query_) return key.append(declared_query(query, *query_));
  key.append('?');
  key.append(query);
}

bool RequestVariants::is_private(const RequestVariant& variant) const {
  if (options_.allow_shared_caches) return false;
  const auto declared = variant.declared.all();
  return is_guarded_ || variant.is_authorized || !variant.partition.empty() ||
         std::ranges::any_of(declared, &Dependency::is_private);
}

const std::string* RequestVariants::vary_of(bool has_language,
                                            const RequestVariant& variant) const {
  const std::string& fixed = has_language ? vary_with_language_ : vary_;
  const auto declared = variant.declared.all();
  const auto of_condition = variant.of_condition.all();
  if (declared.empty() && of_condition.empty() && credential_fields_.empty()) {
    return fixed.empty() ? nullptr : &fixed;
  }
  thread_local std::string names;
  names = fixed;
  credential_fields_.for_each([](std::string_view name) { add_name(names, name); });
  add_names(names, declared);
  add_names(names, of_condition);
  if (names.empty()) return nullptr;
  // The functions of the options may choose the names by what clients send.
  static const std::string everything = "*";
  const std::string* const kept = varies_.keep(names);
  return kept != nullptr ? kept : &everything;
}

bool RequestVariants::is_covered(const Dependency& dependency,
                                 const RequestVariant& variant) const {
  switch (dependency.part) {
    case RequestPart::language:
      return true;
    case RequestPart::header:
      if (dependency.name == "host" || has_header(dependency.name)) return true;
      break;
    case RequestPart::cookie:
    case RequestPart::cookies:
      if (has_header("cookie")) return true;
      break;
    case RequestPart::identity:
      // All other requests of the key are anonymous, too.
      if (!variant.is_authorized && variant.partition.empty() &&
          !options_.allow_authorization_cache) {
        return true;
      }
      break;
    case RequestPart::query:
      if (!has_own_key_ && (!query_ || std::find(query_->begin(), query_->end(), dependency.name) !=
                                           query_->end())) {
        return true;
      }
      break;
    case RequestPart::queries:
      if (!has_own_key_ && !query_) return true;
      break;
    case RequestPart::parameter:
    case RequestPart::path:
    case RequestPart::body:
      if (!has_own_key_) return true;
      break;
    default:
      break;
  }
  return variant.declared.covers(dependency);
}

PlainInput* RequestVariants::plain_input(Exchange& exchange) const {
  PlainInput plain = spelled_as_in_key(exchange);
  if (!plain.host && !plain.path && plain.query == nullptr) return nullptr;
  return &exchange.slots.set(std::move(plain));
}

PlainInput RequestVariants::spelled_as_in_key(Exchange& exchange) const {
  static const std::vector<std::string> none;
  PlainInput plain;
  if (has_own_key_) {
    plain.query = &none;
  } else if (query_) {
    plain.query = &*query_;
  }
  if (!CachedRoute::has_plain_host(exchange)) plain.host = CachedRoute::plain_host(exchange);
  if (has_own_key_) return plain;
  std::string path = plain_path(without_last_slashes(exchange.path), exchange.route->path);
  if (path.empty()) path = "/";
  if (path == exchange.path) return plain;
  plain.target = path;
  plain.target->append(exchange.head.target.substr(exchange.path.size()));
  plain.path = std::move(path);
  return plain;
}

}  // namespace fw::detail
