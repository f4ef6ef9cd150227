#include "client/proxy.hpp"

#include <fairway/errors.hpp>
#include <fairway/hooks.hpp>
#include <fairway/request.hpp>
#include <fairway/response.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.hpp"
#include "base/random.hpp"
#include "chain/error_response.hpp"
#include "client/proxy_request.hpp"
#include "client/request_body.hpp"
#include "client/upstream_body.hpp"
#include "compression/compression_policy.hpp"
#include "compression/decoder.hpp"
#include "errors/messages.hpp"
#include "exchange/exchange.hpp"
#include "http/response_head.hpp"

namespace fw::detail {
namespace {

constexpr int kPartialContent = 206;

std::string via_name(const std::string& configured) {
  return configured.empty() ? "fairway-" + base::make_uuid() : configured;
}

/// An error in the application, not of the client.
class UnknownTarget : public std::runtime_error {
 public:
  explicit UnknownTarget(const std::string& name)
      : std::runtime_error(fmt::format("there is no proxy target '{}'", name)) {}
};

/// Fields that describe the encoded body. They are removed when the proxy decodes it.
constexpr std::array<std::string_view, 6> kFieldsOfEncodedBody = {
    "accept-ranges", "content-digest", "content-encoding", "content-md5", "digest", "repr-digest"};

/// Whether the client gets the body as the upstream sends it.
bool passes_coding(std::string_view coding, int status, Request& req) {
  // A part of an encoded body cannot be decoded.
  return coding.empty() || status == kPartialContent || !compression::make_decoder(coding) ||
         compression::weight_of_coding(req.header("accept-encoding"), coding) > 0;
}

/// A tag of the encoded body is not one of the decoded body, byte for byte (RFC 9110, 8.8.3.3).
std::string weak_tag(std::string_view tag) {
  return tag.starts_with("W/") ? std::string(tag) : "W/" + std::string(tag);
}

/// The fields that the upstream gets with other values than the client has sent. Caches outside
/// know host and scheme, and the gateway sends only codings that the client accepts.
std::vector<std::string> fields_of_application(const FetchHeaders& headers, Request& req) {
  constexpr std::array<std::string_view, 3> kKnownOutside = {"accept-encoding", "x-forwarded-host",
                                                             "x-forwarded-proto"};
  Exchange& exchange = Exchange::of(req);
  std::vector<std::string> names;
  for (const auto& [name, value] : headers) {
    const auto is_name = [header = std::string_view(name)](std::string_view other) {
      return base::equal_ignoring_case(header, other);
    };
    const bool is_known = std::any_of(kKnownOutside.begin(), kKnownOutside.end(), is_name);
    if (!is_known && exchange.header(name) != value) names.push_back(name);
  }
  return names;
}

/// Whether Vary has one of these names.
bool varies_with_any(const FetchHeaders& headers, const std::vector<std::string>& names) {
  bool varies = false;
  base::for_each_token(headers.get("vary").value_or(""), ',', [&](std::string_view each) {
    const auto is_name = [name = base::trim_ows(each)](std::string_view other) {
      return base::equal_ignoring_case(name, other);
    };
    varies = varies || std::any_of(names.begin(), names.end(), is_name);
  });
  return varies;
}

/// Whether a field says which pages of other origins may read the response (Fetch standard, CORS).
bool is_cors_field(std::string_view name) {
  constexpr std::string_view kPrefix = "access-control-";
  return base::equal_ignoring_case(name.substr(0, kPrefix.size()), kPrefix);
}

void pass_headers(const FetchHeaders& headers, bool is_decoded, Exchange& exchange) {
  const std::string_view own_header = exchange.env.config.request_id.response_header;
  const bool has_cors = exchange.outgoing.has_cors;
  Response& res = exchange.response;
  const std::vector<std::string> dropped =
      connection_options(headers.get("connection").value_or(""));
  for (auto entry = headers.begin(); entry != headers.end(); ++entry) {
    const auto& [name, value] = *entry;
    const auto is_name = [header = std::string_view(name)](std::string_view other) {
      return base::equal_ignoring_case(header, other);
    };
    // Removed because the framing follows from the body that is sent, and because the response has
    // the id of this request.
    if (is_hop_by_hop(name) || is_name("content-length") || is_name(own_header) ||
        std::any_of(dropped.begin(), dropped.end(), is_name) || (has_cors && is_cors_field(name)) ||
        (is_decoded &&
         std::any_of(kFieldsOfEncodedBody.begin(), kFieldsOfEncodedBody.end(), is_name))) {
      continue;
    }
    const auto has_name = [&](const auto& other) { return is_name(other.first); };
    if (is_name("set-cookie")) {
      res.append_header(name, value);
    } else if (std::none_of(headers.begin(), entry, has_name)) {
      const bool is_repeated = std::any_of(std::next(entry), headers.end(), has_name);
      const std::string whole = is_repeated ? *headers.get(name) : value;
      res.set_header(name, is_decoded && is_name("etag") ? weak_tag(whole) : whole);
    }
  }
}

/// The length of the body that the client gets, or that it would get for GET.
std::optional<std::uint64_t> length_for(const FetchExchange& upstream, bool is_decoded,
                                        const Exchange& exchange) {
  if (upstream.has_body()) return upstream.length();
  const bool has_announced_length = exchange.head.method == "HEAD" && !is_decoded;
  return has_announced_length ? upstream.announced() : std::nullopt;
}

void require_size(std::uint64_t size, const FetchProxyOptions& options) {
  if (options.max_body_size.is_set() && size > options.max_body_size.bytes()) {
    throw status_error(413);
  }
}

/// The body that the client sends, up to its size limit and within the timeout of the upstream.
Readable streamed_body(Exchange& exchange, const FetchProxyOptions& options,
                       std::chrono::milliseconds timeout) {
  Readable body = exchange.body_stream(std::chrono::steady_clock::now() + timeout);
  const auto size = body.size();
  require_size(size.value_or(0), options);
  if (!options.max_body_size.is_set()) return body;
  // Shared, because std::function copies what it contains.
  Readable::Generator limited = [source = std::make_shared<Readable>(std::move(body)), options,
                                 read = std::uint64_t{0}](std::span<char> buffer) mutable {
    const std::size_t count = source->read(buffer);
    read += count;
    require_size(read, options);
    return count;
  };
  return size ? Readable(std::move(limited), *size) : Readable(std::move(limited));
}

/// The body of the request.
RequestBody forwarded_body(Request& req, const FetchProxyOptions& options,
                           std::chrono::milliseconds timeout) {
  RequestBody body;
  Exchange& exchange = Exchange::of(req);
  if (exchange.streams_body()) {
    if (exchange.head.has_body) body.source = streamed_body(exchange, options, timeout);
    return body;
  }
  const std::string_view bytes = req.raw_body();
  require_size(bytes.size(), options);
  if (!bytes.empty()) body.bytes = std::make_shared<const std::string>(bytes);
  return body;
}

/// The body of the call instead.
void set_own_body(OutboundCallOptions& call_options, const FetchProxyOptions& options) {
  call_options.body = encode_body(*options.body);
  if (call_options.body.bytes && call_options.body.bytes->empty()) call_options.body.bytes.reset();
  if (has_own_type(*options.body) && !call_options.headers.has("content-type")) {
    call_options.headers.set("content-type", call_options.body.content_type);
  }
}

}  // namespace

Proxy::Proxy(const Environment& environment, std::shared_ptr<OutboundClient> client)
    : env_(environment), client_(std::move(client)), via_(via_name(environment.config.fetch.via)) {}

const FetchProxyTarget& Proxy::find_target(const std::string& name) const {
  for (const FetchProxyTarget& target : env_.config.fetch.proxy) {
    if (target.name == name) return target;
  }
  throw UnknownTarget(name);
}

OutboundCallOptions Proxy::make_call_options(const FetchProxyTarget* target, Request& req,
                                             const FetchProxyOptions& options) const {
  const FetchConfig& config = env_.config.fetch;
  const FetchProxyTarget none;
  const FetchProxyTarget& own = target == nullptr ? none : *target;
  const auto timeout = options.timeout ? options.timeout : own.timeout;
  const auto retry_delay = options.retry_delay ? options.retry_delay : own.retry_delay;
  ProxyUrl url = proxy_url(target, req, options);
  OutboundCallOptions call_options{
      .caller = "app.fetch.proxy",
      .log_type = "proxy",
      .method = std::string(req.method()),
      .url = std::move(url.text),
      .headers = proxy_headers(target, req, options),
      .timeout = checked_timeout(timeout ? timeout->count() : config.timeout),
      .idle_timeout = checked_timeout(config.idle_timeout, "idleTimeout"),
      .retry = checked_retry(options.retry.value_or(own.retry.value_or(config.retry))),
      .retry_delay = checked_delay(retry_delay ? *retry_delay : config.retry_delay),
      .redirect = Redirect::manual,
      .limits_body = true,
      .signal = req.signal(),
      .timer = env_.deadlines,
      .buffers = env_.buffers,
      .cut_off_requests = env_.cut_off_requests,
      .unix_socket = std::move(url.unix_socket)};
  call_options.has_declared_server = target != nullptr;
  add_via(call_options.headers, via_, req);
  // What the client has sent names its own span.
  const auto traceparent = call_options.headers.get("traceparent");
  if (!traceparent || traceparent == Exchange::of(req).header("traceparent")) {
    call_options.continue_trace();
  }
  if (!options.method.empty()) {
    call_options.method = options.method;
    for (char& c : call_options.method) c = base::to_upper(c);
  }
  if (call_options.method != "GET" && call_options.method != "HEAD") {
    if (options.body) {
      set_own_body(call_options, options);
    } else {
      call_options.body =
          forwarded_body(req, options, std::chrono::milliseconds(call_options.timeout));
    }
  }
  call_options.check();
  return call_options;
}

void Proxy::forward(const std::string* target, Request& req, Response& res,
                    const FetchProxyOptions& options) {
  try {
    pass_on(target, req, res, options);
  } catch (...) {
    respond_with_error(req, res);
  }
}

void Proxy::pass_on(const std::string* target, Request& req, Response& res,
                    const FetchProxyOptions& options) {
  OutboundCallOptions call_options =
      make_call_options(target == nullptr ? nullptr : &find_target(*target), req, options);
  const std::string method = call_options.method;
  const std::string url = call_options.url;
  const auto transport_in_use = client_->transport(call_options);
  if (env_.hooks.any<hooks::ProxyBefore>()) {
    hooks::ProxyBefore event{req, method, url, call_options.headers};
    env_.hooks.emit(event, env_.logger);
    call_options.check();
  }
  const std::vector<std::string> own_fields = fields_of_application(call_options.headers, req);
  OutboundCall call(std::move(call_options), transport_in_use, env_.logger, client_->metrics());
  try {
    FetchResponse upstream = call.run();
    if (env_.hooks.any<hooks::ProxyAfter>()) {
      hooks::ProxyAfter event{req, method, url, upstream, call.attempt()};
      env_.hooks.emit(event, env_.logger);
    }
    res.status(upstream.status());
    // A response without a body has the fields that it would have with one.
    const std::string coding = upstream.headers().get("content-encoding").value_or("");
    const bool is_encoded = !coding.empty() && !base::equal_ignoring_case(coding, "identity");
    const bool is_decoded = is_encoded && !passes_coding(coding, upstream.status(), req);
    if (!is_decoded) upstream.exchange_->keep_coding();
    Exchange& exchange = Exchange::of(req);
    pass_headers(upstream.headers(), is_decoded, exchange);
    // The upstream has chosen the coding by a field of the request.
    if (is_encoded) exchange.outgoing.add_vary("Accept-Encoding");
    Freshness& freshness = exchange.outgoing.freshness;
    freshness.is_of_upstream = true;
    if (varies_with_any(upstream.headers(), own_fields)) freshness.is_private = true;
    if (!http::allows_content(upstream.status())) return res.end();
    const auto length = length_for(*upstream.exchange_, is_decoded, exchange);
    res.stream(pass_body(std::move(upstream.exchange_), length));
  } catch (...) {
    if (env_.hooks.any<hooks::ProxyFailed>()) {
      hooks::ProxyFailed event{req, method, url, std::current_exception(), call.attempt()};
      env_.hooks.emit(event, env_.logger);
    }
    throw;
  }
}

/// Must be called in a catch clause.
void Proxy::respond_with_error(Request& req, Response& res) const {
  // Of the response that the handler has prepared.
  if (auto& response = Exchange::of(req).outgoing; !response.is_set()) {
    remove_content_fields(response.fields);
  }
  const auto respond = [&](const HttpError& error) {
    const Json code = error.code().is_null() ? Json(error.status()) : error.code();
    res.raw_json({{"code", code}, {"message", error.what()}, {"requestId", req.request_id()}},
                 error.status());
  };
  // The messages are constant: the messages of the errors name internal servers.
  try {
    throw;
  } catch (const OptionError& error) {
    env_.logger.warn(fmt::format("[app.fetch.proxy] {}", error.what()));
    respond(status_error(400, "the request cannot be forwarded"));
  } catch (const UnknownTarget& error) {
    env_.logger.error(fmt::format("[app.fetch.proxy] {}", error.what()));
    respond(status_error(500));
  } catch (const AbortError&) {
    respond(status_error(499));  // not received by the client
  } catch (const TimeoutError&) {
    respond(status_error(504, "the upstream did not respond in time"));
  } catch (const FetchError&) {
    respond(status_error(502, "the upstream could not be reached"));
  } catch (const HttpError& error) {
    respond(error);
  } catch (const std::exception& error) {
    env_.logger.error(fmt::format("[app.fetch.proxy] {}", error.what()), error);
    respond(status_error(500));
  }
}

}  // namespace fw::detail

namespace fw {

void FetchProxyHandler::operator()(Request& req, Response& res, FetchProxyOptions options) const {
  proxy_->forward(&name_, req, res, options);
}

void FetchProxy::operator()(Request& req, Response& res, FetchProxyOptions options) const {
  proxy_->forward(nullptr, req, res, options);
}

}  // namespace fw
