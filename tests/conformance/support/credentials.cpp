#include "support/credentials.hpp"

#include <stdexcept>

namespace credentials {

std::optional<fw::AuthIdentity> verify(std::string_view credential, fw::Request&) {
  if (credential == "boom") throw std::runtime_error("boom");
  if (credential == "admin") {
    return fw::AuthIdentity{
        .subject = "s1",
        .user_id = "1",
        .roles = {"admin", "user"},
        .scopes = {"read", "write"},
        .can = [](std::string_view action, const fw::Json& resource, const fw::Json&) {
          if (action == "explode") throw std::runtime_error("the provider exploded");
          return action == "doc.read" && (resource.is_null() || resource == "d1");
        }};
  }
  if (credential == "user") {
    return fw::AuthIdentity{.user_id = "2", .roles = {"user"}, .scopes = {"read"}};
  }
  if (credential == "asserter") {
    return fw::AuthIdentity{
        .user_id = "3",
        .assert_permission = [](std::string_view action, const fw::Json&, const fw::Json&) {
          if (action != "doc.read") throw std::runtime_error("not permitted");
        }};
  }
  return std::nullopt;
}

}  // namespace credentials
