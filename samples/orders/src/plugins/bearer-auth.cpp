// Knows the callers by the tokens in the configuration: {"app": {"tokens": {"<token>": {...}}}}.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "bearer-auth",
    .setup =
        [](fw::App& app) {
          const fw::Json tokens = app.config().app.value("tokens", fw::Json::object());
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
