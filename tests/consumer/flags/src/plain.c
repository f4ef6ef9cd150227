int plain_c(void) { return 0; }
