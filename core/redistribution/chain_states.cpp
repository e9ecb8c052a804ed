#include "core/redistribution/chain_states.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/mesh/shard_layout.h"
#include "core/mesh/sharding_text.h"

namespace overlap {

namespace {

using Role = RedistributionChain::Role;

/// Thrown within this file with the obstacle.
struct NotInferred {
    std::string obstacle;
};

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

/// What is known of one mesh dimension along a chain.
struct Ends {
    std::optional<Placement> first, last;
};

class StateInference {
  public:
    StateInference(const Graph& graph, ParameterChains& parameter) : graph_(graph), parameter_(parameter) {}

    void run() {
        for (const RedistributionChain& chain : parameter_.chains) {
            if (!chain.path.obstacle.empty()) throw NotInferred{chain.path.obstacle};
        }
        check_shared_collectives();
        parameter_.mesh = mesh_of_groups(graph_.header(), groups());
        if (!parameter_.mesh.obstacle.empty()) throw NotInferred{parameter_.mesh.obstacle};
        for (RedistributionChain& chain : parameter_.chains) place_actions(chain);
        std::erase_if(parameter_.chains, [](const RedistributionChain& chain) { return chain.path.actions.empty(); });
        infer_storage();
        infer_order();
        for (std::size_t chain = 0; chain < parameter_.chains.size(); ++chain) infer_states(chain);
    }

  private:
    std::string_view name(NodeId node) const { return graph_.name(node); }
    std::size_t mesh_dims() const { return parameter_.mesh.groups.size(); }

    void check_shared_collectives() const {
        std::vector<NodeId> seen;
        for (const RedistributionChain& chain : parameter_.chains) {
            for (const NodeId node : chain.collectives) {
                if (std::ranges::find(seen, node) != seen.end()) {
                    throw NotInferred{"two of its uses share the collective " + in_quotes(name(node))};
                }
            }
            seen.insert(seen.end(), chain.collectives.begin(), chain.collectives.end());
        }
    }

    std::vector<std::string> groups() const {
        std::vector<std::string> groups;
        for (const RedistributionChain& chain : parameter_.chains) {
            for (const PathAction& action : chain.path.actions) {
                if (action.process_group.empty() || std::ranges::find(groups, action.process_group) != groups.end()) {
                    continue;
                }
                groups.push_back(action.process_group);
            }
        }
        return groups;
    }

    /// Mesh dimensions that the first chain of a role gathers `tensor_dim` from, outermost first.
    std::vector<int> gathered_from(Role role, int tensor_dim) const {
        std::vector<int> dims;
        const auto chain = std::ranges::find(parameter_.chains, role, &RedistributionChain::role);
        if (chain == parameter_.chains.end()) return dims;
        for (const PathAction& action : chain->path.actions) {
            const bool gathers = action.kind == StepKind::all_gather && action.source_dim == tensor_dim;
            if (gathers) dims.insert(dims.begin(), parameter_.mesh.dim_of(action.process_group));
        }
        return dims;
    }

    /// Finds the mesh dimension of each action, and with it what each mesh dimension is at both ends.
    void place_actions(RedistributionChain& chain) {
        std::vector<int>& dims = action_dims_.emplace_back();
        std::vector<Ends>& ends = ends_.emplace_back(mesh_dims());
        for (std::size_t index = 0; index < chain.path.actions.size(); ++index) {
            const PathAction& action = chain.path.actions[index];
            const int mesh_dim = action.kind == StepKind::chunk ? chunk_dim(chain, action, ends)
                                                                : parameter_.mesh.dim_of(action.process_group);
            if (mesh_dim < 0) {
                // Computation that happens to take a piece, such as the parts of a fused weight: the chain ends before.
                chain.path.actions.resize(index);
                chain.path.end = index > 0 ? chain.path.actions.back().node : chain.path.begin;
                break;
            }
            const auto [before, after] = placements(action);
            Ends& end = ends[at(mesh_dim)];
            if (end.last && *end.last != before) {
                throw NotInferred{in_quotes(name(action.node)) + " takes " + to_text(before) + " along " +
                                  dim_text(mesh_dim) + ", which is " + to_text(*end.last) + " by then"};
            }
            if (!end.first) end.first = before;
            end.last = after;
            dims.push_back(mesh_dim);
        }
        if (chain.path.actions.empty()) {
            action_dims_.pop_back();
            ends_.pop_back();
        }
    }

