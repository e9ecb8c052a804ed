#include "ui/graph/box_colours.h"

#include <algorithm>
#include <map>

#include "ui/document/document.h"
#include "ui/graph/box_texts.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

struct Hue {
    int bucket_hue;  ///< index of Theme::bucketHues, or -1 for the neutral colour
    const char* meaning;
};

// Hues of buckets in turn stay apart for all eyes; here they mean kinds.
constexpr std::array<Hue, operation_kind_count> kind_hues{{{0, QT_TRANSLATE_NOOP("BoxColours", "matrix products")},
                                                           {1, QT_TRANSLATE_NOOP("BoxColours", "pointwise")},
                                                           {5, QT_TRANSLATE_NOOP("BoxColours", "collectives")},
                                                           {-1, QT_TRANSLATE_NOOP("BoxColours", "views")},
                                                           {6, QT_TRANSLATE_NOOP("BoxColours", "inputs")},
                                                           {2, QT_TRANSLATE_NOOP("BoxColours", "other")}}};
constexpr std::array<Hue, stage_count> stage_hues{{{6, QT_TRANSLATE_NOOP("BoxColours", "inputs")},
                                                   {0, QT_TRANSLATE_NOOP("BoxColours", "forward")},
                                                   {2, QT_TRANSLATE_NOOP("BoxColours", "recomputed")},
                                                   {5, QT_TRANSLATE_NOOP("BoxColours", "backward")}}};

QColor colourOf(int hue, const Theme& theme) {
    return hue < 0 ? theme.compute : theme.bucketHues[static_cast<std::size_t>(hue)];
}

}  // namespace

const QList<BoxColouring>& boxColourings() {
    static const QList<BoxColouring> all{BoxColouring::bucket, BoxColouring::exposed, BoxColouring::kind,
                                         BoxColouring::dtype, BoxColouring::stage};
    return all;
}

QString nameOf(BoxColouring colouring) {
    switch (colouring) {
        case BoxColouring::bucket:
            return QStringLiteral("bucket");
        case BoxColouring::exposed:
            return QStringLiteral("exposed");
        case BoxColouring::kind:
            return QStringLiteral("kind");
        case BoxColouring::dtype:
            return QStringLiteral("dtype");
        case BoxColouring::stage:
            return QStringLiteral("stage");
    }
    return {};
}

QString titleOf(BoxColouring colouring) {
    return colouring == BoxColouring::exposed ? BoxColours::tr("exposed time")
                                              : BoxColours::tr(qPrintable(nameOf(colouring)));
}

void BoxColours::setFigures(const BoxTree& tree, const std::vector<BoxFigures>& figures) {
    tree_ = &tree;
    figures_ = &figures;
    buckets_.clear();
    exposed_ms_.clear();
    std::map<Dtype, int> found;
    for (const BoxFigures& box : figures)
        if (box.has_dtype) ++found[box.dtype];
    dtypes_.clear();
    for (const auto& [dtype, count] : found) dtypes_.push_back(dtype);
    std::stable_sort(dtypes_.begin(), dtypes_.end(), [&](Dtype a, Dtype b) { return found[a] > found[b]; });
}

