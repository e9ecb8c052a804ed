#include "core/passes/experts/token_exchanges.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/files/json_members.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

namespace {

/// The text of a value of JSON that is a string; empty for others.
std::string_view string_of(std::string_view json) {
    return json.size() > 2 && json.front() == '"' ? json.substr(1, json.size() - 2) : std::string_view();
}

/// Finds the exchanges of one region.
class Finder {
  public:
    Finder(const Graph& graph, const ChunkedRegion& region, std::string_view pass)
        : graph_(graph),
          region_(region),
          pass_(pass),
          exchanges_(graph, {"_c10d_functional.all_to_all_single.default"}),
          waits_(graph, {"_c10d_functional.wait_tensor.default"}),
          copies_(graph, {"aten._to_copy.default"}) {}

    TokenExchanges run() {
        found_.is_launch.resize(region_.nodes.size());
        found_.is_count_copy.resize(region_.nodes.size());
        for (std::uint32_t place = 0; place < region_.nodes.size(); ++place) add(place);
        check_halves();
        return std::move(found_);
    }

  private:
    struct Labels {
        std::string_view exchange;   ///< `EP_token_exchange` as JSON; empty where it is absent or null
        bool is_count_copy = false;  ///< `EP_token_count_sync` is `dispatch`
    };

    const Labels& labels(NodeId node) {
        const StringId custom = graph_.metadata(node).custom_json;
        const auto [entry, is_new] = labels_.try_emplace(custom);
        if (is_new) {
            const std::string_view text = graph_.text(custom);
            // Most nodes say nothing of tokens.
            if (text.find("EP_token") == text.npos) return entry->second;
            entry->second.exchange = json_member(text, "EP_token_exchange");
            if (entry->second.exchange == "null") entry->second.exchange = {};
            entry->second.is_count_copy = string_of(json_member(text, "EP_token_count_sync")) == "dispatch";
        }
        return entry->second;
    }

    bool is_launch(NodeId node) {
        if (!exchanges_.has(graph_.record(node))) return false;
        const std::string_view label = string_of(labels(node).exchange);
        return label == "dispatch" || label == "combine";
    }

    void add(std::uint32_t place) {
        const NodeId node = region_.nodes[place];
        const Labels& of_node = labels(node);
        if (of_node.is_count_copy) found_.is_count_copy[place] = copies_.has(graph_.record(node)) ? 1 : 0;
        if (of_node.exchange.empty()) return;
        const std::uint8_t chunk = region_.chunk[place];
        if (!is_launch(node)) {
            const auto inputs = graph_.inputs(node);
            if (waits_.has(graph_.record(node)) && !inputs.empty() && is_launch(inputs.front()) &&
                in_half(inputs.front(), chunk)) {
                return;  // its launch has named it
            }
            refuse_node(pass_, graph_.name(node),
                        "its custom.EP_token_exchange says that it exchanges tokens, which only all-to-alls and their "
                        "waits do: torchtitan raises a ValueError");
        }
        NodeId wait = no_node;
        std::size_t count = 0;
        for (const NodeId user : graph_.users(node)) {
            if (!waits_.has(graph_.record(user)) || !in_half(user, chunk)) continue;
            wait = user;
            ++count;
        }
        if (count != 1) {
            refuse_node(pass_, graph_.name(node),
                        "it exchanges tokens and has " + counted(count, "wait") +
                            " in its half, expected one: torchtitan raises a ValueError");
        }
        const std::string_view label = string_of(of_node.exchange);
        found_.is_launch[place] = 1;
        found_.of_chunk[chunk].push_back({label, place});
        found_.waits.push_back({wait, label});
    }

    bool in_half(NodeId node, std::uint8_t chunk) const {
        const auto found = std::ranges::lower_bound(region_.nodes, node);
        return found != region_.nodes.end() && *found == node &&
               region_.chunk[static_cast<std::size_t>(found - region_.nodes.begin())] == chunk;
    }

    void check_halves() const {
        const auto& [first, second] = found_.of_chunk;
        const auto text = [](const std::vector<TokenExchange>& exchanges) {
            std::string labels;
            for (const TokenExchange& exchange : exchanges) (labels += labels.empty() ? "" : ", ") += exchange.label;
            return labels.empty() ? std::string("none") : labels;
        };
        if (std::ranges::equal(first, second, {}, &TokenExchange::label, &TokenExchange::label)) return;
        throw PassRefusal(std::string(pass_), "module " + region_.text(),
                          "its halves exchange tokens differently, the first " + text(first) + ", the second " +
                              text(second) + ": torchtitan raises a ValueError");
    }

    const Graph& graph_;
    const ChunkedRegion& region_;
    const std::string_view pass_;
    const TargetSet exchanges_, waits_, copies_;
    std::unordered_map<StringId, Labels> labels_;
    TokenExchanges found_;
};

}  // namespace

TokenExchanges token_exchanges(const Graph& graph, const ChunkedRegion& region, std::string_view pass) {
    if (region.node_count[0] == 0 || region.node_count[1] == 0) {
        throw PassRefusal(
            std::string(pass), "module " + region.text(),
            "the graph has one of its halves only: torchtitan raises a ValueError (expected both chunks)");
    }
    return Finder(graph, region, pass).run();
}

}  // namespace overlap::experts
