# nv_library(NAME SOURCES … [LINK …]): one layer as a static library.
function(nv_library name)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_link_libraries(${name} PUBLIC nv_flags ${A_LINK})
endfunction()

# nv_unit_test(NAME SOURCES … LINK … [LABELS …]): one cmocka program, one ctest entry "unit/NAME".
function(nv_unit_test name)
  cmake_parse_arguments(A "" "" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(test_${name} ${A_SOURCES})
  target_link_libraries(test_${name} PRIVATE ${A_LINK} PkgConfig::CMOCKA)
  target_compile_definitions(test_${name} PRIVATE NV_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    NV_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME unit/${name} COMMAND test_${name})
  set_tests_properties(unit/${name} PROPERTIES LABELS "unit;${A_LABELS}" TIMEOUT 300
    SKIP_RETURN_CODE 77)
endfunction()

# nv_fuzz(NAME SOURCES … LINK …): with NVADVISE_WITH_FUZZ a libFuzzer program fuzz_NAME; always a
# plain program that replays tests/fuzz/corpus/NAME, one ctest entry "fuzz/NAME".
function(nv_fuzz name)
  cmake_parse_arguments(A "" "" "SOURCES;LINK" ${ARGN})
  if(NVADVISE_WITH_FUZZ)
    add_executable(fuzz_${name} ${A_SOURCES})
    target_link_libraries(fuzz_${name} PRIVATE ${A_LINK})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
  add_executable(replay_${name} ${A_SOURCES} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay.c)
  target_link_libraries(replay_${name} PRIVATE ${A_LINK})
  add_test(NAME fuzz/${name} COMMAND replay_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz/${name} PROPERTIES LABELS "fuzz" TIMEOUT 300)
endfunction()

# nv_embed(OUT SYMBOL FILES …): a C file with `const struct embedded_file SYMBOL[]` (name relative to the
# calling folder, bytes, length) and SYMBOL_count; struct in cmake/embedded.h.
function(nv_embed out symbol)
  set(files ${ARGN})
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${symbol} -DBASE=${CMAKE_CURRENT_SOURCE_DIR}
      "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
endfunction()
