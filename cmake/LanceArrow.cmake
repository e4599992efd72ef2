# Arrow C++ from the pinned pyarrow wheel (default) or from an installed package
# (-DLANCE_ARROW=system). Both define Arrow::arrow_shared, ArrowCompute::arrow_compute_shared and
# Parquet::parquet_shared. This file is installed next to lance-config.cmake and used from there.
set(LANCE_ARROW "pyarrow" CACHE STRING "Where Arrow C++ comes from: pyarrow or system")
set(LANCE_ARROW_SO_VERSION 2600)
find_package(Threads REQUIRED)

if(LANCE_ARROW STREQUAL "system")
  find_package(Arrow REQUIRED)
  find_package(ArrowCompute REQUIRED)
  find_package(Parquet REQUIRED)
else()
  if(NOT LANCE_PYARROW_DIR)
    # The Python that a Python package is built for; else the virtual environment of ./dev, then the
    # Python on PATH.
    if(Python_EXECUTABLE AND NOT LANCE_PYTHON_EXECUTABLE)
      set(LANCE_PYTHON_EXECUTABLE "${Python_EXECUTABLE}")
    endif()
    find_program(LANCE_PYTHON_EXECUTABLE NAMES python3 python
                 HINTS "${PROJECT_SOURCE_DIR}/.venv/bin")
    execute_process(
      COMMAND "${LANCE_PYTHON_EXECUTABLE}" -c
        "import importlib.util as u; print(next(iter(u.find_spec('pyarrow').submodule_search_locations)))"
      OUTPUT_VARIABLE LANCE_PYARROW_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT EXISTS "${LANCE_PYARROW_DIR}/libarrow.so.${LANCE_ARROW_SO_VERSION}")
    message(FATAL_ERROR
      "pyarrow 26.0.* not found (looked for libarrow.so.${LANCE_ARROW_SO_VERSION} in "
      "'${LANCE_PYARROW_DIR}'). Run './dev setup', or give -DLANCE_PYARROW_DIR=<.../site-packages/pyarrow>, "
      "or use an installed Arrow with -DLANCE_ARROW=system.")
  endif()
  function(lance_import_arrow target name)
    if(TARGET ${target})
      return()
    endif()
    add_library(${target} SHARED IMPORTED GLOBAL)
    set(file "lib${name}.so.${LANCE_ARROW_SO_VERSION}")
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION "${LANCE_PYARROW_DIR}/${file}"
      IMPORTED_SONAME "${file}"
      INTERFACE_INCLUDE_DIRECTORIES "${LANCE_PYARROW_DIR}/include"
      INTERFACE_LINK_LIBRARIES "${ARGN}")
  endfunction()
  lance_import_arrow(Arrow::arrow_shared arrow Threads::Threads)
  lance_import_arrow(ArrowCompute::arrow_compute_shared arrow_compute Arrow::arrow_shared)
  lance_import_arrow(Parquet::parquet_shared parquet Arrow::arrow_shared)
endif()
