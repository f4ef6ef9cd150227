#include "features/cache/stored_response_sending.hpp"

#include <fairway/hooks.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/ascii.hpp"
#include "chain/error_response.hpp"
#include "chain/freshness.hpp"
#include "chain/rendered_page.hpp"
#include "features/cache/preconditions.hpp"
#include "features/compression/compression_stage.hpp"
#include "http/field_lines.hpp"
#include "http/response_head.hpp"

namespace fw::detail {
namespace {

/// Stores the fields that the handler has set, and those that it added to the fields of earlier
/// stages.
void take_new_fields(const http::Fields& before, const http::Fields& after,
                     StoredResponse& response) {
  for (std::size_t index = 0; index < after.size(); ++index) {
    const http::Field field = after[index];
    const bool is_set = after.is_set(index);
    if (!is_set && std::find(before.begin(), before.end(), field) != before.end()) continue;
    const bool replaces = (is_set ? before : response.replacements).find(field.name).has_value();
    if (replaces) {
      response.replacements.add(field.name, field.value);
    } else {
      response.add_field(field.name, field.value, is_set);
    }
  }
}

/// Adds fields of the entry. A Vary field of a middleware and the entry's become one.
void add_fields(OutgoingResponse& outgoing, const http::Fields& fields) {
  http::Fields& sent = outgoing.fields;
  if (!sent.shares_name(fields)) return sent.add(fields);
  for (std::size_t index = 0; index < fields.size(); ++index) {
    const auto [name, value] = fields[index];
    if (base::equal_ignoring_case(name, "vary")) {
      outgoing.add_vary(value);
    } else if (fields.is_set(index)) {
      outgoing.set_valid_field(name, value);
    } else {
      sent.add_valid(name, value);
    }
  }
}

/// The bytes after the stored body in the response to this request.
std::string end_of(const Exchange& exchange, const StoredResponse& response) {
  std::string end;
  if (response.form == StoredResponse::Form::without_id) {
    OutgoingResponse::append_end_of_envelope(end, exchange.context.request_id);
  }
  return end;
}

const StoredResponse::Encoded& encode(const Exchange& exchange, compression::Coding coding,
                                      StoredResponse& response) {
  const int level = exchange.env.compression.level(coding);
  response.encodings.push_back(
      {coding, compression::compress_beginning(coding, level, response.body.view())});
  return response.encodings.back();
}

void send_encoded(Exchange& exchange, const StoredResponse::Encoded& encoded,
                  const StoredResponse& response) {
  exchange.outgoing.set_field("content-encoding", compression::name_of(encoded.coding));
  exchange.outgoing.body =
      compression::complete(encoded.coding, encoded.beginning.view(), end_of(exchange, response));
}

/// Sends a stored response in a coding, and stores the encoded body with it if that is new.
void send_compressed(Exchange& exchange, CachedRun& run, const StoredResponse& response,
                     compression::Coding coding) {
  if (const auto* encoded = response.encoded(coding)) {
    return send_encoded(exchange, *encoded, response);
  }
  StoredResponse compressed = response;
  send_encoded(exchange, encode(exchange, coding, compressed), response);
  run.replace(exchange, response, compressed);
}

void send_body(Exchange& exchange, CachedRun& run, const StoredResponse& response) {
  OutgoingResponse& outgoing = exchange.outgoing;
  // Only compression depends on the fields and the size of the body: a 304 has none of them.
  const bool may_be_compressed = response.nonce.empty() && is_compression_enabled(exchange);
  if (response.nonce.empty() && !may_be_compressed &&
      respond_to_preconditions(exchange, std::nullopt)) {
    return;
  }
  if (!response.nonce.empty()) {
    outgoing.body = with_nonce(exchange, std::string(response.body.view()), response.nonce);
    return;
  }
  if (may_be_compressed) {
    std::optional<std::uint64_t> size;
    if (is_compressible(exchange)) {
      size = response.body.view().size() + end_of(exchange, response).size();
    }
    if (respond_to_preconditions(exchange, size)) return;
    if (const auto coding = negotiate_coding(exchange, size)) {
      return send_compressed(exchange, run, response, *coding);
    }
  }
  if (response.form == StoredResponse::Form::without_id) {
    outgoing.complete_envelope(response.body.view());
  } else {
    outgoing.body = response.body.view();
  }
}

/// Whether responses with this status and these fields are whole, and may be stored.
bool may_be_stored(int status, const http::Fields& fields) {
  const bool is_partial = status == 206 || fields.find("content-range");
  return status <= 299 && !is_partial && http::allows_content(status) && !forbids_storing(fields);
}

}  // namespace

Storability storability_of(Exchange& exchange) {
  const OutgoingResponse& response = exchange.outgoing;
  // What is stored is the response before the hooks.
  const auto& original = response.original;
  if (original && !may_be_stored(original->status, original->fields)) return {};
  if (!response.is_set() || !may_be_stored(response.status, response.fields)) return {};
  if (response.kind != OutgoingResponse::Kind::body) return {.reason = "it is a stream"};
  if (response.field("set-cookie")) {
    return {.reason = "it sets a cookie (the handler, a middleware or a hook does)"};
  }
  if (response.has_csrf_token) return {.reason = "it has a CSRF token"};
  const RequestSession* const session = exchange.session();
  if (session != nullptr && session->changes_response()) {
    return {.reason = "it changes the session"};
  }
  if (response.is_page && !page_nonce(exchange).empty()) {
    return {.reason = "the handler has set the content security policy of the page"};
  }
  if (!response.is_page && !response.is_json()) {
    return {.reason = "it is neither JSON nor a page"};
  }
  // Otherwise the response is not sent either.
  const auto is_valid = [](const http::Field& field) {
    return http::is_valid_field(field.name, field.value);
  };
  return {.is_storable = std::all_of(response.fields.begin(), response.fields.end(), is_valid)};
}

StoredResponse taken_response(const Exchange& exchange, const http::Fields& before) {
  const OutgoingResponse& outgoing = exchange.outgoing;
  const auto& original = outgoing.original;
  StoredResponse response;
  response.status = original ? original->status : outgoing.status;
  take_new_fields(before, outgoing.fields_without_hooks(), response);
  using Form = StoredResponse::Form;
  if (original && original->data) {
    response.body = original->data->text;
    response.form =
        original->data->envelope == Envelope::none ? Form::data_without_envelope : Form::data;
    return response;
  }
  const std::string_view body = outgoing.body_before_request_id();
  response.body = std::string(body);
  if (body.size() != outgoing.body.size()) response.form = Form::without_id;
  return response;
}

void replace_fields(OutgoingResponse& outgoing, const http::Fields& replacements) {
  for (std::size_t index = 0; index < replacements.size(); ++index) {
    const auto [name, value] = replacements[index];
    if (base::equal_ignoring_case(name, "vary")) {
      outgoing.add_vary(value);
    } else if (replacements.index_of(name) == index) {
      outgoing.set_field(name, value);
    } else {
      outgoing.fields.add(name, value);
    }
  }
}

void compress_first(Exchange& exchange, StoredResponse& response) {
  if (const auto coding = negotiate_coding(exchange, exchange.outgoing.body.size())) {
    send_encoded(exchange, encode(exchange, *coding, response), response);
  }
}

bool is_known(const Exchange& exchange, const StoredResponse& response) {
  if (response.entity_tag.empty() ||
      !Preconditions::is_single_if_none_match(exchange.head.fields, response.entity_tag)) {
    return false;
  }
  const http::Fields& fields = exchange.outgoing.fields;
  return !is_compression_enabled(exchange) && !exchange.env.hooks.any<hooks::ResponseBefore>() &&
         // Those that the entry has, or that a 304 must not have.
         !has_content_fields(fields) && !fields.find(kCacheControl) && !fields.find(kCache);
}

void send_not_modified(Exchange& exchange, const StoredResponse& response) {
  exchange.outgoing.kind = OutgoingResponse::Kind::body;
  exchange.outgoing.status = 304;
  add_fields(exchange.outgoing, response.fields);
}

void send_stored(Exchange& exchange, CachedRun& run, const StoredResponse& response) {
  OutgoingResponse& outgoing = exchange.outgoing;
  add_fields(outgoing, response.all_fields);
  replace_fields(outgoing, response.replacements);
  using Form = StoredResponse::Form;
  if (response.form == Form::data || response.form == Form::data_without_envelope) {
    outgoing.json(Json::parse(response.body.view()), response.status,
                  response.form == Form::data ? Envelope::as_configured : Envelope::none);
    return;
  }
  outgoing.set_stored(response.status);
  if (http::allows_body(outgoing.status)) {
    send_body(exchange, run, response);
  } else {
    remove_body_fields(outgoing.fields);
  }
}

}  // namespace fw::detail
