// The server that <up> stands for in the areas `fetch` and `proxy`: cases/fetch.json describes it.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

namespace conformance {

/// Keeps connections open for the next request; a thread for each.
class Upstream {
 public:
  Upstream();
  ~Upstream();
  Upstream(const Upstream&) = delete;
  Upstream& operator=(const Upstream&) = delete;

  /// "http://127.0.0.1:4000".
  const std::string& url() const { return url_; }

 private:
  struct Request;

  void accept_all();
  void serve(int connection);
  /// False when the connection is to be closed.
  bool respond(int connection, const Request& request);
  int count(const std::string& key);

  int listener_ = -1;
  std::string url_;
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::map<std::string, int> counts_;  ///< guarded by `mutex_`
  std::list<std::pair<int, std::thread>> connections_;
  std::thread thread_;
};

}  // namespace conformance
