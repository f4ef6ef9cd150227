// The credentials that the applications of the area `auth` know.
#pragma once

#include <fairway/fairway.hpp>

#include <optional>
#include <string_view>

namespace credentials {

/// Identities with a `can` (admin), without a permission provider (user) and with an
/// `assert_permission` (asserter). Throws for "boom", and knows no others.
std::optional<fw::AuthIdentity> verify(std::string_view credential, fw::Request& req);

}  // namespace credentials
