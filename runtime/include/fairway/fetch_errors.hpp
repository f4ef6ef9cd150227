// Errors of outbound calls (docs/fetch.md).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace fw {

/// A call that got no usable response; the base class of the following errors except OptionError.
class FetchError : public std::runtime_error {
 public:
  /// For the client, which throws it.
  FetchError(const std::string& message, std::string method, std::string url, int attempt)
      : std::runtime_error(message),
        method_(std::move(method)),
        url_(std::move(url)),
        attempt_(attempt) {}

  /// @{
  /// Method and absolute URL of the call. The message of the error has no values of the query,
  /// except the message of a TimeoutError.
  const std::string& method() const { return method_; }
  const std::string& url() const { return url_; }
  /// @}
  int attempt() const { return attempt_; }  ///< 0 for the first

 private:
  std::string method_;
  std::string url_;
  int attempt_;
};

/// No response within `timeout`, no part of the body within `idle_timeout`, or not all of it within
/// `total_timeout`.
class TimeoutError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// The name could not be resolved, the connection failed, or the response is malformed.
class NetworkError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// The TLS handshake failed; most often, the certificate is not trusted.
class TlsError : public NetworkError {
 public:
  using NetworkError::NetworkError;
};
/// The host of a call with `Addresses::public_only` has no public address. Nothing was sent.
class AddressError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// The call was cancelled.
class AbortError : public FetchError {
 public:
  /// For the client, which throws it.
  AbortError(const std::string& message, std::string method, std::string url, int attempt,
             std::string reason)
      : FetchError(message, std::move(method), std::move(url), attempt),
        reason_(std::move(reason)) {}
  /// Why the call was cancelled, for example "the signal was requested".
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};
/// A redirect that must not or cannot be followed.
class RedirectError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// The body is larger than `max_size`, is not JSON, or is JSON that is nested too deeply.
class BodyError : public FetchError {
 public:
  using FetchError::FetchError;
};
/// An option is invalid. Nothing was sent.
class OptionError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace fw
