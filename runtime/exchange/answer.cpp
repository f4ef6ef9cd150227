// The answer's side of an exchange.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "exchange/ascii.hpp"
#include "exchange/exchange.hpp"
#include "exchange/json_disposal.hpp"
#include "exchange/json_text.hpp"

namespace fw::detail {
namespace {

constexpr std::string_view kContentType = "content-type";
constexpr std::string_view kBinary = "application/octet-stream";

}  // namespace

int checked_status(int status) {
  if (status < 200 || status > 599) {
    throw std::invalid_argument(
        fmt::format("the status of an answer is 200 to 599, not {}", status));
  }
  return status;
}

bool Exchange::claim(Answer::Kind kind) {
  if (answered()) {
    env.logger.warn(
        fmt::format("second answer ignored: {} {} has been answered already", head.method, path));
    return false;
  }
  answer.kind = kind;
  return true;
}

void Exchange::discard_answer() {
  answer.kind = Answer::Kind::none;
  answer.body.clear();
  answer.source.reset();
}

void Exchange::finish_head(Json& data, int status) {
  if (env.hooks.any<hooks::ResponseBefore>()) {
    hooks::ResponseBefore event{request, response, data, status};
    env.hooks.emit(event, env.logger);
  }
  try {
    answer.status = checked_status(status);
  } catch (...) {
    discard_answer();  // a hook's mistake leaves room for an error response
    throw;
  }
  if (is_bodiless(status)) remove_answer_field(kContentType);
}

void Exchange::apply_response_schema(Json& data) const {
  if (route == nullptr) return;
  const schema::OutputSchema* schema = route->response_schemas.find(answer.status);
  if (schema == nullptr) return;
  if (head.method == "HEAD") {
    // Never an error; but the length of what GET sends is announced (RFC 9110, 8.6).
    Json shaped = data;
    if (!schema->apply(shaped)) data = std::move(shaped);
    dispose_of(shaped);
    return;
  }
  if (const auto failure = schema->apply(data)) {
    const std::string member =
        failure->field.empty() ? "the data" : fmt::format("'{}'", failure->field);
    throw std::runtime_error(
        fmt::format("the answer of {} with status {} is not as declared: {} {}", name_of(*route),
                    answer.status, member, failure->message));
  }
}

std::string Exchange::make_json_body(const Json& data, Envelope envelope) const {
  const bool wraps = envelope == Envelope::as_configured && env.config.response.wrap;
  std::string text;
  text.reserve(256);
  if (wraps) text += "{\"code\":0,\"data\":";
  append_json(text, data);
  if (wraps) {
    text += ",\"requestId\":";
    append_json_text(text, context.request_id);
    text += '}';
  }
  return text;
}

void Exchange::answer_json(Json data, std::optional<int> status, Envelope envelope) {
  const int initial = checked_status(status.value_or(answer.status));
  if (!claim(Answer::Kind::body)) return;
  try {
    finish_head(data, initial);
    if (is_bodiless(answer.status)) return;
    if (envelope == Envelope::as_configured) apply_response_schema(data);
    answer.body = make_json_body(data, envelope);
    dispose_of(data);
  } catch (...) {
    answer.kind = Answer::Kind::none;  // data that cannot be sent leaves room for an error answer
    throw;
  }
  if (!answer_field(kContentType)) {
    set_answer_field(kContentType, "application/json; charset=utf-8");
  }
}

void Exchange::answer_text(std::string content, std::string_view content_type,
                           std::optional<int> status) {
  const int initial = checked_status(status.value_or(answer.status));
  if (!claim(Answer::Kind::body)) return;
  Json none;
  finish_head(none, initial);
  if (is_bodiless(answer.status)) return;
  answer.body = std::move(content);
  if (!answer_field(kContentType)) set_answer_field(kContentType, content_type);
}

void Exchange::answer_empty() {
  if (!claim(Answer::Kind::body)) return;
  Json none;
  finish_head(none, answer.status);
}

void Exchange::answer_stream(Readable source, std::string_view content_type) {
  if (!claim(Answer::Kind::stream)) return;
  // The default type gives way to one that was set as a header.
  if (content_type != kBinary || !answer_field(kContentType)) {
    set_answer_field(kContentType, content_type);
  }
  answer.source = std::move(source);
  Json none;
  finish_head(none, answer.status);
}

void Exchange::answer_redirect(std::string_view url, int status) {
  if (status != 301 && status != 302 && status != 307 && status != 308) {
    throw std::invalid_argument(
        fmt::format("a redirect has the status 301, 302, 307 or 308, not {}", status));
  }
  if (!claim(Answer::Kind::body)) return;
  std::string location;
  for (const char c : url) {
    const bool plain = !is_control(c) && c != ' ' && static_cast<unsigned char>(c) < 0x80;
    location += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  set_answer_field("location", location);
  remove_answer_field(kContentType);
  Json none;
  finish_head(none, status);
}

std::optional<std::string_view> Exchange::answer_field(std::string_view name) const {
  for (const auto& [field, value] : answer.fields) {
    if (equal_ignoring_case(field, name)) return value;
  }
  return std::nullopt;
}

void Exchange::set_answer_field(std::string_view name, std::string_view value) {
  for (std::size_t i = 0; i < answer.fields.size(); ++i) {
    if (!equal_ignoring_case(answer.fields[i].first, name)) continue;
    answer.fields[i].second = value;
    const auto rest = answer.fields.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    answer.fields.erase(
        std::remove_if(rest, answer.fields.end(),
                       [&](const auto& field) { return equal_ignoring_case(field.first, name); }),
        answer.fields.end());
    return;
  }
  answer.fields.emplace_back(name, value);
}

void Exchange::remove_answer_field(std::string_view name) {
  std::erase_if(answer.fields,
                [&](const auto& field) { return equal_ignoring_case(field.first, name); });
}

std::optional<std::uint64_t> Exchange::answer_size() const {
  if (is_bodiless(answer.status)) return std::nullopt;
  if (answer.kind == Answer::Kind::body) return answer.body.size();
  if (answer.kind == Answer::Kind::stream) return answer.source->size();
  return std::nullopt;
}

}  // namespace fw::detail
