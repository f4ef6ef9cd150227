# fairway_embed_text(<target> <file> <function>)
#
# Adds `std::string_view fairway::emit::<function>()` to <target>: the text of <file>, which so can
# stand in a file of its own language. A change of the text is noticed at the next build.
function(fairway_embed_text target file function)
  get_filename_component(path ${file} ABSOLUTE)
  get_filename_component(folder ${file} DIRECTORY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  file(GENERATE OUTPUT ${unit} CONTENT "// The text of ${file}.
#include \"${folder}/${function}.hpp\"

namespace fairway::emit {

std::string_view ${function}() {
  return R\"embedded(${text})embedded\";
}

}  // namespace fairway::emit
")
  target_sources(${target} PRIVATE ${unit})
endfunction()
