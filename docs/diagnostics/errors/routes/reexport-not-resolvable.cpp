FW_REEXPORT_DEFAULT("users.cpp");
