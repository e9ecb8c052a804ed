#include "ui/frame/variant_bar.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QStyleOptionTab>
#include <QTabBar>
#include <QToolButton>
#include <QToolTip>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/frame/plan_tab_title.h"
#include "ui/measure/measurements.h"
#include "ui/measure/simulated_trace_times.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/tab_padding.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/plan_colours.h"
#include "ui/widgets/tab_overflow.h"

namespace overlap::ui {
namespace {

constexpr int longest_title = 32;  ///< in characters; the tool tip has all of it
constexpr int wanted_width = 340;  ///< below it tabs scroll; the figures beside them shrink first
constexpr int around_tab = 6;      ///< border and margin of the style sheet
constexpr int mark_size = 8, icon_space = 4;
constexpr int fewest_letters = 8;  ///< of a title that is elided; below it tabs scroll

const QString unsaved_dot = QStringLiteral(" •");
constexpr QChar ellipsis(0x2026);

/// What a tab shows.
struct TabTitle {
    QString whole;
    bool dotted = false;
    bool yields = false;  ///< where there is too little room, its own goes first, unless it is the current one
};

QFontMetrics currentMetrics() {
    return QFontMetrics(textFont(normalTextPx, QFont::DemiBold));
}

/// A title of at most so many letters as a tab may be wide, without those in its middle where there are more.
QString shortTitle(const QString& title) {
    if (title.size() <= longest_title) return title;
    qsizetype first = longest_title / 2, last = longest_title / 2 - 1;
    // No letter of two units is cut in two.
    if (title[first - 1].isHighSurrogate()) --first;
    if (title[title.size() - last].isLowSurrogate()) --last;
    return title.left(first) + ellipsis + title.right(last);
}

}  // namespace

/// Tabs as wide as their titles in the weight of the current one, so that none is cut when it becomes current. Where
/// there is less room, titles are elided, except the baseline's: first those of measurements of other graphs.
class VariantTabs : public QTabBar {
  public:
    /// @param dotted whether a dot behind the title says that the plan is in no file as it is.
    void setTitle(int index, const QString& title, bool dotted, bool yields = false) {
        setTabData(index, QVariant::fromValue(TabTitle{title, dotted, yields}));
        setTabText(index, shownInMenu(shortTitle(title)) + (dotted ? unsaved_dot : QString()));
    }

    /// The title as it is drawn.
    QString drawnTitle(int index) const {
        const QString mark = titleOf(index).dotted ? unsaved_dot : QString();
        const int room = tabRect(index).width() - sideOf(index) - currentMetrics().horizontalAdvance(mark);
        QStringList others;
        for (int other = 0; other < count(); ++other)
            if (other != index) others.append(titleOf(other).whole);
        // Qt elides by the font of the bar, which is narrower than that of the current tab.
        return drawnTabTitle(titleOf(index).whole, others, currentMetrics(), room) + mark;
    }

    /// The tab that is drawn there; -1 where none is. What is not drawn is not closed, renamed or explained either.
    int shownTabAt(const QPoint& place) const { return isCutAt(place) ? -1 : tabAt(place); }

    /// With each title as short as it may be, and tabs as close together as they are then.
    int elidedWidth() const {
        int width = 0;
        for (int tab = 0; tab < count(); ++tab) {
            const int closer = property("dense").toBool() ? 0 : 2 * (plan_tab_padding.wide - plan_tab_padding.dense);
            width += leastWidth(tab, wholeWidth(tab)) - closer;
        }
        return width;
    }

    /// With all titles whole, however narrow the bar is now.
    QSize sizeHint() const override { return {wholeWidth(), QTabBar::sizeHint().height()}; }

  protected:
    QSize tabSizeHint(int index) const override {
        const int whole = wholeWidth(index);
        const bool yields = titleOf(index).yields && index != currentIndex() && width() < wholeWidth();
        return {yields ? leastWidth(index, whole) : whole, QTabBar::tabSizeHint(index).height()};
    }

    QSize minimumTabSizeHint(int index) const override {
        const QSize whole = tabSizeHint(index);
        const int least = leastWidth(index, whole.width());
        // Where tabs scroll, and in a narrow bar, which has room for one, the current one has all the room it needs.
        if (index == currentIndex() && (isNarrow() || !canFit()))
            return {std::clamp(room(), std::min(least, whole.width()), whole.width()), whole.height()};
        return {least, whole.height()};
    }

    void initStyleOption(QStyleOptionTab* option, int index) const override {
        QTabBar::initStyleOption(option, index);
        option->text = shownInMenu(drawnTitle(index));
        if (isRemnant(index)) option->rect = {};
    }

    void mousePressEvent(QMouseEvent* event) override {
        if (!isCutAt(event->position().toPoint())) QTabBar::mousePressEvent(event);
    }

    void mouseDoubleClickEvent(QMouseEvent* event) override {
        if (!isCutAt(event->position().toPoint())) QTabBar::mouseDoubleClickEvent(event);
    }

