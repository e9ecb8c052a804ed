#include "ui/diagnostics/about_dialog.h"

#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/diagnostics/companion_versions.h"
#include "ui/diagnostics/diagnostics.h"

namespace overlap::ui {
namespace {

constexpr int icon_size = 48;
constexpr int text_width = 460;

QLabel* textLabel(const QString& text) {
    auto* label = new QLabel(text);
    label->setWordWrap(true);
    label->setMinimumWidth(text_width);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    return label;
}

}  // namespace

AboutDialog::AboutDialog(CompanionVersions& companions, QWidget* window)
    : QDialog(window), companions_(companions), found_(textLabel({})) {
    setWindowTitle(tr("About Overlap Studio"));
    auto* icon = new QLabel;
    icon->setPixmap(QIcon(QStringLiteral(":/icons/overlap-studio.svg")).pixmap(icon_size));
    auto* title = textLabel(tr("Overlap Studio %1").arg(QCoreApplication::applicationVersion()));
    title->setProperty("role", "heading");
    auto* what = textLabel(
        tr("Shows where a distributed training step waits for communication, and what PyTorch's passes make of a plan. "
           "Times are those of the graph's file or of its cost model, unless measured ones are laid over them."));
    found_->setTextFormat(Qt::PlainText);
    found_->setObjectName("found");
    found_->setAccessibleName(tr("What was found on this machine"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* copy = buttons->addButton(tr("Copy diagnostics"), QDialogButtonBox::ActionRole);
    copy->setToolTip(tr("What is above and the last lines of the log, as text for a report of a fault"));
    connect(copy, &QPushButton::clicked, this, &AboutDialog::copyDiagnosticsAsked);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

    auto* head = new QHBoxLayout;
    head->addWidget(icon);
    head->addWidget(title, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(20, 20, 20, 16);
    layout->setSpacing(12);
    layout->addLayout(head);
    layout->addWidget(what);
    layout->addWidget(found_);
    layout->addWidget(buttons);
    layout->setSizeConstraint(QLayout::SetFixedSize);
    connect(&companions_, &CompanionVersions::changed, this, &AboutDialog::fill);
    fill();
}

void AboutDialog::fill() {
    QStringList lines = systemLines() + companions_.lines();
    lines.removeFirst();  // the version is the title
    if (!companions_.complete()) lines.append(tr("looking for Graphviz, CUDA and MPI…"));
    found_->setText(lines.join(u'\n'));
}

}  // namespace overlap::ui
