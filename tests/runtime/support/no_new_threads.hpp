// Lets the system have no more threads.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <pthread.h>

namespace fw::support {

/// While it lives, no thread can be started.
class NoNewThreads {
 public:
  NoNewThreads() {
    REQUIRE(pthread_getattr_default_np(&usual_) == 0);
    pthread_attr_t impossible = usual_;
    // More than there are addresses.
    REQUIRE(pthread_attr_setstacksize(&impossible, std::size_t{1} << 60U) == 0);
    REQUIRE(pthread_setattr_default_np(&impossible) == 0);
  }
  ~NoNewThreads() { pthread_setattr_default_np(&usual_); }
  NoNewThreads(const NoNewThreads&) = delete;
  NoNewThreads& operator=(const NoNewThreads&) = delete;

 private:
  pthread_attr_t usual_{};
};

}  // namespace fw::support
