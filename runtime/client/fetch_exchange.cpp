#include "client/fetch_exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "exchange/exchange.hpp"

namespace fw::detail {
namespace {

using Outcome = outbound::Transfer::Outcome;
using Kind = outbound::OutboundFailure::Kind;

constexpr std::size_t kPart = std::size_t{16} * 1024;

}  // namespace

std::string CallName::text() const { return fmt::format("[{}] {} {}", caller, method, url); }

void CallName::throw_timeout() const {
  throw TimeoutError(fmt::format("{} timed out after {}ms", text(), timeout), method, url, attempt);
}

void CallName::throw_abort(const CallSignal& signal) const {
  throw AbortError(fmt::format("{} was aborted: {}", text(), signal.reason()), method, url, attempt,
                   signal.reason());
}

void CallName::throw_failure(const outbound::OutboundFailure& failure) const {
  if (failure.kind == Kind::too_large) {
    throw BodyError(fmt::format("{}: the body of the response is larger than maxSize", text()),
                    method, url, attempt);
  }
  const std::string message = fmt::format("{} failed: {}", text(), failure.message);
  if (failure.kind == Kind::tls) throw TlsError(message, method, url, attempt);
  throw NetworkError(message, method, url, attempt);
}

FetchExchange::FetchExchange(CallName name, std::shared_ptr<CallSignal> signal,
                             std::shared_ptr<outbound::Transfer> transfer,
                             std::optional<Readable> source, outbound::Deadline deadline)
    : name_(std::move(name)),
      signal_(std::move(signal)),
      transfer_(std::move(transfer)),
      source_(std::move(source)),
      deadline_(deadline) {}

FetchExchange::~FetchExchange() { transfer_->close(); }

void FetchExchange::begin() {
  signal_->watch(transfer_);
  transfer_->start();
  while (true) {
    const Outcome outcome = transfer_->wait_for_head(deadline_);
    if (outcome == Outcome::ready) break;
    if (outcome != Outcome::feed) fail(outcome);
    feed();
  }
  headers_ = FetchHeaders(transfer_->take_fields().pairs());
}

void FetchExchange::send_body() {
  while (!has_sent_body_) {
    const Outcome outcome = transfer_->wait_to_feed(deadline_);
    if (outcome == Outcome::ready) return;
    if (outcome != Outcome::feed) fail(outcome);
    feed();
  }
}

void FetchExchange::feed() {
  std::array<char, kPart> buffer;
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

std::size_t FetchExchange::read(std::span<char> buffer) {
  if (buffer.empty()) return 0;
  while (true) {
    std::size_t count = 0;
    const Outcome outcome = transfer_->read(buffer, count, deadline_);
    if (outcome == Outcome::ready) return count;
    if (outcome == Outcome::end) return 0;
    if (outcome != Outcome::feed) fail(outcome);
    feed();
  }
}

const std::string& FetchExchange::text() {
  if (text_) return *text_;
  std::string text;
  std::array<char, kPart> buffer;
  while (const std::size_t count = read(buffer)) {
    if (count > most_text_ - text.size()) {
      transfer_->abort();
      name_.throw_failure({.kind = Kind::too_large, .message = {}});
    }
    text.append(buffer.data(), count);
  }
  return text_.emplace(std::move(text));
}

Json FetchExchange::json() {
  Json value = Json::parse(text(), nullptr, false);
  if (value.is_discarded()) {
    throw BodyError(fmt::format("{}: the body of the response is not JSON", name_.text()),
                    name_.method, name_.url, name_.attempt);
  }
  return value;
}

Readable FetchExchange::pass_body(std::unique_ptr<FetchExchange> exchange) {
  if (auto whole = exchange->transfer_->take_all()) return std::move(*whole);
  // Shared, because std::function copies what it contains.
  return [shared = std::shared_ptr<FetchExchange>(std::move(exchange))](std::span<char> buffer) {
    return shared->read(buffer);
  };
}

void FetchExchange::discard() { transfer_->abort(); }

void FetchExchange::fail(Outcome outcome) const {
  if (outcome == Outcome::timed_out) {
    transfer_->abort();
    name_.throw_timeout();
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

std::string FetchResponse::text() { return exchange_->text(); }
Json FetchResponse::json() { return exchange_->json(); }
std::size_t FetchResponse::read(std::span<char> buffer) { return exchange_->read(buffer); }
void FetchResponse::discard() { exchange_->discard(); }

}  // namespace fw
