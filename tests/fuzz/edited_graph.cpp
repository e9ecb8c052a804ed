#include "tests/fuzz/edited_graph.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

#include "core/graph/module_tree.h"
#include "core/io/graph_file.h"
#include "tests/fuzz/editable_document.h"
#include "tests/fuzz/fuzz_target.h"

namespace overlap::fuzz {
namespace {

using Json = EditableDocument::Json;

/// Every kind of collective, modules in stacks and by name, results of passes, several groups, two meshes.
constexpr std::array sources = {
    "random_goldens/random_3053.graph.json.gz",
    "scheduling_goldens/random_1383.graph.json.gz",
    "bucketing_goldens/random_9048.graph.json.gz",
    "random_goldens/random_3019.graph.json.gz",
    "random_goldens/random_3053.result.graph.json.gz",
    "bucketing_goldens/random_9069.graph.json.gz",
    "scheduling_goldens/random_1349.graph.json.gz",
    "scheduling_goldens/random_1356.graph.json.gz",
    "redistribution_graphs/fsdp_tp_rows.graph.json",
    "redistribution_graphs/hsdp.graph.json",
    "graphs/everything.graph.json",
};
constexpr std::size_t most_edits = 24;

const std::vector<SourceDocument>& documents() {
    static const std::vector<SourceDocument> read = [] {
        std::vector<SourceDocument> list;
        for (const char* source : sources) {
            list.emplace_back(write_graph_text(*read_graph_file(std::string(OVERLAP_TEST_DATA) + "/" + source)));
        }
        return list;
    }();
    return read;
}

/// Values that arguments and fields may be changed to.
const std::vector<Json>& odd_values() {
    constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();
    static const std::vector<Json> values = {0,
                                             1,
                                             2,
                                             7,
                                             -1,
                                             greatest,
                                             std::int64_t{1} << 31,
                                             nullptr,
                                             true,
                                             0.5,
                                             "",
                                             "0",
                                             "1",
                                             "avg",
                                             "no such group",
                                             Json::array(),
                                             {{"dtype", "bfloat16"}},
                                             {1, 2},
                                             {{"symbol", "s0"}, {"hint", 8}},
                                             {{"float", "inf"}}};
    return values;
}

const std::vector<std::string>& odd_modules() {
    static const std::vector<std::string> modules = {"",  "layers.0", "layers.1.attention", "layers", "norm",
                                                     ".", "a..b",     "L['self'].layers.0"};
    return modules;
}

/// Changes of a document.
class Edit {
  public:
    Edit(EditableDocument& document, Choices& choices) : document_(document), choices_(choices) {}

    /// Makes one change, unless there is no node left.
    void apply() {
        if (document_.node_count() == 0) return;
        switch (choices_.below(14)) {
            case 0:
                return refer_elsewhere();
            case 1:
                return change_argument();
            case 2:
                return change_tensor("shape");
            case 3:
                return change_tensor("stride");
            case 4:
                return change_type();
            case 5:
                return change_time();
            case 6:
                return change_module();
            case 7:
                return swap_nodes();
            case 8:
                return remove_node();
            case 9:
                return change_target();
            case 10:
                return change_storage();
            case 11:
                return repeat_node();
            case 12:
                return change_flags();
            default:
                return change_argument_count();
        }
    }

  private:
    std::size_t place() { return choices_.below(document_.node_count()); }
    /// A node, to be changed.
    Json& node() { return document_.change(place()); }

    /// The arguments of a node, which may be none.
    Json* arguments() {
        Json& chosen = node();
        const auto found = chosen.find("args");
        return found == chosen.end() || !found->is_array() || found->empty() ? nullptr : &*found;
    }

    Json* argument() {
        Json* const list = arguments();
        return list ? &(*list)[choices_.below(list->size())] : nullptr;
    }

    Json* tensor() {
        Json& chosen = node();
        const auto found = chosen.find("outputs");
        if (found == chosen.end() || !found->is_array() || found->empty()) return nullptr;
        Json& output = (*found)[choices_.below(found->size())];
        return output.is_object() ? &output : nullptr;
    }

