# SPDX-License-Identifier: MIT
# Embeds scripts and styles of pages: chainer_embed(OUT a.js b.css ...) makes a source OUT that defines
# chainer::pages::a_js and so on (declared in chainer/viewing/pages.h). Run as a script, this file writes the source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "// Made by cmake/Embed.cmake.\n#include \"chainer/viewing/pages.h\"\n\nnamespace chainer::pages {\n\n")
  foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    string(REPLACE "." "_" name ${name})
    file(READ ${file} content)
    # Compilers need not support literals of more than 64 KiB.
    string(APPEND text "extern const std::string_view ${name} = R\"===(${content})===\";\n\n")
  endforeach()
  file(WRITE ${OUT} "${text}}  // namespace chainer::pages\n")
  return()
endif()

function(chainer_embed out)
  set(files)
  foreach(file ${ARGN})
    list(APPEND files ${PROJECT_SOURCE_DIR}/chainer/${file})
  endforeach()
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUT=${out} -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    COMMENT "Embedding pages"
    VERBATIM)
endfunction()
