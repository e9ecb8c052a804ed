overlap_program(memory_section_benchmark
  SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/memory_section_benchmark.cpp
  USES overlap_base overlap_io overlap_pipeline overlap_memory overlap_plan overlap_simulate benchmark::benchmark)
target_compile_definitions(memory_section_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
