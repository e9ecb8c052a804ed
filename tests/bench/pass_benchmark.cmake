# Reading, passes, and the whole evaluation, against the times of PyTorch that the goldens record.
find_package(nlohmann_json REQUIRED)
overlap_program(pass_benchmark
  SOURCES pass_benchmark.cpp
  USES overlap_graph overlap_io overlap_pass overlap_passes overlap_pipeline overlap_plan overlap_plan_io
       nlohmann_json::nlohmann_json benchmark::benchmark)
target_compile_definitions(pass_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
