#include "ui/graph/box_filter.h"

#include <algorithm>

#include "ui/graph/box_colours.h"
#include "ui/graph/box_texts.h"

namespace overlap::ui {
namespace {

bool belongs(const Graph& graph, const Box& box, BoxId id, const BoxColours& colours, BoxSubset subset) {
    switch (subset) {
        case BoxSubset::everything:
            return true;
        case BoxSubset::communication:
            return box.kind == BoxKind::operation && operation_kind(graph, box.node) == OperationKind::collective;
        case BoxSubset::exposed:
            return colours.exposedMs(id) > 0;
        case BoxSubset::outsideBuckets:
            return box.kind == BoxKind::operation && colours.buckets(id).empty();
        case BoxSubset::forward:
            return box.kind == BoxKind::operation && box.phase == Phase::forward;
        case BoxSubset::backward:
            return box.kind == BoxKind::operation && box.phase == Phase::backward;
    }
    return true;
}

}  // namespace

const QList<BoxSubset>& boxSubsets() {
    static const QList<BoxSubset> all{BoxSubset::everything,     BoxSubset::communication, BoxSubset::exposed,
                                      BoxSubset::outsideBuckets, BoxSubset::forward,       BoxSubset::backward};
    return all;
}

QString titleOf(BoxSubset subset) {
    switch (subset) {
        case BoxSubset::everything:
            return BoxFilter::tr("everything");
        case BoxSubset::communication:
            return BoxFilter::tr("communication");
        case BoxSubset::exposed:
            return BoxFilter::tr("what is exposed");
        case BoxSubset::outsideBuckets:
            return BoxFilter::tr("what is in no bucket");
        case BoxSubset::forward:
            return BoxFilter::tr("forward");
        case BoxSubset::backward:
            return BoxFilter::tr("backward");
    }
    return {};
}

void BoxFilter::update(const Graph& graph, const BoxTree& tree, const BoxTexts& texts, const BoxColours& colours,
                       const QString& search, BoxSubset subset) {
    matches_.clear();
    lit_.clear();
    const QStringList words = search.split(u' ', Qt::SkipEmptyParts);
    if (words.isEmpty() && subset == BoxSubset::everything) return;

    std::vector<bool> found(tree.box_count(), words.isEmpty());
    if (!words.isEmpty()) {
        for (BoxId id = 1; id < tree.box_count(); ++id) {
            const Box& box = tree.box(id);
            QString text = texts.title(id) + u' ' + texts.className(id);
            if (box.kind == BoxKind::operation) text += u' ' + fromCore(graph.name(box.node));
            const bool path = search.contains(u'.') && box.kind == BoxKind::module;
            if (path) text += u' ' + texts.modules(id).join(u' ');
            found[id] = std::all_of(words.begin(), words.end(),
                                    [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
            if (found[id]) matches_.push_back(id);
        }
        std::stable_sort(matches_.begin(), matches_.end(),
                         [&](BoxId a, BoxId b) { return tree.box(a).order < tree.box(b).order; });
        for (BoxId id = 1; id < tree.box_count(); ++id)  // parents come first
            if (found[tree.box(id).parent] && tree.box(id).parent != BoxTree::root) found[id] = true;
    }
    lit_.assign(tree.box_count(), false);
    for (BoxId id = tree.box_count(); id-- > 1;) {
        if (found[id] && belongs(graph, tree.box(id), id, colours, subset)) lit_[id] = true;
        if (lit_[id]) lit_[tree.box(id).parent] = true;
    }
}

}  // namespace overlap::ui
