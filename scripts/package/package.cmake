# `make package`: Debian packages of what `cmake --install` installs, by component. Built on Debian 12 they are for Debian 12,
# on Debian 13 for that: libraries differ.
cmake_host_system_information(RESULT debian QUERY DISTRIB_VERSION_ID)
set(version ${PROJECT_VERSION}-1~deb${debian})
set(files ${PROJECT_BINARY_DIR}/package)
install(CODE "execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/package/files.sh $<TARGET_FILE:lacp> ${version} ${files} COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT runtime)
install(DIRECTORY ${files}/man1 DESTINATION share/man COMPONENT runtime)
execute_process(COMMAND dpkg-query -W -f "\${Version}" libarmadillo-dev OUTPUT_VARIABLE armadillo ERROR_QUIET)
string(REGEX REPLACE "[+-].*" "" armadillo "${armadillo}") # 1:11.4.2+dfsg-1 becomes 1:11.4.2
execute_process(COMMAND dpkg-query -W -f "\${Version}" libfmt-dev OUTPUT_VARIABLE fmt ERROR_QUIET)
string(REGEX REPLACE "[.].*" "" fmt "${fmt}")
if(NOT armadillo OR NOT fmt) # no Debian
  return()
endif()
math(EXPR next_fmt "${fmt} + 1")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lacp)
set(CPACK_PACKAGE_CONTACT "The lacp authors <lacp@example.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1~deb${debian})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(about "Prediction intervals for regression: they contain the truth as often as
promised, whatever the noise, and are wide only where errors are large.
")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME lacp)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION math)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS curl) # `lacp datasets fetch`
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "ca-certificates, gnuplot-nox | gnuplot")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "${about}This is the program lacp, with data sets and experiments.")

# What its headers include, in the version of this system: templates and layouts are compiled into the library.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME liblacp-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libarmadillo-dev (>= ${armadillo}), libarmadillo-dev (<< ${armadillo}.~), \
libfmt-dev (>= ${fmt}), libfmt-dev (<< ${next_fmt}~)")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${about}This is the C++ library, with its headers.")

set(CPACK_COMPONENTS_ALL runtime development)
if(EXISTS ${PROJECT_SOURCE_DIR}/lib/python/lacp.py)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-lacp)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "lacp (>= ${PROJECT_VERSION}), python3:any, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-sklearn, python3-pandas")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "${about}This is a regressor for scikit-learn, which starts the program lacp.")
  install(FILES lib/python/lacp.py DESTINATION lib/python3/dist-packages COMPONENT python EXCLUDE_FROM_ALL)
endif()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES ${files}/copyright ${files}/changelog.Debian.gz
          DESTINATION share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
include(CPack)
