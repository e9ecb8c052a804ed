#include "ui/shell/load_progress.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>

#include "ui/document/graph_loader.h"

namespace overlap::ui {
namespace {

constexpr int shown_after_ms = 300;

}  // namespace

LoadProgress::LoadProgress(GraphLoader& loader, QWidget* parent)
    : QWidget(parent), loader_(loader), label_(new QLabel) {
    auto* bar = new QProgressBar;
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setFixedWidth(120);
    auto* cancel = new QToolButton;
    cancel->setText(tr("Cancel"));
    cancel->setAutoRaise(true);
    connect(cancel, &QToolButton::clicked, &loader, &GraphLoader::cancel);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 8, 0);
    layout->setSpacing(8);
    layout->addWidget(label_);
    layout->addWidget(bar);
    layout->addWidget(cancel);
    hide();
    connect(&loader, &GraphLoader::started, this, [this](const QString& path) {
        label_->setText(tr("Reading %1").arg(QFileInfo(path).fileName()));
        QTimer::singleShot(shown_after_ms, this, [this] { setVisible(loader_.busy()); });
    });
    connect(&loader, &GraphLoader::loaded, this, &QWidget::hide);
    connect(&loader, &GraphLoader::failed, this, &QWidget::hide);
    connect(&loader, &GraphLoader::cancelled, this, &QWidget::hide);
}

}  // namespace overlap::ui
