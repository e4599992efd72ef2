# Compiler flags shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Executables are compiled like libraries, so that they can share the precompiled header.
set(CMAKE_CXX_COMPILE_OPTIONS_PIE "-fPIC")
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=return-type -Werror
                    -ffunction-sections -fdata-sections)
# gcc 12 reports false positives of these in inlined library code at -O2.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds
                      -Wno-stringop-overread -Wno-restrict)
  # ccache can only cache compilations that use a precompiled header with this flag.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()
if(LANCE_SANITIZE)
  add_compile_options(-fsanitize=${LANCE_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LANCE_SANITIZE})
endif()
find_program(LANCE_MOLD mold)
if(LANCE_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
find_program(LANCE_CCACHE ccache)
if(LANCE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${LANCE_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      # Paths count relative to the sources, so that clones and build folders share the cache.
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      "${LANCE_CCACHE}")
endif()
