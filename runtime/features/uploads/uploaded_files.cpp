#include "features/uploads/uploaded_files.hpp"

#include <fairway/request.hpp>

#include <utility>

namespace fw {

std::span<const ParsedFile> Request::files() const {
  exchange_.observe(detail::RequestPart::body);
  return detail::uploaded_files(exchange_);
}

void Request::set_files(std::vector<ParsedFile> files) {
  exchange_.slots.set(detail::UploadedFiles{std::move(files)});
}

}  // namespace fw
