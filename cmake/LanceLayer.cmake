# lance_layer(<name> DEPENDS <layer>... LIBRARIES <target>...)
#
# Declares the layer in the current folder: a static library lance_<name> of all sources that are
# not tests, and a test binary lance_<name>_test of all *_test.cc. One binary a layer keeps
# linking cheap.
add_library(lance_headers INTERFACE)
target_include_directories(lance_headers INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_compile_definitions(lance_headers INTERFACE LANCE_VERSION="${PROJECT_VERSION}")

function(lance_precompiled_header target)
  if(NOT LANCE_PCH)
    return()
  endif()
  if(NOT TARGET lance_pch)
    file(WRITE "${PROJECT_BINARY_DIR}/lance_pch.cc" "")
    add_library(lance_pch OBJECT "${PROJECT_BINARY_DIR}/lance_pch.cc")
    target_link_libraries(lance_pch PRIVATE Arrow::arrow_shared)
    target_precompile_headers(lance_pch PRIVATE
      <arrow/api.h> <algorithm> <atomic> <cstdint> <cstring> <functional> <memory> <mutex>
      <optional> <span> <string> <string_view> <unordered_map> <utility> <vector>)
  endif()
  target_precompile_headers(${target} REUSE_FROM lance_pch)
endfunction()

function(lance_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES;EXTRA_SOURCES" ${ARGN})
  file(GLOB_RECURSE all CONFIGURE_DEPENDS "*.cc")
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_(test|benchmark|fuzz)\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")

  set(target lance_${name})
  list(TRANSFORM ARG_DEPENDS PREPEND lance_)
  add_library(${target} STATIC ${sources} ${ARG_EXTRA_SOURCES})
  target_link_libraries(${target} PUBLIC lance_headers ${ARG_DEPENDS} Arrow::arrow_shared
                                  PRIVATE ${ARG_LIBRARIES})
  lance_precompiled_header(${target})
  set_property(GLOBAL APPEND PROPERTY LANCE_LAYERS ${target})

  if(LANCE_TESTS AND tests)
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE ${target} ${ARG_LIBRARIES} GTest::gtest_main GTest::gmock)
    lance_precompiled_header(${target}_test)
    add_test(NAME ${name} COMMAND ${target}_test)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "ARROW_DEFAULT_MEMORY_POOL=system")
  endif()
  if(LANCE_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(fuzz_name ${fuzzer} NAME_WE)
      add_executable(${fuzz_name} ${fuzzer})
      target_link_libraries(${fuzz_name} PRIVATE ${target} ${ARG_LIBRARIES})
      target_link_options(${fuzz_name} PRIVATE -fsanitize=fuzzer)
      set_target_properties(${fuzz_name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
      set_property(GLOBAL APPEND PROPERTY LANCE_FUZZERS ${fuzz_name})
    endforeach()
  endif()
endfunction()
