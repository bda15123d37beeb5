# cmake -DSOURCE=FOLDER -DOUTPUT=FILE -P commit.cmake: writes the commit of a folder as a header, if it is another than FILE
# has. Results that are not committed yet do not make it dirty: they are what a run writes.
set(commit "unknown")
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE head RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed EQUAL 0)
  set(commit ${head})
  execute_process(COMMAND git -C ${SOURCE} diff --quiet HEAD -- :/ ":(top,exclude)results" RESULT_VARIABLE changed
                  ERROR_QUIET)
  if(NOT changed EQUAL 0)
    string(APPEND commit "-dirty")
  endif()
endif()
set(text "#pragma once\n#define LACP_COMMIT \"${commit}\"\n")
if(EXISTS ${SOURCE}/experiments/commit.hpp) # a source archive, whose maker wrote it
  file(READ ${SOURCE}/experiments/commit.hpp text)
endif()
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE ${OUTPUT} "${text}")
endif()
