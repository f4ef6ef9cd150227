#include "client/request_body.hpp"

#include <fairway/fetch.hpp>

#include <fmt/format.h>

#include <utility>

#include "base/json_text.hpp"
#include "base/random.hpp"
#include "base/url_encoding.hpp"

namespace fw {

FormData& FormData::append(std::string name, std::string value) {
  parts_.push_back({std::move(name), std::move(value), std::nullopt, {}});
  return *this;
}

FormData& FormData::append_file(std::string name, std::string filename, std::string content,
                                std::string content_type) {
  parts_.push_back(
      {std::move(name), std::move(content), std::move(filename), std::move(content_type)});
  return *this;
}

FormData& FormData::url_encoded() {
  url_encoded_ = true;
  return *this;
}

namespace detail {
namespace {

RequestBody with_bytes(std::string bytes, std::string content_type) {
  return {.bytes = std::make_shared<const std::string>(std::move(bytes)),
          .source = {},
          .content_type = std::move(content_type)};
}

/// Quotes a name in Content-Disposition like browsers do (WHATWG HTML, multipart form data).
std::string field_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\r' || c == '\n') {
      result += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

RequestBody encode_url_encoded(const FormData& form) {
  std::string text;
  for (const FormData::Part& part : form.parts()) {
    if (part.filename) {
      throw OptionError(
          fmt::format("the form has the file '{}', and url-encoded forms have none", part.name));
    }
    if (!text.empty()) text += '&';
    text += base::encode_form(part.name) + '=' + base::encode_form(part.content);
  }
  return with_bytes(std::move(text), "application/x-www-form-urlencoded;charset=UTF-8");
}

RequestBody encode_multipart(const FormData& form) {
  const std::string boundary = "fairway-" + base::make_uuid();
  std::string text;
  for (const FormData::Part& part : form.parts()) {
    if (part.content_type.find_first_of("\r\n") != std::string::npos) {
      throw OptionError(fmt::format("the content type of the file '{}' has a line break",
                                    part.filename.value_or("")));
    }
    text += "--" + boundary + "\r\nContent-Disposition: form-data; name=" + field_quoted(part.name);
    if (part.filename) {
      text += "; filename=" + field_quoted(*part.filename);
      if (!part.content_type.empty()) text += "\r\nContent-Type: " + part.content_type;
    }
    text += "\r\n\r\n" + part.content + "\r\n";
  }
  text += "--" + boundary + "--\r\n";
  return with_bytes(std::move(text), "multipart/form-data; boundary=" + boundary);
}

struct Encode {
  RequestBody operator()(std::monostate) const { return {}; }
  RequestBody operator()(std::string& text) const {
    return with_bytes(std::move(text), "text/plain;charset=UTF-8");
  }
  RequestBody operator()(const Json& json) const {
    return with_bytes(base::to_json_text(json), "application/json");
  }
  RequestBody operator()(const FormData& form) const {
    return form.is_url_encoded() ? encode_url_encoded(form) : encode_multipart(form);
  }
  RequestBody operator()(Readable& source) const {
    return {.bytes = {}, .source = std::move(source), .content_type = {}};
  }
};

}  // namespace

bool has_own_type(const FetchBody& body) {
  return std::holds_alternative<Json>(body.value()) ||
         std::holds_alternative<FormData>(body.value());
}

RequestBody encode_body(FetchBody body) { return std::visit(Encode{}, body.value()); }

}  // namespace detail

FetchBody::FetchBody(std::string text) : value_(new Value(std::move(text))) {}
FetchBody::FetchBody(FormData form) : value_(new Value(std::move(form))) {}
FetchBody::FetchBody(Readable source) : value_(new Value(std::move(source))) {}
FetchBody::FetchBody(JsonValue value) : value_(new Value(std::move(value.json))) {}
FetchBody::FetchBody(const FetchBody& other)
    : value_(other.value_ == nullptr ? nullptr : new Value(*other.value_)) {}
FetchBody::FetchBody(FetchBody&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
FetchBody& FetchBody::operator=(FetchBody other) noexcept {
  std::swap(value_, other.value_);
  return *this;
}
FetchBody::~FetchBody() { delete value_; }

FetchBody::Value& FetchBody::value() {
  if (value_ == nullptr) value_ = new Value;
  return *value_;
}
const FetchBody::Value& FetchBody::value() const {
  static const Value none;
  return value_ == nullptr ? none : *value_;
}

}  // namespace fw
