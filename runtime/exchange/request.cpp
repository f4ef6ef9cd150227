#include <fairway/request.hpp>

#include <algorithm>
#include <stdexcept>

#include "base/ascii.hpp"
#include "errors/exception_info.hpp"
#include "errors/messages.hpp"
#include "exchange/exchange.hpp"

namespace fw {

using detail::RequestPart;

namespace {

/// Whether the handler sees only some members of the validated query.
bool has_plain_query(const detail::Exchange& exchange, const detail::InputSchema& declared) {
  return exchange.plain_input() != nullptr && exchange.plain_input()->query != nullptr &&
         declared.names_members();
}

/// Records a read of the validated input of a location: of its declared members, and, unless it is
/// a struct, of others that the client has sent.
void observe_valid(detail::Exchange& exchange, Location location, bool is_struct) {
  const bool may_be_private = location == Location::header || location == Location::cookie;
  if (exchange.route == nullptr || (!exchange.reads.is_recorded() && !may_be_private)) return;
  const detail::InputSchema* const declared = exchange.route->input(location);
  if (declared == nullptr) return;
  const auto observe_each = [&](RequestPart part) {
    for (const schema::Field& field : declared->fields()) exchange.observe(part, field.name);
  };
  switch (location) {
    case Location::param:
      observe_each(RequestPart::parameter);
      if (declared->names_members()) return;
      for (const auto& [name, value] : exchange.params) {
        exchange.observe(RequestPart::parameter, name);
      }
      return;
    case Location::query:
      observe_each(RequestPart::query);
      if (is_struct || has_plain_query(exchange, *declared)) return;
      for (const auto& [name, value] : exchange.query_map()) {
        exchange.observe(RequestPart::query, name);
      }
      return;
    case Location::header:
      return observe_each(RequestPart::header);
    case Location::cookie:
      if (!declared->names_members()) return exchange.observe(RequestPart::cookies);
      return observe_each(RequestPart::cookie);
    case Location::body:
      return exchange.observe(RequestPart::body);
  }
}

/// The members of the validated query that are declared, or part of the key of the response.
const Json& plain_query(detail::Exchange& exchange, const detail::InputSchema& declared) {
  detail::PlainInput& plain = *exchange.plain_input();
  if (plain.valid_query) return *plain.valid_query;
  Json kept = Json::object();
  const auto is_kept = [&](const std::string& name) {
    return std::ranges::find(*plain.query, name) != plain.query->end() ||
           std::ranges::find(declared.fields(), name, &schema::Field::name) !=
               declared.fields().end();
  };
  for (const auto& [name, value] : exchange.valid.tree(exchange, Location::query).items()) {
    if (is_kept(name)) kept[name] = value;
  }
  return plain.valid_query.emplace(std::move(kept));
}

}  // namespace

std::string_view Request::method() const { return exchange_.head.method; }
std::string_view Request::url() const {
  exchange_.observe(RequestPart::path);
  exchange_.observe(RequestPart::queries);
  const detail::PlainInput* const plain = exchange_.plain_input();
  return plain != nullptr && plain->target ? *plain->target : exchange_.head.target;
}
std::string_view Request::path() const {
  exchange_.observe(RequestPart::path);
  const detail::PlainInput* const plain = exchange_.plain_input();
  return plain != nullptr && plain->path ? *plain->path : exchange_.path;
}
std::string_view Request::route() const {
  return exchange_.route != nullptr ? std::string_view(exchange_.route->path) : std::string_view();
}
std::string_view Request::request_id() const {
  exchange_.observe(RequestPart::request_id);
  return exchange_.context.request_id;
}
std::string_view Request::ip() const {
  exchange_.observe(RequestPart::address);
  return exchange_.ip();
}
std::string_view Request::protocol() const { return exchange_.protocol(); }
std::string_view Request::http_version() const {
  exchange_.observe(RequestPart::http_version);
  return exchange_.transaction->http_version();
}
std::optional<ClientCertificate> Request::client_certificate() const {
  exchange_.observe(RequestPart::certificate);
  const auto& certificate = exchange_.head.client_certificate;
  return certificate ? std::optional(*certificate) : std::nullopt;
}

const TextMap& Request::params() const {
  for (const auto& [name, value] : exchange_.params)
    exchange_.observe(RequestPart::parameter, name);
  return exchange_.params;
}
const TextMap& Request::query() const {
  exchange_.observe(RequestPart::queries);
  return exchange_.query_map();
}
const TextMap& Request::headers() const {
  exchange_.observe(RequestPart::headers);
  return exchange_.header_map();
}
const TextMap& Request::cookies() const {
  exchange_.observe(RequestPart::cookies);
  return exchange_.cookie_map();
}

std::optional<std::string_view> Request::param(std::string_view name) const {
  exchange_.observe(RequestPart::parameter, name);
  return exchange_.params.find(name);
}
std::optional<std::string_view> Request::query(std::string_view name) const {
  exchange_.observe(RequestPart::query, name);
  return exchange_.query_map().find(name);
}
std::optional<std::string_view> Request::header(std::string_view name) const {
  const detail::PlainInput* const plain = exchange_.plain_input();
  if (plain != nullptr && plain->host && base::equal_ignoring_case(name, "host")) {
    return *plain->host;  // each key has the host
  }
  exchange_.observe(RequestPart::header, name);
  return exchange_.header(name);
}
std::optional<std::string_view> Request::last_event_id() const {
  const auto id = header("last-event-id");
  return id && !id->empty() ? id : std::nullopt;
}
std::optional<std::string_view> Request::cookie(std::string_view name) const {
  exchange_.observe(RequestPart::cookie, name);
  return exchange_.cookie_map().find(name);
}

const Json& Request::body() const {
  exchange_.observe(RequestPart::body);
  return exchange_.body();
}
bool Request::has_body() const {
  exchange_.observe(RequestPart::body);
  return exchange_.parsed_body.exists();
}
std::string_view Request::raw_body() const {
  exchange_.observe(RequestPart::body);
  return exchange_.raw_body();
}
std::string Request::raw_body_buffer() const { return std::string(raw_body()); }

bool Request::streams_body() const { return exchange_.streams_body(); }
Readable Request::body_stream() {
  exchange_.observe(RequestPart::body);
  return exchange_.body_stream(std::chrono::steady_clock::time_point::max());
}

const Json& Request::valid(Location location) const {
  observe_valid(exchange_, location, false);
  if (location == Location::query && exchange_.plain_input() != nullptr &&
      exchange_.route != nullptr) {
    const detail::InputSchema* const declared = exchange_.route->input(location);
    if (declared != nullptr && has_plain_query(exchange_, *declared)) {
      return plain_query(exchange_, *declared);
    }
  }
  return exchange_.valid.tree(exchange_, location);
}
const detail::TypedValue* Request::find_valid(const std::type_info& type) const {
  const detail::TypedValue* found = exchange_.valid.find(type);
  if (found != nullptr) observe_valid(exchange_, found->location, true);
  return found;
}
const detail::TypedValue* Request::find_valid(const std::type_info& type, Location location) const {
  const detail::TypedValue* found = exchange_.valid.find(type, location);
  if (found != nullptr) observe_valid(exchange_, location, true);
  return found;
}
const detail::TypedValue& Request::typed_input(const std::type_info& type,
                                               Location location) const {
  observe_valid(exchange_, location, true);
  const detail::TypedValue* found = exchange_.valid.find(type, location);
  if (found != nullptr) return *found;
  throw std::logic_error("the route has not validated this location as '" +
                         detail::type_name(type.name()) + "'");
}
const detail::TypedValue& Request::keep_valid(std::unique_ptr<detail::TypedValue> value) const {
  return exchange_.valid.keep(std::move(value));
}

App& Request::app() const { return exchange_.env.app; }
void Request::set_body(Json body) { exchange_.set_body(std::move(body)); }
AuthContext& Request::auth() const {
  exchange_.observe(RequestPart::identity);
  return exchange_.identity.get();
}
bool Request::has_session() const { return exchange_.session() != nullptr; }
Session& Request::session() const {
  exchange_.observe(RequestPart::session);
  return exchange_.required_session().get();
}

std::string Request::t(std::string_view key, const Json& params) const {
  exchange_.observe(RequestPart::language);
  const detail::LocaleEntry* entry = exchange_.env.locales.find(exchange_.language(), key);
  return detail::fill_template(entry != nullptr ? std::string_view(entry->message) : key, params);
}

void Request::on_close(std::function<void()> handler) {
  exchange_.shown_cancellation()->on_close(std::move(handler));
}
std::stop_token Request::signal() const { return exchange_.shown_cancellation()->token(); }

Slots& Request::slots() const { return exchange_.slots; }

}  // namespace fw
