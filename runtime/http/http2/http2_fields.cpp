#include "http/http2/http2_fields.hpp"

#include <charconv>

#include "base/ascii.hpp"
#include "base/connection_fields.hpp"
#include "http/request_head.hpp"

namespace fw::http {
namespace {

std::vector<nghttp2_nv>& field_list() {
  thread_local std::vector<nghttp2_nv> list;
  list.clear();
  return list;
}

}  // namespace

nghttp2_nv http2_field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

void RequestFieldReader::add(std::string_view name, std::string_view value,
                             const AdapterOptions& options, RequestHead& head) {
  if (error_) return;
  Fields& fields = head.fields;
  size_ += name.size() + value.size() + kFieldOverhead;
  if (size_ > options.max_header_size) {
    error_ = {431, "the request's headers are too large"};
  } else if (name == ":method") {
    method_ = value;
  } else if (name == ":path") {
    path_ = value;
  } else if (name == ":authority") {
    fields.add_valid("host", value);
  } else if (name == ":scheme") {
    using base::equal_ignoring_case;
    has_http_scheme_ = equal_ignoring_case(value, "http") || equal_ignoring_case(value, "https");
  } else if (name == ":protocol") {
    protocol_ = value;
  } else if (name.starts_with(':')) {
    return;
  } else if (name == "cookie") {
    // RFC 9113, 8.2.3: a client may send each cookie by itself.
    if (!cookie_.empty()) cookie_ += "; ";
    cookie_ += value;
  } else if (name == "host" && fields.size() > 0 && fields[0].name == "host") {
    if (fields[0].value != value) error_ = {400, "Host and :authority name different hosts"};
  } else if (fields.size() == options.max_header_count) {
    error_ = {431, "the request has too many headers"};
  } else {
    fields.add_valid(name, value);
  }
}

void RequestFieldReader::finish(bool has_ended, const AdapterOptions& options, RequestHead& head,
                                Framing& framing) {
  if (!cookie_.empty()) head.fields.add_valid("cookie", cookie_);
  if (!error_ && head.fields.size() > options.max_header_count) {
    error_ = {431, "the request has too many headers"};
  }
  if (method_ == "CONNECT" && base::equal_ignoring_case(protocol_, "websocket")) {
    head.opens_socket = true;
    method_ = "GET";
    if (!error_ && has_ended) error_ = {400, "a stream that has ended cannot be a socket"};
  }
  // Here it means that the length is not known. The bytes of a socket are no body.
  framing.chunked = !has_ended && !head.opens_socket && !head.fields.find("content-length");
  if (!error_ && method_ == "CONNECT") {
    error_ = {501, protocol_.empty() ? "the method CONNECT is not supported"
                                     : "CONNECT is supported for the protocol 'websocket' only"};
  }
  if (!error_ && path_.empty()) error_ = {501, "the method CONNECT is not supported"};
  if (!error_ && !has_http_scheme_) error_ = {400, "the scheme is neither http nor https"};
  if (!error_) error_ = set_method_and_target(method_, path_, head);
  if (!error_) error_ = parse_framing(head.fields, framing);
  if (method_ == "HEAD") head.method = "HEAD";
  head.content_length = framing.content_length;
  head.has_body = framing.has_body();
  for (std::string* const copied : {&method_, &path_, &protocol_, &cookie_}) {
    std::string().swap(*copied);
  }
}

ResponseFields::ResponseFields(const ResponseHead& head, std::optional<std::uint64_t> length)
    : list_(field_list()) {
  std::to_chars(status_.data(), status_.data() + status_.size(), head.status);
  list_.push_back(http2_field(":status", {status_.data(), status_.size()}));
  for (const auto& [name, value] : head.fields) {
    // The length is added separately.
    if (base::is_http1_field(name) || base::equal_ignoring_case(name, "content-length")) continue;
    list_.push_back(http2_field(name, value));
  }
  if (!head.fields.find("date")) list_.push_back(http2_field("date", current_date()));
  if (length) {
    const auto end = std::to_chars(length_.data(), length_.data() + length_.size(), *length).ptr;
    list_.push_back(http2_field("content-length", {length_.data(), end}));
  }
}

std::uint32_t urgency_of(std::string_view priority) {
  std::uint32_t urgency = 3;
  base::for_each_token(priority, ',', [&](std::string_view member) {
    const auto value = base::trim_ows(member.substr(0, member.find(';')));
    const bool is_urgency =
        value.size() == 3 && value.starts_with("u=") && value[2] >= '0' && value[2] <= '7';
    if (is_urgency) urgency = static_cast<std::uint32_t>(value[2] - '0');
  });
  return urgency;
}

}  // namespace fw::http
