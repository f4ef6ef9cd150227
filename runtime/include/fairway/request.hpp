// One request as handlers see it.
#pragma once

#include <fairway/client_certificate.hpp>
#include <fairway/fields.hpp>
#include <fairway/from_json.hpp>
#include <fairway/generated/typed.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/location.hpp>
#include <fairway/readable.hpp>
#include <fairway/slots.hpp>
#include <fairway/span.hpp>
#include <fairway/type_json.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

class App;
class Session;
struct AuthContext;

namespace detail {
class Exchange;
template <class View, class T, Location kAt>
struct InputArgument;
}  // namespace detail

/// A file of a multipart form. All members are chosen by the client: do not use the name as a path,
/// and do not trust the media type.
struct ParsedFile {
  std::string fieldname;  ///< name of the field in the form
  std::string filename;   ///< without directories; may be empty
  std::string mimetype;   ///< in lower case, without parameters
  std::string buffer;     ///< the content
  std::size_t size = 0;   ///< bytes
};

/// Must be used by one thread at a time. Views are valid until the response is sent.
class Request {
 public:
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  std::string_view method() const;  ///< upper case
  std::string_view url() const;     ///< including the query string, as sent
  std::string_view path() const;    ///< without the query string, as sent
  std::string_view route() const;   ///< path template of the route; empty when no route matched
  /// In log lines, too; empty if `requestId` is disabled. The client may have chosen it: it is no
  /// name of a file and no key.
  std::string_view request_id() const;
  std::string_view ip() const;  ///< address of the client, according to `trustProxy`
  /// "http" or "https": of the connection, or of a proxy's according to `trustProxy`.
  std::string_view protocol() const;
  /// "1.0", "1.1" or "2": of the connection, which may be a proxy's.
  std::string_view http_version() const;
  /// The certificate of the client; nothing if it has shown none (docs/tls.md). Behind a proxy, it
  /// is the proxy's.
  std::optional<ClientCertificate> client_certificate() const;

  /// The decoded path parameters; a bare wildcard is named "*". A wildcard contains what the client
  /// sent, including `..` and slashes: to open a file with it, use `fw::file_below(root, …)`, never
  /// `fw::file`.
  const TextMap& params() const;
  /// The query parameters; for a repeated name, the first value. `valid` has all values of a
  /// declared array. Throws HttpError 400 for more pairs than `server.maxQueryParameters`.
  const TextMap& query() const;
  const TextMap& headers() const;  ///< lower-case names, repeated fields joined with ", "
  /// The cookies; for a repeated name, the first value. Throws HttpError 400 for more than
  /// `server.maxCookies`.
  const TextMap& cookies() const;
  /// @{
  /// One value; nothing if there is none. `query` throws like `query()`.
  std::optional<std::string_view> param(std::string_view name) const;
  std::optional<std::string_view> query(std::string_view name) const;
  /// @}
  std::optional<std::string_view> header(std::string_view name) const;  ///< name in any case
  /// The id of the last event that the client has received, if it connects again to a stream of
  /// events (`EventFields::id`); empty is never returned.
  std::optional<std::string_view> last_event_id() const;
  /// One cookie; nothing if there is none. Throws like `cookies`.
  std::optional<std::string_view> cookie(std::string_view name) const;

  /// The parsed body (JSON or urlencoded); null when there is none or parsing is off.
  const Json& body() const;
  /// Whether a body was parsed; distinguishes an absent body from the JSON value `null`.
  bool has_body() const;
  /// The bytes of the body. Reads them on first use, up to the route's limit (413 above it).
  std::string_view raw_body() const;
  /// The bytes of the body, to be read once, in the handler or a middleware. If the route has
  /// `.body_parser = {.stream = true}`, they are received while they are read: reading waits for
  /// the client, and even a large body takes little memory. Throws the errors of `raw_body` while
  /// it is read. Must not outlive the handler.
  Readable body_stream();
  /// Whether the route has `.body_parser = {.stream = true}`. Its bodies are not parsed.
  bool streams_body() const;
  /// A copy of `raw_body` that outlives the request.
  std::string raw_body_buffer() const;

