#include "exchange/outgoing_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/ascii.hpp"
#include "base/assign.hpp"
#include "base/json_text.hpp"
#include "base/media_type.hpp"
#include "base/tree_guard.hpp"
#include "exchange/exchange.hpp"
#include "exchange/readable_source.hpp"
#include "http/cookies.hpp"
#include "http/response_head.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kContentType = "content-type";
constexpr std::string_view kBinary = "application/octet-stream";
constexpr std::string_view kJson = "application/json; charset=utf-8";

void write_end_of_envelope(JsonWriter& writer, std::string_view request_id) {
  writer.raw(R"(,"requestId":)");
  writer.string(request_id);
  writer.raw("}");
}

/// The first number that is an infinity or NaN: "items/0/price".
std::optional<std::string> path_of_not_finite(const Json& data) {
  if (data.is_number_float() && !std::isfinite(data.get<double>())) return "";
  if (!data.is_structured()) return std::nullopt;
  const auto inside = [](const std::string& name, const std::string& path) {
    return path.empty() ? name : name + '/' + path;
  };
  for (const auto& [name, member] : data.items()) {
    if (const auto path = path_of_not_finite(member)) return inside(name, *path);
  }
  return std::nullopt;
}

}  // namespace

OutgoingResponse::OutgoingResponse(Exchange& exchange) : exchange_(exchange) {}

OutgoingResponse::~OutgoingResponse() {
  if (opened) opened->refuse();
}

int checked_status(int status) {
  if (!http::is_final_status(status)) {
    throw std::invalid_argument(
        fmt::format("the status of a response must be 200 to 599, not {}", status));
  }
  return status;
}

bool OutgoingResponse::claim(Kind as) {
  if (is_set()) {
    exchange_.env.logger.warn(fmt::format("second response ignored: {} {} already has one",
                                          exchange_.head.method, exchange_.path));
    return false;
  }
  kind = as;
  return true;
}

void OutgoingResponse::discard() {
  kind = Kind::none;
  is_page = false;
  freshness.forget_response();
  original.reset();
  body.clear();
  source.reset();
  report.reset();
  if (const auto refused = std::exchange(opened, nullptr)) {
    fields.remove(refused->own_fields());
    if (!http::is_final_status(status)) status = 200;
    refused->refuse();
  }
}

http::Fields OutgoingResponse::fields_without_hooks() const {
  if (!original) return fields;
  const http::Fields& after = original->fields_after_hooks;
  http::Fields own;
  const auto copy = [&](const http::Fields& from, const auto& is_wanted) {
    for (std::size_t index = 0; index < from.size(); ++index) {
      const auto [name, value] = from[index];
      if (!is_wanted(from[index])) continue;
      own.add(name, value);
      if (from.is_set(index)) own.mark_set(own.size() - 1);
    }
  };
  const auto has = [](const http::Fields& all, const http::Field& field) {
    return std::find(all.begin(), all.end(), field) != all.end();
  };
  // The application may have changed fields again after the hooks.
  copy(original->fields,
       [&](const http::Field& field) { return !has(after, field) || has(fields, field); });
  copy(fields, [&](const http::Field& field) { return !has(after, field); });
  return own;
}

void OutgoingResponse::finish_head(Json* data, int with_status, Envelope envelope) {
  if (exchange_.env.hooks.any<hooks::ResponseBefore>()) {
    std::unique_ptr<Original> unchanged;
    if (records_original) {
      unchanged.reset(new Original{with_status, {}, fields, {}});
      if (data != nullptr) unchanged->data = {base::to_json_text(*data), envelope};
    }
    Json none;
    // If the original is kept, the hooks run again whenever the response is sent.
    std::optional<EachTimeScope> scope;
    if (records_original || !exchange_.reads.is_recorded()) scope.emplace(exchange_);
    // Hooks run for every request, so that they see the input as the client has sent it.
    const PlainInputScope as_sent(exchange_, nullptr);
    hooks::ResponseBefore event{exchange_.request, exchange_.response,
                                data != nullptr ? *data : none, with_status};
    exchange_.env.hooks.emit(event, exchange_.env.logger);
    if (unchanged) unchanged->fields_after_hooks = fields;
    original = std::move(unchanged);
  }
  try {
    status = checked_status(with_status);
    require_no_false_opening();
  } catch (...) {
    discard();  // a hook may have set an invalid status; an error response can still be sent
    throw;
  }
  if (!http::allows_content(status)) remove_field(kContentType);
}

