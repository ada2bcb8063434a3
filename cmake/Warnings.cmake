# Warnings, hardening and sanitizers, as an interface target that every target of ours links.
include(CheckCCompilerFlag)

add_library(nv_flags INTERFACE)
target_compile_definitions(nv_flags INTERFACE _GNU_SOURCE NVADVISE_VERSION="${PROJECT_VERSION}")
target_include_directories(nv_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)

set(NV_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
  -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wcast-align
  -Wwrite-strings -Wformat=2 -Wformat-signedness -Wundef -Wvla -Walloca -Wswitch-enum
  -Wnull-dereference -Wdouble-promotion -Wfloat-equal -Wredundant-decls -Wnested-externs
  -Wimplicit-fallthrough -Wduplicated-cond -Wduplicated-branches -Wlogical-op -Walloc-zero
  -Wjump-misses-init -Wmissing-variable-declarations)
foreach(flag IN LISTS NV_WARNINGS)
  string(MAKE_C_IDENTIFIER "NV_HAS${flag}" var)
  check_c_compiler_flag("-Werror ${flag}" ${var})
  if(${var})
    target_compile_options(nv_flags INTERFACE ${flag})
  endif()
endforeach()
if(NVADVISE_WERROR)
  target_compile_options(nv_flags INTERFACE -Werror)
endif()

target_compile_options(nv_flags INTERFACE -fstack-protector-strong -fno-strict-aliasing
  -fno-common)
if(NVADVISE_WITH_FUZZ)
  # The libraries too: a fuzzer that sees only the target's own file explores nothing.
  target_compile_options(nv_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(nv_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(NVADVISE_SANITIZE)
  target_compile_options(nv_flags INTERFACE -fsanitize=${NVADVISE_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nv_flags INTERFACE -fsanitize=${NVADVISE_SANITIZE})
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  target_compile_options(nv_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  foreach(flag -fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
    string(MAKE_C_IDENTIFIER "NV_HAS${flag}" var)
    check_c_compiler_flag("-Werror ${flag}" ${var})
    if(${var})
      target_compile_options(nv_flags INTERFACE ${flag})
    endif()
  endforeach()
  target_link_options(nv_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
target_link_options(nv_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
