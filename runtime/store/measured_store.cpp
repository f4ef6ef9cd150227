#include <chrono>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "store/async_reader.hpp"
#include "store/cache_commands.hpp"
#include "store/stores.hpp"

namespace fw::store {
namespace {

using std::chrono::milliseconds;
using Operation = detail::StoreOperation;
using Clock = std::chrono::steady_clock;

struct Counter {
  detail::StoreMetrics& metrics;
  std::size_t index;
};

/// Counts an operation at its end, whether it returns or throws.
class Measured {
 public:
  Measured(Counter counter, Operation operation) : counter_(counter), operation_(operation) {}
  ~Measured() {
    counter_.metrics.count(counter_.index, operation_, std::uncaught_exceptions() > exceptions_,
                           Clock::now() - begin_);
  }
  Measured(const Measured&) = delete;
  Measured& operator=(const Measured&) = delete;

 private:
  const Counter counter_;
  const Operation operation_;
  const int exceptions_ = std::uncaught_exceptions();
  const Clock::time_point begin_ = Clock::now();
};

class MeasuredReceiver : public AsyncReader::Receiver {
 public:
  MeasuredReceiver(Counter counter, Operation operation,
                   std::shared_ptr<AsyncReader::Receiver> receiver)
      : counter_(counter), operation_(operation), receiver_(std::move(receiver)) {}

  void receive(AsyncReader::Result result) noexcept override {
    counter_.metrics.count(counter_.index, operation_, !result.error.empty(),
                           Clock::now() - begin_);
    receiver_->receive(std::move(result));
  }

 private:
  const Counter counter_;
  const Operation operation_;
  const std::shared_ptr<AsyncReader::Receiver> receiver_;
  const Clock::time_point begin_ = Clock::now();
};

class MeasuredCacheCommands : public CacheCommands {
 public:
  MeasuredCacheCommands(Counter counter, std::unique_ptr<CacheCommands> commands)
      : counter_(counter), commands_(std::move(commands)) {}

  Reading read(std::string_view key, std::span<const std::string> versions, std::string_view claim,
               Store::Convert convert) override {
    const Measured measured(counter_, Operation::read);
    return commands_->read(key, versions, claim, convert);
  }
  Claimed claim(std::string_view claim, std::string_view id, milliseconds ttl, std::string_view key,
                Store::Convert convert) override {
    const Measured measured(counter_, Operation::claim);
    return commands_->claim(claim, id, ttl, key, convert);
  }
  void release(std::span<const OwnClaim> claims) override {
    const Measured measured(counter_, Operation::release);
    commands_->release(claims);
  }
  void put(const Entry& entry) override {
    const Measured measured(counter_, Operation::put);
    commands_->put(entry);
  }
  void replace_version(std::string_view name, milliseconds ttl) override {
    const Measured measured(counter_, Operation::replace_version);
    commands_->replace_version(name, ttl);
  }

 private:
  const Counter counter_;
  const std::unique_ptr<CacheCommands> commands_;
};

class MeasuredStore : public Store, public AsyncReader, public CacheCommandsSource {
 public:
  MeasuredStore(std::shared_ptr<Store> store, Counter counter)
      : store_(std::move(store)),
        reader_(dynamic_cast<AsyncReader*>(store_.get())),
        counter_(counter) {}

  std::optional<std::string> get(std::string_view key) override {
    const Measured measured(counter_, Operation::get);
    return store_->get(key);
  }
  std::shared_ptr<const void> get_object(std::string_view key, Convert convert) override {
    const Measured measured(counter_, Operation::get);
    return store_->get_object(key, convert);
  }
  void set(std::string_view key, std::string_view value, milliseconds ttl) override {
    const Measured measured(counter_, Operation::set);
    store_->set(key, value, ttl);
  }
  bool set_if_absent(std::string_view key, std::string_view value, milliseconds ttl) override {
    const Measured measured(counter_, Operation::set_if_absent);
    return store_->set_if_absent(key, value, ttl);
  }
  bool set_if_equal(std::string_view key, std::string_view expected, std::string_view value,
                    milliseconds ttl) override {
    const Measured measured(counter_, Operation::set_if_equal);
    return store_->set_if_equal(key, expected, value, ttl);
  }
  bool erase(std::string_view key) override {
    const Measured measured(counter_, Operation::erase);
    return store_->erase(key);
  }
  Window increment(std::string_view key, milliseconds window, std::int64_t most) override {
    const Measured measured(counter_, Operation::increment);
    return store_->increment(key, window, most);
  }
  void tag(std::string_view key, std::span<const std::string> tags) override {
    const Measured measured(counter_, Operation::tag);
    store_->tag(key, tags);
  }
  std::size_t erase_tagged(std::string_view tag) override {
    const Measured measured(counter_, Operation::erase_tagged);
    return store_->erase_tagged(tag);
  }
  bool is_shared() const override { return store_->is_shared(); }
  std::optional<std::string> get_and_renew(std::string_view key, milliseconds ttl) override {
    const Measured measured(counter_, Operation::get_and_renew);
    return store_->get_and_renew(key, ttl);
  }
  std::shared_ptr<const void> get_object_and_renew(std::string_view key, Convert convert,
                                                   milliseconds ttl) override {
    const Measured measured(counter_, Operation::get_and_renew);
    return store_->get_object_and_renew(key, convert, ttl);
  }

  bool begin_get(std::string_view key, std::shared_ptr<Receiver> receiver) override {
    return reader_ != nullptr && reader_->begin_get(key, measured(Operation::get, receiver));
  }
  bool begin_get_and_renew(std::string_view key, milliseconds ttl,
                           std::shared_ptr<Receiver> receiver) override {
    return reader_ != nullptr &&
           reader_->begin_get_and_renew(key, ttl, measured(Operation::get_and_renew, receiver));
  }

  std::unique_ptr<CacheCommands> cache_commands() override {
    return std::make_unique<MeasuredCacheCommands>(counter_, cache_commands_of(*store_));
  }

 private:
  std::shared_ptr<Receiver> measured(Operation operation,
                                     const std::shared_ptr<Receiver>& receiver) const {
    return std::make_shared<MeasuredReceiver>(counter_, operation, receiver);
  }

  const std::shared_ptr<Store> store_;
  AsyncReader* const reader_;  ///< null if the store is none
  const Counter counter_;
};

}  // namespace

std::shared_ptr<Store> measured_store(std::shared_ptr<Store> store, detail::StoreMetrics& metrics,
                                      std::size_t index) {
  return std::make_shared<MeasuredStore>(std::move(store), Counter{metrics, index});
}

}  // namespace fw::store
