// The response of an exchange until the pipeline sends it.
#pragma once

#include <fairway/errors.hpp>
#include <fairway/json.hpp>
#include <fairway/json_writer.hpp>
#include <fairway/readable.hpp>
#include <fairway/responses.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "exchange/end_reports.hpp"
#include "http/adapter.hpp"
#include "http/header_values.hpp"

namespace fw::detail {

/// What continues a response after its exchange: a stream of events, or a socket.
class OpenedChannel {
 public:
  virtual ~OpenedChannel() = default;
  /// The response is not sent.
  virtual void refuse() noexcept = 0;
  /// The header fields that only a response with this channel has.
  virtual std::span<const std::string_view> own_fields() const noexcept = 0;

 protected:
  OpenedChannel() = default;
  OpenedChannel(const OpenedChannel&) = default;
  OpenedChannel& operator=(const OpenedChannel&) = default;
};

class Exchange;

/// What the response cache did for a response: the value of X-Cache.
enum class CacheOutcome : std::uint8_t { none, hit, miss, stale };

/// How long, and by whom, a response may be stored (docs/cache.md, RFC 9111): what stages know of
/// it. The last step of the pipeline, which sees the whole response, writes the header fields: see
/// `write_freshness`.
struct Freshness {
  static constexpr std::int32_t kNotAnnounced = -1;

  /// Seconds for which clients may use the response.
  std::int32_t max_age = kNotAnnounced;
  /// Seconds since a cached response was made.
  std::int32_t age = kNotAnnounced;
  CacheOutcome outcome = CacheOutcome::none;
  bool is_private = false;       ///< it depends on who asks, so shared caches must not store it
  bool is_of_upstream = false;   ///< so it may be announced as one for everyone, without knowledge
  bool may_be_shared = false;    ///< the application allows it, even if it depends on who asks
  bool must_revalidate = false;  ///< caches must ask each time: "no-cache"
  bool forbids_storing = false;  ///< "no-store"

  /// Forgets what is known of a response that is discarded, but not what is known of the request.
  void forget_response() { *this = {.is_private = is_private, .may_be_shared = may_be_shared}; }
};

/// Says at the end of a stream how much of it was sent.
struct StreamReport {
  std::uint64_t sent = 0;  ///< bytes that were read from the source
  EndReports<std::uint64_t> at_end = {};
};

enum class Envelope { as_configured, none };

/// The first call of `json`, `text`, `end`, `stream`, `redirect` or `set_stored` sets the response;
/// later calls only write a line to the log. If the first call throws, there is no response, so
/// that an error response can be sent. A member of the exchange.
class OutgoingResponse : public http::ResponseHead {
 public:
  enum class Kind : std::uint8_t { none, body, stream, events, socket };

  explicit OutgoingResponse(Exchange& exchange);
  /// Refuses a stream of events or a socket that has not been sent.
  ~OutgoingResponse();
  OutgoingResponse(const OutgoingResponse&) = delete;
  OutgoingResponse& operator=(const OutgoingResponse&) = delete;

  Kind kind = Kind::none;
  bool records_original = false;  ///< whether `original` is set
  bool has_csrf_token = false;    ///< such a response is neither compressed nor cached
  bool is_page = false;           ///< `Response::render` set it
  bool has_cors = false;  ///< the application decides who may read the response, not an upstream
  Freshness freshness;    ///< becomes header fields when everything else is known
  /// The names that the last step adds to Vary: of the header fields that the key of the response
  /// contains. Null: none. They outlive the response.
  const std::string* vary = nullptr;
  std::string body;
  std::unique_ptr<Readable> source;       ///< of a stream
  std::shared_ptr<OpenedChannel> opened;  ///< of a stream of events or lines, or of a socket
  std::unique_ptr<StreamReport> report;   ///< null if nobody needs to know

  /// Whether the client is not to get the response if there is an error before it is sent: nobody
  /// would know what has failed.
  bool is_opened() const { return kind == Kind::events || kind == Kind::socket; }
  bool is_set() const { return kind != Kind::none; }
  /// Discards a response that has not been sent. Keeps the header fields.
  void discard();

