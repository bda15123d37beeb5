# Installs the library into a scratch folder, then configures, builds and runs the consumer against that copy alone.
# cmake -DBUILD_DIR=... -DSCRATCH_DIR=... -DGENERATOR=... -DCXX=... -DREADME=... -DCONFIG_DIR=... -P run.cmake
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(READ ${README} text)
file(REMOVE_RECURSE ${SCRATCH_DIR})
# The consumers must not find the headers in the source tree by accident.
run(${CMAKE_COMMAND} -E copy_directory ${CMAKE_CURRENT_LIST_DIR} ${SCRATCH_DIR}/source)
# The small library by itself, with the README's first program.
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH_DIR}/small --component small)
string(FIND "${text}" "```cpp\n" begin)
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${text}" ${begin} -1 example)
string(FIND "${example}" "```" end)
string(SUBSTRING "${example}" 0 ${end} example)
file(WRITE ${SCRATCH_DIR}/source/small/main.cpp "${example}")
run(${CMAKE_COMMAND} -S ${SCRATCH_DIR}/source/small -B ${SCRATCH_DIR}/build_small -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${SCRATCH_DIR}/small -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/build_small)
run(${SCRATCH_DIR}/build_small/small)
# All that is installed.
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH_DIR}/prefix)
# What nobody includes who uses the library stays at home.
file(GLOB_RECURSE inner ${SCRATCH_DIR}/prefix/include/lacp/vector*.hpp ${SCRATCH_DIR}/prefix/include/baselines.hpp
     ${SCRATCH_DIR}/prefix/include/models/*)
if(inner)
  message(FATAL_ERROR "installed, though no header of the README's table includes them: ${inner}")
endif()
if(NOT text MATCHES "```cmake\n([^`]*)```")
  message(FATAL_ERROR "${README} has no block of CMake")
endif()
file(WRITE ${SCRATCH_DIR}/source/readme.cmake "${CMAKE_MATCH_1}")
run(${CMAKE_COMMAND} -S ${SCRATCH_DIR}/source -B ${SCRATCH_DIR}/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${SCRATCH_DIR}/prefix -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/build)
run(${SCRATCH_DIR}/build/mine)
# With another Armadillo than the library was built with, it is not found.
set(config ${SCRATCH_DIR}/prefix/${CONFIG_DIR}/lacpConfig.cmake)
file(READ ${config} text)
string(REGEX REPLACE "VERSION_EQUAL \"[^\"]*\"" "VERSION_EQUAL \"0.0.1\"" other "${text}")
file(WRITE ${config} "${other}")
execute_process(COMMAND ${CMAKE_COMMAND} ${SCRATCH_DIR}/build
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE message)
file(WRITE ${config} "${text}")
if(status EQUAL 0 OR NOT message MATCHES "lacp was built with Armadillo")
  message(FATAL_ERROR "lacp built with another Armadillo is accepted: ${message}")
endif()
# The program is installed too; it runs wherever it lies.
if(EXISTS ${BUILD_DIR}/lacp)
  run(${SCRATCH_DIR}/prefix/bin/lacp --version)
endif()
