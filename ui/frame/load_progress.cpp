#include "ui/frame/load_progress.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

constexpr int shown_after_ms = 300;
constexpr int bar_steps = 1000;

}  // namespace

LoadProgress::LoadProgress(QWidget* parent) : QWidget(parent), label_(new QLabel), bar_(new QProgressBar) {
    bar_->setTextVisible(false);
    bar_->setFixedWidth(120);
    auto* cancel = new QToolButton;
    cancel->setText(tr("Cancel"));
    cancel->setAutoRaise(true);
    connect(cancel, &QToolButton::clicked, this, &LoadProgress::cancelWanted);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->setSpacing(8);
    layout->addWidget(label_);
    layout->addWidget(bar_);
    layout->addWidget(cancel);
    hide();
    delay_.setSingleShot(true);
    delay_.setInterval(shown_after_ms);
    connect(&delay_, &QTimer::timeout, this, &QWidget::show);
}

void LoadProgress::start(const QString& path) {
    label_->setText(tr("Reading %1").arg(shownName(QFileInfo(path).fileName())));
    bar_->setRange(0, 0);
    if (!isVisible()) delay_.start();
}

void LoadProgress::setShare(double share) {
    bar_->setRange(0, bar_steps);
    bar_->setValue(static_cast<int>(share * bar_steps));
}

void LoadProgress::finish() {
    delay_.stop();
    hide();
}

}  // namespace overlap::ui