    void refer_elsewhere() {
        if (Json* const changed = argument()) *changed = {{"node", document_.node(place()).at("name")}};
    }

    void change_argument() {
        if (Json* const changed = argument()) *changed = choices_.one_of(odd_values());
    }

    void change_argument_count() {
        Json* const list = arguments();
        if (!list) return;
        if (choices_.one_in(2)) {
            list->push_back(choices_.one_of(odd_values()));
        } else {
            list->erase(list->size() - 1);
        }
    }

    void change_tensor(const char* field) {
        static const std::vector<std::int64_t> sizes = {0, 1, 2, 3, 5, 8, 1 << 20, std::int64_t{1} << 40, -1};
        Json* const changed = tensor();
        if (!changed || !changed->contains(field) || !changed->at(field).is_array()) return;
        Json& list = changed->at(field);
        const std::size_t place = choices_.below(list.size() + 1);
        if (place == list.size()) {
            list.push_back(choices_.one_of(sizes));
        } else {
            list[place] = choices_.one_of(sizes);
        }
    }

    void change_type() {
        static const std::vector<std::string> types = {"float32", "bfloat16",      "int64",
                                                       "bool",    "float8_e4m3fn", "complex64"};
        if (Json* const changed = tensor()) (*changed)["dtype"] = choices_.one_of(types);
    }

    void change_time() {
        static const std::vector<double> times = {0, 0.001, 0.25, 1, 1e9, 1e300, -1};
        node()["estimate_ms"] = choices_.one_of(times);
    }

    void change_module() {
        Json& changed = node();
        const std::string module = choices_.one_of(odd_modules());
        if (choices_.one_in(2)) {
            changed["custom"]["module_fqn"] = module;
        } else {
            changed["module_stack"] = Json::array({Json::array({module, "Module"})});
        }
    }

    void swap_nodes() {
        const std::size_t first = place();
        document_.swap(first, place());
    }

    void remove_node() { document_.remove(place()); }

    void change_target() {
        const Json target = document_.node(place()).at("target");
        node()["target"] = target;
    }

    void change_storage() {
        Json* const changed = tensor();
        if (!changed) return;
        (*changed)["storage"] = choices_.below(20);
        if (choices_.one_in(2)) (*changed)["storage_bytes"] = choices_.below(3) << 4;
    }

    /// The same node once more behind itself, with a name of its own.
    void repeat_node() {
        const std::size_t repeated = place();
        Json copy = document_.node(repeated);
        copy["name"] = copy["name"].get<std::string>() + "_" + std::to_string(document_.node_count() + 100);
        document_.insert(repeated + 1, std::move(copy));
    }

    void change_flags() {
        Json& changed = node();
        switch (choices_.below(4)) {
            case 0:
                changed["autograd_backward"] = choices_.one_in(2);
                break;
            case 1:
                changed["partitioner_tag"] = choices_.one_in(2) ? "is_backward" : "is_forward";
                break;
            case 2:
                changed["seq_nr"] = choices_.below(8);
                break;
            default:
                changed.erase("users_order");
        }
    }

    EditableDocument& document_;
    Choices& choices_;
};

}  // namespace

std::shared_ptr<const Graph> edited_graph(Choices& choices) {
    EditableDocument document(choices.one_of(documents()));
    // Many small graphs tell more than few larger ones in the same time.
    if (!choices.one_in(4)) document.keep_first(1 + choices.below(document.node_count()));
    const std::size_t edits = choices.below(most_edits + 1);
    Edit edit(document, choices);
    for (std::size_t done = 0; done < edits; ++done) edit.apply();
    const std::string text = document.text();
    count_input(text.size());
    return read_graph_text(text, "edited");
}

std::vector<std::string> module_names(const Graph& graph, Choices& choices) {
    const ModuleTree tree(graph, preferred_module_source(graph));
    std::vector<std::string> names(choices.below(4));
    for (std::string& name : names) {
        if (choices.one_in(8) || !tree.exists()) {
            name = choices.one_of(odd_modules());
        } else {
            name = tree.path(static_cast<ModuleTree::ModuleId>(choices.below(tree.module_count())));
        }
    }
    return names;
}

}  // namespace overlap::fuzz
