# fairway_embed_files(<target> <header> <namespace> <function> <folder>)
#
# Adds `std::span<const EmbeddedFile> <namespace>::<function>()` to <target>: all files below <folder>,
# with their paths in it. <header> declares it and the struct. A change of a file is picked up by the
# next build.
function(fairway_embed_files target header namespace function folder)
  get_filename_component(folder ${folder} ABSOLUTE)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS LIST_DIRECTORIES false RELATIVE ${folder} ${folder}/*)
  list(SORT files)
  set(rows "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${file})
    file(READ ${folder}/${file} text)
    string(APPEND rows "    {\"${file}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  set(content "// The files of ${folder}.
#include \"${header}\"

namespace ${namespace} {
namespace {

constexpr EmbeddedFile kEmbeddedFiles[] = {
${rows}};

}  // namespace

std::span<const EmbeddedFile> ${function}() { return kEmbeddedFiles; }

}  // namespace ${namespace}
")
  set(unit ${CMAKE_CURRENT_BINARY_DIR}/embedded_${target}.cpp)
  file(CONFIGURE OUTPUT ${unit} CONTENT "@content@" @ONLY)
  target_sources(${target} PRIVATE ${unit})
endfunction()
