#include "ui/graph/graph_model.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/views/computed_time.h"
#include "ui/document/document.h"
#include "ui/document/removed_collectives.h"
#include "ui/graph/graph_metrics.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

namespace {

/// Compute of larger results is sorted by nodes of the graph in the background.
constexpr std::uint32_t large_plan_nodes = 5'000;

}  // namespace

GraphModel::Contents::Contents(std::shared_ptr<const Graph> read, std::shared_ptr<const ModuleTree> tree_of_modules,
                               const std::vector<double>& times_ms, const std::vector<NodeId>& removed,
                               const std::stop_token& stop)
    : graph(std::move(read)),
      modules(std::move(tree_of_modules)),
      places(box_places(*graph, *modules)),
      tree(*graph, *modules, places),
      figures(stop.stop_requested() ? std::vector<BoxFigures>() : box_figures(*graph, tree, places, times_ms, removed)),
      occurring(figures),
      texts(*graph, *modules, tree, figures) {}

GraphModel::GraphModel(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document, &Document::graphChanged, this, &GraphModel::read);
    connect(&document, &Document::modulesChanged, this, &GraphModel::read);
    connect(&document, &Document::timesChanged, this, &GraphModel::updateFigures);
    connect(&document, &Document::planChanged, this, [this] {
        updateColours();
        // An edit may have given the selected bucket other modules.
        if (document_.selection().kind() == Selection::Kind::bucket) updateSelection();
    });
    connect(&document, &Document::evaluationChanged, this, &GraphModel::updateEvaluation);
    connect(&document.selection(), &Selection::changed, this, [this] {
        updateSelection();
        if (!choosing_) emit selectionMoved();
    });
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &GraphModel::changed);
    if (document.isOpen()) read();
}

GraphModel::~GraphModel() = default;

void GraphModel::read() {
    reading_.cancel();
    figuring_.cancel();
    contents_ = nullptr;
    colours_ = {};  // they refer to the contents
    open_.clear();
    sizes_.clear();
    cache_.clear();
    if (helper_) helper_->cancel();
    selected_.clear();
    updateMarks();
    chosen_ = no_box;
    arrangement_ = nullptr;
    if (!document_.isOpen()) return emit reset();
    const std::shared_ptr<const Graph>& graph = document_.graph();
    requested_removed_ = removedCollectives(document_);
    requested_plan_ = nullptr;
    if (graph->node_count() < large_graph_nodes)
        return show(std::make_shared<Contents>(graph, document_.sharedModules(), document_.baseline().times_ms,
                                               requested_removed_));
    emit reset();
    reading_.start([this, graph, modules = document_.sharedModules(), times_ms = document_.baseline().times_ms,
                    removed = requested_removed_](std::stop_token stop) -> LatestTask::Delivery {
        auto contents = releasedElsewhere(std::make_shared<Contents>(graph, modules, times_ms, removed, stop));
        if (stop.stop_requested()) return {};
        return [this, contents = std::move(contents)] { show(contents); };
    });
}

void GraphModel::show(std::shared_ptr<Contents> contents) {
    contents_ = std::move(contents);
    colours_.setBoxes(contents_->tree, contents_->figures, contents_->occurring);
    for (const BoxId box : first_open_boxes(contents_->tree)) open_.insert(box);
    updateColours();
    rearrange(no_box);
    updateSelection();
    emit reset();
    // Another plan may have been chosen while the boxes were made.
    if (requested_removed_ != removedCollectives(document_) || requested_plan_ != wantedPlan()) updateFigures();
}

std::shared_ptr<const Evaluation> GraphModel::wantedPlan() const {
    auto evaluation = document_.evaluation();
    if (!evaluation) return requested_plan_;  // that of another plan is on its way
    const bool has_figures = !evaluation->refused && evaluation->times_known;
    if (!has_figures || evaluation->original != document_.graph() || evaluation.get() == &document_.baseline())
        return {};
    return evaluation;
}

void GraphModel::updateFigures() {
    if (reading_.busy()) return read();  // with the new times
    if (!contents_) return;
    requested_removed_ = removedCollectives(document_);
    requested_plan_ = wantedPlan();
    const auto figures = [contents = contents_, times_ms = document_.baseline().times_ms, removed = requested_removed_,
                          plan = requested_plan_] {
        if (!plan) return box_figures(*contents->graph, contents->tree, contents->places, times_ms, removed);
        return box_figures(*contents->graph, contents->tree, contents->places, times_ms, removed,
                           computed_time(*plan, *contents->modules), *contents->modules);
    };
    figuring_.cancel();
    if (graph().node_count() < large_graph_nodes &&
        (!requested_plan_ || requested_plan_->graph->node_count() < large_plan_nodes))
        return showFigures(figures());
    updateColours();
    // Without a look at the token: a tenth of a second for 200,000 nodes.
    figuring_.start([this, figures](std::stop_token) -> LatestTask::Delivery {
        auto found = std::make_shared<std::vector<BoxFigures>>(figures());
        return [this, found] { showFigures(std::move(*found)); };
    });
}

void GraphModel::updateEvaluation() {
    const bool same_graph = contents_ && contents_->modules == document_.sharedModules();
    if (same_graph && (requested_removed_ != removedCollectives(document_) || requested_plan_ != wantedPlan()))
        return updateFigures();
    updateColours();
}

void GraphModel::showFigures(std::vector<BoxFigures> figures) {
    if (figures == contents_->figures) return updateColours();  // an edit that changes none of them moves no box
    contents_->figures = std::move(figures);
    contents_->occurring = OccurringFigures(contents_->figures);
    sizes_.clear();  // boxes are as wide as what they say
    updateColours();
    rearrange(no_box);
}

