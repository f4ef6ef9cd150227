# fairway_embed_text(<target> <function> <file>...)
#
# Adds `std::string_view fairway::emit::<function>()` to <target>: the texts of the files, a blank
# line between them. So they can be files of their own language. A change of a text is picked up by the
# next build.
function(fairway_embed_text target function)
  set(literals "")
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND literals "R\"embedded(${text})embedded\",\n")
  endforeach()
  # A literal for each file: compilers need not support literals of more than 64 KiB.
  set(content "// Texts of ${ARGN}.
#include <initializer_list>
#include <string>
#include <string_view>

namespace fairway::emit {

std::string_view ${function}();

std::string_view ${function}() {
  static const std::string result = [] {
    std::string texts;
    for (const std::string_view text : std::initializer_list<std::string_view>{
${literals}}) {
      texts.append(texts.empty() ? \"\" : \"\\n\").append(text);
    }
    return texts;
  }();
  return result;
}

}  // namespace fairway::emit
")
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "@content@" @ONLY)
  target_sources(${target} PRIVATE ${unit})
endfunction()
