// What the server has sent, for the test to ask for.
#pragma once

#include <fairway/json.hpp>

#include <mutex>
#include <string>
#include <utility>

/// Thread-safe.
class Deliveries {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  /// The lines since the last call.
  fw::Json take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, fw::Json::array());
  }

 private:
  std::mutex mutex_;
  fw::Json lines_ = fw::Json::array();
};
