#include "client/upstream_body.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "exchange/readable_source.hpp"
#include "http/buffer_budget.hpp"

namespace fw::detail {
namespace {

/// Maximum size of a body that is passed on as a whole.
constexpr std::size_t kMaxWhole = std::size_t{256} * 1024;
/// Maximum size of what an upstream sends of a response before it has received the request.
constexpr std::size_t kMaxEarly = std::size_t{1024} * 1024;

constexpr std::string_view kNoMemory = "the server is out of buffer memory";

/// What has been read of a response before it is passed on.
struct Early {
  std::string bytes = {};
  http::BufferBudget::OwningShare share = {};
};

/// Sends what is left of the request's body, and returns what arrives meanwhile if the upstream
/// waits for its reader. Afterwards, no source is read: the body of a client can only be read
/// before the response begins, and other sources would make the connection's thread wait.
Early send_body(FetchExchange& exchange) {
  Early early;
  if (!exchange.is_sending()) return early;
  early.share = http::BufferBudget::OwningShare(exchange.buffers());
  exchange.watch({}, exchange.buffers());  // counts what waits to be read
  std::array<char, kBodyPart> buffer;
  while (exchange.is_sending()) {
    exchange.send_body();
    if (!exchange.is_sending()) break;
    const std::size_t count = exchange.read(buffer);
    if (count == 0) break;
    early.bytes.append(buffer.data(), count);
    if (early.bytes.size() > kMaxEarly) {
      exchange.fail_body("the upstream has sent more than 1 MB before it has received the request");
    }
    if (!early.share.grow(early.bytes.capacity())) exchange.fail_body(std::string(kNoMemory));
  }
  return early;
}

class UpstreamBody final : public ArrivingSource {
 public:
  /// `begin` has been read already.
  UpstreamBody(std::unique_ptr<FetchExchange> exchange, Early begin)
      : exchange_(std::move(exchange)),
        begin_(std::move(begin.bytes)),
        share_(std::move(begin.share)),
        counted_(share_.size()),
        timer_(exchange_->timer()) {}
  ~UpstreamBody() override {
    if (alarm_) timer_->cancel(*alarm_);
  }

  std::size_t read(std::span<char> buffer) override {
    if (const std::size_t count = take_begin(buffer)) return count;
    return exchange_->read(buffer);
  }

  std::optional<std::size_t> try_read(std::span<char> buffer) override {
    if (!has_memory_) exchange_->fail_body(std::string(kNoMemory));
    if (const std::size_t count = take_begin(buffer)) return count;
    const auto count = exchange_->try_read(buffer);
    if (!count) set_alarm(exchange_->next_deadline());
    return count;
  }

  void watch(std::weak_ptr<http::BodyWaker> waker,
             std::shared_ptr<http::BufferBudget> buffers) override {
    waker_ = waker;
    if (buffers) {
      if (share_.size() == 0) share_ = http::BufferBudget::OwningShare(buffers);
      has_memory_ = share_.grow(begin_.capacity());
      counted_ = share_.size();
    }
    exchange_->watch(std::move(waker), std::move(buffers));
  }

  std::size_t counted() const noexcept override { return counted_ + exchange_->counted(); }
  void discard() noexcept override {
    free_begin();
    exchange_->abandon();
  }

 private:
  std::size_t take_begin(std::span<char> buffer) {
    const std::size_t count = begin_.copy(buffer.data(), buffer.size(), taken_);
    taken_ += count;
    if (count > 0 && taken_ == begin_.size()) free_begin();
    return count;
  }

  void free_begin() noexcept {
    http::free_memory(begin_);
    taken_ = 0;
    share_.release();
    counted_ = 0;
  }

  /// Each part moves the deadline, but not an alarm that comes before it.
  void set_alarm(client::Clock::time_point deadline) {
    if (alarm_ && alarm_->first <= deadline && alarm_->first > client::Clock::now()) return;
    if (alarm_) timer_->cancel(*std::exchange(alarm_, std::nullopt));
    alarm_ = timer_->set(deadline, [waker = waker_] {
      if (const auto connection = waker.lock()) connection->wake();
    });
  }

  const std::unique_ptr<FetchExchange> exchange_;
  std::string begin_;
  std::size_t taken_ = 0;                  ///< bytes of `begin_`
  http::BufferBudget::OwningShare share_;  ///< for `begin_`
  bool has_memory_ = true;
  std::atomic<std::size_t> counted_;  ///< bytes of `begin_`
  const std::shared_ptr<base::DeadlineTimer> timer_;
  std::weak_ptr<http::BodyWaker> waker_;
  std::optional<base::DeadlineTimer::Ticket> alarm_;
};

}  // namespace

Readable pass_body(std::unique_ptr<FetchExchange> exchange, std::optional<std::uint64_t> length) {
  // Empty for HEAD, whose response describes a body that is not sent.
  const bool has_body = exchange->has_body();
  Early begin = send_body(*exchange);
  if (has_body && exchange->has_arrived()) {
    std::array<char, kBodyPart> buffer;
    while (begin.bytes.size() < kMaxWhole) {
      const std::size_t count = exchange->read(buffer);
      if (count == 0) return std::move(begin.bytes);
      begin.bytes.append(buffer.data(), count);
    }
  }
  return ReadableSource::make(std::make_shared<UpstreamBody>(std::move(exchange), std::move(begin)),
                              length);
}

}  // namespace fw::detail
