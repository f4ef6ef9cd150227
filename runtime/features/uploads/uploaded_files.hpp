// The files of a request, which `req.files()` returns.
#pragma once

#include <fairway/multipart.hpp>

#include <span>
#include <vector>

#include "exchange/exchange.hpp"

namespace fw::detail {

/// In the slots of the exchange.
struct UploadedFiles {
  std::vector<ParsedFile> files;
};

inline std::span<const ParsedFile> uploaded_files(Exchange& exchange) {
  const auto* const uploaded = exchange.slots.get<UploadedFiles>();
  if (uploaded == nullptr) return {};
  return uploaded->files;
}

}  // namespace fw::detail
