#include "ui/timeline/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <algorithm>

#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr int pauseMs = 120;
constexpr int fieldWidth = 180;

QToolButton* button(Qt::ArrowType arrow, const QString& name, QWidget* parent) {
    auto* made = new QToolButton(parent);
    made->setArrowType(arrow);
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    made->setAccessibleName(name);
    made->setToolTip(name);
    return made;
}

}  // namespace

FindBar::FindBar(QWidget* parent) : QFrame(parent), field_(new QLineEdit(this)), summary_(new QLabel(this)) {
    setAutoFillBackground(true);
    field_->setPlaceholderText(tr("Find events"));
    field_->setAccessibleName(tr("Find events in the timeline"));
    field_->setClearButtonEnabled(true);
    field_->setFixedWidth(fieldWidth);
    summary_->setFont(textFont(smallTextPx));
    summary_->setMinimumWidth(1);  // gives way in a narrow window
    summary_->setAccessibleName(tr("What was found"));
    QToolButton* back = button(Qt::UpArrow, tr("Previous match (Shift+Enter)"), this);
    QToolButton* forward = button(Qt::DownArrow, tr("Next match (Enter)"), this);
    auto* leave = new QToolButton(this);
    leave->setText(QStringLiteral("×"));
    leave->setAutoRaise(true);
    leave->setAccessibleName(tr("Clear and close the search"));
    leave->setToolTip(tr("Clear and close the search (Escape)"));

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(gridPx, 0, 0, 0);
    layout->setSpacing(gridPx);
    for (QWidget* part : {static_cast<QWidget*>(summary_), static_cast<QWidget*>(field_), static_cast<QWidget*>(back),
                          static_cast<QWidget*>(forward), static_cast<QWidget*>(leave)})
        layout->addWidget(part);
    setTabOrder(field_, back);

    pause_.setSingleShot(true);
    pause_.setInterval(pauseMs);
    connect(field_, &QLineEdit::textChanged, &pause_, qOverload<>(&QTimer::start));
    connect(&pause_, &QTimer::timeout, this, &FindBar::search);
    connect(back, &QToolButton::clicked, this, [this] { step(-1); });
    connect(forward, &QToolButton::clicked, this, [this] { step(+1); });
    connect(leave, &QToolButton::clicked, this, &FindBar::close);
    hide();
}

void FindBar::open() {
    QFrame::show();
    raise();
    field_->setFocus();
    field_->selectAll();
}

QString FindBar::query() const {
    return field_->text();
}

void FindBar::setQuery(const QString& query) {
    field_->setText(query);
    search();
}

void FindBar::show(const QString& summary, const QRect& line) {
    summary_->setText(summary);
    summary_->setToolTip(summary);
    layout()->activate();
    const int wanted = sizeHint().width();
    const int missing = std::max(0, wanted - line.width());
    if (missing > 0)
        summary_->setText(summary_->fontMetrics().elidedText(summary, Qt::ElideRight,
                                                             std::max(0, summary_->sizeHint().width() - missing)));
    setGeometry(line.right() + 1 - (wanted - missing), line.top(), wanted - missing, line.height());
    QFrame::show();
}

void FindBar::search() {
    pause_.stop();
    if (field_->text() == searched_) return;
    searched_ = field_->text();
    emit queryChanged(searched_);
}

void FindBar::step(int step) {
    search();
    emit stepWanted(step);
}

void FindBar::close() {
    field_->clear();
    search();
    hide();
    emit closed();
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Escape:
            return close();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return step(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        default:
            event->accept();  // keys of the timeline mean nothing while one types
    }
}

}  // namespace overlap::ui
