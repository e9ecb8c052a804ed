#include "ui/graph/box_colours.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>

#include "core/views/bucket_figures.h"
#include "core/views/bucket_hues.h"
#include "core/views/peak_bytes.h"
#include "ui/document/applied_buckets.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/graph/box_texts.h"
#include "ui/theme/links_shared.h"
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
    static const QList<BoxColouring> all{BoxColouring::bucket, BoxColouring::exposed, BoxColouring::memory,
                                         BoxColouring::kind,   BoxColouring::dtype,   BoxColouring::stage};
    return all;
}

QString nameOf(BoxColouring colouring) {
    switch (colouring) {
        case BoxColouring::bucket:
            return QStringLiteral("bucket");
        case BoxColouring::exposed:
            return QStringLiteral("exposed");
        case BoxColouring::memory:
            return QStringLiteral("memory");
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

OccurringFigures::OccurringFigures(std::span<const BoxFigures> figures) {
    std::array<std::size_t, 256> boxes_of{};  // by dtype, which is a byte
    for (const BoxFigures& box : figures) {
        kinds.set(static_cast<std::size_t>(box.kind));
        stages.set(static_cast<std::size_t>(box.stage));
        if (box.has_dtype) ++boxes_of[static_cast<std::size_t>(box.dtype)];
    }
    for (std::size_t dtype = 0; dtype < boxes_of.size(); ++dtype)
        if (boxes_of[dtype] > 0) dtypes.push_back(static_cast<Dtype>(dtype));
    std::stable_sort(dtypes.begin(), dtypes.end(), [&](Dtype a, Dtype b) {
        return boxes_of[static_cast<std::size_t>(a)] > boxes_of[static_cast<std::size_t>(b)];
    });
}

void BoxColours::setBoxes(const BoxTree& tree, const std::vector<BoxFigures>& figures,
                          const OccurringFigures& occurring) {
    tree_ = &tree;
    figures_ = &figures;
    occurring_ = &occurring;
    bucket_of_module_.clear();
    buckets_inside_.clear();
    forgetAmounts();
}

void BoxColours::forgetAmounts() {
    evaluation_ = nullptr;
    exposed_ms_ = {};
    peak_bytes_ = {};
}

void BoxColours::update(const Document& document) {
    updateBuckets(document.modules(), appliedBuckets(document));
    forgetAmounts();
    evaluation_ = shownEvaluation(document);
}

void BoxColours::updateBuckets(const ModuleTree& modules, const std::vector<BucketEntry>& buckets) {
    bucket_of_module_.clear();
    buckets_inside_.clear();
    hues_ = bucket_hues(modules, buckets);
    if (buckets.empty()) return;
    bucket_of_module_ = buckets_of_modules(modules, buckets);
    std::map<BoxId, Inside, std::greater<>> open;
    for (ModuleTree::ModuleId module = 0; module < bucket_of_module_.size(); ++module) {
        if (bucket_of_module_[module] < 0) continue;
        for (const Phase phase : {Phase::forward, Phase::backward}) {
            const BoxId box = tree_->box_of(module, phase);
            if (box == no_box) continue;
            const BoxId around = tree_->box(box).parent;
            const std::uint32_t nodes = tree_->box(box).node_count;
            // What is around a bucket's modules, up to what is in a bucket itself, shows the buckets inside it.
            if (isAround(around)) open[around].add({{{bucket_of_module_[module], nodes}}, nodes});
        }
    }
    // Boxes are made after those that they lie in: the last one has received all that is inside it.
    while (!open.empty()) {
        const auto [box, inside] = *open.begin();
        open.erase(open.begin());
        if (const BoxId around = tree_->box(box).parent; isAround(around)) open[around].add(inside);
        buckets_inside_[box] = inside;
    }
}

bool BoxColours::isAround(BoxId box) const {
    return box != BoxTree::root && ownBucket(box) < 0;
}

void BoxColours::Inside::add(const Inside& more) {
    nodes += more.nodes;
    for (const auto& [bucket, count] : more.nodes_of) nodes_of[bucket] += count;
    while (nodes_of.size() > most_buckets) nodes_of.erase(std::prev(nodes_of.end()));
}

int BoxColours::ownBucket(BoxId box) const {
    if (bucket_of_module_.empty()) return -1;
    // Slices, and what is no module, belong to the module that they are drawn in.
    if (tree_->box(box).kind != BoxKind::module && !tree_->has_children(box)) box = tree_->box(box).parent;
    while (tree_->box(box).kind == BoxKind::slice) box = tree_->box(box).parent;
    return tree_->box(box).kind == BoxKind::module ? bucket_of_module_[tree_->box(box).module] : -1;
}

std::vector<int> BoxColours::buckets(BoxId box) const {
    if (const int own = ownBucket(box); own >= 0) return {own};
    std::vector<int> found;
    if (const auto inside = buckets_inside_.find(box); inside != buckets_inside_.end())
        for (const auto& [bucket, nodes] : inside->second.nodes_of) found.push_back(bucket);
    return found;
}

QList<BoxColours::Part> BoxColours::bucketParts(BoxId box, const Theme& theme) const {
    const auto part = [&](int bucket, double share) {
        return Part{.colour = theme.bucket(hues_[static_cast<std::size_t>(bucket)]), .share = share};
    };
    if (const int own = ownBucket(box); own >= 0) return {part(own, 1)};
    const auto found = buckets_inside_.find(box);
    if (found == buckets_inside_.end()) return {};
    const Inside& inside = found->second;
    double told = 0;
    for (const auto& [bucket, nodes] : inside.nodes_of) told += nodes;
    // Buckets beyond those that are listed add to these: only what is in no bucket stays without a colour.
    const double covered = static_cast<double>(inside.nodes) / tree_->box(box).node_count;
    QList<Part> parts;
    for (const auto& [bucket, nodes] : inside.nodes_of) parts.append(part(bucket, covered * nodes / told));
    return parts;
}

const BoxColours::Amounts& BoxColours::workedOut(Amounts& amounts, Compute compute) const {
    if (!evaluation_ || !amounts.of_box.empty()) return amounts;
    amounts.of_box = compute(*evaluation_, *tree_);
    for (BoxId id = 1; id < tree_->box_count(); ++id)
        if (tree_->box(id).parent == BoxTree::root) amounts.largest = std::max(amounts.largest, ofOne(id, amounts));
    return amounts;
}

const BoxColours::Amounts& BoxColours::exposed() const {
    return workedOut(exposed_ms_, box_exposed_ms);
}

const BoxColours::Amounts& BoxColours::peak() const {
    return workedOut(peak_bytes_, box_peak_bytes);
}

double BoxColours::ofOne(BoxId box, const Amounts& amounts) const {
    const Box& of = tree_->box(box);
    const double amount = amounts.of_box[box];
    return of.kind == BoxKind::run && of.child_count > 0 ? amount / of.child_count : amount;
}

double BoxColours::exposedMs(BoxId box) const {
    const std::vector<double>& of_box = exposed().of_box;
    return of_box.empty() ? 0 : of_box[box];
}

double BoxColours::peakBytes(BoxId box) const {
    const std::vector<double>& of_box = peak().of_box;
    return of_box.empty() ? 0 : of_box[box];
}

QList<BoxColours::Part> BoxColours::amountPart(BoxId box, const Amounts& amounts, Part part) const {
    if (amounts.of_box.empty() || amounts.of_box[box] <= 0) return {};
    part.filled = std::min(1.0, ofOne(box, amounts) / amounts.largest);
    return {part};
}

QList<BoxColours::Part> BoxColours::stripe(BoxId box, BoxColouring colouring, const Theme& theme) const {
    QList<Part> parts;
    const BoxFigures& figures = (*figures_)[box];
    switch (colouring) {
        case BoxColouring::bucket:
            return bucketParts(box, theme);
        case BoxColouring::exposed:
            return amountPart(box, exposed(), {theme.exposed, true});
        case BoxColouring::memory:
            return amountPart(box, peak(), {theme.memory});
        case BoxColouring::kind:
            parts.append({colourOf(kind_hues[static_cast<std::size_t>(figures.kind)].bucket_hue, theme)});
            break;
        case BoxColouring::stage:
            parts.append({colourOf(stage_hues[static_cast<std::size_t>(figures.stage)].bucket_hue, theme)});
            break;
        case BoxColouring::dtype:
            if (figures.has_dtype) {
                const auto place = std::ranges::find(occurring_->dtypes, figures.dtype);
                parts.append({theme.bucket(static_cast<std::uint32_t>(place - occurring_->dtypes.begin()))});
            }
            break;
    }
    return parts;
}

QList<BoxColours::Key> BoxColours::legend(BoxColouring colouring, const Theme& theme) const {
    QList<Key> keys;
    if (!occurring_) return keys;
    switch (colouring) {
        case BoxColouring::bucket:
            break;
        case BoxColouring::exposed:
            keys.append({{theme.exposed, true},
                         exposed().largest > 0
                             ? tr("waits for communication, full height %1").arg(formatTime(exposed().largest)) +
                                   (sharesLinks(*evaluation_) ? QStringLiteral(", ") + linksSharedLabel() : QString())
                             : tr("waits for communication")});
            break;
        case BoxColouring::memory:
            keys.append({{theme.memory},
                         peak().largest > 0 ? tr("held at the peak, full height %1").arg(formatBytes(peak().largest))
                                            : tr("held at the peak")});
            break;
        case BoxColouring::kind:
            for (std::size_t i = 0; i < kind_hues.size(); ++i)
                if (occurring_->kinds[i])
                    keys.append({{colourOf(kind_hues[i].bucket_hue, theme)}, tr(kind_hues[i].meaning)});
            break;
        case BoxColouring::stage:
            for (std::size_t i = 0; i < stage_hues.size(); ++i)
                if (occurring_->stages[i])
                    keys.append({{colourOf(stage_hues[i].bucket_hue, theme)}, tr(stage_hues[i].meaning)});
            break;
        case BoxColouring::dtype:
            for (std::size_t i = 0; i < occurring_->dtypes.size(); ++i)
                keys.append(
                    {{theme.bucket(static_cast<std::uint32_t>(i))}, fromCore(dtype_info(occurring_->dtypes[i]).name)});
            break;
    }
    return keys;
}

}  // namespace overlap::ui
