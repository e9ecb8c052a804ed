#include "tests/fuzz/editable_document.h"

#include <algorithm>
#include <set>

namespace overlap::fuzz {

SourceDocument::SourceDocument(const std::string& text) {
    auto document = nlohmann::ordered_json::parse(text);
    for (auto& node : document["nodes"]) {
        std::string written = node.dump();
        nodes.push_back({std::move(node), std::move(written)});
    }
    document["nodes"] = nlohmann::ordered_json::array();
    const std::string around = document.dump();
    const std::string mark = "\"nodes\":[";
    const std::size_t place = around.find(mark + ']') + mark.size();
    head = around.substr(0, place);
    tail = around.substr(place);
}

EditableDocument::EditableDocument(const SourceDocument& source) : source_(source) {
    for (const SourceDocument::Node& node : source.nodes) nodes_.push_back({&node, nullptr});
}

const EditableDocument::Json& EditableDocument::node(std::size_t place) const {
    const Node& node = nodes_[place];
    return node.changed ? *node.changed : node.source->json;
}

EditableDocument::Json& EditableDocument::change(std::size_t place) {
    Node& node = nodes_[place];
    if (!node.changed) node.changed = std::make_unique<Json>(node.source->json);
    return *node.changed;
}

void EditableDocument::keep_first(std::size_t count) {
    if (count >= nodes_.size()) return;
    Node output = std::move(nodes_.back());
    nodes_.resize(count);
    const bool has_output = (output.changed ? *output.changed : output.source->json).at("op") == "output";
    if (has_output) nodes_.push_back(std::move(output));
    std::set<std::string> names;
    for (std::size_t place = 0; place < nodes_.size(); ++place) names.insert(node(place).at("name"));
    const auto is_gone = [&](const Json& name) { return !names.contains(name.get<std::string>()); };
    for (std::size_t place = 0; place < nodes_.size(); ++place) {
        const Json& kept = node(place);
        const auto users = kept.find("users_order");
        if (users == kept.end() || std::none_of(users->begin(), users->end(), is_gone)) continue;
        Json& changed = change(place)["users_order"];
        changed.erase(std::remove_if(changed.begin(), changed.end(), is_gone), changed.end());
    }
    if (!has_output) return;
    // A list in all sources.
    for (Json& returned : change(nodes_.size() - 1).at("args").front()) {
        if (returned.is_object() && returned.contains("node") && is_gone(returned["node"])) returned = nullptr;
    }
}

void EditableDocument::remove(std::size_t place) {
    nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(place));
}

void EditableDocument::insert(std::size_t place, Json node) {
    nodes_.insert(nodes_.begin() + static_cast<std::ptrdiff_t>(place),
                  Node{nullptr, std::make_unique<Json>(std::move(node))});
}

std::string EditableDocument::text() const {
    std::string text = source_.head;
    for (const Node& node : nodes_) {
        if (&node != &nodes_.front()) text += ',';
        text += node.changed ? node.changed->dump() : node.source->text;
    }
    return text + source_.tail;
}

}  // namespace overlap::fuzz
