# What the library defines for whoever links it is its own: a second definition of another library's variable would not link.
# cmake -DNM=... -DLIBRARY=... -P symbols.cmake
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NM} --demangle --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE ";" "," symbols "${symbols}")
string(REPLACE "\n" ";" symbols "${symbols}")
foreach(symbol IN LISTS symbols)
  # A capital: not weak, so one definition per program. mlpack's image code, stb, makes some only on some processors.
  if((symbol MATCHES "^[0-9a-f]+ [BCDGRST] " AND NOT symbol MATCHES "lacp::") OR symbol MATCHES " stbi?[rw]?_")
    list(APPEND strangers "${symbol}")
  endif()
endforeach()
list(LENGTH symbols all)
if(strangers OR all LESS 100)
  list(SUBLIST strangers 0 10 strangers)
  list(JOIN strangers "\n  " text)
  message(FATAL_ERROR "${LIBRARY}, ${all} symbols, defines what is not lacp's:\n  ${text}")
endif()
