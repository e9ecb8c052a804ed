// Every graph of the folder of shared graphs, where that folder is, is written back as it was read.

#include "tests/io/round_trip.h"
#include "tests/support/test_files.h"

namespace overlap {
namespace {

TEST(GraphRoundTrip, AllSharedGraphsWherePresent) {
    for (const auto& file : test::graph_files(OVERLAP_SHARED_DATA "/graphs")) {
        test::expect_round_trip(test::read_text(file), file.filename());
    }
}

}  // namespace
}  // namespace overlap
