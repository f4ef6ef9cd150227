// The response of an exchange while it is made: kept until the pipeline sends it.
#pragma once

#include <fairway/json.hpp>
#include <fairway/readable.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/adapter.hpp"

namespace fw::detail {

class Exchange;

enum class Envelope { as_configured, none };

/// The first of `json`, `text`, `end`, `stream`, `redirect` and `repeat` gives the response; a
/// later one has no effect but a line in the log. If the first throws, no response has been given,
/// so that an error response can be. Part of its exchange.
class OutgoingResponse {
 public:
  enum class Kind : std::uint8_t { none, body, stream };

  explicit OutgoingResponse(Exchange& exchange);

  Kind kind = Kind::none;
  bool keeps_original = false;  ///< for `original`
  int status = 200;
  http::Fields fields;
  std::string body;
  std::optional<Readable> source;

  bool is_given() const { return kind != Kind::none; }
  /// Takes back a response that has not been sent. Header fields stay.
  void discard();

  /// `json` and `text` set a Content-Type unless there is one, `stream` unless its own is the
  /// default and there is one; `redirect` removes it. Throw std::invalid_argument for a status
  /// outside 200 to 599; `json` throws std::runtime_error for data that is not as the route
  /// declares.
  void json(Json data, std::optional<int> with_status, Envelope envelope);
  void text(std::string content, std::string_view content_type, std::optional<int> with_status);
  void end();
  void stream(Readable from, std::string_view content_type);
  void redirect(std::string_view url, int with_status);
  /// A body that was made before; its fields are up to the caller.
  void repeat(int with_status, std::string content);

  /// What `json` was called with, before hooks changed it.
  struct Original {
    std::string data;  ///< JSON text
    int status;
    Envelope envelope;
  };
  /// Set by `json` if it is to be kept and there are hooks that may change it.
  std::unique_ptr<const Original> original;

  std::optional<std::string_view> field(std::string_view name) const;
  /// Whether the Content-Type is that of JSON.
  bool is_json() const;
  /// The body up to the request id at the end of its envelope: what is the same when the response
  /// is repeated. The whole body if it has no envelope.
  std::string_view body_before_request_id() const;
  /// Appends the rest of such a body, for a request with this id.
  static void append_end_of_envelope(std::string& content, std::string_view request_id);
  void set_field(std::string_view name, std::string_view value);
  void remove_field(std::string_view name);
  /// Bytes of the body, where they are known before it is sent.
  std::optional<std::uint64_t> size() const;

 private:
  /// Takes the right to respond; false, and a log line, when a response has been given.
  bool claim(Kind as);
  /// Runs the hooks that may still change the response, and sets its status.
  void finish_head(Json& data, int with_status);
  /// Gives the data the shape that the route declares for the status. Throws std::runtime_error
  /// when it cannot have it.
  void apply_schema(Json& data) const;
  std::string make_json_body(const Json& data, Envelope envelope) const;

  Exchange& exchange_;
};

/// The status itself. Throws std::invalid_argument when no response can have it.
int checked_status(int status);

}  // namespace fw::detail
