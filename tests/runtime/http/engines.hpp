// Tests of one of the engines.
#pragma once

#include <doctest/doctest.h>

#include "loopback.hpp"

namespace fw::http::test {

/// Skips a test of what the httplib engine does not do, by the row of the table in docs/server.md
/// that says so.
struct not_on_httplib {
  const char* row;

  explicit not_on_httplib(const char* its_row) : row(its_row) {}
  void fill(doctest::detail::TestCase& test_case) const {
    test_case.m_description = row;
    test_case.m_skip = test_case.m_skip || tests_httplib();
  }
};

/// Skips a test of what is different with TLS, with the reason.
struct not_with_tls {
  const char* reason;

  explicit not_with_tls(const char* its_reason) : reason(its_reason) {}
  void fill(doctest::detail::TestCase& test_case) const {
    test_case.m_description = reason;
    test_case.m_skip = test_case.m_skip || tests_tls();
  }
};

/// Skips a test of what only HTTP/1.1 has, or what is different with HTTP/2, with the reason.
struct not_on_http2 {
  const char* reason;

  explicit not_on_http2(const char* its_reason) : reason(its_reason) {}
  void fill(doctest::detail::TestCase& test_case) const {
    test_case.m_description = reason;
    test_case.m_skip = test_case.m_skip || tests_http2();
  }
};

/// Whether the response says that its connection ends. With HTTP/2, only its stream does, and no
/// field says so.
inline bool announces_end(const ReceivedResponse& response) {
  return response.field("connection") == (tests_http2() ? "(none)" : "close");
}

/// Whether the server ends the connection after such a response. With HTTP/2, it does not.
inline bool ends_after(Client& client, const ReceivedResponse& response) {
  return announces_end(response) && (tests_http2() || client.sees_end());
}

/// Skips a test of what a build without epoll does not do, by the same rows.
struct not_without_epoll {
  const char* row;

  explicit not_without_epoll(const char* its_row) : row(its_row) {}
  void fill(doctest::detail::TestCase& test_case) const {
    test_case.m_description = row;
    test_case.m_skip = test_case.m_skip || !FAIRWAY_EPOLL;
  }
};

}  // namespace fw::http::test
