FW_REEXPORT_DEFAULT("missing-docs-summary.cpp");