  /// Validated and converted data; null for a location without a declared schema.
  const Json& valid(Location location) const;
  /// The same, converted to a T. Throws Json::exception if it is not one.
  template <class T>
    requires(!detail::WrittenByGeneratedCode<T>)
  T valid(Location location) const {
    return tree_of<T>(location).template get<T>();
  }
  /// The same for a type that is the schema of the location, `.validate = {.body = fw::type<T>}`,
  /// and has no conversion from fw::Json. Valid until the response is sent. Throws std::logic_error
  /// if the location has another schema, or none.
  template <detail::WrittenByGeneratedCode T>
  const T& valid(Location location) const {
    return static_cast<const detail::TypedValueOf<T>&>(typed_input(typeid(T), location)).value;
  }
  /// The same for a type that has only a `from_json` of its own, whichever schema the location has:
  /// `from_json` reads a location with another schema. Throws what it throws.
  template <detail::ReadByFromJson T>
  const T& valid(Location location) const {
    using Value = detail::TypedValueOf<T>;
    const detail::TypedValue* made = find_valid(typeid(T), location);
    if (made == nullptr) {
      made = &keep_valid(std::make_unique<Value>(location, tree_of<T>(location).template get<T>()));
    }
    return static_cast<const Value*>(made)->value;
  }
  /// A generated struct of this route: `req.valid<routes::users::CreateUsers::Body>()`. Built
  /// before the handler runs, or by the first call; valid until the response is sent.
  template <class Generated>
    requires requires { Generated::kLocation; }
  const Generated& valid() const {
    using Value = detail::TypedValueOf<Generated>;
    const detail::TypedValue* made = find_valid(typeid(Generated));
    if (made == nullptr) {
      auto read = std::make_unique<Value>();
      from_json(valid(Generated::kLocation), read->value);
      made = &keep_valid(std::move(read));
    }
    return static_cast<const Value*>(made)->value;
  }

  /// The application.
  App& app() const;
  /// Uploaded files; empty unless an upload parser ran.
  std::span<const ParsedFile> files() const;
  /// For a custom upload parser in a middleware: set what `files` and `body` return. Views and
  /// references that they returned before become invalid.
  void set_files(std::vector<ParsedFile> files);
  /// Sets what `body` returns.
  void set_body(Json body);
  /// The identity that the auth middleware found. Include <fairway/auth.hpp>.
  AuthContext& auth() const;
  /// The client's session, loaded on first use; include <fairway/session.hpp>. Throws
  /// std::logic_error for a route without sessions, and StoreError.
  Session& session() const;
  bool has_session() const;  ///< whether the route has sessions
  /// A token for forms and requests of the application's own pages: docs/csrf.md. Each call returns
  /// a different string; all of them stay valid as long as the session or the CSRF cookie. Throws
  /// HttpError 500 with the code CSRF_CONFIGURATION_ERROR if the route has neither a session nor a
  /// `csrf.secret`.
  std::string csrf_token() const;
  /// @{
  /// The message in the request's language, with `{{name}}` replaced from `params`; the key if it
  /// is unknown.
  std::string t(std::string_view key, const Json& params = detail::null_json()) const;
  template <detail::WorseMatch = void>
  std::string t(std::string_view key, const detail::JsonLiteral& params) const {
    return t(key, params.tree());
  }
  /// @}

  /// Runs `handler` once, when the client disconnects before the response is complete, or the
  /// response is cut off, as when the source of a stream throws. That may be during the handler of
  /// the route, on another thread, and also after it has returned, even by an exception: `handler`
  /// must own what it uses, not refer to variables of the route's handler.
  void on_close(std::function<void()> handler);
  /// Stop is requested when the client disconnects, and when the route's `timeout` has passed.
  /// Callbacks run on a thread of the framework and must be quick.
  std::stop_token signal() const;

  /// Begins a span of the trace of the request, within the current one of the thread:
  /// docs/tracing.md. Like `fw::span`, for a thread that does not know the request otherwise.
  Span span(std::string_view name) const;

  /// Attaches a value for later stages; at most one of each type. Types may be move-only. The
  /// reference is valid until the request ends or another T is attached.
  template <class T>
  T& set(T value) {
    return slots().set(std::move(value));
  }
  /// The attached T, or null.
  template <class T>
  T* get() const {
    return slots().template get<T>();
  }

 private:
  friend class detail::Exchange;
  template <class View, class T, Location kAt>
  friend struct detail::InputArgument;
  explicit Request(detail::Exchange& exchange) : exchange_(exchange) {}

  template <class T>
  const detail::JsonFor<T>& tree_of(Location location) const {
    return valid(location);
  }
  Slots& slots() const;
  const detail::TypedValue* find_valid(const std::type_info& type) const;
  const detail::TypedValue* find_valid(const std::type_info& type, Location location) const;
  const detail::TypedValue& keep_valid(std::unique_ptr<detail::TypedValue> value) const;
  const detail::TypedValue& typed_input(const std::type_info& type, Location location) const;

  detail::Exchange& exchange_;
};

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/auth.hpp>
#include <fairway/session.hpp>
#endif
