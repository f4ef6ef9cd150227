// The transport based on libcurl's multi interface: one thread, which waits with poll.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <curl/curl.h>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include "client/curl/curl_job.hpp"
#include "client/transfer.hpp"

namespace fw::outbound {
namespace {

constexpr std::size_t kMostSpareHandles = 64;  // spare handles keep TLS sessions
constexpr long kMostIdleConnections = 256;

void initialise_curl() {
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) {
    throw std::runtime_error(std::string("libcurl cannot be used: ") + curl_easy_strerror(code));
  }
}

struct MultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};

/// Wakes a thread out of poll.
class WakePipe {
 public:
  WakePipe() {
    if (::pipe(ends_.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    for (const int end : ends_) {
      ::fcntl(end, F_SETFL, ::fcntl(end, F_GETFL) | O_NONBLOCK);
      ::fcntl(end, F_SETFD, FD_CLOEXEC);
    }
  }
  ~WakePipe() {
    for (const int end : ends_) ::close(end);
  }
  WakePipe(const WakePipe&) = delete;
  WakePipe& operator=(const WakePipe&) = delete;

  int descriptor() const { return ends_[0]; }
  void wake() const {
    const char byte = 0;
    [[maybe_unused]] const auto written = ::write(ends_[1], &byte, 1);  // a full pipe wakes, too
  }
  void drain() const {
    std::array<char, 64> bytes{};
    while (::read(ends_[0], bytes.data(), bytes.size()) > 0) {
    }
  }

 private:
  std::array<int, 2> ends_{};
};

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(TransportOptions options)
      : options_(std::move(options)), proxies_(ProxyVariables::read()) {
    initialise_curl();
    multi_.reset(curl_multi_init());
    if (!multi_) throw std::bad_alloc();
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &CurlTransport::on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &CurlTransport::on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, kMostIdleConnections);
    polled_.push_back({.fd = wake_.descriptor(), .events = POLLIN, .revents = 0});
    thread_ = std::thread([this] { run(); });
  }

  ~CurlTransport() override { stop(); }

