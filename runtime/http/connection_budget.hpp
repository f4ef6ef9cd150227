// Limits the number of open connections, in total and for each address.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace fw::http {

/// Counts connections during the lifetime of their admissions. Must outlive these. Thread-safe.
class ConnectionBudget {
 public:
  enum class Outcome {
    admitted,
    full,             ///< too many in total; gets an error response
    address_is_full,  ///< too many from this address; gets an error response
    dropped,          ///< too many connections even for error responses; to be closed at once
  };

  /// Counts one connection until it is destroyed.
  class Admission {
   public:
    Admission(Admission&& other) noexcept;
    Admission& operator=(Admission&& other) = delete;
    ~Admission();

    Outcome outcome() const { return outcome_; }

   private:
    friend class ConnectionBudget;
    Admission(ConnectionBudget* budget, Outcome outcome, std::string group)
        : budget_(budget), outcome_(outcome), group_(std::move(group)) {}

    ConnectionBudget* budget_;
    Outcome outcome_;
    std::string group_;
  };

  /// `per_address` 0: no limit.
  ConnectionBudget(std::size_t in_all, std::size_t per_address)
      : in_all_(in_all), per_address_(per_address) {}

  Admission admit(std::string_view remote_address);

 private:
  void give_back(Outcome outcome, const std::string& group);

  const std::size_t in_all_;
  const std::size_t per_address_;
  std::mutex mutex_;  ///< guards the following members
  std::size_t admitted_ = 0;
  std::size_t rejected_ = 0;
  std::map<std::string, std::size_t, std::less<>> of_group_;
};

/// The key by which addresses are counted: an IPv4 address, or the /64 network of an IPv6 address,
/// because one client usually has all of it. Empty for a client on a unix socket.
std::string address_group(std::string_view remote_address);

}  // namespace fw::http
