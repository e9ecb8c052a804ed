#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace overlap::fuzz {

/// A graph document, parsed once for all inputs.
struct SourceDocument {
    struct Node {
        nlohmann::ordered_json json;
        std::string text;  ///< the same, written
    };

    /// @param text of a graph document.
    explicit SourceDocument(const std::string& text);

    std::string head, tail;  ///< what is written before and behind the nodes
    std::vector<Node> nodes;
};

/// A copy of a document whose nodes can be changed. Only those that are changed are copied and written anew, since most
/// inputs change few, and all of them are to be fast.
class EditableDocument {
  public:
    using Json = nlohmann::ordered_json;

    /// @param source has to outlive this.
    explicit EditableDocument(const SourceDocument& source);

    std::size_t node_count() const { return nodes_.size(); }
    const Json& node(std::size_t place) const;
    Json& change(std::size_t place);
    void swap(std::size_t first, std::size_t second) { std::swap(nodes_[first], nodes_[second]); }
    /// Cuts the document behind its first nodes. The output stays, of what is left.
    void keep_first(std::size_t count);
    void remove(std::size_t place);
    void insert(std::size_t place, Json node);
    std::string text() const;

  private:
    struct Node {
        const SourceDocument::Node* source;
        std::unique_ptr<Json> changed;  ///< in place of `source`, if there is one
    };

    const SourceDocument& source_;
    std::vector<Node> nodes_;
};

}  // namespace overlap::fuzz