  void start(std::shared_ptr<Transfer> transfer) override {
    post({Command::Kind::start, std::move(transfer)});
  }
  void resume(std::shared_ptr<Transfer> transfer) override {
    post({Command::Kind::resume, std::move(transfer)});
  }
  void cancel(std::shared_ptr<Transfer> transfer) override {
    post({Command::Kind::cancel, std::move(transfer)});
  }

  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(stopping_, true)) return;
    }
    wake_.wake();
    thread_.join();
  }

 private:
  struct Command {
    enum class Kind { start, resume, cancel };
    Kind kind;
    std::shared_ptr<Transfer> transfer;
  };
  using Clock = std::chrono::steady_clock;
  using Jobs = std::unordered_map<const Transfer*, std::unique_ptr<CurlJob>>;

  void post(Command command) {
    std::unique_lock lock(mutex_);
    if (stopping_) {
      lock.unlock();
      return fail(*command.transfer);
    }
    commands_.push_back(std::move(command));
    const bool is_first = commands_.size() == 1;
    lock.unlock();
    if (is_first) wake_.wake();
  }

  static void fail(Transfer& transfer) {
    transfer.finish(OutboundFailure{.message = "the application has ended"});
  }

  void run() {
    while (run_commands()) {
      wait();
      collect_ended();
    }
    for (auto& [transfer, job] : jobs_) {
      curl_multi_remove_handle(multi_.get(), job->handle());
      fail(*job->transfer());
    }
    jobs_.clear();
    spare_.clear();
    multi_.reset();
  }

  /// Returns false if the transport must stop.
  bool run_commands() {
    std::vector<Command> commands;
    bool stopping = false;
    {
      const std::lock_guard lock(mutex_);
      commands.swap(commands_);
      stopping = stopping_;
    }
    for (Command& command : commands) {
      if (stopping) {
        fail(*command.transfer);
      } else if (command.kind == Command::Kind::start) {
        begin(std::move(command.transfer));
      } else if (const auto job = jobs_.find(command.transfer.get()); job == jobs_.end()) {
        continue;
      } else if (command.kind == Command::Kind::resume) {
        curl_easy_pause(job->second->handle(), CURLPAUSE_CONT);
      } else {
        end(job, CURLE_ABORTED_BY_CALLBACK);
      }
    }
    return !stopping;
  }

  void begin(std::shared_ptr<Transfer> transfer) {
    if (transfer->is_aborted()) return;
    const Transfer* const key = transfer.get();
    try {
      auto job = std::make_unique<CurlJob>(transfer, take_handle(), options_, proxies_);
      CURL* const handle = job->handle();
      jobs_.emplace(key, std::move(job));
      if (const CURLMcode code = curl_multi_add_handle(multi_.get(), handle)) {
        jobs_.erase(key);
        throw std::runtime_error(curl_multi_strerror(code));
      }
    } catch (const std::exception& error) {
      transfer->finish(OutboundFailure{.message = error.what()});
    }
  }

  void end(Jobs::iterator job, CURLcode code) {
    curl_multi_remove_handle(multi_.get(), job->second->handle());
    job->second->finish(code);
    EasyHandle handle = job->second->release();
    jobs_.erase(job);
    curl_easy_reset(handle.get());
    if (spare_.size() < kMostSpareHandles) spare_.push_back(std::move(handle));
  }

  EasyHandle take_handle() {
    if (!spare_.empty()) {
      EasyHandle handle = std::move(spare_.back());
      spare_.pop_back();
      return handle;
    }
    EasyHandle handle(curl_easy_init());
    if (!handle) throw std::bad_alloc();
    return handle;
  }

  void wait() {
    int timeout = -1;
    if (timer_) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*timer_ - Clock::now());
      timeout =
          left.count() <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
    }
    const int count = ::poll(polled_.data(), static_cast<nfds_t>(polled_.size()), timeout);
    int running = 0;
    if (count > 0) {
      if (polled_[0].revents != 0) wake_.drain();
      ready_.clear();
      for (std::size_t i = 1; i < polled_.size(); ++i) {
        if (polled_[i].revents != 0) ready_.push_back(polled_[i]);
      }
      for (const pollfd& socket : ready_) {
        curl_multi_socket_action(multi_.get(), socket.fd, events_of(socket.revents), &running);
      }
    }
    if (timer_ && *timer_ <= Clock::now()) {
      timer_.reset();
      curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
    }
  }

  static int events_of(short revents) {
    int events = 0;
    if ((revents & (POLLIN | POLLHUP)) != 0) events |= CURL_CSELECT_IN;
    if ((revents & POLLOUT) != 0) events |= CURL_CSELECT_OUT;
    if ((revents & (POLLERR | POLLNVAL)) != 0) events |= CURL_CSELECT_ERR;
    return events;
  }

  void collect_ended() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;  // read before the handle is removed
      CurlJob* job = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &job);
      end(jobs_.find(job->transfer().get()), code);
    }
  }

  /// `position` of a known socket is its index in `polled_`.
  static int on_socket(CURL*, curl_socket_t socket, int what, void* transport, void* position) {
    auto& self = *static_cast<CurlTransport*>(transport);
    auto index = reinterpret_cast<std::size_t>(position);
    if (what == CURL_POLL_REMOVE) {
      if (index != 0) self.forget(index);
      return 0;
    }
    if (index == 0) {
      index = self.polled_.size();
      self.polled_.push_back({.fd = socket, .events = 0, .revents = 0});
      self.assign(index);
    }
    short events = 0;
    if ((what & CURL_POLL_IN) != 0) events |= POLLIN;
    if ((what & CURL_POLL_OUT) != 0) events |= POLLOUT;
    self.polled_[index].events = events;
    return 0;
  }

  void forget(std::size_t index) {
    polled_[index] = polled_.back();
    polled_.pop_back();
    if (index < polled_.size()) assign(index);
  }

  void assign(std::size_t index) {
    curl_multi_assign(multi_.get(), polled_[index].fd, reinterpret_cast<void*>(index));
  }

  static int on_timer(CURLM*, long milliseconds, void* transport) {
    auto& self = *static_cast<CurlTransport*>(transport);
    if (milliseconds < 0) {
      self.timer_.reset();
    } else {
      self.timer_ = Clock::now() + std::chrono::milliseconds(milliseconds);
    }
    return 0;
  }

  const TransportOptions options_;
  const ProxyVariables proxies_;
  const WakePipe wake_;

  std::mutex mutex_;  // guards the following members
  std::vector<Command> commands_;
  bool stopping_ = false;

  // Used only by the thread while it runs:
  std::unique_ptr<CURLM, MultiDeleter> multi_;
  Jobs jobs_;
  std::vector<EasyHandle> spare_;
  std::vector<pollfd> polled_;  ///< the first is the pipe
  std::vector<pollfd> ready_;
  std::optional<Clock::time_point> timer_;
  std::thread thread_;
};

}  // namespace

std::shared_ptr<Transport> make_transport(TransportOptions options) {
  return std::make_shared<CurlTransport>(std::move(options));
}

}  // namespace fw::outbound
