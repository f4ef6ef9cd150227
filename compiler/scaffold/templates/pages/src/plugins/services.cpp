// The services that routes use: app.services().get<GuestBook>().
#include <fairway/fairway.hpp>

#include "services/guest_book.hpp"

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "services",
    .setup = [](fw::App& app) { app.services().add<GuestBook>(); },
});
