#include "core/redistribution/redistribution_path.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_set>

#include "core/base/quote.h"
#include "core/redistribution/path_operators.h"
#include "core/redistribution/split_pieces.h"

namespace overlap {

namespace {

class PathReader {
  public:
    /// @param along where given, only these nodes are followed.
    PathReader(const Graph& graph, const std::unordered_set<NodeId>* along) : graph_(graph), along_(along) {}

    std::vector<RedistributionPath> read(NodeId begin) {
        const std::optional<Extents> shape = tensor_shape(graph_, begin);
        if (!shape) return {};
        Walk walk;
        walk.path = {begin, begin, *shape, {}, {}};
        walk.shape = *shape;
        follow(begin, std::move(walk));
        return without_beginnings();
    }

  private:
    struct Walk {
        RedistributionPath path;
        Extents shape;  ///< of this rank's tensor as it lies in memory: with its padding, pieces not yet put together
        /// After a split and a cat along dimension 0, which a reduce_scatter is to follow.
        std::optional<SplitPieces> to_scatter;
    };

    bool followed(NodeId node) const { return !along_ || along_->contains(node); }

    void follow(NodeId value, Walk walk) {
        bool continued = false;
        for (const NodeId user : graph_.users(value)) {
            if (followed(user)) continued |= step(user, walk);
        }
        if (!continued) finish(std::move(walk));
    }

    void finish(Walk walk) {
        if (!walk.path.actions.empty() || !walk.path.obstacle.empty()) paths_.push_back(std::move(walk.path));
    }

    void stop(Walk walk, std::string obstacle) {
        walk.path.obstacle = std::move(obstacle);
        finish(std::move(walk));
    }

    /// Follows one use of the walk's tensor. @returns false where the path ends before it.
    bool step(NodeId user, const Walk& walk) {
        if (graph_.op(user) != NodeOp::call_function) return false;
        const std::string_view target = graph_.target(user);
        if (is_carrier(target)) return carry(user, walk);
        if (target.starts_with(pad_operator)) return pad(user, walk);
        if (target == gather_operator) return gather(user, walk);
        if (target == scatter_operator) return scatter(user, walk);
        if (target == reduce_operator) return reduce(user, walk);
        if (target == exchange_operator) return exchange(user, walk);
        if (is_split(target)) return split(user, walk);
        if (target.starts_with("aten.slice.Tensor")) return slice(user, walk);
        if (merges(user)) {
            stop(walk, "its collectives are merged with those of other tensors (" + in_quotes(graph_.name(user)) +
                           "); open the graph as it is before bucketing");
            return true;
        }
        return false;
    }

    /// What packs a bucket or communicates several tensors at once.
    bool merges(NodeId user) const {
        return graph_.target(user).starts_with("bucketing.") ||
               (graph_.target_info(user).starts != CollectiveKind::none &&
                graph_.target(user).find("coalesced") != std::string_view::npos);
    }

    bool carry(NodeId user, const Walk& walk) {
        if (graph_.inputs(user).size() != 1 || tensor_shape(graph_, user) != walk.shape) return false;
        move_on(user, walk);
        return true;
    }

    void move_on(NodeId value, Walk walk) {
        walk.path.end = value;
        follow(value, std::move(walk));
    }

    /// Padding at the end of one dimension; what it adds is cut off after the collective.
    bool pad(NodeId user, const Walk& walk) {
        const std::optional<Extents> padded = tensor_shape(graph_, user);
        if (!padded || padded->size() != walk.shape.size()) return false;
        const Value* widths = graph_.argument(user, 1);
        if (!widths) return false;
        const std::span<const Value> values = graph_.children(*widths);
        for (std::size_t index = 0; index < values.size(); index += 2) {
            if (!values[index].is(ValueKind::integer) || values[index].integer != 0) return false;
        }
        Walk next = walk;
        next.shape = *padded;
        move_on(user, std::move(next));
        return true;
    }

    /// The wait of a collective, where it has exactly one.
    NodeId wait_of(NodeId start) const {
        NodeId wait = no_node;
        for (const NodeId user : graph_.users(start)) {
            if (!graph_.target_info(user).is_wait) return no_node;
            if (wait != no_node) return no_node;
            wait = user;
        }
        return wait;
    }

