# Reading, passes, and the whole evaluation, against the times of PyTorch that the goldens record.
find_package(nlohmann_json REQUIRED)
add_executable(pass_benchmark pass_benchmark.cpp)
target_link_libraries(pass_benchmark PRIVATE
  overlap_settings overlap_io overlap_plan overlap_passes overlap_graph nlohmann_json::nlohmann_json
  benchmark::benchmark)
target_compile_definitions(pass_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
