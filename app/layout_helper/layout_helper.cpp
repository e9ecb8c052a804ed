// overlap-layout: lays levels of the graph view out with Graphviz's dot, in a separate process that may be killed at
// any time, may run out of memory, and affects nothing else when it crashes. Requests are read from standard input and
// answers are written to standard output, one at a time (core/layout/layout_protocol.h).

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "core/layout/layout_protocol.h"

namespace {

using namespace overlap;

constexpr double points_per_inch = 72;
[[maybe_unused]] constexpr rlim_t most_memory_bytes = rlim_t{1} << 30;
constexpr rlim_t most_seconds = 60;  ///< of the processor, for all layouts; the application kills a slow one earlier

/// The process never takes more than this, whatever it is given.
void limit_resources() {
#ifndef OVERLAP_SANITIZED  // a sanitizer reserves terabytes of addresses
    const rlimit memory{most_memory_bytes, most_memory_bytes};
    setrlimit(RLIMIT_AS, &memory);
#endif
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
}

/// The time limit of one layout, in addition to what was used before.
void limit_time() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const rlim_t until = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + most_seconds;
    const rlimit time{until, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &time);
}

/// Attributes take text that they do not change, but require it without const.
char* text(const char* constant) {
    return const_cast<char*>(constant);
}

void set(void* object, const char* name, const std::string& value) {
    agsafeset(object, text(name), text(value.c_str()), text(""));
}

/// Lengths in the C locale, which this program never leaves.
std::string inches(double pixels) {
    return std::to_string(pixels / points_per_inch);
}

struct CloseGraph {
    GVC_t* context;
    void operator()(Agraph_t* graph) const {
        gvFreeLayout(context, graph);
        agclose(graph);
    }
};

LayoutAnswer lay_out(GVC_t* context, const LayoutRequest& request) {
    LayoutAnswer answer;
    answer.id = request.id;
    const std::unique_ptr<Agraph_t, CloseGraph> graph(agopen(text("level"), Agdirected, nullptr), CloseGraph{context});
    agattr(graph.get(), AGRAPH, text("ranksep"), text(inches(request.row_gap).c_str()));
    agattr(graph.get(), AGRAPH, text("nodesep"), text(inches(request.box_gap).c_str()));
    agattr(graph.get(), AGNODE, text("shape"), text("box"));
    agattr(graph.get(), AGNODE, text("fixedsize"), text("true"));
    agattr(graph.get(), AGNODE, text("label"), text(""));
    std::vector<Agnode_t*> nodes;
    std::vector<Agedge_t*> edges;
    for (std::size_t i = 0; i < request.nodes.size(); ++i) {
        nodes.push_back(agnode(graph.get(), std::to_string(i).data(), 1));
        set(nodes.back(), "width", inches(request.nodes[i].width));
        set(nodes.back(), "height", inches(request.nodes[i].height));
    }
    for (std::size_t i = 0; i < request.edges.size(); ++i) {
        const LevelGraph::Edge& edge = request.edges[i];
        edges.push_back(agedge(graph.get(), nodes[edge.from], nodes[edge.to], std::to_string(i).data(), 1));
        set(edges.back(), "weight", std::to_string(static_cast<int>(edge.weight)));
    }
    if (gvLayout(context, graph.get(), "dot") != 0) {
        answer.problem = "Graphviz could not lay this level out";
        return answer;
    }
    // Graphviz's y points upwards.
    const boxf bounds = GD_bb(graph.get());
    const auto point = [&](pointf at) { return LayoutPoint{at.x - bounds.LL.x, bounds.UR.y - at.y}; };
    answer.size = {bounds.UR.x - bounds.LL.x, bounds.UR.y - bounds.LL.y};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const LayoutPoint centre = point(ND_coord(nodes[i]));
        answer.positions.push_back({centre.x - request.nodes[i].width / 2, centre.y - request.nodes[i].height / 2});
    }
    for (Agedge_t* edge : edges) {
        std::vector<LayoutPoint>& route = answer.routes.emplace_back();
        const splines* drawn = ED_spl(edge);
        if (!drawn || drawn->size == 0) {
            answer.problem = "Graphviz left an edge out";
            return answer;
        }
        const bezier& curve = drawn->list[0];
        for (std::size_t i = 0; i < static_cast<std::size_t>(curve.size); ++i) route.push_back(point(curve.list[i]));
        // The curve stops short of the box by the length of its arrow.
        if (curve.eflag) route.insert(route.end(), {route.back(), point(curve.ep), point(curve.ep)});
    }
    return answer;
}

bool read_more(std::string& buffer) {
    char bytes[65536];
    const ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
    if (count > 0) buffer.append(bytes, static_cast<std::size_t>(count));
    return count > 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
    limit_resources();
    const std::unique_ptr<GVC_t, int (*)(GVC_t*)> context(gvContext(), gvFreeContext);
    if (argument_count > 1 && std::strcmp(arguments[1], "--version") == 0) {
        std::printf("Graphviz %s\n", gvcVersion(context.get()));
        return 0;
    }
    std::string buffer, body;
    try {
        while (true) {
            if (!take_message(buffer, body)) {
                if (!read_more(buffer)) return 0;
                continue;
            }
            limit_time();
            const std::string answer = write_message(write_answer(lay_out(context.get(), read_request(body))));
            if (std::fwrite(answer.data(), 1, answer.size(), stdout) != answer.size()) return 1;
            std::fflush(stdout);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "overlap-layout: %s\n", error.what());
        return 1;
    }
}
