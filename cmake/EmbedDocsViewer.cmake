# Writes the viewer's files, compressed, and viewer_assets.cpp, which contains them:
# cmake -DUI=<swagger-ui-dist> -DOWN=<runtime/openapi/viewer> -DOUTPUT=<folder> -DGZIP=<gzip>
# -DCAN_DECOMPRESS=<whether the library needs no uncompressed files> -P …
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${OUTPUT}/files)
file(MAKE_DIRECTORY ${OUTPUT}/files)
set(blobs "")
set(rows "")
set(count 0)

# embed(<name> <file> <content type>)
function(embed name file type)
  file(SHA256 ${file} hash)
  string(SUBSTRING ${hash} 0 16 hash)
  string(REGEX REPLACE "(\\.[a-z]+)$" ".${hash}\\1" file_name ${name})
  set(compressed ${OUTPUT}/files/${file_name}.gz)
  # Without name and time: the same bytes from every build.
  execute_process(COMMAND ${GZIP} -9nc ${file} OUTPUT_FILE ${compressed}
                  COMMAND_ERROR_IS_FATAL ANY)
  set(row "    {\"${name}\", \"${file_name}\", \"${type}\",\n     ")
  set(parts ${compressed})
  if(NOT CAN_DECOMPRESS)
    list(APPEND parts ${file})
  endif()
  foreach(part IN LISTS parts)
    file(SIZE ${part} size)
    set(symbol fairway_docs_viewer_${count})
    string(APPEND blobs "asm(R\"(.pushsection .rodata\n.hidden ${symbol}\n.global ${symbol}\n"
                        "${symbol}:\n.incbin \"${part}\"\n.popsection)\");\n"
                        "extern \"C\" const char ${symbol}[${size}];\n")
    string(APPEND row "{${symbol}, ${size}}, ")
    math(EXPR count "${count} + 1")
  endforeach()
  string(REGEX REPLACE ", $" "},\n" row "${row}")
  set(blobs "${blobs}" PARENT_SCOPE)
  set(rows "${rows}${row}" PARENT_SCOPE)
  set(count ${count} PARENT_SCOPE)
endfunction()

set(licenses ${OUTPUT}/files/licenses.txt)
file(READ ${UI}/NOTICE notice)
file(READ ${UI}/LICENSE license)
file(READ ${UI}/swagger-ui-bundle.js.LICENSE.txt parts)
file(WRITE ${licenses} "${notice}\n\n${license}\n\nParts of it:\n\n${parts}")

embed(swagger-ui.js ${UI}/swagger-ui-bundle.js "text/javascript; charset=utf-8")
embed(swagger-ui.css ${UI}/swagger-ui.css "text/css; charset=utf-8")
embed(push.js ${OWN}/push.js "text/javascript; charset=utf-8")
embed(viewer.js ${OWN}/viewer.js "text/javascript; charset=utf-8")
embed(viewer.css ${OWN}/viewer.css "text/css; charset=utf-8")
embed(icon.svg ${OWN}/icon.svg "image/svg+xml")
embed(licenses.txt ${licenses} "text/plain; charset=utf-8")

file(WRITE ${OUTPUT}/viewer_assets.cpp "// The documentation viewer. Made by cmake/EmbedDocsViewer.cmake.
#include \"openapi/viewer.hpp\"

${blobs}
namespace fw::openapi {

std::span<const ViewerAsset> viewer_assets() {
  static constexpr ViewerAsset kAssets[] = {
${rows}  };
  return kAssets;
}

}  // namespace fw::openapi
")