    /// Appends an action of a collective and goes on behind its wait.
    void perform(NodeId start, PathAction action, Extents in_memory, const Walk& walk) {
        Walk next = walk;
        next.to_scatter.reset();
        next.shape = std::move(in_memory);
        action.node = start;
        action.process_group = graph_.group_name(start);
        const NodeId wait = wait_of(start);
        next.path.actions.push_back(std::move(action));
        if (wait == no_node && !graph_.users(start).empty()) {
            stop(std::move(next), in_quotes(graph_.name(start)) + " is not awaited once, as a collective should be");
            return;
        }
        // Some collectives of a graph's end are awaited outside it.
        move_on(wait == no_node ? start : wait, std::move(next));
    }

    bool gather(NodeId start, const Walk& walk) {
        const std::int64_t ranks = integer_argument(graph_, start, 1, 0);
        std::optional<Extents> gathered = tensor_shape(graph_, start);
        if (!gathered || ranks < 1 || walk.shape.empty() || (*gathered)[0] != walk.shape[0] * ranks) return false;
        PathAction action;
        action.kind = StepKind::all_gather;
        action.source_dim = 0;
        action.parts = ranks;
        action.shape_after = *gathered;
        perform(start, std::move(action), *gathered, walk);
        return true;
    }

    bool scatter(NodeId start, const Walk& walk) {
        const std::int64_t ranks = integer_argument(graph_, start, 2, 0);
        std::optional<Extents> scattered = tensor_shape(graph_, start);
        const Value* op_name = graph_.argument(start, 1);
        if (!scattered || ranks < 1 || walk.shape.empty() || !op_name || !op_name->is(ValueKind::string)) return false;
        const std::optional<ReduceOp> op = reduce_op(graph_.text(op_name->string));
        if (!op || (*scattered)[0] * ranks != walk.shape[0]) return false;
        PathAction action;
        action.kind = StepKind::reduce_scatter;
        action.reduce_op = *op;
        action.parts = ranks;
        action.target_dim = 0;
        action.shape_after = *scattered;
        if (walk.to_scatter && walk.to_scatter->count == ranks) {
            action.target_dim = walk.to_scatter->dim;
            // Without padding: what the chunk rule leaves this rank of the dimension.
            const std::int64_t whole = walk.to_scatter->whole[static_cast<std::size_t>(action.target_dim)];
            const ProcessGroup* group = graph_.header().process_group(graph_.group_name(start));
            if (group) {
                action.shape_after[static_cast<std::size_t>(action.target_dim)] = chunk_size(whole, ranks, group->rank);
            }
        } else if (walk.to_scatter) {
            return false;
        }
        Extents in_memory = *scattered;
        perform(start, std::move(action), std::move(in_memory), walk);
        return true;
    }

    static std::int64_t chunk_size(std::int64_t whole, std::int64_t count, std::int64_t index) {
        const std::int64_t chunk = (whole + count - 1) / count;
        return std::clamp<std::int64_t>(whole - chunk * index, 0, chunk);
    }

    bool reduce(NodeId start, const Walk& walk) {
        const Value* op_name = graph_.argument(start, 1);
        if (!op_name || !op_name->is(ValueKind::string) || walk.to_scatter) return false;
        const std::optional<ReduceOp> op = reduce_op(graph_.text(op_name->string));
        if (!op) return false;
        const ProcessGroup* group = graph_.header().process_group(graph_.group_name(start));
        PathAction action;
        action.kind = StepKind::all_reduce;
        action.reduce_op = *op;
        action.parts = group ? static_cast<std::int64_t>(group->ranks.size()) : 0;
        action.shape_after = walk.shape;
        perform(start, std::move(action), walk.shape, walk);
        return true;
    }