    std::string dim_text(int mesh_dim) const {
        return "process group " + in_quotes(parameter_.mesh.groups[at(mesh_dim)]);
    }

    static std::pair<Placement, Placement> placements(const PathAction& action) {
        switch (action.kind) {
            case StepKind::all_gather:
                return {Placement::shard(action.source_dim), Placement::replicate()};
            case StepKind::all_to_all:
                return {Placement::shard(action.source_dim), Placement::shard(action.target_dim)};
            case StepKind::all_reduce:
                return {Placement::partial(action.reduce_op), Placement::replicate()};
            case StepKind::reduce_scatter:
                return {Placement::partial(action.reduce_op), Placement::shard(action.target_dim)};
            default:
                return {Placement::replicate(), Placement::shard(action.target_dim)};
        }
    }

    /// @returns -1 where no mesh dimension has the chunk's parts and this rank's place.
    int chunk_dim(const RedistributionChain& chain, const PathAction& action, const std::vector<Ends>& ends) const {
        std::vector<int> candidates;
        for (std::size_t dim = 0; dim < mesh_dims(); ++dim) {
            const bool fits = parameter_.mesh.mesh.shape[dim] == action.parts &&
                              parameter_.mesh.coordinate[dim] == action.part && ends[dim].last &&
                              ends[dim].last->is_replicate();
            if (fits) candidates.push_back(static_cast<int>(dim));
        }
        if (candidates.size() > 1) {
            // A use is laid out as its gradient begins, a gradient ends as its parameter is stored.
            const Role other = chain.role == Role::parameter ? Role::gradient : Role::parameter;
            for (const int dim : gathered_from(other, action.target_dim)) {
                if (std::ranges::find(candidates, dim) != candidates.end()) return dim;
            }
        }
        if (candidates.size() > 1) {
            throw NotInferred{"which process group " + in_quotes(name(action.node)) +
                              " cuts for is not known: several have its number of parts"};
        }
        return candidates.empty() ? -1 : candidates[0];
    }

    /// One placement for each mesh dimension of the stored parameter.
    void infer_storage() {
        std::vector<std::optional<Placement>> storage(mesh_dims());
        for (std::size_t chain = 0; chain < parameter_.chains.size(); ++chain) {
            for (std::size_t dim = 0; dim < mesh_dims(); ++dim) {
                const bool gradient = parameter_.chains[chain].role == Role::gradient;
                const std::optional<Placement>& stored = gradient ? ends_[chain][dim].last : ends_[chain][dim].first;
                if (!stored) continue;
                if (storage[dim] && *storage[dim] != *stored) {
                    throw NotInferred{"its uses and its gradient disagree on how it is stored along " +
                                      dim_text(static_cast<int>(dim)) + ": " + to_text(*storage[dim]) + " and " +
                                      to_text(*stored)};
                }
                storage[dim] = stored;
            }
        }
        for (std::size_t dim = 0; dim < mesh_dims(); ++dim) {
            // Groups whose every action fell away: what followed was computation.
            if (!storage[dim]) storage[dim] = Placement::replicate();
            if (storage[dim]->is_partial()) {
                throw NotInferred{"it would be stored as " + to_text(*storage[dim]) + " along " +
                                  dim_text(static_cast<int>(dim))};
            }
            parameter_.storage.placements.push_back(*storage[dim]);
        }
    }