void BoxColours::update(const Document& document, const BoxTree& tree) {
    const ModuleTree& modules = document.modules();
    std::vector<int> of_module(modules.module_count(), -1);
    for (std::size_t bucket = 0; bucket < document.buckets().size(); ++bucket)
        for (const std::string& path : document.buckets()[bucket].modules)
            if (const auto module = modules.find(path); module != ModuleTree::no_module)
                of_module[module] = static_cast<int>(bucket);
    for (ModuleTree::ModuleId module = 1; module < modules.module_count(); ++module)  // parents come first
        if (of_module[module] < 0) of_module[module] = of_module[modules.module(module).parent];

    buckets_.assign(tree.box_count(), {});
    for (BoxId id = tree.box_count(); id-- > 1;) {
        const Box& box = tree.box(id);
        std::vector<int>& own = buckets_[id];
        const bool of_one = box.kind == BoxKind::module && of_module[box.module] >= 0;
        if (of_one) own = {of_module[box.module]};
        std::sort(own.begin(), own.end());
        if (own.size() > most_buckets) own.resize(most_buckets);
        if (box.parent == BoxTree::root) continue;
        std::vector<int>& around = buckets_[box.parent];
        for (const int bucket : own)
            if (std::find(around.begin(), around.end(), bucket) == around.end()) around.push_back(bucket);
    }
    // An operation belongs to the bucket of its module, alone.
    for (BoxId id = 1; id < tree.box_count(); ++id) {
        const Box& box = tree.box(id);
        if (box.kind == BoxKind::module || tree.has_children(id) || box.parent == BoxTree::root) continue;
        const Box& around = tree.box(box.parent);
        if (around.kind == BoxKind::module && of_module[around.module] >= 0) buckets_[id] = {of_module[around.module]};
    }

    exposed_ms_.clear();
    longest_exposed_ms_ = 0;
    const auto evaluation = document.evaluation();
    if (!evaluation) return;
    exposed_ms_ = box_exposed_ms(*evaluation, tree, modules, document.buckets());
    for (BoxId id = 1; id < tree.box_count(); ++id)
        if (tree.box(id).parent == BoxTree::root) longest_exposed_ms_ = std::max(longest_exposed_ms_, exposed_ms_[id]);
}

const std::vector<int>& BoxColours::buckets(BoxId box) const {
    static const std::vector<int> none;
    return buckets_.empty() ? none : buckets_[box];
}

QList<BoxColours::Part> BoxColours::stripe(BoxId box, BoxColouring colouring, const Theme& theme) const {
    QList<Part> parts;
    const BoxFigures& figures = (*figures_)[box];
    switch (colouring) {
        case BoxColouring::bucket:
            for (const int bucket : buckets(box)) parts.append({theme.bucket(static_cast<std::uint32_t>(bucket))});
            break;
        case BoxColouring::exposed:
            if (const double ms = exposedMs(box); ms > 0)
                parts.append({theme.exposed, true, std::min(1.0, ms / longest_exposed_ms_)});
            break;
        case BoxColouring::kind:
            parts.append({colourOf(kind_hues[static_cast<std::size_t>(figures.kind)].bucket_hue, theme)});
            break;
        case BoxColouring::stage:
            parts.append({colourOf(stage_hues[static_cast<std::size_t>(figures.stage)].bucket_hue, theme)});
            break;
        case BoxColouring::dtype:
            if (const auto place = std::find(dtypes_.begin(), dtypes_.end(), figures.dtype);
                figures.has_dtype && place != dtypes_.end())
                parts.append({theme.bucket(static_cast<std::uint32_t>(place - dtypes_.begin()))});
            break;
    }
    return parts;
}

QList<BoxColours::Key> BoxColours::legend(BoxColouring colouring, const Theme& theme) const {
    QList<Key> keys;
    const auto occurs = [&](auto&& test) { return figures_ && std::any_of(figures_->begin(), figures_->end(), test); };
    switch (colouring) {
        case BoxColouring::bucket:
            break;
        case BoxColouring::exposed:
            keys.append({{theme.exposed, true},
                         longest_exposed_ms_ > 0
                             ? tr("waits for communication, full height %1").arg(formatTime(longest_exposed_ms_))
                             : tr("waits for communication")});
            break;
        case BoxColouring::kind:
            for (std::size_t i = 0; i < kind_hues.size(); ++i)
                if (occurs([&](const BoxFigures& box) { return static_cast<std::size_t>(box.kind) == i; }))
                    keys.append({{colourOf(kind_hues[i].bucket_hue, theme)}, tr(kind_hues[i].meaning)});
            break;
        case BoxColouring::stage:
            for (std::size_t i = 0; i < stage_hues.size(); ++i)
                if (occurs([&](const BoxFigures& box) { return static_cast<std::size_t>(box.stage) == i; }))
                    keys.append({{colourOf(stage_hues[i].bucket_hue, theme)}, tr(stage_hues[i].meaning)});
            break;
        case BoxColouring::dtype:
            for (std::size_t i = 0; i < dtypes_.size(); ++i)
                keys.append({{theme.bucket(static_cast<std::uint32_t>(i))}, fromCore(dtype_info(dtypes_[i]).name)});
            break;
    }
    return keys;
}

}  // namespace overlap::ui
