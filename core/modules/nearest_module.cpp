#include "core/modules/nearest_module.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/nearest_name.h"

namespace overlap {

namespace {

/// Names that models of different ages give the same module.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> other_names = {{
    {"output", "lm_head"},
    {"tok_embeddings", "embed_tokens"},
    {"tok_embeddings", "embedding"},
}};

std::optional<long long> as_number(std::string_view text) {
    long long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || text.starts_with('-')) return std::nullopt;
    return number;
}

std::string_view without_stray_ends(std::string_view path) {
    constexpr std::string_view stray = " \t\r\n.";
    const std::size_t begin = path.find_first_not_of(stray);
    if (begin == std::string_view::npos) return {};
    return path.substr(begin, path.find_last_not_of(stray) - begin + 1);
}

class Search {
  public:
    Search(const ModuleTree& tree, std::size_t count) : tree_(tree), count_(count) {}

    std::vector<std::string> run(std::string_view path) {
        const std::string_view wanted = without_stray_ends(path);
        if (!tree_.exists() || wanted.empty()) return {};
        add_if_found(wanted);
        for (std::string_view rest = wanted; rest.find('.') != std::string_view::npos;) {
            rest.remove_prefix(rest.find('.') + 1);
            add_if_found(rest);
        }
        add_siblings(wanted);
        if (found_.size() < count_) add_similar(wanted);
        return std::move(found_);
    }

  private:
    void add(std::string path) {
        if (found_.size() < count_ && !path.empty() && std::find(found_.begin(), found_.end(), path) == found_.end()) {
            found_.push_back(std::move(path));
        }
    }

    void add_if_found(std::string_view path) {
        if (tree_.find(path) != ModuleTree::no_module) add(std::string(path));
    }

    /// What stands where the path first leaves the tree, completed with the rest of the path where that exists.
    void add_siblings(std::string_view wanted) {
        ModuleTree::ModuleId parent = ModuleTree::root;
        std::string_view rest = wanted;
        std::string_view name;
        while (true) {
            const std::size_t dot = rest.find('.');
            name = rest.substr(0, dot);
            rest = dot == std::string_view::npos ? std::string_view{} : rest.substr(dot + 1);
            const ModuleTree::ModuleId next = tree_.child(parent, name);
            if (next == ModuleTree::no_module) break;
            if (rest.empty()) return;
            parent = next;
        }
        const std::string above = tree_.path(parent);
        for (const std::string& sibling : siblings_like(parent, name)) {
            const std::string path = above.empty() ? sibling : above + "." + sibling;
            const std::string completed = rest.empty() ? path : path + "." + std::string(rest);
            add(tree_.find(completed) != ModuleTree::no_module ? completed : path);
        }
        if (parent != ModuleTree::root && tree_.module(parent).children.empty()) add(above);
    }

    std::vector<std::string> siblings_like(ModuleTree::ModuleId parent, std::string_view name) const {
        std::vector<std::string> names, alike;
        for (const ModuleTree::ModuleId child : tree_.module(parent).children)
            names.push_back(tree_.module(child).name);
        for (const auto& [one, other] : other_names) {
            if (name == one && tree_.child(parent, other) != ModuleTree::no_module) alike.emplace_back(other);
            if (name == other && tree_.child(parent, one) != ModuleTree::no_module) alike.emplace_back(one);
        }
        const std::optional<long long> number = as_number(name);
        if (!number) {
            for (std::string& near : nearest_names(name, names, count_)) alike.push_back(std::move(near));
            return alike;
        }
        std::vector<std::pair<long long, std::string>> by_distance;
        for (const std::string& sibling : names) {
            if (const auto other = as_number(sibling)) by_distance.emplace_back(std::abs(*other - *number), sibling);
        }
        std::stable_sort(by_distance.begin(), by_distance.end(),
                         [](const auto& left, const auto& right) { return left.first < right.first; });
        for (auto& [distance, sibling] : by_distance) {
            if (alike.size() < count_) alike.push_back(std::move(sibling));
        }
        return alike;
    }

    void add_similar(std::string_view wanted) {
        std::vector<std::string> paths;
        std::string ending(1, '.');
        ending += wanted;
        for (ModuleTree::ModuleId id = 1; id < tree_.module_count(); ++id) {
            paths.push_back(tree_.path(id));
            if (paths.back().ends_with(ending)) add(paths.back());
        }
        for (std::string& path : nearest_names(wanted, paths, count_)) add(std::move(path));
    }

    const ModuleTree& tree_;
    std::size_t count_;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> nearest_modules(const ModuleTree& tree, std::string_view path, std::size_t count) {
    return Search(tree, count).run(path);
}

}  // namespace overlap