void OutgoingResponse::require_no_false_opening() const {
  if (!exchange_.head.opens_socket || status >= 300) return;
  throw std::logic_error(
      fmt::format("the response to a request that opens the socket {} must be an error, not {}: "
                  "with HTTP/2, the client would take it for an open socket",
                  exchange_.path, status));
}

void OutgoingResponse::apply_schema(Json& data) const {
  const Route* route = exchange_.route;
  if (route == nullptr) return;
  const ResponseSchemas::Declared* declared = route->response_schemas.find(status);
  if (declared == nullptr) return;
  if (declared->stream) {
    throw std::logic_error(fmt::format(
        "{} declares a stream for the status {}: send it with res.{}()", name_of(*route), status,
        declared->stream->format == StreamSchema::Format::lines ? "lines" : "events"));
  }
  const schema::OutputSchema* schema = &declared->schema;
  if (exchange_.head.method == "HEAD") {
    // For HEAD, a schema violation is not an error, but the length of the response to GET is
    // announced (RFC 9110, 8.6).
    Json shaped = data;
    if (!schema->apply(shaped)) data = std::move(shaped);
    base::destroy_iteratively(shaped);
    return;
  }
  if (const auto failure = schema->apply(data)) throw_violation(*failure);
}

void OutgoingResponse::throw_violation(const FieldError& error) const {
  const std::string route =
      exchange_.route == nullptr ? std::string(exchange_.path) : name_of(*exchange_.route);
  throw std::runtime_error(ResponseSchemas::describe(
      fmt::format("the response of {} with status {}", route, status), error));
}

void OutgoingResponse::require_finite(const Json& data) const {
  if (exchange_.head.method == "HEAD") return;  // as for violations of schemas
  if (auto path = path_of_not_finite(data)) {
    throw_violation({std::move(*path), "must be number, but is not a finite number"});
  }
}

template <class WriteData>
void OutgoingResponse::write_json_body(Envelope envelope, WriteData write_data) {
  const bool wraps = envelope == Envelope::as_configured && exchange_.env.config.response.wrap;
  JsonWriter writer;
  if (wraps) writer.raw(R"({"code":0,"data":)");
  write_data(writer);
  if (wraps) write_end_of_envelope(writer, exchange_.context.request_id);
  base::assign(body, writer.content());
}

void OutgoingResponse::json(Json data, std::optional<int> with_status, Envelope envelope) {
  json(std::move(data), checked_status(with_status.value_or(status)), envelope, Source::tree);
}

void OutgoingResponse::json(Json data, int initial, Envelope envelope, Source made_of) {
  const base::TreeGuard guard(data);
  if (!claim(Kind::body)) return;
  try {
    finish_head(&data, initial, envelope);
    if (!http::allows_content(status)) return;
    if (envelope == Envelope::as_configured) apply_schema(data);
    if (made_of == Source::cpp_type) require_finite(data);
    write_json_body(envelope, [&](JsonWriter& writer) { writer.tree(data); });
  } catch (...) {
    discard();  // if the data cannot be sent, an error response can
    throw;
  }
  if (!field(kContentType)) set_valid_field(kContentType, kJson);
}

bool OutgoingResponse::is_final(const std::type_info& type, int with_status) const {
  if (!exchange_.env.config.typed_path) return false;
  if (exchange_.env.hooks.any<hooks::ResponseBefore>()) return false;
  if (exchange_.head.opens_socket) return false;
  if (exchange_.route == nullptr) return true;
  const auto* declared = exchange_.route->response_schemas.find(with_status);
  return declared == nullptr || (declared->type != nullptr && *declared->type == type);
}