  /// `json` and `text` set a Content-Type if there is none. `stream` sets its Content-Type unless
  /// it is the default and there is one. `redirect` removes it. All throw std::invalid_argument for
  /// a status outside 200 to 599; `json` throws std::runtime_error for data that violates the
  /// declared schema.
  void json(Json data, std::optional<int> with_status, Envelope envelope);
  /// Uses the envelope as configured. Builds a JSON tree only if there are hooks that may change
  /// it, or if the route declares another type for the status. Throws std::runtime_error for
  /// numbers that JSON cannot have: the document says that they are numbers.
  void json(const EncodableData& data, std::optional<int> with_status);
  void text(std::string content, std::string_view content_type, std::optional<int> with_status);
  void end();
  void stream(Readable from, std::string_view content_type);
  /// Makes it a response that the channel continues: of events or a socket. There must be none.
  void open(Kind as, std::shared_ptr<OpenedChannel> channel);
  /// Runs the hooks that may still change such a response.
  void finish_head();
  void redirect(std::string_view url, int with_status);
  /// Sets a stored response; the caller sets its fields and its body.
  void set_stored(int with_status);

  /// The response before hooks (`response:before`) changed it. They run again whenever it is sent.
  struct Original {
    struct Data {
      std::string text;  ///< JSON
      Envelope envelope;
    };
    int status;
    std::optional<Data> data;  ///< of `json`
    http::Fields fields;
    http::Fields fields_after_hooks;
  };
  /// Set if `records_original` is set and there are such hooks.
  std::unique_ptr<const Original> original;
  /// The fields without what these hooks have changed.
  http::Fields fields_without_hooks() const;

  std::optional<std::string_view> field(std::string_view name) const { return fields.find(name); }
  /// Whether the Content-Type is JSON.
  bool is_json() const;
  /// The body up to the request id at the end of its envelope, which does not change if the
  /// response is repeated. The whole body if it has no envelope.
  std::string_view body_before_request_id() const;
  /// Sets the body to such a beginning and the rest, for this request.
  void complete_envelope(std::string_view beginning);
  /// Appends the rest of such a body, for a request with this id.
  static void append_end_of_envelope(std::string& content, std::string_view request_id);
  void set_field(std::string_view name, std::string_view value) { fields.set(name, value); }
  /// Like `set_field`, for values that are valid, such as constants and numbers: they are not
  /// checked again when the response is sent.
  void set_valid_field(std::string_view name, std::string_view value) {
    fields.mark_valid(fields.set(name, value));
  }
  void remove_field(std::string_view name) { fields.remove(name); }
  void add_vary(std::string_view names) { http::add_vary(fields, names); }
  /// Adds a Set-Cookie field. It replaces an earlier one of the same cookie, because a response
  /// must not set a cookie twice (RFC 6265, 4.1.1).
  void add_cookie(std::string_view line);
  /// The size of the body, if it is known before it is sent.
  std::optional<std::uint64_t> size() const;
  /// Adds what is done when the body has been sent, or cannot be sent any more.
  void add_report(EndReports<std::uint64_t>::Report write) {
    if (!report) report = std::make_unique<StreamReport>();
    report->at_end.add(std::move(write));
  }
  /// Whether the body is a stream that arrives after the handler has returned: see ArrivingSource.
  bool arrives_later() const;

 private:
  /// Returns whether a response may be set. Writes a log line and returns false if there is one
  /// already.
  bool claim(Kind as);
  /// Runs the hooks that may still change the response, and sets its status. `data` is null for a
  /// response without data.
  void finish_head(Json* data, int with_status, Envelope envelope = Envelope::none);
  /// Throws std::logic_error if the client would take the status for an open socket.
  void require_no_false_opening() const;
  enum class Source {
    tree,     ///< the program made a tree
    cpp_type  ///< which has a schema in the document even if the route declares none
  };
  void json(Json data, int initial, Envelope envelope, Source made_of);
  /// Applies the schema that the route declares for the status. Throws std::runtime_error if the
  /// data violates it.
  void apply_schema(Json& data) const;
  [[noreturn]] void throw_violation(const FieldError& error) const;
  void require_finite(const Json& data) const;
  /// Whether data of that type needs neither hooks nor a schema.
  bool is_final(const std::type_info& type, int with_status) const;
  /// Sets the body to the JSON that `write_data` writes, in the envelope.
  template <class WriteData>
  void write_json_body(Envelope envelope, WriteData write_data);

  Exchange& exchange_;
};

/// Returns `status`. Throws std::invalid_argument if it is not a valid status of a response.
int checked_status(int status);

}  // namespace fw::detail
