FW_EXPORT_DEFAULT =
    fw::define_middleware([](fw::Request&, fw::Response&, fw::Next next) { next(); });
