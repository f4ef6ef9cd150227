// The service that the route file uses.
#pragma once

#include <fairway/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

struct User {
  std::string id;
  std::string name;
};
inline void to_json(fw::Json& json, const User& user) {
  json = {{"id", user.id}, {"name", user.name}};
}

class UserStore {
 public:
  std::optional<User> find(std::optional<std::string_view> id) const {
    const auto found = users_.find(std::string(id.value_or("")));
    if (found == users_.end()) return std::nullopt;
    return found->second;
  }
  User create(const std::string& name, const std::string&) {
    const User user = {.id = "6f0f2b0e-8b8a-4f0e-9a3c-0d9b8f1f2a3b", .name = name};
    users_[user.id] = user;
    return user;
  }

 private:
  std::map<std::string, User> users_;
};
