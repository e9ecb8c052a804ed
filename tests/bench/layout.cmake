# The graph view: boxes and layouts, and whole repaints of the widget.
overlap_program(layout_benchmark
  SOURCES layout_benchmark.cpp
  USES overlap_io overlap_layout overlap_test_support overlap_views benchmark::benchmark_main)
target_compile_definitions(layout_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")

if(OVERLAP_BUILD_APPLICATION)
  overlap_program(graph_view_benchmark
    SOURCES graph_view_benchmark.cpp
    USES overlap_test_support overlap_ui_document overlap_ui_graph benchmark::benchmark)
  target_compile_definitions(graph_view_benchmark PRIVATE OVERLAP_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
endif()
