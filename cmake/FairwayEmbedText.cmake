# fairway_embed_text(<target> <function> <file>...)
#
# Adds `std::string_view fairway::emit::<function>()` to <target>: the texts of the files, a blank
# line between them. So they can be files of their own language. A change of a
# text is noticed at the next build.
function(fairway_embed_text target function)
  set(texts "")
  set(separator "")
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    string(APPEND texts "${separator}${text}")
    set(separator "\n")
  endforeach()
  set(content "// Texts of ${ARGN}.
#include <string_view>

namespace fairway::emit {

std::string_view ${function}();

std::string_view ${function}() {
  return R\"embedded(${texts})embedded\";
}

}  // namespace fairway::emit
")
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "@content@" @ONLY)
  target_sources(${target} PRIVATE ${unit})
endfunction()
