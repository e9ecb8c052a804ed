#include "ui/graph/graph_controls.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/document/module_names.h"
#include "ui/document/selected_modules.h"
#include "ui/edits/bucket_commands.h"
#include "ui/graph/graph_view.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/search_field.h"

namespace overlap::ui {
namespace {

constexpr int search_width = 168;
constexpr int useful_search_width = 100;  ///< that stays whatever is selected, where there is room for all
constexpr int least_search_width = 64;
constexpr int usual_name_width = 190;  ///< for which the search gives way, and words
constexpr int least_name_width = 64;
constexpr int most_tip_lines = 20;

/// A field whose Enter steps to the next match, Shift+Enter to the one before, and Escape goes back to the graph.
class SearchField : public QLineEdit {
  public:
    explicit SearchField(GraphView& view) : view_(view) {}

  protected:
    void keyPressEvent(QKeyEvent* event) override {
        if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
            return view_.stepMatch(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        if (event->key() == Qt::Key_Escape) {
            clear();
            return view_.setFocus();
        }
        QLineEdit::keyPressEvent(event);
    }

  private:
    GraphView& view_;
};

QToolButton* flatButton(const QString& name) {
    auto* button = new QToolButton;
    button->setAutoRaise(true);
    button->setAccessibleName(name);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

}  // namespace

GraphControls::GraphControls(GraphView& view, QWidget* parent)
    : QWidget(parent),
      view_(view),
      name_(new QLabel),
      search_(new SearchField(view)),
      colour_(flatButton(tr("What the colours of boxes mean"))),
      filter_(flatButton(tr("Which boxes stay lit"))),
      fit_(flatButton(tr("Fit all"))),
      more_(flatButton(tr("Colours, filter and fit"))) {
    name_->setProperty("role", "dim");
    name_->setTextFormat(Qt::RichText);
    name_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    name_->setAccessibleName(tr("What is selected"));
    search_->setPlaceholderText(tr("Search the graph…"));
    search_->setAccessibleName(tr("Search the graph"));
    search_->setClearButtonEnabled(true);
    search_->setMaximumWidth(search_width);
    makeSearchField(*search_);
    search_->setMinimumWidth(least_search_width);
    fit_->setText(tr("fit"));
    fit_->setToolTip(tr("Show all of the graph (Home)"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(name_);
    layout->addStretch(1);
    layout->addWidget(search_, 100);  // up to its width before there is anything beside it
    layout->addWidget(filter_);
    layout->addWidget(colour_);
    layout->addWidget(fit_);
    layout->addWidget(more_);
    more_->hide();
    makeColourMenu();
    makeFilterMenu();
    makeMoreMenu();
    showChoices();

    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        view_.model().setSearch(text);
        view_.endMatches();
    });
    connect(fit_, &QToolButton::clicked, &view_, &GraphView::fitAll);
    connect(name_, &QLabel::linkActivated, this, [this](const QString& link) {
        view_.setFocus();
        view_.select(link.toUInt());
    });
    connect(&view_, &GraphView::currentChanged, this, &GraphControls::showName);
    connect(&view_.model(), &GraphModel::reset, this, &GraphControls::showName);
    connect(&view_.model(), &GraphModel::changed, this, &GraphControls::showName);
    connect(&view_.model(), &GraphModel::changed, this, &GraphControls::showChoices);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &GraphControls::showName);
}

QSize GraphControls::minimumSizeHint() const {
    const QMargins margins = layout()->contentsMargins();
    const int width =
        margins.left() + least_search_width + layout()->spacing() + more_->sizeHint().width() + margins.right();
    return {width, QWidget::minimumSizeHint().height()};
}

int GraphControls::roomBesideButtons() const {
    const QMargins margins = layout()->contentsMargins();
    int needed = margins.left() + least_search_width + margins.right();
    for (const QToolButton* button : {filter_, colour_, fit_})
        needed += layout()->spacing() + button->sizeHint().width();
    return width() - needed;
}

void GraphControls::resizeEvent(QResizeEvent* event) {
    fitRoom();
    QWidget::resizeEvent(event);
}

void GraphControls::fitRoom() {
    const int spacing = layout()->spacing();
    // Whether something is selected moves nothing as long as there is room for a name.
    nameChoices(false);
    if (roomBesideButtons() < search_width - least_search_width + spacing + usual_name_width) nameChoices(true);
    int whole = 0;
    if (!path_.empty() || !names_.isEmpty() || !count_.isEmpty()) {
        shortenName(width());
        whole = name_->sizeHint().width();
    }
    const int least = std::min(whole, least_name_width);
    // For search and name, with all buttons.
    const int beside = roomBesideButtons() + least_search_width - spacing;
    const bool is_still = beside >= useful_search_width + least_name_width;
    const int search = std::clamp(beside - usual_name_width, useful_search_width, search_width);
    search_->setMinimumWidth(is_still ? search : least_search_width);
    search_->setMaximumWidth(is_still ? search : search_width);
    const bool fits = is_still || roomBesideButtons() >= (whole > 0 ? least + spacing : 0);
    const int room =
        is_still ? beside - search : (fits ? roomBesideButtons() : width() - minimumSizeHint().width()) - spacing;
    const bool is_named = whole > 0 && room >= least;
    if (is_named) {
        const int beside_search = room - (search_width - least_search_width);
        shortenName(is_still ? room : std::max(beside_search, std::min(room, usual_name_width)));
        name_->setFixedWidth(name_->sizeHint().width());
    }
    name_->setVisible(is_named);
    for (QToolButton* button : {filter_, colour_, fit_}) button->setVisible(fits);
    more_->setVisible(!fits);
}

void GraphControls::makeColourMenu() {
    auto* menu = new QMenu(colour_);
    auto* group = new QActionGroup(menu);
    for (const BoxColouring colouring : boxColourings()) {
        QAction* action =
            menu->addAction(titleOf(colouring), this, [this, colouring] { view_.model().setColouring(colouring); });
        action->setCheckable(true);
        action->setData(static_cast<int>(colouring));
        group->addAction(action);
    }
    colour_->setMenu(menu);
    colour_->setPopupMode(QToolButton::InstantPopup);
    colour_->setToolTip(
        tr("What the stripes of boxes mean; a legend says it in the graph, where there is room for it"));
}

void GraphControls::makeFilterMenu() {
    auto* menu = new QMenu(filter_);
    auto* group = new QActionGroup(menu);
    for (const BoxSubset subset : boxSubsets()) {
        QAction* action = menu->addAction(titleOf(subset), this, [this, subset] { view_.model().setSubset(subset); });
        action->setCheckable(true);
        action->setData(static_cast<int>(subset));
        group->addAction(action);
    }
    filter_->setMenu(menu);
    filter_->setPopupMode(QToolButton::InstantPopup);
    filter_->setToolTip(tr("Dim everything but this"));
}

void GraphControls::makeMoreMenu() {
    auto* menu = new QMenu(more_);
    colour_->menu()->setTitle(tr("Colour"));
    filter_->menu()->setTitle(tr("Show"));
    menu->addMenu(filter_->menu());
    menu->addMenu(colour_->menu());
    menu->addAction(tr("Fit all"), &view_, &GraphView::fitAll);
    more_->setText(QStringLiteral("⋯"));
    more_->setMenu(menu);
    more_->setPopupMode(QToolButton::InstantPopup);
    more_->setToolTip(more_->accessibleName());
}

void GraphControls::nameChoices(bool narrow) {
    const QString arrow = QStringLiteral(" ▾");
    const QString colour = titleOf(view_.model().colouring()), subset = titleOf(view_.model().subset());
    colour_->setText((narrow ? colour : tr("colour: %1").arg(colour)) + arrow);
    filter_->setText((narrow ? subset : tr("show: %1").arg(subset)) + arrow);
}

void GraphControls::showChoices() {
    fitRoom();
    const GraphModel& model = view_.model();
    for (QAction* action : colour_->menu()->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(model.colouring()));
    for (QAction* action : filter_->menu()->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(model.subset()));
}

void GraphControls::showName() {
    const GraphModel& model = view_.model();
    const Selection& selection = model.document().selection();
    path_.clear();
    kind_.clear();
    names_.clear();
    shorter_.clear();
    count_.clear();
    QStringList tip;
    const auto count = [&](qsizetype modules) {
        if (modules > 1) count_ = tr("%1 modules").arg(modules);
    };
    if (!model.isOpen()) {
        // nothing is selected
    } else if (selection.kind() == Selection::Kind::modules) {
        const QStringList paths = selectedPaths(model.document());
        tip = shortNames(paths);
        names_ = tip.join(QStringLiteral(", "));
        shorter_ = rangesOf(paths).join(QStringLiteral(", "));
        count(selection.modules().size());
    } else if (selection.kind() == Selection::Kind::bucket) {
        names_ = BucketCommands(model.document()).title(selection.bucket());
        kind_ = tr("bucket");
        const auto bucket = static_cast<std::size_t>(selection.bucket());
        if (bucket < model.document().buckets().size()) count(std::ssize(model.document().buckets()[bucket].modules));
        tip = {tr("bucket %1").arg(names_)};
    } else if (selection.kind() == Selection::Kind::group) {
        names_ = selection.group();
        kind_ = tr("group");
        tip = {tr("group %1").arg(names_)};
    } else if (selection.kind() == Selection::Kind::node && model.selectedBoxes().size() > 1) {
        names_ = selection.node();  // a merged collective
        tip = {names_};
    } else {
        const BoxId selected = model.selectedBoxes().empty() ? view_.current() : model.selectedBoxes().front();
        for (BoxId at = selected; at != no_box && at != BoxTree::root; at = model.tree().box(at).parent)
            path_.insert(path_.begin(), {at, shownName(model.texts().title(at))});
        if (!path_.empty()) tip = {model.texts().path(selected)};
    }
    if (!count_.isEmpty()) tip.prepend(count_);
    name_->setAccessibleDescription(shownName(tip.join(QStringLiteral(", "))));
    if (const qsizetype more = tip.size() - most_tip_lines; more > 1) {
        tip.resize(most_tip_lines);
        tip.append(tr("and %1 more").arg(more));
    }
    name_->setToolTip(shownLines(tip.join(u'\n')));
    fitRoom();
}

QString GraphControls::linked(const std::vector<NamedBox>& boxes) const {
    QStringList parts;
    for (const NamedBox& named : boxes)
        parts.append(QStringLiteral("<a href=\"%1\" style=\"color:%2; text-decoration:none\">%3</a>")
                         .arg(named.box)
                         .arg(currentTheme().dim.name(), named.title.toHtmlEscaped()));
    return parts.join(QStringLiteral(" › "));
}

void GraphControls::shortenName(int width) {
    const QFontMetricsF metrics(name_->font());
    const auto fits = [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; };
    if (!path_.empty()) {
        // What is around it goes first: the box itself is what is selected.
        std::vector<NamedBox> shown = path_;
        const auto text = [&] {
            QStringList titles;
            for (const NamedBox& named : shown) titles.append(named.title);
            return titles.join(QStringLiteral(" › "));
        };
        const QString left_out = QStringLiteral("… › ");
        while (shown.size() > 1 && !fits((shown.size() < path_.size() ? left_out : QString()) + text()))
            shown.erase(shown.begin());
        const bool all = shown.size() == path_.size();
        if (!fits((all ? QString() : left_out) + text()))
            shown.front().title = elidedName(metrics, shown.front().title, Qt::ElideMiddle,
                                             width - (all ? 0.0 : metrics.horizontalAdvance(left_out)));
        return name_->setText((all ? QString() : left_out) + linked(shown));
    }
    const QString behind = count_.isEmpty() || names_.isEmpty() ? count_ : QStringLiteral(", ") + count_;
    const double room = width - metrics.horizontalAdvance(behind);
    const bool has_names = room >= least_name_width / 2.0 || fits(shownName(names_) + behind);
    // Of what kind it is goes first: the tip says it.
    const QString before = kind_.isEmpty() ? QString() : kind_ + u' ';
    const bool has_kind = fits(before + shownName(names_) + behind);
    const QString& shorter = shorter_.isEmpty() || fits(shownName(names_) + behind) ? names_ : shorter_;
    const QString names = (has_kind ? before : QString()) + elidedName(metrics, shorter, Qt::ElideRight, room);
    name_->setText((has_names ? names + behind : count_).toHtmlEscaped());
}

}  // namespace overlap::ui
