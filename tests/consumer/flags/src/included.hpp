#define FROM_SHELL_OPTION "/shell-option"