    /// Mesh dimensions of `placements` that cut `tensor_dim` and that the chain never touches.
    std::vector<int> untouched(std::size_t chain, int tensor_dim) const {
        std::vector<int> dims;
        for (std::size_t dim = 0; dim < mesh_dims(); ++dim) {
            if (!ends_[chain][dim].first && parameter_.storage.placements[dim] == Placement::shard(tensor_dim)) {
                dims.push_back(static_cast<int>(dim));
            }
        }
        return dims;
    }

    /// The order in which a chain's first state is cut: what it gathers first cuts last, what it leaves alone cuts
    /// first. Nothing where it leaves more than one cut of a tensor dimension alone.
    std::optional<ShardOrder> first_order(std::size_t chain) const {
        ShardOrder order;
        for (int tensor_dim = 0; tensor_dim < MeshTensor::dims_limit; ++tensor_dim) {
            ShardOrderEntry entry{tensor_dim, untouched(chain, tensor_dim)};
            if (entry.mesh_dims.size() > 1) return std::nullopt;
            std::vector<int> gathered;
            const std::vector<PathAction>& actions = parameter_.chains[chain].path.actions;
            for (std::size_t index = 0; index < actions.size(); ++index) {
                const int mesh_dim = action_dims_[chain][index];
                const bool from_start = std::find(action_dims_[chain].begin(), action_dims_[chain].end(), mesh_dim) ==
                                        action_dims_[chain].begin() + static_cast<std::ptrdiff_t>(index);
                if (from_start && actions[index].source_dim == tensor_dim) gathered.push_back(mesh_dim);
            }
            entry.mesh_dims.insert(entry.mesh_dims.end(), gathered.rbegin(), gathered.rend());
            if (!entry.mesh_dims.empty()) order.push_back(std::move(entry));
        }
        return order;
    }

    /// The states along a chain from its first one.
    std::vector<ShardingState> walk(std::size_t chain, ShardingState state) const {
        std::vector<ShardingState> states = {state};
        const std::vector<PathAction>& actions = parameter_.chains[chain].path.actions;
        for (std::size_t index = 0; index < actions.size(); ++index) {
            apply(state, actions[index], action_dims_[chain][index]);
            states.push_back(state);
        }
        return states;
    }

    void apply(ShardingState& state, const PathAction& action, int mesh_dim) const {
        const auto [before, after] = placements(action);
        if (before.is_shard()) {
            const auto entry = std::ranges::find(state.shard_order, before.tensor_dim, &ShardOrderEntry::tensor_dim);
            if (entry == state.shard_order.end() || entry->mesh_dims.back() != mesh_dim) {
                throw NotInferred{in_quotes(name(action.node)) + " gathers along " + dim_text(mesh_dim) +
                                  " while another group still cuts the same dimension inside it"};
            }
            entry->mesh_dims.pop_back();
            if (entry->mesh_dims.empty()) state.shard_order.erase(entry);
        }
        if (after.is_shard()) {
            auto entry =
                std::ranges::lower_bound(state.shard_order, after.tensor_dim, {}, &ShardOrderEntry::tensor_dim);
            if (entry == state.shard_order.end() || entry->tensor_dim != after.tensor_dim) {
                entry = state.shard_order.insert(entry, {after.tensor_dim, {}});
            }
            entry->mesh_dims.push_back(mesh_dim);
        }
        state.placements[at(mesh_dim)] = after;
    }

    ShardingState first_state(std::size_t chain, ShardOrder order) const {
        ShardingState state{parameter_.storage.placements, std::move(order)};
        for (std::size_t dim = 0; dim < mesh_dims(); ++dim) {
            if (ends_[chain][dim].first) state.placements[dim] = *ends_[chain][dim].first;
        }
        return state;
    }

