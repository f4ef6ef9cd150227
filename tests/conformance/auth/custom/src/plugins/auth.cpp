#include <fairway/fairway.hpp>

#include <optional>
#include <string>
#include <string_view>

FW_EXPORT_DEFAULT = fw::define_plugin(
    {.name = "auth", .setup = [](fw::App& app) {
       app.use(fw::auth(
           {.source = "custom",
            .verify = [](std::string_view, fw::Request& req) -> std::optional<fw::AuthIdentity> {
              const auto user = req.header("x-user");
              if (!user) return std::nullopt;
              return fw::AuthIdentity{.user_id = std::string(*user)};
            }}));
     }});
