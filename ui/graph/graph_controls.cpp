#include "ui/graph/graph_controls.h"

#include <QActionGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

#include "ui/graph/graph_view.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/search_field.h"

namespace overlap::ui {
namespace {

constexpr int search_width = 168;
constexpr int narrow_width = 420;  ///< below which the path and words give way
constexpr int least_search_width = 64;

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
      path_(new QLabel),
      search_(new SearchField(view)),
      colour_(flatButton(tr("What the colours of boxes mean"))),
      filter_(flatButton(tr("Which boxes stay lit"))),
      fit_(flatButton(tr("Fit all"))),
      more_(flatButton(tr("Colours, filter and fit"))) {
    path_->setProperty("role", "dim");
    path_->setTextFormat(Qt::RichText);
    path_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    path_->setAccessibleName(tr("Where the selected box is"));
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
    layout->addWidget(path_);
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

    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) { view_.model().setSearch(text); });
    connect(fit_, &QToolButton::clicked, &view_, &GraphView::fitAll);
    connect(path_, &QLabel::linkActivated, this, [this](const QString& link) {
        view_.setFocus();
        view_.select(link.toUInt());
    });
    connect(&view_, &GraphView::currentChanged, this, &GraphControls::showPath);
    connect(&view_.model(), &GraphModel::reset, this, [this] { showPath(no_box); });
    connect(&view_.model(), &GraphModel::changed, this, &GraphControls::showChoices);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] { showPath(view_.current()); });
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
    const bool narrow = width() < narrow_width;
    nameChoices(narrow);
    const bool fits = roomBesideButtons() >= 0;
    // Of a path that is cut, the place itself is missing.
    const int path = path_->text().isEmpty() ? 0 : path_->sizeHint().width();
    path_->setFixedWidth(path);
    path_->setVisible(!narrow && path > 0 && roomBesideButtons() >= path + layout()->spacing());
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
    colour_->setToolTip(tr("What the stripes of boxes mean"));
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

void GraphControls::showPath(BoxId box) {
    if (!view_.model().isOpen() || box == no_box) {
        path_->clear();
        return fitRoom();
    }
    const QString colour = currentTheme().dim.name();
    QStringList parts;
    for (BoxId at = box; at != no_box && at != BoxTree::root; at = view_.model().tree().box(at).parent)
        parts.prepend(QStringLiteral("<a href=\"%1\" style=\"color:%2; text-decoration:none\">%3</a>")
                          .arg(at)
                          .arg(colour, shownName(view_.model().texts().title(at)).toHtmlEscaped()));
    path_->setText(parts.join(QStringLiteral(" › ")));
    fitRoom();
}

}  // namespace overlap::ui
