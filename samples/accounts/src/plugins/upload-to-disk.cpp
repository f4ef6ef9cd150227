// Large uploads are stored on the disk while they arrive: the service UploadFolder. Its settings
// are `app.uploads` of the configuration.
#include <fairway/fairway.hpp>

#include "services/upload_folder.hpp"

FW_EXPORT_DEFAULT = fw::define_plugin({
    .name = "upload-to-disk",
    .setup =
        [](fw::App& app) {
          const fw::Json settings = app.config().app.value("uploads", fw::Json::object());
          UploadFolder::Limits limits;
          limits.files = settings.value("maxFiles", limits.files);
          limits.file_size = settings.value("maxFileSize", limits.file_size);
          app.services().add<UploadFolder>(settings.value("folder", "uploads"), limits);
        },
});
