#include "ui/timeline/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <algorithm>

#include "ui/theme/theme.h"
#include "ui/timeline/drawing/duration_histogram.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

constexpr int pauseMs = 120;
constexpr int fieldWidth = 180;
constexpr int usefulField = 120;  ///< narrower, the field takes the room of the button for durations
constexpr int leastField = 64;

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

FindBar::FindBar(QWidget* parent)
    : QFrame(parent),
      field_(new QLineEdit(this)),
      summary_(new QLabel(this)),
      durations_(new QToolButton(this)),
      back_(button(Qt::UpArrow, tr("Previous match (Shift+Enter)"), this)),
      forward_(button(Qt::DownArrow, tr("Next match (Enter)"), this)),
      leave_(new QToolButton(this)),
      histogram_(new DurationHistogram(parent)) {
    setAutoFillBackground(true);
    field_->setPlaceholderText(tr("Find events"));
    field_->setAccessibleName(tr("Find events in the timeline"));
    field_->setClearButtonEnabled(true);
    field_->setFixedWidth(fieldWidth);
    summary_->setFont(textFont(smallTextPx));
    summary_->setMinimumWidth(1);  // gives way in a narrow window
    summary_->setAccessibleName(tr("What was found"));
    durations_->setText(tr("Durations"));
    durations_->setCheckable(true);
    durations_->setAutoRaise(true);
    durations_->setFocusPolicy(Qt::TabFocus);
    durations_->setToolTip(tr("How long the matches last; a bar chooses those that last as long"));
    leave_->setText(QStringLiteral("×"));
    leave_->setAutoRaise(true);
    leave_->setAccessibleName(tr("Clear and close the search"));
    leave_->setToolTip(tr("Clear and close the search (Escape)"));

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(gridPx, 0, 0, 0);
    layout->setSpacing(gridPx);
    for (QWidget* part :
         {static_cast<QWidget*>(summary_), static_cast<QWidget*>(durations_), static_cast<QWidget*>(field_),
          static_cast<QWidget*>(back_), static_cast<QWidget*>(forward_), static_cast<QWidget*>(leave_)})
        layout->addWidget(part);
    setTabOrder(field_, back_);

    pause_.setSingleShot(true);
    pause_.setInterval(pauseMs);
    connect(field_, &QLineEdit::textChanged, &pause_, qOverload<>(&QTimer::start));
    connect(&pause_, &QTimer::timeout, this, &FindBar::search);
    connect(back_, &QToolButton::clicked, this, [this] { step(-1); });
    connect(forward_, &QToolButton::clicked, this, [this] { step(+1); });
    connect(durations_, &QToolButton::toggled, this, [this](bool on) {
        histogram_->setVisible(on);
        placeHistogram();
        if (on) histogram_->setFocus();
        if (!on) emit durationChosen({});
    });
    connect(histogram_, &DurationHistogram::chosen, this, &FindBar::durationChosen);
    connect(histogram_, &DurationHistogram::left, this, [this] {
        durations_->setChecked(false);
        field_->setFocus();
    });
    connect(leave_, &QToolButton::clicked, this, &FindBar::close);
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
    const int spacing = layout()->spacing();
    int room = line.width() - layout()->contentsMargins().left() - spacing;
    for (const QToolButton* button : {back_, forward_, leave_}) room -= spacing + button->sizeHint().width();
    const QString separator = QStringLiteral(" · ");
    QStringList parts = summary.split(separator);
    summary_->setToolTip(summary);
    const auto say = [&] {
        summary_->setText(parts.join(separator));
        return summary_->sizeHint().width();
    };
    const int all = say();
    parts.resize(1);
    const int counted = say();
    const int of_durations = spacing + durations_->sizeHint().width();
    const bool has_durations = durations_->isChecked() || counted + usefulField + of_durations <= room;
    if (has_durations) room -= of_durations;
    durations_->setVisible(has_durations);
    const int field = std::clamp(room - counted, leastField, fieldWidth);
    field_->setFixedWidth(field);
    if (all > counted) {
        parts = summary.split(separator);
        while (say() > room - field && parts.size() > 1) parts.removeLast();
    }
    layout()->invalidate();
    layout()->activate();
    const int width = std::min(sizeHint().width(), line.width());
    setGeometry(line.right() + 1 - width, line.top(), width, line.height());
    placeHistogram();
    QFrame::show();
}

void FindBar::setDurations(std::vector<DurationBin> bins, std::optional<std::size_t> chosen) {
    setAvailable(*durations_, bins.size() > 1 ? QString() : tr("What is found does not differ in how long it takes"));
    if (bins.size() < 2) durations_->setChecked(false);
    histogram_->setDurations(std::move(bins), chosen);
}

/// Below the bar, at its right end.
void FindBar::placeHistogram() {
    const QSize size = histogram_->sizeHint().boundedTo(parentWidget()->size());
    const int right = std::min(geometry().right() + 1, parentWidget()->width());
    histogram_->setGeometry(QRect(QPoint(std::max(0, right - size.width()), geometry().bottom() + 1), size));
    histogram_->raise();
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
    durations_->setChecked(false);
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
