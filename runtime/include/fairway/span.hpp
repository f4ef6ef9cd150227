// Spans of the application in the traces of requests (docs/tracing.md).
//
//   auto span = req.span("price");
//   span.set("items", count);
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fw {

class Request;

namespace detail {
class ActiveSpan;
struct SpanPosition;
}  // namespace detail

/// A part of a request that takes time, from its construction to its end. Spans, calls of
/// `app.fetch` and others that begin meanwhile on the same thread are within it. An exception that
/// leaves its scope marks it as failed. Must be used and destroyed by the thread that has made it.
/// Without `tracing`, and in requests that are not recorded, it costs nothing and does nothing.
class [[nodiscard]] Span {
 public:
  ~Span();  ///< ends it
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  /// @{
  /// Sets an attribute. At most 32 are kept, names up to 128 bytes and texts up to 1,024. They
  /// leave the process: do not set secrets.
  void set(std::string_view name, std::string_view text);
  void set(std::string_view name, const char* text) { set(name, std::string_view(text)); }
  void set(std::string_view name, double number);
  template <class T>
    requires(std::same_as<T, bool>)
  void set(std::string_view name, T value) {
    set_boolean(name, value);
  }
  template <class T>
    requires(std::integral<T> && !std::same_as<T, bool>)
  void set(std::string_view name, T number) {
    set_integer(name, static_cast<std::int64_t>(number));
  }
  /// @}
  /// Marks it as failed. `type` is one of few names, such as "declined".
  void fail(std::string_view type);
  /// Ends it before the end of its scope. Without effect if it has ended.
  void end();

 private:
  friend class Request;
  friend Span span(std::string_view name);
  Span(const detail::SpanPosition* within, std::string_view name);

  void set_boolean(std::string_view name, bool value);
  void set_integer(std::string_view name, std::int64_t number);

  std::unique_ptr<detail::ActiveSpan> active_;  ///< null: nothing is recorded
};

/// Begins a span of the request that the calling thread works on, for services and other code
/// without access to it. Work that a handler began with fw::Future or fw::all is part of its
/// request. The name is one of few, up to 128 bytes: values belong in attributes.
Span span(std::string_view name);

/// The header fields by which another service continues the trace of the calling thread, within its
/// current span: `traceparent`, and `tracestate` if the client has sent it. Empty without
/// `tracing`, and outside of requests. For clients of other libraries, and the option `trace` of
/// generated ones: calls of `app.fetch` have these fields already.
std::vector<std::pair<std::string, std::string>> trace_headers();

}  // namespace fw
