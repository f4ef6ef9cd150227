#include <fairway/fairway.hpp>

#include "support/credentials.hpp"

FW_EXPORT_DEFAULT =
    fw::define_plugin({.name = "auth", .setup = [](fw::App& app) {
                         app.use(fw::auth({.source = "session", .verify = credentials::verify}));
                       }});
