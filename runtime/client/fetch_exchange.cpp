#include "client/fetch_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/loggable_url.hpp"
#include "client/upstream_body.hpp"
#include "exchange/current.hpp"
#include "exchange/exchange.hpp"
#include "exchange/json_body.hpp"
#include "http/framing.hpp"
#include "http/response_head.hpp"

namespace fw::detail {
namespace {

/// From this status on, the upstream does not want the rest of the request, and libcurl does not
/// send it (RFC 9112, 9.5).
constexpr int kNotAccepted = 300;

constexpr std::string_view kTooLarge = "the body of the response is larger than maxSize";

using Outcome = client::Transfer::Outcome;
using Kind = client::OutboundFailure::Kind;

/// The codings of a body; empty for none.
std::string coding_of(const FetchHeaders& headers) {
  std::string coding = headers.get("content-encoding").value_or("");
  return base::equal_ignoring_case(coding, "identity") ? std::string() : coding;
}

client::Deadline earliest(client::Deadline one, client::Deadline other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

bool is_over(client::Deadline deadline) { return deadline && client::Clock::now() >= *deadline; }

}  // namespace

std::string CallName::text() const {
  return fmt::format("[{}] {} {}", caller, method, base::loggable_url(url));
}

void CallName::throw_timeout(std::string_view why) const {
  throw TimeoutError(fmt::format("{} timed out: {}", text(), why), method, url, attempt);
}

void CallName::throw_abort(const CallSignal& signal) const {
  throw AbortError(fmt::format("{} was aborted: {}", text(), signal.reason()), method, url, attempt,
                   signal.reason());
}

void CallName::throw_failure(const client::OutboundFailure& failure) const {
  const std::string message = fmt::format("{} failed: {}", text(), failure.message);
  switch (failure.kind) {
    case Kind::tls:
      throw TlsError(message, method, url, attempt);
    case Kind::stale:
      throw StaleConnectionError(message, method, url, attempt);
    case Kind::refused:
    case Kind::needs_http_1:
      throw RefusedRequestError(message, method, url, attempt, failure.kind == Kind::needs_http_1);
    case Kind::address:
      throw AddressError(message, method, url, attempt);
    case Kind::network:
      break;
  }
  throw NetworkError(message, method, url, attempt);
}

void CallName::throw_body_error(std::string_view why) const {
  throw BodyError(fmt::format("{}: {}", text(), why), method, url, attempt);
}

FetchExchange::FetchExchange(CallName name, std::shared_ptr<CallSignal> signal,
                             std::shared_ptr<client::OutboundTransport> transport,
                             client::OutboundRequest request, std::optional<Readable> source,
                             CallLimits limits)
    : name_(std::move(name)),
      signal_(std::move(signal)),
      transport_(std::move(transport)),
      transfer_(std::make_shared<client::Transfer>(std::move(request))),
      source_(std::move(source)),
      limits_(std::move(limits)) {}

FetchExchange::~FetchExchange() {
  if (is_request_on_its_way()) {
    transfer_->detach({.idle = limits_.idle,
                       .until = earliest(limits_.attempt, limits_.total),
                       .on_cut_off = cut_off_report()});
    return;
  }
  const bool is_cut_off = is_sending() && !transfer_->has_ended();
  transfer_->close();
  if (is_cut_off) cut_off_report()("the source has not been read to its end");
}

/// Whether nothing but the transfer is needed to send what may be left of the request, and an
/// upstream that has responded may want it.
bool FetchExchange::is_request_on_its_way() const {
  const bool has_body = source_ ? has_sent_body_ : transfer_->request().body != nullptr;
  return has_body && has_head_ && status() < kNotAccepted && !transfer_->has_ended() &&
         !transfer_->has_sent_request();
}

/// Logs the warning with a reason. May be called on any thread, also after the end of this.
std::function<void(std::string_view)> FetchExchange::cut_off_report() const noexcept {
  const auto nothing = [](std::string_view) {};
  if (!logger_ || !warnings_) return nothing;
  try {
    const RequestContext* const current = current_context();
    return [logger = *logger_, type = log_type_, warnings = warnings_, name = name_,
            context = current == nullptr ? std::nullopt : std::optional(current->for_thread())](
               std::string_view reason) {
      if (!warnings->pass()) return;
      try {
        const CurrentContextScope scope(context ? &*context : nullptr);
        // Of a body without a size, nothing may be left.
        logger.warn(
            fmt::format("{}: the response was dropped while the request was being sent, and "
                        "what may be left of it is not sent, because {}",
                        name.text(), reason),
            Json{{"type", type}, {"method", name.method}, {"url", base::loggable_url(name.url)}});
      } catch (...) {
        // The log has failed.
      }
    };
  } catch (...) {
    return nothing;
  }
}

void FetchExchange::begin() {
  signal_->watch(transfer_);
  transfer_->start(*transport_);
  const client::Deadline deadline = earliest(limits_.attempt, limits_.total);
  while (true) {
    const Outcome outcome = transfer_->wait_for_head(deadline);
    if (outcome == Outcome::ready) break;
    if (outcome != Outcome::feed) fail(outcome);
    feed();
  }
  has_head_ = true;
  if (is_sending() && status() >= kNotAccepted) {
    has_sent_body_ = true;
    transfer_->stop_feeding();
  }
  const http::Fields fields = transfer_->take_fields();
  http::Framing framing;
  if (!http::parse_response_framing(fields, framing)) announced_ = framing.content_length;
  headers_ = FetchHeaders(fields.pairs());
  if (has_body()) coding_ = coding_of(headers_);
}

void FetchExchange::send_body() {
  const client::OutboundRequest& request = transfer_->request();
  if (status() >= kNotAccepted || (!source_ && (!request.body || request.body->empty()))) return;
  while (true) {
    // Without the deadline of the attempt, the limit for a pause applies, as to the response.
    client::Deadline idle;
    if (!limits_.attempt) idle = client::Clock::now() + limits_.idle;
    const client::Deadline deadline = earliest(idle, earliest(limits_.attempt, limits_.total));
    const bool feeds = source_ && !has_sent_body_;
    const Outcome outcome =
        feeds ? transfer_->wait_to_feed(deadline) : transfer_->wait_until_sent(deadline);
    if (outcome == Outcome::ready) return;
    if (outcome == Outcome::feed) {
      feed();
    } else if (outcome != Outcome::later) {
      fail(outcome, idle ? "no part of the request could be sent" : "");
    }
  }
}

void FetchExchange::watch(std::weak_ptr<http::BodyWaker> waker,
                          std::shared_ptr<http::BufferBudget> buffers) {
  if (buffers) {
    decoder_share_.reset();
    buffers_ = buffers;
    decoder_share_.emplace(*buffers_);
  }
  transfer_->watch(std::move(waker), std::move(buffers));
}

void FetchExchange::abandon() {
  transfer_->abandon();
  decoder_.reset();
  if (decoder_share_) decoder_share_->release();
  counted_by_decoder_ = 0;
}

void FetchExchange::feed() {
  if (has_sent_body_) return transfer_->feed({});
  std::array<char, kBodyPart> buffer;
  std::size_t count = 0;
  try {
    count = std::min(source_->read(buffer), buffer.size());
  } catch (const BodyReadTimeout&) {
    fail(Outcome::timed_out);
  }
  const auto announced = transfer_->request().body_size;
  fed_ += count;
  has_sent_body_ = count == 0 || fed_ == announced;
  if (announced && (count == 0 ? fed_ < *announced : fed_ > *announced)) {
    transfer_->abort();
    name_.throw_failure({.kind = Kind::network,
                         .message = fmt::format("the source of the body has {} bytes instead of {}",
                                                fed_, *announced)});
  }
  transfer_->feed({buffer.data(), count});
}

bool FetchExchange::has_body() const {
  return transfer_->request().method != "HEAD" && http::allows_body(status());
}

std::optional<std::uint64_t> FetchExchange::length() const {
  return has_body() && coding_.empty() ? announced_ : std::nullopt;
}

std::optional<std::uint64_t> FetchExchange::remaining_length() const {
  const auto whole = length();
  return whole && *whole >= read_ ? std::optional(*whole - read_) : std::nullopt;
}

client::Clock::time_point FetchExchange::next_deadline() const {
  return *earliest(idle_until_, earliest(limits_.attempt, limits_.total));
}

/// Reads the body as it was sent.
std::optional<std::size_t> FetchExchange::read_encoded(std::span<char> buffer, Mode mode) {
  while (true) {
    std::size_t count = 0;
    Outcome outcome = Outcome::later;
    if (mode == Mode::wait) {
      idle_until_ = client::Clock::now() + limits_.idle;
      outcome = transfer_->read(buffer, count, next_deadline());
    } else {
      outcome = transfer_->try_read(buffer, count);
    }
    if (outcome == Outcome::later) {
      if (!idle_until_) idle_until_ = client::Clock::now() + limits_.idle;
      if (!is_over(next_deadline())) return std::nullopt;
      outcome = Outcome::timed_out;
    }
    idle_until_.reset();
    if (outcome == Outcome::ready) return count;
    if (outcome == Outcome::end) return 0;
    if (outcome != Outcome::feed) fail(outcome, "no part of the body has arrived");
    feed();
  }
}

std::optional<std::size_t> FetchExchange::read_decoded(std::span<char> buffer, Mode mode) {
  if (!decoder_) decoder_.emplace(coding_);
  while (true) {
    std::size_t count = 0;
    const ContentDecoder::State state = decoder_->read(buffer, count);
    count_decoder();
    switch (state) {
      case ContentDecoder::State::reading:
        return count;
      case ContentDecoder::State::end:
        return 0;
      case ContentDecoder::State::failed:
        transfer_->abort();
        name_.throw_failure({.kind = Kind::network, .message = decoder_->error()});
      case ContentDecoder::State::needs_input:
        std::array<char, kBodyPart> part;
        const auto arrived = read_encoded(part, mode);
        if (!arrived) return std::nullopt;
        decoder_->add({part.data(), *arrived});
    }
  }
}

/// A large window of the upstream's is memory that a slow client keeps.
void FetchExchange::count_decoder() {
  if (!decoder_share_) return;
  if (!decoder_share_->resize(decoder_->memory())) {
    transfer_->abort();
    fail_body("the server is out of buffer memory");
  }
  counted_by_decoder_ = decoder_share_->size();
}

std::optional<std::size_t> FetchExchange::read(std::span<char> buffer, Mode mode) {
  if (buffer.empty()) return 0;
  const auto count = coding_.empty() ? read_encoded(buffer, mode) : read_decoded(buffer, mode);
  if (!count) return std::nullopt;
  if (*count > max_body_ - read_) {
    transfer_->abort();
    name_.throw_body_error(kTooLarge);
  }
  read_ += *count;
  return count;
}

std::size_t FetchExchange::read(std::span<char> buffer) { return *read(buffer, Mode::wait); }

std::optional<std::size_t> FetchExchange::try_read(std::span<char> buffer) {
  return read(buffer, Mode::try_only);
}

const std::string& FetchExchange::text() {
  if (text_) return *text_;
  std::string text;
  std::array<char, kBodyPart> buffer;
  while (const std::size_t count = read(buffer)) {
    if (count > max_text_ - text.size()) {
      transfer_->abort();
      name_.throw_body_error(kTooLarge);
    }
    text.append(buffer.data(), count);
  }
  return text_.emplace(std::move(text));
}

Json FetchExchange::json() {
  text();
  auto value = parse_json_body(*text_);
  if (!value) {
    name_.throw_body_error(
        "the body of the response is not JSON, or is nested more than 512 levels deep");
  }
  return std::move(*value);
}

void FetchExchange::discard() { transfer_->abort(); }

void FetchExchange::fail_body(std::string why) const {
  name_.throw_failure({.kind = Kind::network, .message = std::move(why)});
}

void FetchExchange::fail(Outcome outcome, std::string_view idle) const {
  if (outcome == Outcome::timed_out) {
    transfer_->abort();
    if (is_over(limits_.total)) {
      name_.throw_timeout(fmt::format("the call has taken more than {}ms", limits_.total_timeout));
    }
    if (!idle.empty() && !is_over(limits_.attempt)) {
      name_.throw_timeout(fmt::format("{} for {}ms", idle, limits_.idle.count()));
    }
    // With the whole URL, which the caller knows; logs remove its secrets.
    throw TimeoutError(fmt::format("[{}] {} {} timed out after {}ms", name_.caller, name_.method,
                                   name_.url, name_.timeout),
                       name_.method, name_.url, name_.attempt);
  }
  if (outcome == Outcome::aborted && signal_->is_requested()) name_.throw_abort(*signal_);
  if (outcome == Outcome::aborted) {
    name_.throw_failure({.kind = Kind::network, .message = "the response was abandoned"});
  }
  name_.throw_failure(transfer_->failure());
}

}  // namespace fw::detail

namespace fw {

FetchResponse::FetchResponse(std::unique_ptr<detail::FetchExchange> exchange)
    : exchange_(std::move(exchange)) {}
FetchResponse::~FetchResponse() = default;
FetchResponse::FetchResponse(FetchResponse&&) noexcept = default;
FetchResponse& FetchResponse::operator=(FetchResponse&&) noexcept = default;

int FetchResponse::status() const { return exchange_->status(); }
const std::string& FetchResponse::url() const { return exchange_->url(); }
const FetchHeaders& FetchResponse::headers() const { return exchange_->headers(); }
int FetchResponse::attempt() const { return exchange_->attempt(); }
std::string_view FetchResponse::http_version() const { return exchange_->http_version(); }

std::string FetchResponse::text() { return exchange_->text(); }
std::string_view FetchResponse::bytes() { return exchange_->text(); }
Json FetchResponse::json() { return exchange_->json(); }
std::size_t FetchResponse::read(std::span<char> buffer) { return exchange_->read(buffer); }
void FetchResponse::discard() { exchange_->discard(); }

Readable FetchResponse::body() && {
  if (exchange_->has_text()) return exchange_->text();
  const auto length = exchange_->remaining_length();
  return detail::pass_body(std::move(exchange_), length);
}

}  // namespace fw
