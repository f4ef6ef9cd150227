// One request with its answer: all state there is about it. fw::Request and fw::Response are thin
// faces over it.
#pragma once

#include <fairway/auth.hpp>
#include <fairway/fields.hpp>
#include <fairway/location.hpp>
#include <fairway/readable.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>
#include <fairway/slots.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exchange/cancellation.hpp"
#include "exchange/current.hpp"
#include "exchange/environment.hpp"
#include "exchange/route.hpp"
#include "http/adapter.hpp"

namespace fw::detail {

/// The answer under construction.
struct Answer {
  enum class Kind { none, body, stream };

  Kind kind = Kind::none;
  int status = 200;
  http::Fields fields;
  std::string body;
  std::optional<Readable> source;
};

enum class Envelope { as_configured, none };

/// What a body's bytes are.
enum class BodyType { other, json, form };

/// Used by one thread at a time. Lives until the request has been handled and its stream, if the
/// answer is one, has ended.
class Exchange {
 public:
  Exchange(const Environment& environment, std::shared_ptr<http::Transaction> transaction);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const Environment& env;
  const std::shared_ptr<http::Transaction> transaction;
  const http::RequestHead& head;
  Request request;
  Response response;

  // The request.
  std::string_view path;   ///< of the target, without the query
  std::string_view query;  ///< of the target, without the question mark
  const Route* route = nullptr;
  TextMap params;
  std::string allow;  ///< methods of the path, when there is no route for this one
  RequestContext context;
  std::array<Json, 5> valid;  ///< by location
  std::vector<ParsedFile> files;
  Slots slots;

  const TextMap& query_map();
  const TextMap& header_map();
  const TextMap& cookie_map();
  /// A field's value, repeated fields joined; `name` in any case.
  std::optional<std::string_view> header(std::string_view name);
  std::string_view ip();
  std::string_view protocol();
  /// The bytes of the body, read on first use. Throws HttpError (413, 400, 408).
  std::string_view raw_body();
  /// Parses the body as what it is said to be. Throws HttpError (400, 413), and what `raw_body`
  /// throws.
  void parse_body(BodyType type);
  /// What the body was parsed as; `other` when it was not.
  BodyType body_type() const { return body_type_; }
  /// The parsed body; null when there is none.
  const Json& body();
  bool has_body() const { return body_type() != BodyType::other; }
  /// As `body`, to be changed: not copied unless somebody has a reference to it. Whoever asks for
  /// the body afterwards has its bytes parsed again.
  Json take_body();
  AuthContext& auth();
  const std::shared_ptr<Cancellation>& cancellation();
  /// The locale that messages of this request are taken from.
  const std::string& language();

  // The answer.
  Answer answer;
  bool answered() const { return answer.kind != Answer::Kind::none; }
  /// Back to an unanswered request, for an error answer. Header fields stay.
  void discard_answer();
  void answer_json(Json data, std::optional<int> status, Envelope envelope);
  void answer_text(std::string content, std::string_view content_type, std::optional<int> status);
  void answer_empty();
  void answer_stream(Readable source, std::string_view content_type);
  void answer_redirect(std::string_view url, int status);

  std::optional<std::string_view> answer_field(std::string_view name) const;
  void set_answer_field(std::string_view name, std::string_view value);
  void remove_answer_field(std::string_view name);
  /// Bytes of the answer's body, where they are known before it is sent.
  std::optional<std::uint64_t> answer_size() const;

 private:
  TrustedProxies::Client client();
  /// Takes the right to answer; false, and a log line, when there is an answer already.
  bool claim(Answer::Kind kind);
  /// Runs the hooks that may still change the answer, and sets its status.
  void finish_head(Json& data, int status);
  /// Gives the data the shape that the route declares for the status of the answer. Throws
  /// std::runtime_error when it cannot have it.
  void apply_response_schema(Json& data) const;
  std::string make_json_body(const Json& data, Envelope envelope) const;

  std::optional<TextMap> query_map_;
  std::optional<TextMap> header_map_;
  std::optional<TextMap> cookie_map_;
  std::optional<std::string> raw_body_;
  BodyType body_type_ = BodyType::other;  ///< of a body that has been parsed
  std::optional<Json> body_;
  bool body_is_referred_to_ = false;
  std::optional<AuthContext> auth_;
  std::optional<std::string> language_;
  std::shared_ptr<Cancellation> cancellation_;
};

/// The status itself. Throws std::invalid_argument when no answer can have it.
int checked_status(int status);

/// Statuses whose answers have no body (RFC 9110).
constexpr bool is_bodiless(int status) { return status == 204 || status == 304; }

}  // namespace fw::detail
