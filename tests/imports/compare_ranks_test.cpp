// Whether ranks run the same: what is said of graphs and collectives of several files.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/imports/import_source.h"

namespace overlap {
namespace {

using Sentences = std::vector<std::string>;

void add_graph(ImportListing& listing, const std::string& file, std::optional<std::int64_t> rank,
               const std::string& digest) {
    ImportableGraph& graph = listing.graphs.emplace_back();
    graph.file = "/logs/" + file;
    graph.kind = "post_grad";
    graph.compile_id = "0/0";
    graph.rank = rank;
    graph.digest = digest;
}

void add_schedule(ImportListing& listing, std::int64_t rank, std::vector<std::string> operators,
                  const std::string& compile_id = "0/0") {
    listing.schedules.push_back({"/logs/" + std::to_string(rank), compile_id, rank, std::move(operators)});
}

TEST(CompareRanks, GraphsOfEachKindAreTheSameOrNot) {
    ImportListing listing;
    add_graph(listing, "a", 0, "x");
    EXPECT_EQ(compare_ranks(listing), Sentences()) << "one rank is compared with none";
    add_graph(listing, "b", 1, "x");
    add_graph(listing, "c", 2, "x");
    EXPECT_EQ(compare_ranks(listing), Sentences{"post_grad 0/0: the same on ranks 0, 1, 2"});
    listing.graphs[1].digest = "y";
    EXPECT_EQ(compare_ranks(listing), Sentences{"post_grad 0/0: differs between ranks: 0, 2 | 1"});
    listing.graphs[1].compile_id = "1/0";
    EXPECT_EQ(compare_ranks(listing), Sentences{"post_grad 0/0: the same on ranks 0, 2"});
    listing.graphs[2].rank.reset();
    EXPECT_EQ(compare_ranks(listing), Sentences()) << "of the third no rank is known";
}

TEST(CompareRanks, FilesOfOneRankAreReportedAndComparedOneByOne) {
    ImportListing listing;
    add_graph(listing, "a", 0, "x");
    add_graph(listing, "c", 1, "x");
    add_graph(listing, "b", 0, "y");
    add_graph(listing, "d", 0, "x");
    EXPECT_EQ(compare_ranks(listing),
              (Sentences{"several files are of rank 0 and are compared one by one: /logs/a, /logs/b, /logs/d",
                         "post_grad 0/0: differs between ranks: 0 (a), 0 (d), 1 | 0 (b)"}));
}

TEST(CompareRanks, SchedulesTellWhereTheyPart) {
    ImportListing listing;
    add_schedule(listing, 0, {"gather", "reduce"});
    EXPECT_EQ(compare_ranks(listing), Sentences());
    add_schedule(listing, 1, {"gather", "reduce"});
    EXPECT_EQ(compare_ranks(listing), Sentences{"collective schedule of 0/0: the same on ranks 0, 1"});
    listing.schedules[1].operators[1] = "scatter";
    EXPECT_EQ(compare_ranks(listing),
              Sentences{"collective schedule of 0/0: differs between ranks: 0 | 1; collective 2 "
                        "is reduce on rank 0 and scatter on rank 1"});
    listing.schedules[1].operators.pop_back();
    EXPECT_EQ(compare_ranks(listing),
              Sentences{"collective schedule of 0/0: differs between ranks: 0 | 1; collective 2 "
                        "is reduce on rank 0 (2 in all) and missing on rank 1 (1 in all)"});
    listing.schedules[1].compile_id = "1/0";
    EXPECT_EQ(compare_ranks(listing), Sentences());
}

}  // namespace
}  // namespace overlap
