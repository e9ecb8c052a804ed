#include "core/layout/box_tree_builder.h"

#include <algorithm>

#include "core/base/word_hash.h"

namespace overlap {
namespace {

constexpr std::size_t shortest_run = 3;  ///< of identical modules, the first of which stays by itself

bool is_number(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

BoxTreeBuilder::BoxTreeBuilder(const Graph& graph, const ModuleTree& modules, const BoxPlaces& places)
    : graph_(graph), modules_(modules), places_(places), nodes_(place_nodes(graph, modules, places.home)) {}

void BoxTreeBuilder::build(BoxTree& tree) {
    draft_all();
    order_children();
    hash_structure();
    make_runs();
    make_slices();
    number(tree);
    list_nodes(tree);
}

BoxTreeBuilder::DraftId BoxTreeBuilder::add(BoxKind kind, Phase phase, DraftId parent) {
    const auto id = static_cast<DraftId>(drafts_.size());
    Draft draft;
    draft.box.kind = kind;
    draft.box.phase = phase;
    draft.parent = parent;
    drafts_.push_back(std::move(draft));
    if (kind != BoxKind::root) drafts_[parent].children.push_back(id);
    return id;
}

BoxTreeBuilder::DraftId BoxTreeBuilder::draft_of(ModuleTree::ModuleId module, Phase phase) {
    const auto side = static_cast<std::size_t>(phase);
    // Upwards to the nearest box that is there, then down again; not recursive, as files nest as deeply as they like.
    std::vector<ModuleTree::ModuleId> missing;
    ModuleTree::ModuleId at = module;
    while (at != ModuleTree::root && (nodes_.container[at] || module_drafts_[at][side] == 0)) {
        if (!nodes_.container[at]) missing.push_back(at);
        at = modules_.module(at).parent;
    }
    DraftId draft = at == ModuleTree::root ? 0 : module_drafts_[at][side];
    for (auto next = missing.rbegin(); next != missing.rend(); ++next) {
        draft = add(BoxKind::module, phase, draft);
        drafts_[draft].box.module = *next;
        module_drafts_[*next][side] = draft;
    }
    return draft;
}

BoxTreeBuilder::DraftId BoxTreeBuilder::group_of(NodeId node, Phase phase) {
    const ModuleTree::ModuleId place = nodes_.place[node];
    if (place != NodePlaces::interface && place != NodePlaces::unplaced) return draft_of(place, phase);
    DraftId& group = place == NodePlaces::interface ? interface_ : unplaced_[static_cast<std::size_t>(phase)];
    if (group == 0)
        group = place == NodePlaces::interface ? add(BoxKind::interface, Phase::forward, 0)
                                               : add(BoxKind::unplaced, phase, 0);
    return group;
}

void BoxTreeBuilder::draft_all() {
    add(BoxKind::root, Phase::forward, 0);
    module_drafts_.assign(modules_.module_count(), Pair{});
    drafts_.reserve(graph_.node_count() + 2 * modules_.module_count() + 4);
    for (NodeId node = 0; node < graph_.node_count(); ++node) {
        const Phase phase = places_.backward[node] ? Phase::backward : Phase::forward;
        const DraftId operation = add(BoxKind::operation, phase, group_of(node, phase));
        drafts_[operation].box.node = node;
        drafts_[operation].earliest = node;
    }
}

void BoxTreeBuilder::order_children() {
    for (DraftId id = static_cast<DraftId>(drafts_.size()); id-- > 1;) {  // parents are made before their children
        NodeId& earliest = drafts_[drafts_[id].parent].earliest;
        earliest = std::min(earliest, drafts_[id].earliest);
    }
    for (Draft& draft : drafts_)
        std::sort(draft.children.begin(), draft.children.end(),
                  [&](DraftId a, DraftId b) { return drafts_[a].earliest < drafts_[b].earliest; });
}

std::uint64_t BoxTreeBuilder::hash_operation(NodeId node) {
    std::uint64_t& target = target_hash_[graph_.record(node).target];
    if (target == 0) target = word_of_text(graph_.target(node));
    WordHash hash;
    const bool called = graph_.op(node) == NodeOp::call_function;
    hash.add(called ? target : std::uint64_t{1} + static_cast<std::uint64_t>(graph_.op(node)));
    for (const TensorMeta& output : graph_.outputs(node)) {
        hash.add(static_cast<std::uint64_t>(output.dtype));
        for (const std::int64_t size : graph_.shape(output)) hash.add(static_cast<std::uint64_t>(size));
    }
    return hash.value();
}

void BoxTreeBuilder::hash_structure() {
    target_hash_.assign(graph_.target_count(), 0);
    // Where each node stands in its box: boxes hold ranges of this order.
    std::vector<std::uint32_t> position(graph_.node_count(), 0);
    std::vector<NodeId> order;
    order.reserve(graph_.node_count());
    std::vector<DraftId> open{0}, parents_first;
    while (!open.empty()) {
        const DraftId id = open.back();
        open.pop_back();
        parents_first.push_back(id);
        Draft& draft = drafts_[id];
        draft.box.first_node = static_cast<std::uint32_t>(order.size());
        draft.box.node_count = 0;
        if (draft.box.node != no_node) {
            position[draft.box.node] = draft.box.first_node;
            order.push_back(draft.box.node);
            draft.box.node_count = 1;
        }
        open.insert(open.end(), draft.children.rbegin(), draft.children.rend());
    }
    for (auto id = parents_first.rbegin(); id != parents_first.rend(); ++id) {
        Draft& draft = drafts_[*id];
        if (*id != 0) drafts_[draft.parent].box.node_count += draft.box.node_count;
        if (draft.box.kind == BoxKind::operation) {
            draft.box.structure = hash_operation(draft.box.node);
            continue;
        }
        WordHash hash;
        hash.add(static_cast<std::uint64_t>(draft.box.kind));
        if (draft.box.module != ModuleTree::no_module)
            hash.add(word_of_text(modules_.module(draft.box.module).own_class));
        for (const DraftId child : draft.children) hash.add(drafts_[child].box.structure);
        const std::uint32_t begin = draft.box.first_node, end = begin + draft.box.node_count;
        for (std::uint32_t at = begin; at < end; ++at)
            for (const NodeId input : graph_.inputs(order[at]))
                if (position[input] >= begin && position[input] < end)
                    hash.add(std::uint64_t{at - begin} << 32 | (position[input] - begin));
        draft.box.structure = hash.value();
    }
}

void BoxTreeBuilder::make_runs() {
    for (ModuleTree::ModuleId parent = 0; parent < modules_.module_count(); ++parent) {
        std::vector<Pair> members;
        std::uint64_t structure = 0;
        const auto finish = [&] {
            if (members.size() >= shortest_run) gather_run({members.begin() + 1, members.end()});
            members.clear();
        };
        for (const ModuleTree::ModuleId child : modules_.module(parent).children) {
            const Pair& pair = module_drafts_[child];
            if ((pair[0] == 0 && pair[1] == 0) || !is_number(modules_.module(child).name)) {
                finish();
                continue;
            }
            WordHash both;
            for (const DraftId draft : pair) both.add(draft == 0 ? std::uint64_t{0} : drafts_[draft].box.structure);
            if (!members.empty() && both.value() != structure) finish();
            structure = both.value();
            members.push_back(pair);
        }
        finish();
    }
}

void BoxTreeBuilder::gather_run(const std::vector<Pair>& members) {
    for (const Phase phase : {Phase::forward, Phase::backward}) {
        const auto side = static_cast<std::size_t>(phase);
        if (members.front()[side] == 0) continue;
        const DraftId parent = drafts_[members.front()[side]].parent;
        const DraftId run = add(BoxKind::run, phase, parent);
        std::vector<DraftId>& siblings = drafts_[parent].children;
        siblings.pop_back();
        Draft& gathered = drafts_[run];
        gathered.box.module = drafts_[members.front()[side]].box.module;
        WordHash hash;
        for (const DraftId sibling : siblings) {
            const bool member =
                std::any_of(members.begin(), members.end(), [&](const Pair& pair) { return pair[side] == sibling; });
            if (!member) continue;
            gathered.children.push_back(sibling);
            drafts_[sibling].parent = run;
            hash.add(drafts_[sibling].box.structure);
        }
        gathered.box.structure = hash.value();
        gathered.earliest = drafts_[gathered.children.front()].earliest;
        *std::find(siblings.begin(), siblings.end(), gathered.children.front()) = run;
        std::erase_if(siblings, [&](DraftId sibling) { return sibling != run && drafts_[sibling].parent == run; });
    }
}

void BoxTreeBuilder::make_slices() {
    for (DraftId id = 0, count = static_cast<DraftId>(drafts_.size()); id < count; ++id) {
        if (drafts_[id].children.size() <= BoxTree::largest_level) continue;
        std::vector<DraftId> children = std::move(drafts_[id].children);
        drafts_[id].children.clear();
        std::stable_partition(children.begin(), children.end(),
                              [&](DraftId child) { return drafts_[child].box.phase == Phase::forward; });
        const std::size_t slices = (children.size() + BoxTree::largest_level - 1) / BoxTree::largest_level;
        const std::size_t each = (children.size() + slices - 1) / slices;
        DraftId slice = 0;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const Phase phase = drafts_[children[i]].box.phase;
            if (i % each == 0 || drafts_[slice].box.phase != phase) slice = add(BoxKind::slice, phase, id);
            drafts_[slice].children.push_back(children[i]);
            drafts_[children[i]].parent = slice;
        }
    }
}

void BoxTreeBuilder::number(BoxTree& tree) {
    tree.operation_of_.assign(graph_.node_count(), no_box);
    for (auto& boxes : tree.box_of_module_) boxes.assign(modules_.module_count(), no_box);
    std::vector<DraftId> order{0};  // level by level, so that children are neighbours
    order.reserve(drafts_.size());
    tree.boxes_.reserve(drafts_.size());
    std::vector<BoxId> id_of(drafts_.size(), no_box);
    for (BoxId id = 0; id < order.size(); ++id) {
        const Draft& draft = drafts_[order[id]];
        id_of[order[id]] = id;
        tree.boxes_.push_back(draft.box);
        Box& box = tree.boxes_.back();
        box.parent = id == 0 ? no_box : id_of[draft.parent];
        box.first_child = draft.children.empty() ? no_box : static_cast<BoxId>(order.size());
        box.child_count = static_cast<std::uint32_t>(draft.children.size());
        order.insert(order.end(), draft.children.begin(), draft.children.end());
        if (box.kind == BoxKind::operation) tree.operation_of_[box.node] = id;
        if (box.kind == BoxKind::module) tree.box_of_module_[static_cast<std::size_t>(box.phase)][box.module] = id;
    }
    // Twins are siblings of the other direction with the same module; runs of the same first member or the last.
    for (Box& box : tree.boxes_) {
        for (BoxId a = box.first_child; a != no_box && a < box.first_child + box.child_count; ++a) {
            Box& one = tree.boxes_[a];
            if (one.phase != Phase::forward || one.kind != BoxKind::module) continue;
            const BoxId other = tree.box_of(one.module, Phase::backward);
            if (other == no_box || tree.boxes_[other].parent != one.parent) continue;
            one.twin = other;
            tree.boxes_[other].twin = a;
        }
        std::vector<BoxId> runs[2];
        for (BoxId a = box.first_child; a != no_box && a < box.first_child + box.child_count; ++a)
            if (tree.boxes_[a].kind == BoxKind::run) runs[static_cast<std::size_t>(tree.boxes_[a].phase)].push_back(a);
        for (const BoxId forward : runs[0])
            for (const BoxId backward : runs[1])
                if (tree.boxes_[forward].module == tree.boxes_[backward].module) {
                    tree.boxes_[forward].twin = backward;
                    tree.boxes_[backward].twin = forward;
                }
    }
}

void BoxTreeBuilder::list_nodes(BoxTree& tree) const {
    tree.nodes_.reserve(graph_.node_count());
    std::vector<BoxId> open{0};
    while (!open.empty()) {
        Box& box = tree.boxes_[open.back()];
        open.pop_back();
        box.first_node = static_cast<std::uint32_t>(tree.nodes_.size());
        box.node_count = 0;
        box.order = 0;
        if (box.node != no_node) {
            tree.nodes_.push_back(box.node);
            box.node_count = 1;
            box.order = box.node;
        }
        for (BoxId child = box.child_count; child-- > 0;) open.push_back(box.first_child + child);
    }
    for (BoxId id = tree.box_count(); id-- > 1;) {
        const Box& box = tree.boxes_[id];
        Box& parent = tree.boxes_[box.parent];
        parent.node_count += box.node_count;
        parent.order += box.order;  // a sum until all children are in
    }
    for (Box& box : tree.boxes_)
        if (box.kind != BoxKind::operation && box.node_count > 0) box.order /= box.node_count;
}

}  // namespace overlap
