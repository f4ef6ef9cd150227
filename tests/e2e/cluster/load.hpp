// Clients that ask without pause, and keep account of it.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace e2e {

class Load {
 public:
  enum class Kind {
    connection_each,  ///< every request on a connection of its own
    /// Many on each. As HTTP says, one that is closed between two requests, with no byte of an
    /// response, is replaced and the request sent again.
    kept_connections,
  };

  Load(int port, int clients, Kind kind = Kind::connection_each);
  ~Load() { stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  void stop();
  int completed() const { return completed_; }
  /// Requests that got no response, or half of one, or no connection.
  int lost() const { return lost_ + rejected_; }
  /// The lost requests that had a connection.
  int lost_connected() const { return lost_; }
  /// Waits for this number of further responses.
  bool wait_for_more(int count) const;

 private:
  void ask_on_new_connections(int port);
  void ask_on_kept_connections(int port);

  std::atomic<bool> ends_{false};
  std::atomic<int> completed_{0};
  std::atomic<int> lost_{0};
  std::atomic<int> rejected_{0};
  std::vector<std::thread> threads_;
};

}  // namespace e2e
