# The graph view: boxes and layouts, and whole repaints of the widget.
add_executable(layout_benchmark layout_benchmark.cpp)
target_compile_definitions(layout_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
target_link_libraries(layout_benchmark PRIVATE
  overlap_settings overlap_test_support overlap_io overlap_plan overlap_layout benchmark::benchmark_main)

if(OVERLAP_BUILD_APPLICATION)
  add_executable(graph_view_benchmark graph_view_benchmark.cpp)
  target_compile_definitions(graph_view_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  target_link_libraries(graph_view_benchmark PRIVATE
    overlap_settings overlap_test_support overlap_ui_graph benchmark::benchmark)
endif()
