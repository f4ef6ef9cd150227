// The services that routes use: app.services().get<NoteStore>().
#include <fairway/fairway.hpp>

#include "services/note_store.hpp"

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "services",
    .setup = [](fw::App& app) { app.services().add<NoteStore>(); },
});