    bool event(QEvent* event) override {
        if (event->type() == QEvent::ToolTip && isCutAt(static_cast<QHelpEvent*>(event)->pos())) {
            QToolTip::hideText();
            event->ignore();
            return true;
        }
        return QTabBar::event(event);
    }

  private:
    bool isCutAt(const QPoint& place) const {
        const int tab = tabAt(place);
        return tab >= 0 && isRemnant(tab);
    }
    int wholeWidth(int index) const {
        // The dot of the first edit must not push the tabs behind it from under the pointer.
        const bool dotted = index == 0 || titleOf(index).dotted;
        const QString widest = dotted ? tabText(index) : tabText(index) + unsaved_dot;
        return currentMetrics().size(Qt::TextShowMnemonic, widest).width() + sideOf(index);
    }
    int wholeWidth() const {
        int width = 0;
        for (int tab = 0; tab < count(); ++tab) width += wholeWidth(tab);
        return width;
    }
    bool isNarrow() const { return width() < TabOverflow::narrow_bar; }
    /// Beside the buttons of a bar whose tabs scroll.
    int room() const { return width() - (isNarrow() ? 1 : 3) * TabOverflow::button_width; }
    /// What is seen of a tab at an end of a bar that scrolls could not be read, and is left out.
    bool isRemnant(int index) const {
        const bool scrolls = tabRect(count() - 1).right() - tabRect(0).left() >= width();
        return scrolls && index != currentIndex() && (tabRect(index).left() < 0 || tabRect(index).right() > room());
    }
    int sideOf(int index) const {
        const int icon = tabIcon(index).isNull() ? 0 : iconSize().width() + icon_space;
        return 2 * (property("dense").toBool() ? plan_tab_padding.dense : plan_tab_padding.wide) + around_tab + icon;
    }
    int leastWidth(int index, int whole) const {
        return index == 0 ? whole : std::min(whole, narrowestText() + sideOf(index));
    }
    /// Whether all tabs are seen at once where each is as narrow as it may be.
    bool canFit() const {
        int least = 0;
        for (int tab = 0; tab < count(); ++tab) least += leastWidth(tab, tabSizeHint(tab).width());
        return least <= width();
    }
    TabTitle titleOf(int index) const { return tabData(index).value<TabTitle>(); }
    static int narrowestText() {
        const QFontMetrics metrics = currentMetrics();
        return fewest_letters * metrics.averageCharWidth() + metrics.horizontalAdvance(ellipsis + unsaved_dot);
    }
};

VariantBar::VariantBar(Document& document, Measurements& measurements, QWidget* parent)
    : QWidget(parent), document_(document), measurements_(measurements), tabs_(new VariantTabs), add_(new QToolButton) {
    setObjectName("variantBar");
    tabs_->setDrawBase(false);
    tabs_->setExpanding(false);
    tabs_->setElideMode(Qt::ElideMiddle);
    tabs_->setIconSize({mark_size, mark_size});
    new TabOverflow(*tabs_, tr("All plans and measurements"), plan_tab_padding);
    tabs_->setAccessibleName(tr("Plans"));
    tabs_->installEventFilter(this);
    add_->setText(QStringLiteral("+"));
    add_->setAutoRaise(true);
    add_->setObjectName("newVariant");
    add_->setToolTip(tr("New plan: empty, a copy of this one, or a preset"));
    add_->setAccessibleName(tr("New plan"));
    add_->setPopupMode(QToolButton::InstantPopup);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 0, 8, 0);
    layout->setSpacing(4);
    layout->addWidget(tabs_);
    layout->addWidget(add_);
    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (!updating_) showTab(index);
    });
    connect(tabs_, &QTabBar::tabBarDoubleClicked, this, [this](int index) {
        if (index > 0 && index < document_.variantCount()) emit renameWanted(index);
    });
    connect(&document, &Document::graphChanged, this, &VariantBar::update);
    connect(&document, &Document::variantsChanged, this, &VariantBar::update);
    connect(&document, &Document::currentChanged, this, &VariantBar::update);
    connect(&document, &Document::timesChanged, this, &VariantBar::update);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &VariantBar::update);
    connect(&measurements, &Measurements::changed, this, &VariantBar::update);
    connect(&measurements, &Measurements::currentChanged, this, &VariantBar::update);
    update();
}

QTabBar* VariantBar::tabs() {
    return tabs_;
}

QString VariantBar::drawnTitle(int tab) const {
    return tabs_->drawnTitle(tab);
}

void VariantBar::setNewPlans(const QList<QAction*>& actions) {
    auto* menu = new QMenu(add_);
    menu->addActions(actions);
    menu->setToolTipsVisible(true);
    add_->setMenu(menu);
}

void VariantBar::update() {
    const QScopedValueRollback guard(updating_, true);
    const int count = document_.variantCount() + measurements_.count();
    while (tabs_->count() > count) tabs_->removeTab(tabs_->count() - 1);
    while (tabs_->count() < count) tabs_->addTab({});
    updateVariants();
    updateMeasurements();
    if (count == 0) return;
    const int measured = measurements_.currentIndex();
    tabs_->setCurrentIndex(measured < 0 ? document_.currentIndex() : document_.variantCount() + measured);
}

