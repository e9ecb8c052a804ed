#include "core/passes/groups/extra_groups.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

void copy_link(CostParameters& cost, const std::string& source, const std::string& name) {
    const CostParameters::Link* link = cost.link(source);
    if (!link) return;
    CostParameters::Link copy = *link;
    copy.process_group = name;
    cost.links.push_back(copy);
    // As text: everything else that the document has for the link stays unchanged.
    const std::string quoted = nlohmann::ordered_json(name).dump();
    const std::string_view json = cost.json, links = json_member(json, "links");
    for (const std::string_view given : json_items(links)) {
        const std::string_view group = json_member(given, "process_group");
        if (nlohmann::ordered_json::parse(group) != source) continue;
        std::string further(given);
        further.replace(static_cast<std::size_t>(group.data() - given.data()), group.size(), quoted);
        const auto end = static_cast<std::size_t>(links.data() - json.data()) + links.size() - 1;
        cost.json.insert(end, "," + further);
        return;
    }
}

/// A group that shares a link with others also shares it with the group that was made from it.
void share_link(CostParameters& cost, const std::string& source, const std::string& name) {
    if (!cost.contention) return;
    for (std::vector<std::string>& link : cost.contention->shared_links) {
        if (std::ranges::find(link, source) != link.end()) link.push_back(name);
    }
    const std::string_view json = cost.json, given = json_member(json_member(json, "contention"), "shared_links");
    if (given.empty()) return;
    cost.json.replace(static_cast<std::size_t>(given.data() - json.data()), given.size(),
                      nlohmann::ordered_json(cost.contention->shared_links).dump());
}

}  // namespace

ExtraGroups::ExtraGroups(std::string_view pass, const Graph& graph, std::string_view purpose, bool high_priority)
    : pass_(pass), purpose_(purpose), high_priority_(high_priority), header_(graph.header()) {}

void ExtraGroups::add(std::string_view source, std::string_view user) {
    if (find(source)) return;
    const ProcessGroup* known = header_.process_group(source);
    if (!known) refuse_unknown_group(pass_, user, source);
    replacements_.push_back({known->name, known->name + "#" + purpose_});
}

GraphHeader ExtraGroups::header() const {
    GraphHeader header = header_;
    for (const Replacement& replacement : replacements_) {
        if (header.process_group(replacement.name)) continue;
        const ProcessGroup& source = *header.process_group(replacement.source);
        ProcessGroup group;
        group.name = replacement.name;
        group.ranks = source.ranks;
        // torch's new_group sorts its ranks.
        std::ranges::sort(group.ranks);
        if (const auto own = static_cast<std::size_t>(source.rank); own < source.ranks.size()) {
            group.rank = static_cast<int>(std::ranges::find(group.ranks, source.ranks[own]) - group.ranks.begin());
        }
        group.description = purpose_;
        nlohmann::ordered_json further = {{"description", purpose_}};
        if (high_priority_) further["high_priority_stream"] = true;
        group.extra_json = further.dump();
        header.process_groups.push_back(std::move(group));
        if (!header.cost) continue;
        copy_link(*header.cost, replacement.source, replacement.name);
        share_link(*header.cost, replacement.source, replacement.name);
    }
    return header;
}

const ExtraGroups::Replacement* ExtraGroups::find(std::string_view source) const {
    const auto found = std::ranges::find(replacements_, source, &Replacement::source);
    return found == replacements_.end() ? nullptr : &*found;
}

void ExtraGroups::tell(const Replacement& replacement, std::string_view reason, std::vector<std::string> moved,
                       PassReport& report) const {
    const ProcessGroup* source = header_.process_group(replacement.source);
    GroupReport group;
    group.name = replacement.name;
    group.source = replacement.source;
    group.high_priority = high_priority_;
    group.ranks_reordered = !std::ranges::is_sorted(source->ranks);
    group.reason = reason;
    group.moved = std::move(moved);

    std::string described = in_quotes(source->name);
    if (!source->description.empty()) described += " (" + source->description + ")";
    Problem created;
    created.kind = ProblemKind::extra_group;
    created.title = "New process group";
    created.message = std::to_string(group.moved.size()) + (group.moved.size() == 1 ? " collective" : " collectives") +
                      " of " + described + " move to a new group of the same ranks" +
                      (high_priority_ ? ", with a stream of high priority, " : ", ") + group.reason +
                      "; it is called " + in_quotes(group.name) +
                      " here, in the job by a digest of its ranks and a counter";
    created.nodes = group.moved;
    report.problems.push_back(std::move(created));
    if (group.ranks_reordered) {
        Problem reordered;
        reordered.severity = Severity::caution;
        reordered.kind = ProblemKind::ranks_reordered;
        reordered.title = "Ranks reordered";
        reordered.message = "the ranks of " + described +
                            " are not ascending, but those of the new group are: what is gathered or exchanged comes "
                            "in another order, and nothing in PyTorch warns of it";
        reordered.nodes = group.moved;
        report.problems.push_back(std::move(reordered));
    }
    report.groups.push_back(std::move(group));
}

bool GroupMoves::move(GraphEditor& editor, NodeId node, std::string_view group, std::vector<Value> arguments,
                      std::size_t place) {
    const ExtraGroups::Replacement* replacement = groups_.find(group);
    if (!replacement) return false;
    arguments[place] = Value::of_string(editor.intern(replacement->name));
    editor.set_arguments(node, editor.list(arguments), editor.record(node).kwargs);
    moved_[static_cast<std::size_t>(replacement - groups_.replacements().data())].emplace_back(editor.name(node));
    return true;
}

void GroupMoves::report(std::string_view reason, PassReport& report) {
    for (std::size_t index = 0; index < moved_.size(); ++index) {
        groups_.tell(groups_.replacements()[index], reason, std::move(moved_[index]), report);
    }
}

}  // namespace overlap
