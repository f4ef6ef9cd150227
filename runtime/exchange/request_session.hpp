// What the kernel of a request knows of its session: see features/session.
#pragma once

#include <fairway/session.hpp>

namespace fw::detail {

class RequestSession {
 public:
  virtual ~RequestSession() = default;
  /// Loads the session on first use. Throws StoreError.
  virtual Session& get() = 0;
  virtual bool is_loaded() const = 0;
  /// Whether the response changes the session or sends its cookie.
  virtual bool changes_response() const = 0;
};

}  // namespace fw::detail
