#include "ui/frame/centre_tabs.h"

#include <QHBoxLayout>
#include <QResizeEvent>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

namespace overlap::ui {
namespace {

constexpr double smallest_share = 0.1;
constexpr int lowest_view = 48;  ///< views scroll
constexpr int lowest_seen = 96;  ///< of a view that makes room for the lower one

}  // namespace

CentreTabs::CentreTabs(QWidget* below, QWidget* parent)
    : QWidget(parent),
      tabs_(new QTabBar),
      row_(new QHBoxLayout),
      stack_(new QStackedWidget),
      controls_(new QStackedWidget),
      splitter_(new QSplitter(Qt::Vertical)) {
    tabs_->setObjectName("centreTabBar");
    tabs_->setAccessibleName(tr("Views above the timeline"));
    tabs_->setExpanding(false);
    tabs_->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Preferred);  // views are found before their controls
    auto* header = new QWidget;
    header->setObjectName("centreHeader");
    header->setLayout(row_);
    header->setAttribute(Qt::WA_StyledBackground);
    row_->setContentsMargins(0, 0, 8, 0);
    row_->setSpacing(8);
    row_->addWidget(tabs_);
    row_->addWidget(controls_, 1);
    stack_->setMinimumHeight(lowest_view);
    auto* upper = new QWidget;
    auto* upper_layout = new QVBoxLayout(upper);
    upper_layout->setContentsMargins(0, 0, 0, 0);
    upper_layout->setSpacing(0);
    upper_layout->addWidget(header);
    upper_layout->addWidget(stack_, 1);
    splitter_->setObjectName("centreSplitter");
    splitter_->setHandleWidth(1);
    splitter_->addWidget(upper);
    splitter_->addWidget(below);
    splitter_->setChildrenCollapsible(false);
    upper->hide();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter_);

    connect(tabs_, &QTabBar::currentChanged, this, [this](int index) {
        if (index < 0) return;
        stack_->setCurrentIndex(index);
        controls_->setCurrentIndex(index);
        share();
        emit currentChanged(current());
    });
    connect(splitter_, &QSplitter::splitterMoved, this, [this] {
        const QList<int> sizes = splitter_->sizes();
        if (tabs_->currentIndex() < 0) return;
        views_[static_cast<std::size_t>(tabs_->currentIndex())].upper_share =
            static_cast<double>(sizes[0]) / std::max(1, sizes[0] + sizes[1]);
    });
}

void CentreTabs::addView(const QString& id, const QString& title, QWidget* widget, QWidget* controls,
                         double first_share) {
    Q_ASSERT(!view(id));
    views_.push_back({id, title, widget, controls, first_share, first_share});
    stack_->addWidget(widget);
    // The row is as wide as any of them needs it, so that another view moves no border.
    controls_->addWidget(controls ? controls : new QWidget);
    tabs_->addTab(title);
    if (views_.size() == 1) splitter_->widget(0)->show();
    share();
}

void CentreTabs::addCorner(QWidget* corner) {
    row_->addWidget(corner);
}

int CentreTabs::indexOf(const QString& id) const {
    const auto found = std::find_if(views_.begin(), views_.end(), [&](const View& view) { return view.id == id; });
    return found == views_.end() ? -1 : static_cast<int>(found - views_.begin());
}

QWidget* CentreTabs::view(const QString& id) const {
    const int index = indexOf(id);
    return index < 0 ? nullptr : views_[static_cast<std::size_t>(index)].widget;
}

QString CentreTabs::current() const {
    return tabs_->currentIndex() < 0 ? QString() : views_[static_cast<std::size_t>(tabs_->currentIndex())].id;
}

void CentreTabs::showView(const QString& id) {
    const int index = indexOf(id);
    if (index < 0) return;
    tabs_->setCurrentIndex(index);
    setOpen(true);
}

bool CentreTabs::hasRoomBelow(int height) const {
    const int header = row_->parentWidget()->sizeHint().height();
    return splitter_->height() - splitter_->handleWidth() - height >= header + lowest_seen;
}

void CentreTabs::giveBelow(int height) {
    if (tabs_->currentIndex() < 0 || !hasRoomBelow(height)) return;
    double& upper = views_[static_cast<std::size_t>(tabs_->currentIndex())].upper_share;
    const double left = splitter_->height() - splitter_->handleWidth() - height;
    upper = std::min(upper, left / splitter_->height());
    share();
}

bool CentreTabs::open() const {
    return !splitter_->widget(0)->isHidden();
}

void CentreTabs::setOpen(bool open) {
    if (views_.empty() || open == this->open()) return;
    closed_for_room_ = false;
    splitter_->widget(0)->setVisible(open);
    share();
    emit openChanged(open);
}

void CentreTabs::closeForRoom() {
    if (!open()) return;
    setOpen(false);
    closed_for_room_ = true;
}

void CentreTabs::reset() {
    for (View& view : views_) view.upper_share = view.first_share;
    tabs_->setCurrentIndex(0);
    setOpen(true);
    share();
}

QJsonObject CentreTabs::state() const {
    QJsonObject shares;
    for (const View& view : views_) shares[view.id] = view.upper_share;
    return {{"view", current()}, {"upper_share", shares}, {"open", open() || closed_for_room_}};
}

void CentreTabs::restore(const QJsonObject& state) {
    const QJsonObject shares = state["upper_share"].toObject();
    for (View& view : views_)
        view.upper_share = std::clamp(shares[view.id].toDouble(view.first_share), smallest_share, 1 - smallest_share);
    showView(state["view"].toString());
    share();
    setOpen(state["open"].toBool(true));
}

void CentreTabs::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    coverBelow();
    if (std::exchange(shared_, true)) return;
    splitter_->resize(size());
    share();
}

void CentreTabs::setAloneBelow(const QString& id, int height) {
    if (const int index = indexOf(id); index >= 0) views_[static_cast<std::size_t>(index)].alone_below = height;
    coverBelow();
}

void CentreTabs::coverBelow() {
    if (tabs_->currentIndex() < 0) return;
    const int alone_below = views_[static_cast<std::size_t>(tabs_->currentIndex())].alone_below;
    splitter_->widget(1)->setVisible(!open() || height() >= alone_below);
}

void CentreTabs::uncoverBelow() {
    if (splitter_->widget(1)->isHidden()) tabs_->setCurrentIndex(0);
}

void CentreTabs::share() {
    coverBelow();
    // Before there is a size, there is nothing to share.
    if (!shared_ || tabs_->currentIndex() < 0) return;
    const int whole = std::max(1, splitter_->height());
    const double upper = views_[static_cast<std::size_t>(tabs_->currentIndex())].upper_share;
    const int above = static_cast<int>(upper * whole);
    splitter_->setSizes({above, whole - above});
}

}  // namespace overlap::ui