void VariantBar::updateVariants() {
    for (int i = 0; i < document_.variantCount(); ++i) {
        const Variant& variant = document_.variant(i);
        const QString name = shownName(variant.title());
        tabs_->setTitle(i, name, variant.modified());
        const QString place = variant.readOnly()             ? tr("The graph as it was read, without any pass")
                              : variant.filePath().isEmpty() ? tr("Not saved in a file yet; kept in the session")
                                                             : shownName(variant.filePath());
        const QString note = shownLines(QString::fromStdString(variant.plan().notes));
        QStringList lines{name, place};  // the tab may elide the name
        if (!note.isEmpty()) lines.append(note);
        tabs_->setTabToolTip(i, variant.readOnly() ? place : lines.join(u'\n'));
        const PlanColour colour = variant.plan().colour;
        tabs_->setTabIcon(i, colourMark(colour));
        tabs_->setAccessibleTabName(i, variant.modified() ? tr("%1, not saved").arg(name) : name);
    }
}

void VariantBar::updateMeasurements() {
    for (int i = 0; i < measurements_.count(); ++i) {
        const Measurement& measurement = *measurements_.at(i);
        const int tab = document_.variantCount() + i;
        const bool other = isOfOtherGraph(i);
        const QString title = shownName(other ? titleOfOtherGraph(measurement.title) : measurement.title);
        tabs_->setTitle(tab, title, false, other);
        tabs_->setTabIcon(tab, {});
        QString files = title + u'\n' + shownLines(measurement.files.join(u'\n'));
        if (other)
            files += u'\n' + tr("Opened beside %1, which is not the graph that is open")
                                 .arg(shownName(QFileInfo(measurements_.graphOf(i)).fileName()));
        tabs_->setTabToolTip(tab,
                             timesAreOf(measurement) ? tr("%1\nFigures of plans are of its times").arg(files) : files);
        tabs_->setAccessibleTabName(tab, title);
    }
}

void VariantBar::showTab(int tab) {
    const int measurement = tab - document_.variantCount();
    if (measurement >= 0) return measurements_.setCurrentIndex(measurement);
    measurements_.setCurrentIndex(-1);
    document_.setCurrentIndex(tab);
}

void VariantBar::closeTab(int tab) {
    const int measurement = tab - document_.variantCount();
    measurement >= 0 ? emit closeMeasurementWanted(measurement) : emit closeWanted(tab);
}

int VariantBar::elidedWidth() const {
    constexpr int rounding = 4;
    const int beside_tabs = sizeHint().width() - tabs_->sizeHint().width();
    return std::min(sizeHint().width(), beside_tabs + tabs_->elidedWidth() + rounding);
}

QSize VariantBar::minimumSizeHint() const {
    const QSize hint = sizeHint();
    return {std::min(hint.width(), wanted_width), hint.height()};
}

bool VariantBar::isOfOtherGraph(int measurement) const {
    const QString& graph = measurements_.graphOf(measurement);
    return document_.isOpen() && !graph.isEmpty() && graph != document_.loaded().path;
}

bool VariantBar::timesAreOf(const Measurement& measurement) const {
    return document_.times() && document_.times()->files == measurement.files;
}

void VariantBar::fillMenu(QMenu& menu, int tab) {
    if (tab <= 0) return;
    const int measured = tab - document_.variantCount();
    if (measured < 0) {
        menu.addAction(tr("&Rename…"), this, [this, tab] { emit renameWanted(tab); });
        menu.addAction(tr("&Note…"), this, [this, tab] { emit noteWanted(tab); });
        fillColourMenu(*menu.addMenu(tr("C&olour")), document_.variant(tab).plan().colour,
                       [this, tab](PlanColour colour) { emit colourWanted(tab, colour); });
    } else if (timesAreOf(*measurements_.at(measured))) {
        menu.addAction(tr("Use the graph's &times"), this, [this] { emit timesWanted(nullptr); });
    } else {
        const auto measurement = measurements_.at(measured);
        menu.addAction(tr("Use these &times"), this, [this, measurement] { emit timesWanted(measurement); })
            ->setEnabled(document_.isOpen() && noTimesToUse(*measurement).isEmpty());
    }
    menu.addAction(tr("&Close"), this, [this, tab] { closeTab(tab); });
}

bool VariantBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const int tab = tabs_->shownTabAt(mouse->position().toPoint());
        if (mouse->button() == Qt::MiddleButton && tab > 0) closeTab(tab);
    } else if (event->type() == QEvent::ContextMenu) {
        const auto* menu_event = static_cast<QContextMenuEvent*>(event);
        const int tab = tabs_->shownTabAt(menu_event->pos());
        if (tab > 0) {
            QMenu menu(this);
            fillMenu(menu, tab);
            menu.exec(menu_event->globalPos());
        }
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace overlap::ui
