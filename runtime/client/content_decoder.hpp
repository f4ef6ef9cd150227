// Decodes the body of a response by its Content-Encoding.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compression/decoder.hpp"

namespace fw::detail {

/// A body that is decoded while it is read, in little memory.
class ContentDecoder {
 public:
  enum class State {
    reading,
    needs_input,  ///< see `add`
    end,
    failed,  ///< see `error`
  };

  explicit ContentDecoder(std::string coding);

  /// Reads decoded bytes, at least one if the result is `reading`.
  State read(std::span<char> buffer, std::size_t& count);
  /// Adds encoded bytes; none: the body has ended.
  void add(std::string_view bytes);
  const std::string& error() const { return error_; }
  /// The bytes that it keeps.
  std::size_t memory() const;

 private:
  State fail(std::string why);
  State decode();

  const std::string coding_;
  std::unique_ptr<compression::Decoder> decoder_;
  std::optional<compression::Decoder::Status> status_;  ///< of the last call of the decoder
  bool is_first_member_ = true;
  bool has_whole_input_ = false;
  std::string input_;
  std::size_t used_ = 0;  ///< number of bytes of `input_` that were decoded
  std::string output_;
  std::size_t read_ = 0;  ///< number of bytes of `output_` that were read
  std::string error_;
};

}  // namespace fw::detail
