#include "ui/passes/passes_bar.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

#include "ui/widgets/availability.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/flat_button.h"

namespace overlap::ui {

PassesBar::PassesBar(QMenu& presets, QMenu& experts, QWidget* parent)
    : QWidget(parent),
      presets_menu_(presets),
      experts_menu_(experts),
      add_(flatButton(tr("+ Add…"), tr("Add a pass behind the selected step"))),
      presets_button_(flatButton(tr("Start from ▾"), tr("Replace the steps by a preset; can be undone"))),
      experts_button_(
          flatButton(tr("Expert overlap ▾"),
                     tr("Run all-to-alls of experts behind the other half of the batch: all passes for it at "
                        "once, with what each choice changes"))),
      up_(flatButton(QStringLiteral("↑"), tr("Run the step earlier"))),
      down_(flatButton(QStringLiteral("↓"), tr("Run the step later"))),
      remove_(flatButton(QStringLiteral("×"), tr("Remove the step"))),
      more_(flatButton(QStringLiteral("⋯"), tr("Start from a preset, or choose the expert overlap"))),
      summary_(new ElidedLabel) {
    setObjectName("passesBar");
    add_->setObjectName("addPass");
    presets_button_->setObjectName("startPipeline");
    presets_button_->setMenu(&presets);
    experts_button_->setObjectName("expertOverlapButton");
    experts_button_->setMenu(&experts);
    more_->setObjectName("morePasses");
    auto* more = new QMenu(more_);
    more->setToolTipsVisible(true);
    presets.setTitle(tr("Start from"));
    experts.setTitle(tr("Expert overlap"));
    more->addMenu(&presets);
    more->addMenu(&experts);
    more_->setMenu(more);
    for (QToolButton* button : {presets_button_, experts_button_, more_})
        button->setPopupMode(QToolButton::InstantPopup);
    summary_->setProperty("role", "faint");
    summary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 2, 8, 2);
    layout->setSpacing(0);
    for (QToolButton* button : {add_, presets_button_, experts_button_, up_, down_, remove_, more_})
        layout->addWidget(button);
    layout->addWidget(summary_, 1);
    layout->addStretch();
    more_->hide();
    connect(add_, &QToolButton::clicked, this, &PassesBar::addWanted);
    connect(up_, &QToolButton::clicked, this, [this] { emit moveWanted(-1); });
    connect(down_, &QToolButton::clicked, this, [this] { emit moveWanted(1); });
    connect(remove_, &QToolButton::clicked, this, &PassesBar::removeWanted);
}

void PassesBar::setRefusals(const Refusals& refusals) {
    setAvailable(*add_, refusals.add);
    setAvailable(*presets_button_, refusals.start);
    setAvailable(*presets_menu_.menuAction(), refusals.start);
    setAvailable(*experts_button_, refusals.experts);
    setAvailable(*experts_menu_.menuAction(), refusals.experts);
    setAvailable(*up_, refusals.up);
    setAvailable(*down_, refusals.down);
    setAvailable(*remove_, refusals.remove);
}

void PassesBar::setSummary(const QString& summary) {
    summary_->setText(summary);
    summary_->setToolTip(summary);
    fitRoom();
}

void PassesBar::openPresets() {
    if (more_->isHidden()) return presets_button_->showMenu();
    presets_menu_.popup(more_->mapToGlobal(more_->rect().bottomLeft()));
}

QPoint PassesBar::belowAdd() const {
    return add_->mapToGlobal(add_->rect().bottomLeft());
}

int PassesBar::widthOf(const QList<QToolButton*>& buttons) const {
    const QMargins margins = layout()->contentsMargins();
    int width = margins.left() + margins.right();
    for (const QToolButton* button : buttons) width += button->sizeHint().width();
    return width;
}

QSize PassesBar::minimumSizeHint() const {
    return {widthOf({add_, up_, down_, remove_, more_}), QWidget::minimumSizeHint().height()};
}

void PassesBar::resizeEvent(QResizeEvent* event) {
    fitRoom();
    QWidget::resizeEvent(event);
}

void PassesBar::fitRoom() {
    const int all = widthOf({add_, presets_button_, experts_button_, up_, down_, remove_});
    const bool fits = width() >= all;
    presets_button_->setVisible(fits);
    experts_button_->setVisible(fits);
    more_->setVisible(!fits);
    // A few of its letters say nothing.
    const int used = fits ? all : minimumSizeHint().width();
    summary_->setVisible(width() - used >= summary_->sizeHint().width());
}

}  // namespace overlap::ui
