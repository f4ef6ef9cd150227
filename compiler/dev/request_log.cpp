#include "dev/request_log.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/ascii.hpp"
#include "base/parse_number.hpp"
#include "dev/http_message.hpp"
#include "dev/masking.hpp"

namespace fairway::dev {
namespace {

using Json = RequestLog::Json;

constexpr std::size_t kMaxResponseHead = std::size_t{64} * 1024;
constexpr std::size_t kMaxNamed = 256;  ///< bytes of names that are shown
constexpr double kNanoseconds = 1e6;    ///< in a millisecond

template <std::size_t kDigits, class Id>
std::string hex(const Id& id) {
  std::array<char, kDigits> digits{};
  fw::base::write_hex(id, digits);
  return {digits.data(), digits.size()};
}

double in_milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// The member of an object, or null.
const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

/// Numbers of 64 bits are strings in the JSON of protobuf.
std::int64_t number_of(const Json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  return fw::base::parse_number<std::int64_t>(text_of(value)).value_or(0);
}

Json attribute_value(const Json& value) {
  if (value.is_object() && value.contains("intValue")) return number_of(value["intValue"]);
  return value.is_object() && !value.empty() ? *value.begin() : Json();
}

Json attribute(const Json& span, std::string_view key) {
  for (const Json& each : member(span, "attributes")) {
    if (text_of(member(each, "key")) == key) return attribute_value(member(each, "value"));
  }
  return {};
}

/// The attributes of a span or of an event, masked.
Json attributes_of(const Json& owner) {
  Json attributes = Json::object();
  for (const Json& each : member(owner, "attributes")) {
    const std::string key = text_of(member(each, "key")).substr(0, kMaxNamed);
    attributes[key] =
        is_secret_name(key) ? Json(std::string(kMasked)) : attribute_value(member(each, "value"));
  }
  return attributes;
}

Json fields(std::string_view head) {
  Json result = Json::array();
  for_each_field(head, [&](std::string_view field) {
    const std::string_view name = name_of(field);
    result.push_back({std::string(name), masked_field(name, value_of(field))});
  });
  return result;
}

/// What is shown of a message: its fields and its body, or why it has no text.
Json message(std::string_view head, std::string_view kept, std::size_t size) {
  const auto is_chunked =
      find_field(head, "transfer-encoding").value_or("").find("chunked") != std::string_view::npos;
  const std::string body = is_chunked ? without_chunks(kept) : std::string(kept);
  const bool is_cut = size > kept.size();
  Json result = {{"fields", fields(head)}, {"size", size}, {"cut", is_cut}};
  if (size == 0) return result;
  const std::string coding(find_field(head, "content-encoding").value_or(""));
  if (!coding.empty() && coding != "identity") {
    result["note"] = "compressed with " + coding;
    return result;
  }
  const std::string type(find_field(head, "content-type").value_or(""));
  const std::string text = masked_body(type, body);
  if (text.empty()) {
    result["note"] =
        is_cut ? "too long to be shown" : "not shown: " + (type.empty() ? "no type" : type);
  } else {
    result["text"] = text;
  }
  return result;
}

}  // namespace

RequestLog::Request* RequestLog::find(Id id) {
  return const_cast<Request*>(std::as_const(*this).find(id));
}

const RequestLog::Request* RequestLog::find(Id id) const {
  if (requests_.empty() || id < requests_.front().id || id > requests_.back().id) return nullptr;
  return &requests_[static_cast<std::size_t>(id - requests_.front().id)];
}

void RequestLog::note(Request& request) {
  request.version = ++version_;
  changed_();
}

RequestLog::Id RequestLog::begin(std::string_view head, const fw::base::TraceParent& span) {
  if (requests_.size() == kMaxRequests) requests_.pop_front();
  Request request;
  request.id = ++last_id_;
  request.head = head;
  request.trace = hex<32>(span.trace);
  request.span = hex<16>(span.span);
  request.time = std::chrono::system_clock::now();
  request.began = Clock::now();
  requests_.push_back(std::move(request));
  note(requests_.back());
  return last_id_;
}

void RequestLog::add_request_body(Id id, std::string_view bytes) {
  Request* const request = find(id);
  if (request == nullptr) return;
  request->body_size += bytes.size();
  request->body += bytes.substr(0, kMaxBody - request->body.size());
}

void RequestLog::add_response(Id id, std::string_view bytes) {
  Request* const request = find(id);
  if (request == nullptr) return;
  if (request->response_head.empty()) {
    request->response += bytes.substr(0, kMaxResponseHead - request->response.size());
    read_response_head(*request);
    if (request->response_head.empty()) return;
    // The part of the body that came with the head.
    request->response_size = request->response.size();
    request->response.resize(std::min(request->response.size(), kMaxBody));
    note(*request);
    return;
  }
  request->response_size += bytes.size();
  request->response += bytes.substr(0, kMaxBody - request->response.size());
}

/// Moves the head out of what has arrived, and forgets the heads of interim responses.
void RequestLog::read_response_head(Request& request) {
  for (std::size_t end; (end = end_of_head(request.response)) != std::string::npos;) {
    std::string head = request.response.substr(0, end);
    request.response.erase(0, end);
    const int status = status_of(head);
    constexpr int kSwitchingProtocols = 101;
    if (status / 100 == 1 && status != kSwitchingProtocols) continue;
    request.response_head = std::move(head);
    request.status = status;
    return;
  }
}

void RequestLog::end(Id id) {
  Request* const request = find(id);
  if (request == nullptr || request->ended) return;
  request->ended = Clock::now();
  note(*request);
}

void RequestLog::add_spans(const Json& request) {
  for (const Json& resource : member(request, "resourceSpans")) {
    for (const Json& scope : member(resource, "scopeSpans")) {
      for (const Json& span : member(scope, "spans")) add_span(span);
    }
  }
}

void RequestLog::add_span(const Json& span) {
  const std::string trace = text_of(member(span, "traceId"));
  for (Request& request : requests_) {
    if (request.trace != trace || request.spans.size() == kMaxSpans) continue;
    request.spans.push_back(span);
    if (text_of(member(span, "parentSpanId")) == request.span) {
      request.route = text_of(attribute(span, "http.route"));
      request.source = {text_of(attribute(span, "code.file.path")),
                        number_of(attribute(span, "code.line.number"))};
    }
    note(request);
  }
}

Json RequestLog::row(const Request& request) {
  const RequestLine line = request_line(request.head);
  Json row = {
      {"id", request.id},
      {"method", std::string(line.method)},
      {"target", masked_target(line.target)},
      {"status", request.status == 0 ? Json() : Json(request.status)},
      {"route", request.route.empty() ? Json() : Json(request.route)},
      {"time",
       std::chrono::duration_cast<std::chrono::milliseconds>(request.time.time_since_epoch())
           .count()},
      {"trace", request.trace},
      {"duration", request.ended ? Json(in_milliseconds(*request.ended - request.began)) : Json()}};
  return row;
}

Json RequestLog::rows_since(std::uint64_t known) const {
  // A version of an earlier `fairway dev`.
  const bool is_foreign = known > version_;
  Json rows = Json::array();
  for (const Request& request : requests_) {
    if (is_foreign || request.version > known) rows.push_back(row(request));
  }
  const Id oldest = requests_.empty() ? 0 : requests_.front().id;
  return {{"version", version_}, {"reset", is_foreign}, {"oldest", oldest}, {"requests", rows}};
}

/// Those below the span of the request: a client may send several requests in one trace.
Json RequestLog::spans(const Request& request) {
  std::set<std::string> own = {request.span};
  std::vector<const Json*> found;
  std::vector<const Json*> left;
  for (const Json& span : request.spans) left.push_back(&span);
  for (bool has_found = true; has_found;) {
    has_found = false;
    std::erase_if(left, [&](const Json* span) {
      if (!own.contains(text_of(member(*span, "parentSpanId")))) return false;
      own.insert(text_of(member(*span, "spanId")));
      found.push_back(span);
      return has_found = true;
    });
  }
  const auto began = std::chrono::nanoseconds(request.time.time_since_epoch()).count();
  Json result = Json::array();
  for (const Json* const span : found) {
    const std::int64_t begin = number_of(member(*span, "startTimeUnixNano"));
    const std::int64_t end = number_of(member(*span, "endTimeUnixNano"));
    result.push_back({{"id", text_of(member(*span, "spanId"))},
                      {"parent", text_of(member(*span, "parentSpanId"))},
                      {"name", text_of(member(*span, "name")).substr(0, kMaxNamed)},
                      {"begin", static_cast<double>(begin - began) / kNanoseconds},
                      {"duration", static_cast<double>(end - begin) / kNanoseconds},
                      {"failed", number_of(member(member(*span, "status"), "code")) == 2},
                      {"attributes", attributes_of(*span)}});
  }
  return result;
}

/// The lines of the log, which are events of the span of the program that belongs to the request.
Json RequestLog::log_lines(const Request& request) {
  const auto began = std::chrono::nanoseconds(request.time.time_since_epoch()).count();
  Json lines = Json::array();
  for (const Json& span : request.spans) {
    if (text_of(member(span, "parentSpanId")) != request.span) continue;
    for (const Json& event : member(span, "events")) {
      if (text_of(member(event, "name")) != "log") continue;
      Json fields = attributes_of(event);
      const std::string level = text_of(member(fields, "level"));
      const std::string message = text_of(member(fields, "message"));
      fields.erase("level");
      fields.erase("message");
      const std::int64_t time = number_of(member(event, "timeUnixNano"));
      lines.push_back({{"time", static_cast<double>(time - began) / kNanoseconds},
                       {"level", level},
                       {"message", message},
                       {"fields", std::move(fields)}});
    }
  }
  return lines;
}

std::optional<Json> RequestLog::detail(Id id) const {
  const Request* const request = find(id);
  if (request == nullptr) return std::nullopt;
  Json detail = row(*request);
  detail["repeatable"] = bytes(id).has_value();
  detail["request"] = message(request->head, request->body, request->body_size);
  detail["response"] = request->status == 0 ? Json()
                                            : message(request->response_head, request->response,
                                                      request->response_size);
  detail["spans"] = spans(*request);
  detail["log"] = log_lines(*request);
  return detail;
}

RequestLog::Source RequestLog::source(Id id) const {
  const Request* const request = find(id);
  return request == nullptr ? Source() : request->source;
}

std::optional<std::string> RequestLog::bytes(Id id) const {
  const Request* const request = find(id);
  const bool is_whole = request != nullptr && request->ended &&
                        request->body_size == request->body.size() &&
                        !find_field(request->head, "upgrade");
  if (!is_whole) return std::nullopt;
  std::string head = request->head.substr(0, request->head.find('\n') + 1);
  for_each_field(request->head, [&](std::string_view field) {
    // Its body does not wait.
    if (!fw::base::equal_ignoring_case(name_of(field), "expect")) head.append(field).append("\r\n");
  });
  return head + "\r\n" + request->body;
}

}  // namespace fairway::dev
