#define MESSAGE "first"
