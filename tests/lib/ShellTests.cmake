# nv_sh_test(NAME FILE LABEL … [SERVERS] [TIMEOUT SECONDS] [ARGS …]): a test program in POSIX sh.
# Exit code 77 with a line "skip: reason" is a skip. SERVERS: holds the one lock under which servers
# and guests run, so that no test sees another's processes;
# and with two jobs nothing else runs beside it, so that times are its own.
# The program finds the checkout in NVADVISE_SOURCE, the binary of this build in NVADVISE, and the
# one of the release preset in NVADVISE_RELEASE.
function(nv_sh_test name file label)
  cmake_parse_arguments(A "SERVERS" "TIMEOUT" "ARGS" ${ARGN})
  add_test(NAME ${label}/${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/${file} ${A_ARGS})
  if(NOT A_TIMEOUT)
    set(A_TIMEOUT 600)
  endif()
  set_tests_properties(${label}/${name} PROPERTIES LABELS ${label} TIMEOUT ${A_TIMEOUT}
    SKIP_RETURN_CODE 77 ENVIRONMENT "NVADVISE_SOURCE=${PROJECT_SOURCE_DIR};\
NVADVISE=${PROJECT_BINARY_DIR}/advisor/cli/nvadvise;\
NVADVISE_RELEASE=${PROJECT_SOURCE_DIR}/build/release/advisor/cli/nvadvise")
  if(A_SERVERS)
    set_tests_properties(${label}/${name} PROPERTIES RESOURCE_LOCK servers PROCESSORS 2)
  endif()
endfunction()