    bool exchange(NodeId node, const Walk& walk) {
        const std::optional<Extents> shape = tensor_shape(graph_, node);
        const Value* name = graph_.argument(node, 3);
        if (!shape || !name || !name->is(ValueKind::string) || walk.to_scatter) return false;
        const ProcessGroup* group = graph_.header().process_group(graph_.text(name->string));
        PathAction action;
        action.kind = StepKind::all_to_all;
        action.node = node;
        action.process_group = graph_.text(name->string);
        action.source_dim = dimension_argument(graph_, node, 1, shape->size());
        action.target_dim = dimension_argument(graph_, node, 2, shape->size());
        if (!has_dimension(*shape, action.source_dim) || !has_dimension(*shape, action.target_dim)) return false;
        action.parts = group ? static_cast<std::int64_t>(group->ranks.size()) : 0;
        action.shape_after = *shape;
        Walk next = walk;
        next.shape = *shape;
        next.path.actions.push_back(std::move(action));
        move_on(node, std::move(next));
        return true;
    }

    bool split(NodeId node, const Walk& walk) {
        if (walk.to_scatter) return false;
        const SplitPieces pieces = pieces_of_split(graph_, node, walk.shape, along_);
        if (pieces.count < 2 || !has_dimension(walk.shape, pieces.dim)) return false;
        if (pieces.getitems.size() == 1) {
            return chunk(node, pieces.getitems[0], pieces.dim, pieces.count, pieces.indices[0], walk);
        }
        if (pieces.cat == no_node) return false;
        const std::optional<Extents> joined = tensor_shape(graph_, pieces.cat);
        if (!joined || !has_dimension(*joined, pieces.cat_dim)) return false;
        Walk next = walk;
        next.shape = *joined;
        if (gathered_in_rows(walk) && pieces.dim == 0 && pieces.cat_dim != 0 &&
            pieces.count == walk.path.actions.back().parts) {
            next.path.actions.back().source_dim = pieces.cat_dim;
            next.path.actions.back().shape_after = *joined;
        } else if (pieces.cat_dim == 0) {
            next.to_scatter = pieces;
        } else {
            return false;
        }
        move_on(pieces.cat, std::move(next));
        return true;
    }

    /// Right behind a gather whose pieces still lie one below the other.
    static bool gathered_in_rows(const Walk& walk) {
        if (walk.path.actions.empty()) return false;
        const PathAction& last = walk.path.actions.back();
        return last.kind == StepKind::all_gather && last.source_dim == 0 && last.shape_after == walk.shape;
    }

    bool chunk(NodeId node, NodeId piece, int dim, std::int64_t parts, std::int64_t part, const Walk& walk) {
        const std::optional<Extents> shape = tensor_shape(graph_, piece);
        if (!shape || walk.path.actions.empty()) return false;
        PathAction action;
        action.kind = StepKind::chunk;
        action.node = node;
        action.target_dim = dim;
        action.parts = parts;
        action.part = part;
        action.shape_after = *shape;
        Walk next = walk;
        next.shape = *shape;
        next.path.actions.push_back(std::move(action));
        move_on(piece, std::move(next));
        return true;
    }

    bool slice(NodeId node, const Walk& walk) {
        const std::optional<Extents> shape = tensor_shape(graph_, node);
        if (!shape || shape->size() != walk.shape.size() || walk.to_scatter) return false;
        if (*shape == walk.shape) {
            move_on(node, walk);
            return true;
        }
        const int dim = dimension_argument(graph_, node, 1, shape->size());
        if (!has_dimension(*shape, dim) || !has_dimension(walk.shape, dim)) return false;
        const std::size_t at = static_cast<std::size_t>(dim);
        const std::int64_t begin = integer_argument(graph_, node, 2, 0);
        const std::int64_t whole = walk.shape[at];
        const std::int64_t size = (*shape)[at];
        if (size < 1 || begin < 0 || begin > whole || integer_argument(graph_, node, 4, 1) != 1) return false;
        const std::int64_t parts = (whole + size - 1) / size;
        const bool may_chunk = begin % size == 0 && (begin + size == whole || parts * size == whole);
        if (begin == 0 && cuts_padding(walk, dim, size)) {
            if (may_chunk) {
                stop(walk, "whether " + in_quotes(graph_.name(node)) +
                               " cuts off padding or keeps a shard does not follow from sizes this small");
                return true;
            }
            Walk next = walk;
            next.shape = *shape;
            next.path.actions.back().shape_after = *shape;
            move_on(node, std::move(next));
            return true;
        }
        return may_chunk && chunk(node, node, dim, parts, begin / size, walk);
    }

