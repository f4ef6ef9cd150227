// Looks up the addresses of host names on a bounded number of threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/transfer.hpp"

namespace fw::client {

/// Waits for the system's resolver. It may take many seconds, and nothing can end it earlier.
/// Returns the addresses in the order in which they are to be tried. Throws std::runtime_error if
/// there are none.
std::vector<std::string> system_addresses(const std::string& host);

/// The domain of a name, whose servers its owner chooses: the last two labels, or three if anyone
/// can register a domain below these, as in "example.co.uk".
std::string_view domain_of(std::string_view host);

/// Look-ups of the same name are one. Names of domains whose last look-up was quick have threads
/// that others cannot take, so that names whose servers do not respond do not delay them. Whoever
/// has a domain can let its names be quick first, and then not respond: a domain has few of these
/// threads at a time, and none more when one of its names takes long: its other names wait with the
/// names of unknown domains. Threads begin with the look-ups that need them, and end when they have
/// been idle for some time. Thread-safe.
class LookupPool {
 public:
  static constexpr std::size_t kMaxThreads = 32;
  /// Threads that look up names of domains of which it is not known that they are quick.
  static constexpr std::size_t kMaxForOthers = 12;
  /// The others of these threads for the names of one domain.
  static constexpr std::size_t kMaxForDomain = 4;
  /// Domains of which it is known that they are quick. Above, one is forgotten for each new one.
  static constexpr std::size_t kMaxKnown = 4096;
  /// Names for which no thread is free, of quick domains and of others. Further look-ups fail at
  /// once.
  static constexpr std::size_t kMaxWaiting = 1024;
  /// A quick look-up takes less.
  static constexpr std::chrono::seconds kQuick{1};

  struct Result {
    std::vector<std::string> addresses;
    std::string error;  ///< if there are no addresses
  };
  /// Called once, on any thread. Must be quick, and must not call the pool.
  using Receive = std::function<void(const Result&)>;
  /// Identifies a look-up of one caller.
  struct Ticket {
    std::string host;
    std::uint64_t number = 0;
  };

  /// Uses the system's resolver if `look_up` is empty.
  explicit LookupPool(LookUp look_up);
  /// No result is received afterwards. Does not wait for the resolver.
  ~LookupPool();
  LookupPool(const LookupPool&) = delete;
  LookupPool& operator=(const LookupPool&) = delete;

  /// `receive` may be called before this function returns. Throws std::bad_alloc.
  Ticket begin(const std::string& host, Receive receive);
  /// The result is not received, unless it has been. A look-up that has not begun, and for which
  /// nobody waits, does not begin.
  void cancel(const Ticket& ticket);

  /// The number of threads.
  std::size_t size() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;  ///< shared with the threads, which may outlive the pool
};

}  // namespace fw::client