    /// The order of the stored parameter: that of the first chain that has one.
    void infer_order() {
        std::optional<ShardOrder> stored;
        for (std::size_t chain = 0; chain < parameter_.chains.size(); ++chain) {
            const std::optional<ShardOrder> first = first_order(chain);
            if (!first) continue;
            const std::vector<ShardingState> states = walk(chain, first_state(chain, *first));
            const bool gradient = parameter_.chains[chain].role == Role::gradient;
            const ShardOrder& order = gradient ? states.back().shard_order : states.front().shard_order;
            if (stored && *stored != order) {
                throw NotInferred{std::string("its ").append(gradient ? "gradient is" : "uses are") +
                                  " laid out in another order than " + (gradient ? "it" : "one another")};
            }
            stored = order;
        }
        if (!stored) {
            throw NotInferred{"no chain of it shows in which order several process groups cut one tensor dimension"};
        }
        parameter_.storage.shard_order = *stored;
    }

    void infer_states(std::size_t index) {
        RedistributionChain& chain = parameter_.chains[index];
        std::optional<ShardOrder> order = first_order(index);
        if (!order) order = order_with_untouched(index);
        chain.states = walk(index, first_state(index, *order));
        infer_tensor(chain);
    }

    /// The first order of a chain that leaves several cuts of one tensor dimension alone: these as they are stored,
    /// then what it gathers.
    ShardOrder order_with_untouched(std::size_t chain) const {
        ShardOrder order = parameter_.storage.shard_order;
        if (parameter_.chains[chain].role == Role::parameter) return order;
        for (ShardOrderEntry& entry : order) {
            std::erase_if(entry.mesh_dims, [&](int dim) {
                return ends_[chain][at(dim)].first &&
                       *ends_[chain][at(dim)].first != Placement::shard(entry.tensor_dim);
            });
        }
        std::erase_if(order, [](const ShardOrderEntry& entry) { return entry.mesh_dims.empty(); });
        return order;
    }

    /// The tensor without this mesh's cuts, from the end of the chain that is cut least.
    void infer_tensor(RedistributionChain& chain) {
        const bool gradient = chain.role == Role::gradient;
        const ShardingState& open = gradient ? chain.source() : chain.target();
        Extents shape = gradient ? chain.path.shape_before : chain.path.shape_after();
        for (std::size_t dim = 0; dim < mesh_dims(); ++dim) {
            if (!open.placements[dim].is_shard()) continue;
            if (open.placements[dim].tensor_dim >= static_cast<int>(shape.size()))
                throw NotInferred{"its shapes do not fit its cuts"};
            shape[at(open.placements[dim].tensor_dim)] *= parameter_.mesh.mesh.shape[dim];
        }
        chain.tensor = MeshTensor::of(shape, communicated_dtype(chain));
        for (const auto& [state, local] : {std::pair{chain.source(), chain.path.shape_before},
                                           std::pair{chain.target(), chain.path.shape_after()}}) {
            if (local_shape(state, parameter_.mesh.mesh, shape, parameter_.mesh.coordinate) != local) {
                throw NotInferred{"the sizes of this rank's tensors are not those of chunks: as " + to_text(state) +
                                  " it would hold another part than the graph shows"};
            }
        }
    }

    std::string communicated_dtype(const RedistributionChain& chain) const {
        DtypeInfo widest{};
        for (const NodeId node : chain.collectives) {
            const DtypeInfo& dtype = dtype_info(graph_.outputs(node)[0].dtype);
            if (dtype.bytes > widest.bytes) widest = dtype;
        }
        return std::string(widest.name);
    }

    const Graph& graph_;
    ParameterChains& parameter_;
    std::vector<std::vector<int>> action_dims_;  ///< of each chain: the mesh dimension of each action
    std::vector<std::vector<Ends>> ends_;        ///< of each chain and mesh dimension
};

}  // namespace

void infer_states(const Graph& graph, ParameterChains& parameter) {
    try {
        StateInference(graph, parameter).run();
    } catch (const NotInferred& reason) {
        parameter.obstacle = reason.obstacle;
    } catch (const InputError& error) {
        parameter.obstacle = error.problem();
    }
    if (parameter.obstacle.empty()) return;
    parameter.storage = {};
    for (RedistributionChain& chain : parameter.chains) chain.states.clear();
}

}  // namespace overlap
