// Names of an edited graph's nodes, as torch.fx gives them.

#include <algorithm>
#include <charconv>

#include "core/graph/editing/graph_editor.h"

namespace overlap {

bool GraphEditor::rename(NodeId node, std::string_view name) {
    const StringId wanted = intern(name);
    find_used_names();
    if (is_used(wanted)) {
        // Perhaps of an erased node only: those can be given in this way.
        for (NodeId other = first_; other != no_node; other = next_[other]) {
            if (other != node && records_[other].name == wanted) return false;
        }
    }
    own_naming().retired.push_back(records_[node].name);
    records_.write(node).name = wanted;
    mark_used(wanted);
    return true;
}

void GraphEditor::propose_name(NodeId node, std::string_view candidate) {
    if (candidate == name(node)) return;
    own_naming().retired.push_back(records_[node].name);
    const NameParts parts = split_name(candidate);
    records_.write(node).name = unique_name(parts.base, parts.number);
}

NamingState& GraphEditor::own_naming() {
    if (!naming_) naming_ = std::make_shared<NamingState>(*source_->naming_);
    return *naming_;
}

void GraphEditor::find_used_names() {
    if (!name_used_.empty()) return;
    const SharedArray<NodeId>& by_name = source_->by_name_;
    name_used_.resize(std::max(by_name.size(), strings_->size()) + 4096);
    for (StringId name = 0; name < by_name.size(); ++name) name_used_[name] = by_name[name] != no_node;
    for (const StringId name : source_->naming_->retired) name_used_[name] = 1;
}

StringId GraphEditor::unique_name(std::string_view base, std::int64_t number) {
    if (name_used_.empty()) find_used_names();
    const auto first_new = static_cast<StringId>(strings_->size());
    const StringId base_name = intern(base);
    if (number < 0 && base_name >= first_new) {
        // A string that nobody has asked for names no node and is no base of one: its last number is 0, as that of a
        // base that is not among them.
        mark_used(base_name);
        return base_name;
    }
    char buffer[256];
    const std::size_t base_length = std::min(base.size(), sizeof buffer - 24);
    std::copy_n(base.data(), base_length, buffer);
    buffer[base_length] = '_';
    const auto numbered = [&](std::int64_t value) {
        const auto written = std::to_chars(buffer + base_length + 1, buffer + sizeof buffer, value);
        return std::string_view(buffer, static_cast<std::size_t>(written.ptr - buffer));
    };
    if (!naming_) own_naming();
    std::int64_t& last = naming_->last_number[base_name];
    StringId name = no_string;
    if (number < 0) {
        number = last;
        name = base_name;
    } else {
        name = strings_->intern(numbered(number));
        if (is_used(name)) number = last;
    }
    while (is_used(name)) name = strings_->intern(numbered(++number));
    last = number;
    mark_used(name);
    return name;
}

void GraphEditor::mark_used(StringId name) {
    if (name >= name_used_.size()) name_used_.resize(name + 4096);
    name_used_[name] = 1;
}

}  // namespace overlap
