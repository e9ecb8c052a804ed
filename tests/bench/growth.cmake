# How the time of each pass grows with the graph.
overlap_program(growth_benchmark
  SOURCES growth_benchmark.cpp
  USES overlap_io overlap_pass overlap_passes overlap_plan overlap_plan_io overlap_test_support benchmark::benchmark)
target_compile_definitions(growth_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
                                                    OVERLAP_SHARED_DATA="${CMAKE_SOURCE_DIR}/../shared")

# Writes the graphs with repeated layers, for counting instructions of programs that read files.
overlap_program(repeat_layers SOURCES repeat_layers.cpp USES overlap_io overlap_test_support)
