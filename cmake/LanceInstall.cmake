# Installation: liblance, its public headers, the command line tool, and what find_package(lance)
# and pkg-config read.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(LANCE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/lance")

# Arrow's libraries stay where they are: in the pyarrow package or the system. The former has to be
# named, as CMake leaves link paths inside the project (.venv) out of what it installs.
set(LANCE_INSTALL_RPATH "$ORIGIN" ${LANCE_PYARROW_DIR})
set_target_properties(lance PROPERTIES
  INSTALL_RPATH "${LANCE_INSTALL_RPATH}" INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS lance EXPORT lanceTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET lance_cli)
  set_target_properties(lance_cli PROPERTIES
    INSTALL_RPATH "${LANCE_INSTALL_RPATH}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS lance_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/lance"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(EXPORT lanceTargets NAMESPACE lance:: DESTINATION "${LANCE_CMAKE_DIR}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/lance-config.cmake.in" "${PROJECT_BINARY_DIR}/lance-config.cmake"
  INSTALL_DESTINATION "${LANCE_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lance-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/lance-config.cmake"
  "${PROJECT_BINARY_DIR}/lance-config-version.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/LanceArrow.cmake"
  DESTINATION "${LANCE_CMAKE_DIR}")

configure_file("${PROJECT_SOURCE_DIR}/cmake/lance.pc.in" "${PROJECT_BINARY_DIR}/lance.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/lance.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
