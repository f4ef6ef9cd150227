// Knows the callers by their tokens: the administrator's from the environment, ORDERS_ADMIN_TOKEN,
// and others from a development or local configuration, {"app": {"tokens": {"<token>": {...}}}}.
#include <fairway/fairway.hpp>

#include <cstdlib>

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "bearer-auth",
    .setup =
        [](fw::App& app) {
          fw::Json tokens = app.config().app.value("tokens", fw::Json::object());
          const char* admin = std::getenv("ORDERS_ADMIN_TOKEN");
          if (admin != nullptr && *admin != '\0') {
            tokens[admin] = {{"userId", "admin"}, {"roles", {"admin"}}};
          }
          app.use(fw::auth({
              .source = "bearer",
              .verify = [tokens](std::string_view token,
                                 fw::Request&) -> std::optional<fw::AuthIdentity> {
                const auto user = tokens.find(std::string(token));
                if (user == tokens.end()) return std::nullopt;
                return fw::AuthIdentity{.subject = user->at("userId").get<std::string>(),
                                        .user_id = user->at("userId").get<std::string>(),
                                        .roles = user->at("roles").get<std::vector<std::string>>()};
              },
          }));
        },
});
