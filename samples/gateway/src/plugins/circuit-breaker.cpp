// Leaves an upstream alone for a while when calls to it have failed several times in a row: callers
// get 503 at once, and the upstream can recover.
#include <fairway/fairway.hpp>

#include <chrono>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

class CircuitBreaker {
 public:
  CircuitBreaker(int most_failures, std::chrono::milliseconds pause)
      : most_failures_(most_failures), pause_(pause) {}

  void require_closed(const std::string& url) {
    const std::lock_guard lock(mutex_);
    if (Clock::now() < circuits_[origin_of(url)].open_until) {
      fw::raise(503, "an upstream is out of service");
    }
  }

  void succeeded(const std::string& url) {
    const std::lock_guard lock(mutex_);
    circuits_[origin_of(url)].failures = 0;
  }

  /// After the pause a single failure opens the circuit again.
  void failed(const std::string& url) {
    const std::lock_guard lock(mutex_);
    Circuit& circuit = circuits_[origin_of(url)];
    if (++circuit.failures >= most_failures_) circuit.open_until = Clock::now() + pause_;
  }

 private:
  struct Circuit {
    int failures = 0;
    Clock::time_point open_until = {};
  };

  static std::string origin_of(const std::string& url) {
    return url.substr(0, url.find('/', url.find("//") + 2));
  }

  const int most_failures_;
  const std::chrono::milliseconds pause_;
  std::mutex mutex_;
  std::map<std::string, Circuit> circuits_;
};

/// A client that has left says nothing about the upstream.
bool was_aborted(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const fw::AbortError&) {
    return true;
  } catch (...) {
    return false;
  }
}

template <class Before, class After, class Failed>
void watch(fw::App& app, const std::shared_ptr<CircuitBreaker>& breaker) {
  app.hooks().on<Before>([breaker](Before& call) { breaker->require_closed(call.url); });
  app.hooks().on<After>([breaker](After& call) {
    if (call.response.status() >= 500) {
      breaker->failed(call.url);
    } else {
      breaker->succeeded(call.url);
    }
  });
  app.hooks().on<Failed>([breaker](Failed& call) {
    if (!was_aborted(call.error)) breaker->failed(call.url);
  });
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "circuit-breaker",
    .setup =
        [](fw::App& app) {
          const fw::Json settings = app.config().app.value("circuitBreaker", fw::Json::object());
          const auto breaker = std::make_shared<CircuitBreaker>(
              settings.value("failures", 5),
              std::chrono::milliseconds(settings.value("pauseMs", 5000)));
          watch<fw::hooks::FetchBefore, fw::hooks::FetchAfter, fw::hooks::FetchFailed>(app,
                                                                                       breaker);
          watch<fw::hooks::ProxyBefore, fw::hooks::ProxyAfter, fw::hooks::ProxyFailed>(app,
                                                                                       breaker);
        },
});
