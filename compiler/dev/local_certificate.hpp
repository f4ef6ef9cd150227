// The certificate of `fairway dev --https`.
#pragma once

#include <filesystem>
#include <string>

namespace fairway::dev {

struct LocalCertificate {
  std::filesystem::path certificate;  ///< PEM
  std::filesystem::path key;          ///< PEM, readable by its owner only
  bool is_new = false;
};

/// The certificate in `folder`, for localhost and `host`. Makes a new one, signed by itself, unless
/// there is one that is valid for another day and names the host. Throws UserError.
LocalCertificate local_certificate(const std::filesystem::path& folder, const std::string& host);

}  // namespace fairway::dev