void GraphModel::setColouring(BoxColouring colouring) {
    if (colouring_ == colouring) return;
    colouring_ = colouring;
    emit changed();
}

void GraphModel::setSearch(const QString& search) {
    if (search_ == search.trimmed()) return;
    search_ = search.trimmed();
    updateFilter();
}

void GraphModel::setSubset(BoxSubset subset) {
    if (subset_ == subset) return;
    subset_ = subset;
    updateFilter();
}

void GraphModel::updateColours() {
    // A document emits plan and evaluation of its next graph before it emits the graph. The graph with another cost
    // model is another graph of the same nodes in the same modules.
    if (!contents_ || contents_->modules != document_.sharedModules()) return;
    colours_.update(document_);
    updateFilter();
}

void GraphModel::updateFilter() {
    if (!contents_) return;
    filter_.update(graph(), tree(), texts(), colours_, search_, subset_);
    emit changed();
}

void GraphModel::setOpen(BoxId box, bool open) {
    if (!tree().has_children(box) || isOpen(box) == open) return;
    if (open)
        open_.insert(box);
    else
        open_.erase(box);
    rearrange(box);
}

void GraphModel::setIdenticalOpen(BoxId box, bool open) {
    for (BoxId other = 1; other < tree().box_count(); ++other) {
        if (tree().box(other).kind != tree().box(box).kind ||
            tree().box(other).structure != tree().box(box).structure || !tree().has_children(other))
            continue;
        if (open)
            open_.insert(other);
        else
            open_.erase(other);
    }
    rearrange(box);
}

void GraphModel::closeAll() {
    open_.clear();
    for (const BoxId box : first_open_boxes(tree())) open_.insert(box);
    rearrange(no_box);
}

void GraphModel::reveal(BoxId box) {
    bool opened = false;
    for (BoxId around = tree().box(box).parent; around != no_box && around != BoxTree::root;
         around = tree().box(around).parent)
        opened |= open_.insert(around).second;
    if (opened) rearrange(arrangement_->shown(tree(), box));
}

QStringList GraphModel::openKeys() const {
    QStringList keys;
    if (!contents_) return keys;
    for (const BoxId box : open_) keys.append(texts().key(box));
    keys.sort();
    return keys;
}

void GraphModel::setOpenKeys(const QStringList& keys) {
    if (!contents_) return;
    const QSet<QString> wanted(keys.begin(), keys.end());
    open_.clear();
    for (BoxId box = 1; box < tree().box_count(); ++box)
        if (tree().has_children(box) && wanted.contains(texts().key(box))) open_.insert(box);
    rearrange(no_box);
}

BoxId GraphModel::boxOfKey(const QString& key) const {
    for (BoxId box = 1; contents_ && box < tree().box_count(); ++box)
        if (texts().key(box) == key) return box;
    return no_box;
}

BoxNeighbours GraphModel::neighbours(BoxId box) const {
    return neighbours_of(graph(), tree(), box,
                         [this](BoxId operation) { return arrangement_->shown(tree(), operation); });
}

LayoutSize GraphModel::closedSize(BoxId box) const {
    LayoutSize& size = sizes_[box];
    if (size.width > 0) return size;
    static const QFontMetricsF metrics(textFont(normalTextPx, QFont::DemiBold));
    const bool operation = tree().box(box).kind == BoxKind::operation;
    static const QFontMetricsF figures(textFont(smallTextPx));
    // A pile keeps room to say how many of it are selected.
    const QString longest = texts().partlySelected(box, tree().box(box).child_count);
    const double text = std::max({metrics.horizontalAdvance(shownName(texts().title(box))),
                                  figures.horizontalAdvance(texts().figures(box)),
                                  figures.horizontalAdvance(texts().figures(box, longest))}) +
                        2 * boxMargin + (operation ? 0 : arrowRoom);
    const double width = std::clamp(text, operation ? narrowestOperation : narrowestModule, widestBox);
    size = {std::ceil(width / widthStep) * widthStep, operation ? operationHeight : moduleHeight};
    return size;
}

double GraphModel::openWidth(BoxId box) const {
    return closedSize(box).width;
}

ArrangementOptions GraphModel::options() const {
    ArrangementOptions options;
    options.closed_size = [this](BoxId box) { return closedSize(box); };
    options.open_width = [this](BoxId box) { return openWidth(box); };
    options.header_height = headerHeight;
    options.padding = boxPadding;
    return options;
}

void GraphModel::rearrange(BoxId anchor) {
    arrangement_ = arrange(tree(), open_, options(), LayeredEngine(), cache_);
    updateMarks();
    emit arranged(anchor);
    if (helper_) askHelper();
}

void GraphModel::setGraphviz(bool wanted, const QString& program) {
    if (wanted == graphviz()) return;
    cache_.clear();
    helper_ = wanted ? std::make_unique<LayoutHelperClient>(program) : nullptr;
    if (helper_) {
        connect(helper_.get(), &LayoutHelperClient::laidOut, this, &GraphModel::takeLayout);
        connect(helper_.get(), &LayoutHelperClient::failed, this, &GraphModel::told);
    }
    if (contents_) rearrange(no_box);
}

void GraphModel::askHelper() {
    for (const PlacedLevel& level : arrangement_->levels) {
        const LevelGraph graph = level_graph(tree(), level.box, [this](BoxId child) {
            const PlacedBox* placed = arrangement_->find(child);
            return LayoutSize{placed->rect.width, placed->rect.height};
        });
        helper_->request(level.key, graph, cache_.find(level.key));
    }
}

void GraphModel::takeLayout(std::uint64_t key, std::shared_ptr<const LevelLayout> layout) {
    cache_.put(key, std::move(layout));
    if (contents_) rearrange(selected_.empty() ? no_box : arrangement_->shown(tree(), selected_.front()));
}

}  // namespace overlap::ui
