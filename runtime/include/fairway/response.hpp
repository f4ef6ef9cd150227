// The response as handlers write it (docs/responses.md).
#pragma once

#include <fairway/cookie_options.hpp>
#include <fairway/events.hpp>
#include <fairway/json_fwd.hpp>
#include <fairway/json_literal.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/readable.hpp>
#include <fairway/type_json.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fw {

struct RenderOptions;

namespace detail {
class Exchange;
}

/// Must be used by one thread at a time. Only the first response is sent: a second one is ignored
/// and logged. It is sent when the handler and the middlewares have returned; headers may be set
/// until then. The source of a stream is read afterwards, by one thread at a time, so everything
/// that it refers to must outlive the handler; the request and the response do.
class Response {
 public:
  Response(const Response&) = delete;
  Response& operator=(const Response&) = delete;

  /// JSON response with the status set before (200 by default), in the envelope if `response.wrap`
  /// is true.
  void json(Json data);
  /// The same with this status. Throws std::invalid_argument unless it is from 200 to 599.
  void json(Json data, int status);
  /// @{
  /// The same for what is written inline without <fairway/json.hpp>.
  template <detail::WorseMatch = void>
  void json(const detail::JsonLiteral& data) {
    json_of(data);
  }
  template <detail::WorseMatch = void>
  void json(const detail::JsonLiteral& data, int status) {
    json_of(data, status);
  }
  /// @}
  /// The same for a generated struct, or a vector of such structs, without a JSON tree. Members are
  /// written in the declared order.
  template <detail::WrittenByItself T>
  void json(const T& data) {
    json_of(detail::encodable(data), std::nullopt);
  }
  /// The same with this status.
  template <detail::WrittenByItself T>
  void json(const T& data, int status) {
    json_of(detail::encodable(data), status);
  }
  /// The same for a plain struct, an enumeration, or a container of these, by the code that the
  /// route compiler generates. Throws std::logic_error if there is none: rebuild the application.
  template <detail::WrittenByGeneratedCode T>
  void json(const T& data) {
    json_of(detail::coded(data), std::nullopt);
  }
  /// The same with this status.
  template <detail::WrittenByGeneratedCode T>
  void json(const T& data, int status) {
    json_of(detail::coded(data), status);
  }
  /// @{
  /// HTML: a page of the application, `src/pages/<page>.html`, in its document (docs/pages.md). The
  /// data is an object whose members are the names in the page; `frontend.data` or the response
  /// schema of the route shapes it. Throws std::invalid_argument for a page that does not exist.
  /// Options need <fairway/render_options.hpp>.
  void render(std::string_view page);
  void render(std::string_view page, const Json& data);
  template <detail::WorseMatch = void>
  void render(std::string_view page, const detail::JsonLiteral& data) {
    render_of(page, data);
  }
  void render(std::string_view page, const Json& data, RenderOptions options);
  /// @}
  /// @{
  /// The same for a generated struct, or a type with FW_JSON, without a JSON tree.
  template <detail::WrittenByItself T>
  void render(std::string_view page, const T& data) {
    render_of(page, detail::encodable(data));
  }
  template <detail::WrittenByItself T>
  void render(std::string_view page, const T& data, RenderOptions options);
  /// @}
  /// @{
  /// The same for a plain struct, by generated code as for `json`.
  template <detail::WrittenByGeneratedCode T>
  void render(std::string_view page, const T& data) {
    render_of(page, detail::coded(data));
  }
  template <detail::WrittenByGeneratedCode T>
  void render(std::string_view page, const T& data, RenderOptions options);
  /// @}
  /// `text/plain; charset=utf-8`, never wrapped.
  void text(std::string content);
  /// The same with this status.
  void text(std::string content, int status);
  /// Bytes that are read while they are sent, no faster than the client receives them. If reading
  /// fails, the connection is closed.
  void stream(Readable source, std::string_view content_type = "application/octet-stream");
  /// Begins a stream of server-sent events, which outlives the handler: keep the handle. The head
  /// is sent when the handler and the middlewares have returned; events that are sent before wait
  /// in the queue. Throws std::logic_error unless the route declares `fw::events` for the status
  /// that has been set, and if a response has been set already. If an exception leaves the handler
  /// afterwards, the error is sent, and the stream has ended.
  EventStream events();
  /// The same for a route that declares `fw::lines`.
  LineStream lines();
  /// Like `stream`, with `Content-Disposition: attachment` (RFC 6266).
  void download(Readable source, std::string_view filename,
                std::string_view content_type = "application/octet-stream");
  /// 301, 302, 307 or 308; anything else throws std::invalid_argument.
  void redirect(std::string_view url, int status = 302);
  /// An empty response with the status set before, for example `res.status(204).end()`. A handler
  /// that only sets the status 204 or 304 has the same effect.
  void end();
  /// JSON without envelope: for the framework's error handler.
  void raw_json(Json data);
  /// The same with this status.
  void raw_json(Json data, int status);

  /// From 200 to 599; anything else throws std::invalid_argument. No effect after the response.
  Response& status(int code);
  /// Replaces a header. Throws std::invalid_argument for a name or value that HTTP does not allow.
  Response& set_header(std::string_view name, std::string_view value);
  /// Adds a header and keeps others of the same name, except for a Set-Cookie of the same cookie.
  Response& append_header(std::string_view name, std::string_view value);
  /// The value set so far; the name is case-insensitive.
  std::optional<std::string_view> get_header(std::string_view name) const;
  /// Replaces an earlier cookie of this response with the same name, domain and path. Throws
  /// std::invalid_argument for a name, path or domain that a cookie cannot have, and for
  /// cookies that browsers reject: `SameSite=None`, `Partitioned` or a name that begins with
  /// `__Secure-` or `__Host-` without `Secure`, and a name that begins with `__Host-` with a domain
  /// or a path other than "/".
  Response& set_cookie(std::string_view name, std::string_view value, CookieOptions options = {});
  /// Tells the client to forget a cookie; path and domain must be those it was set with.
  Response& clear_cookie(std::string_view name, CookieOptions options = {});
  /// The status set so far, 200 by default.
  int status_code() const;
  /// Whether a response has been set, which is sent when the handler has returned.
  bool is_sent() const;

 private:
  friend class detail::Exchange;
  explicit Response(detail::Exchange& exchange) : exchange_(exchange) {}

  void json_of(const detail::EncodableData& data, std::optional<int> status);
  void json_of(const detail::JsonLiteral& data, std::optional<int> status = std::nullopt);
  void render_of(std::string_view page, const detail::EncodableData& data);
  void render_of(std::string_view page, const detail::JsonLiteral& data);
  void render_of(std::string_view page, const detail::EncodableData& data,
                 const RenderOptions& options);

  detail::Exchange& exchange_;
};

}  // namespace fw

#ifndef FAIRWAY_WITHOUT_JSON
#include <fairway/render_options.hpp>
#endif
