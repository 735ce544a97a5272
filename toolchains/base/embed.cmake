# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DNAMESPACE=NAME -DFILES=FILE[|FILE ...] -DOUTPUT=FILE -P embed.cmake: the templates as a C++ source: NAME.EXT.in is
# NAMESPACE::templates::NAME_EXT. A template's head, which ends with the first empty line, has its licence and reasons, and is left out.
set(source "// Written by toolchains/base/embed.cmake.\n#include <string_view>\n\nnamespace ${NAMESPACE}::templates {\n")
string(REPLACE "|" ";" files "${FILES}")
foreach(file IN LISTS files)
  file(READ ${file} text)
  string(FIND "${text}" "\n\n" end)
  if(end EQUAL -1)
    message(FATAL_ERROR "${file} has no head")
  endif()
  math(EXPR end "${end} + 2")
  string(SUBSTRING "${text}" ${end} -1 text)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  string(REPLACE "." "_" name ${name})
  string(APPEND source "\nextern const std::string_view ${name};\nconst std::string_view ${name} = R\"~hostpin~(${text})~hostpin~\";\n")
endforeach()
file(WRITE ${OUTPUT} "${source}\n} // namespace ${NAMESPACE}::templates\n")
