#include <fairway/fairway.hpp>

#include <optional>
#include <string_view>

FW_EXPORT_DEFAULT = fw::define_plugin(
    {.name = "auth", .setup = [](fw::App& app) {
       app.use(fw::auth({.source = "custom",
                         .optional = true,
                         .verify = [](std::string_view, fw::Request&)
                             -> std::optional<fw::AuthIdentity> { return std::nullopt; }}));
     }});
