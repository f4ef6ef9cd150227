#include "http/http1/head_scanner.hpp"

#include "base/ascii.hpp"

namespace fw::http {

HeadScanner::Status HeadScanner::scan(std::string_view bytes) {
  while (true) {
    if (line_ == begin_ && line_ < bytes.size() && bytes[line_] != '\r' &&
        !base::is_token_character(bytes[line_])) {
      return Status::malformed;
    }
    const auto newline = bytes.find('\n', position_);
    if (newline == std::string_view::npos) {
      position_ = bytes.size();
      return Status::incomplete;
    }
    position_ = newline + 1;
    if (newline == line_ || bytes[newline - 1] != '\r') return Status::malformed;
    const bool empty = newline - line_ == 1;
    if (empty && line_ != begin_) return Status::complete;
    line_ = position_;
    if (empty) begin_ = position_;
  }
}

}  // namespace fw::http