void OutgoingResponse::json(const EncodableData& data, std::optional<int> with_status) {
  const int initial = checked_status(with_status.value_or(status));
  if (!is_final(data.type, initial)) {
    return json(data.to_tree(), initial, Envelope::as_configured, Source::cpp_type);
  }
  if (!claim(Kind::body)) return;
  status = initial;
  if (!http::allows_content(status)) return remove_field(kContentType);
  bool is_exact = true;
  try {
    write_json_body(Envelope::as_configured, [&](JsonWriter& writer) {
      data.encode(writer, data.value);
      is_exact = writer.is_exact();
    });
  } catch (...) {
    discard();
    throw;
  }
  if (!is_exact) {
    // An error names the member.
    discard();
    return json(data.to_tree(), initial, Envelope::as_configured, Source::cpp_type);
  }
  if (!field(kContentType)) set_valid_field(kContentType, kJson);
}

void OutgoingResponse::text(std::string content, std::string_view content_type,
                            std::optional<int> with_status) {
  const int initial = checked_status(with_status.value_or(status));
  if (!claim(Kind::body)) return;
  finish_head(nullptr, initial);
  if (!http::allows_content(status)) return;
  body = std::move(content);
  if (!field(kContentType)) set_field(kContentType, content_type);
}

void OutgoingResponse::end() {
  if (!claim(Kind::body)) return;
  finish_head(nullptr, status);
}

void OutgoingResponse::stream(Readable from, std::string_view content_type) {
  if (!claim(Kind::stream)) return;
  // A Content-Type that was set as a header takes precedence over the default.
  if (content_type != kBinary || !field(kContentType)) {
    set_field(kContentType, content_type);
  }
  source = std::make_unique<Readable>(std::move(from));
  finish_head(nullptr, status);
  // Those without a body are cut off when they are sent.
  if (http::allows_body(status) && !http::allows_content(status)) *source = Readable(std::string());
}

void OutgoingResponse::open(Kind as, std::shared_ptr<OpenedChannel> channel) {
  kind = as;
  opened = std::move(channel);
}

void OutgoingResponse::finish_head() { finish_head(nullptr, status); }

void OutgoingResponse::redirect(std::string_view url, int with_status) {
  if (with_status != 301 && with_status != 302 && with_status != 307 && with_status != 308) {
    throw std::invalid_argument(
        fmt::format("a redirect must have the status 301, 302, 307 or 308, not {}", with_status));
  }
  if (!claim(Kind::body)) return;
  std::string location;
  for (const char c : url) {
    const bool plain = !base::is_control(c) && c != ' ' && static_cast<unsigned char>(c) < 0x80;
    location += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  set_field("location", location);
  remove_field(kContentType);
  finish_head(nullptr, with_status);
}

void OutgoingResponse::set_stored(int with_status) {
  if (!claim(Kind::body)) return;
  finish_head(nullptr, with_status);
}

bool OutgoingResponse::is_json() const { return base::is_json(field(kContentType).value_or("")); }

std::string_view OutgoingResponse::body_before_request_id() const {
  std::string_view content = body;
  std::string end;
  append_end_of_envelope(end, exchange_.context.request_id);
  if (exchange_.env.config.response.wrap && content.ends_with(end)) {
    content.remove_suffix(end.size());
  }
  return content;
}

void OutgoingResponse::complete_envelope(std::string_view beginning) {
  JsonWriter writer;
  writer.raw(beginning);
  write_end_of_envelope(writer, exchange_.context.request_id);
  base::assign(body, writer.content());
}

void OutgoingResponse::append_end_of_envelope(std::string& content, std::string_view request_id) {
  JsonWriter writer;
  write_end_of_envelope(writer, request_id);
  content += writer.content();
}

void OutgoingResponse::add_cookie(std::string_view line) {
  constexpr std::string_view kSetCookie = "set-cookie";
  for (std::size_t index = fields.index_of(kSetCookie); index < fields.size();
       index = fields.index_of(kSetCookie, index + 1)) {
    if (http::set_same_cookie(fields[index].value, line)) return fields.set_value(index, line);
  }
  fields.add(kSetCookie, line);
}

std::optional<std::uint64_t> OutgoingResponse::size() const {
  if (!http::allows_body(status)) return std::nullopt;
  if (kind == Kind::body) return body.size();
  if (kind == Kind::stream) return source->size();
  return std::nullopt;
}

bool OutgoingResponse::arrives_later() const {
  return kind == Kind::stream && ReadableSource::arriving_of(*source) != nullptr;
}

}  // namespace fw::detail