    /// Whether `size` is what a gather or scatter along `dim` leaves once its padding is cut off.
    static bool cuts_padding(const Walk& walk, int dim, std::int64_t size) {
        if (walk.path.actions.empty()) return false;
        const PathAction& last = walk.path.actions.back();
        const std::size_t at = static_cast<std::size_t>(dim);
        if (last.kind == StepKind::all_gather && last.source_dim == dim && last.shape_after == walk.shape) {
            return chunk_size(size, last.parts, 0) == walk.shape[at] / last.parts;
        }
        return last.kind == StepKind::reduce_scatter && last.target_dim == dim && last.shape_after[at] == size;
    }

    /// Paths that are not the beginning of another one.
    std::vector<RedistributionPath> without_beginnings() {
        std::vector<std::vector<NodeId>> keys;
        for (const RedistributionPath& path : paths_) {
            std::vector<NodeId>& key = keys.emplace_back();
            for (const PathAction& action : path.actions) key.push_back(action.node);
        }
        std::vector<RedistributionPath> kept;
        std::set<std::vector<NodeId>> seen;
        for (std::size_t index = 0; index < paths_.size(); ++index) {
            const std::vector<NodeId>& key = keys[index];
            const bool beginning = std::ranges::any_of(keys, [&](const std::vector<NodeId>& other) {
                return other.size() > key.size() && std::equal(key.begin(), key.end(), other.begin());
            });
            if (!beginning && seen.insert(key).second) kept.push_back(std::move(paths_[index]));
        }
        return kept;
    }

    const Graph& graph_;
    const std::unordered_set<NodeId>* along_;
    std::vector<RedistributionPath> paths_;
};

/// The node that all inputs of `node` come from: its single input, or what the pieces that it joins were split from.
NodeId single_source(const Graph& graph, NodeId node, std::unordered_set<NodeId>& along) {
    const std::string_view target = graph.target(node);
    const std::span<const NodeId> inputs = graph.inputs(node);
    if (graph.op(node) != NodeOp::call_function || inputs.empty()) return no_node;
    const bool one_input = inputs.size() == 1;
    if (is_carrier(target)) {
        return one_input && tensor_shape(graph, node) == tensor_shape(graph, inputs[0]) ? inputs[0] : no_node;
    }
    if (target.starts_with(pad_operator) || target.starts_with("aten.slice.") || is_split(target) ||
        graph.target_info(node).is_wait || communicates_alone(target)) {
        return one_input ? inputs[0] : no_node;
    }
    if (graph.target_info(node).is_getitem) return is_split(graph.target(inputs[0])) ? inputs[0] : no_node;
    if (!target.starts_with("aten.cat.")) return no_node;
    NodeId source = no_node;
    std::unordered_set<NodeId> pieces;
    for (NodeId piece : inputs) {
        pieces.insert(piece);
        if (graph.target(piece).starts_with(pad_operator)) {
            piece = graph.inputs(piece)[0];
            pieces.insert(piece);
        }
        if (!graph.target_info(piece).is_getitem) return no_node;
        const NodeId split = graph.inputs(piece)[0];
        if (!is_split(graph.target(split)) || (source != no_node && split != source)) return no_node;
        source = split;
    }
    along.insert(pieces.begin(), pieces.end());
    return source;
}

}  // namespace

std::vector<RedistributionPath> paths_from(const Graph& graph, NodeId parameter) {
    return PathReader(graph, nullptr).read(parameter);
}

std::optional<RedistributionPath> path_to(const Graph& graph, NodeId value) {
    std::unordered_set<NodeId> along;
    std::vector<NodeId> ways;
    bool communicates = false;
    for (NodeId at = value; at != no_node; at = single_source(graph, at, along)) {
        along.insert(at);
        ways.push_back(at);
        communicates |= communicates_alone(graph.target(at));
    }
    // The way up may have passed what is no redistribution, such as a piece of something else: the longest path that
    // does lead here counts.
    for (std::size_t way = ways.size(); communicates && way > 0; --way) {
        for (RedistributionPath& path : PathReader(graph, &along).read(ways[way - 1])) {
            if (path.end == value || !path.obstacle.empty()) return std::move(path);
        }
    }
    return std::nullopt;
}

}  // namespace overlap
