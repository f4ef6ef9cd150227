// The output of build tools, as `fairway dev` shows it.
#include "dev/build_run.hpp"

#include <doctest/doctest.h>

namespace dev_test {

TEST_CASE("dev: notes in system headers are counted, not shown") {
  fairway::dev::BuildOutput output({});
  output.add(
      "[1/2] Building CXX object a.cpp.o\n"
      "/home/ann/a.cpp:3:5: error: invalid operands\n"
      "    3 | a == b;\n"
      "      | ~ ^  ~\n"
      "\x1b[1m/usr/include/c++/12/string:7:1: \x1b[0mnote: candidate: x\n"
      "    7 | bool operator==(\n"
      "      | ^\n"
      "/usr/include/c++/12/string:8:1: note: candidate: y\n"
      "/home/ann/b.hpp:1:1: note: candidate: mine\n"
      "    1 | b\n"
      "/usr/local/include/fairway/router.hpp:9:1: note: candidate: route\n"
      "    9 | route\n"
      "/usr/include/c++/12/string:9:1: note: candidate: z\n"
      "    9 | bool\n"
      "1 error generated.\n"
      "ninja: build stopped: subcommand failed.\n",
      {});
  output.end({});
  CHECK(output.diagnostics() ==
        "/home/ann/a.cpp:3:5: error: invalid operands\n"
        "    3 | a == b;\n"
        "      | ~ ^  ~\n"
        "(2 notes in system headers)\n"
        "/home/ann/b.hpp:1:1: note: candidate: mine\n"
        "    1 | b\n"
        "/usr/local/include/fairway/router.hpp:9:1: note: candidate: route\n"
        "    9 | route\n"
        "(1 note in system headers)\n"
        "1 error generated.\n");
}

}  // namespace dev_test
