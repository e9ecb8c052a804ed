#include "ui/job/step/job_step_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/job/measured/measured_words.h"
#include "ui/job/step/job_words.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {
namespace {

constexpr int low_view = 280, lowest_with_details = 130;
/// Rich text in a given room, which it never widens: where it does not fit, that is seen. The tool tip has all of it.
class DetailsLabel : public QLabel {
  public:
    DetailsLabel() { setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); }

  protected:
    void paintEvent(QPaintEvent* event) override {
        QLabel::paintEvent(event);
        const QRect room = contentsRect();
        const bool fits = wordWrap() ? heightForWidth(width()) <= height() : sizeHint().width() <= width();
        if (fits) return;
        const QString dots = QStringLiteral(" …");
        const int line = fontMetrics().height(), wide = fontMetrics().horizontalAdvance(dots);
        const int top = wordWrap() ? room.top() + (room.height() / line - 1) * line : room.top();
        const QRect end(room.right() - wide, top, wide + 1, line);
        QPainter painter(this);
        painter.fillRect(end.adjusted(0, 0, 0, room.bottom() - end.bottom()), palette().color(backgroundRole()));
        painter.drawText(end, Qt::AlignRight | Qt::AlignVCenter, dots);
    }
};

constexpr int low_details = 24, high_details = 56;  ///< one line, three lines

}  // namespace

JobStepView::JobStepView(OpenJob& job, QWidget* parent)
    : QWidget(parent), job_(job), timeline_(new TimelineView), details_(new DetailsLabel), selected_(no_reference) {
    setObjectName("jobStep");
    timeline_->setObjectName("jobTimeline");
    timeline_->setAccessibleName(tr("Timeline of the job"));
    timeline_->setTitle(tr("Job"));
    timeline_->installEventFilter(this);
    details_->setObjectName("jobDetails");
    details_->setTextFormat(Qt::RichText);
    details_->setWordWrap(true);
    details_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    details_->setContentsMargins(12, 4, 12, 4);
    details_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    details_->setAccessibleName(tr("What is selected in the job"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(timeline_, 1);
    layout->addWidget(details_);
    setFocusProxy(timeline_);
    timeline_->setToolTipProvider(
        [this](quint32 reference) { return picture_ ? hintOf(*picture_, reference) : QString(); });
    connect(timeline_, &TimelineView::eventSelected, this,
            [this](quint32 reference, int) { showSelection(reference); });
    connect(timeline_, &TimelineView::visibleRangeChanged, this, &JobStepView::rangeChanged);
    connect(timeline_, &TimelineView::told, this, &JobStepView::refused);
    connect(timeline_, &TimelineView::eventMenuAboutToShow, this,
            [this](QMenu* menu, quint32 reference) { addMenuItems(*menu, reference); });
    connect(details_, &QLabel::linkActivated, this,
            [this](const QString& link) { select(link.section(u':', 1).toUInt()); });
    connect(&job, &OpenJob::opened, this, [this] {
        timeline_->setTimeline(nullptr, QStringLiteral(""));
        showSelection(no_reference);
    });
    connect(&job, &OpenJob::evaluated, this, &JobStepView::showPicture);
    showSelection(no_reference);
}

/// As high for every selection, so that lanes stay where they are.
void JobStepView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool low = height() < low_view;
    details_->setVisible(height() >= lowest_with_details);
    details_->setFixedHeight(low ? low_details : high_details);
    details_->setWordWrap(!low);
}

QString JobStepView::details() const {
    return details_->text();
}

void JobStepView::showPicture() {
    if (picture_ == job_.picture()) return;
    const std::optional<Selected> selected = selectedInWords();
    picture_ = job_.picture();
    if (!picture_) {
        timeline_->setTimeline(nullptr, QStringLiteral(""));
        return showSelection(no_reference);
    }
    QStringList caption{picture_->evaluation->ended.empty() ? tr("simulated") : tr("simulated up to the standstill")};
    const job::ScheduleSpec& schedule = picture_->evaluation->job->schedule;
    if (picture_->evaluation->pipeline) {
        caption.append(schedule.actions || !schedule.file.empty() ? tr("the list given")
                                                                  : QString::fromStdString(schedule.name));
        caption.append(tr("forward light, backward deep, a hue for each microbatch"));
    }
    if (picture_->measured) caption.append(measuredStepText(*picture_));
    timeline_->setTimeline(picture_->timeline, caption.join(QStringLiteral(" · ")));
    const quint32 found = selected ? foundAgain(*selected) : no_reference;
    timeline_->selectReference(found);
    showSelection(found);
}

std::optional<JobStepView::Selected> JobStepView::selectedInWords() const {
    if (!picture_ || selected_ == no_reference) return std::nullopt;
    if (const job::MeasuredSpan* span = picture_->measured_at(selected_))
        return Selected{span->name, 0, false, false, *span};
    const job::NodeIndex node = picture_->node_of(selected_);
    const job::JobEvaluation& evaluation = *picture_->evaluation;
    return Selected{evaluation.names.op(node), evaluation.names.rank(node), picture_->is_standstill(selected_),
                    picture_->is_after(selected_), std::nullopt};
}

quint32 JobStepView::foundAgain(const Selected& selected) const {
    const job::JobEvaluation& evaluation = *picture_->evaluation;
    if (selected.measured) return measuredAgain(*selected.measured);
    if (selected.after) {
        // Whatever the rank's last action is now.
        for (const std::vector<job::StandstillSpan>& row : picture_->standstills)
            for (const job::StandstillSpan& span : row)
                if (const quint32 reference = picture_->reference_of(span);
                    picture_->is_after(reference) &&
                    evaluation.names.rank(picture_->node_of(reference)) == selected.rank)
                    return reference;
        return no_reference;
    }
    for (job::NodeIndex node = 0; node < evaluation.graph().node_count(); ++node)
        if (evaluation.names.rank(node) == selected.rank && evaluation.names.op(node) == selected.op)
            return selected.standstill ? picture_->standstill_reference(node) : picture_->seen_at(node);
    return no_reference;
}

quint32 JobStepView::measuredAgain(const job::MeasuredSpan& selected) const {
    if (!picture_->measured) return no_reference;
    const std::vector<job::MeasuredSpan>& spans = picture_->measured->spans;
    const auto same = std::ranges::find_if(spans, [&](const job::MeasuredSpan& span) {
        return span.rank == selected.rank && span.kind == selected.kind && span.time == selected.time;
    });
    return same == spans.end() ? no_reference : picture_->first_measured() + static_cast<quint32>(same - spans.begin());
}

void JobStepView::select(quint32 reference) {
    timeline_->selectReference(reference);
    showSelection(reference);
}

void JobStepView::goToAwaited() {
    if (!picture_) return;
    if (selected_ == no_reference) return timeline_->selectMostExposed();
    if (const auto awaited = awaitedBy(*picture_, selected_)) return select(*awaited);
    const auto is_selected = [this](const job::StandstillSpan& span) {
        return span.kind == job::StandstillSpan::Kind::stuck && picture_->reference_of(span) == selected_;
    };
    const bool is_stuck = std::ranges::any_of(picture_->standstills,
                                              [&](const auto& row) { return std::ranges::any_of(row, is_selected); });
    emit refused(is_stuck ? tr("What is selected waits for what never comes, so J has nowhere to go")
                          : tr("What is selected waited for nothing, so J has nowhere to go"));
}

void JobStepView::showSelection(quint32 reference) {
    selected_ = reference;
    const QString text = picture_ ? describedReference(*picture_, reference) : QString();
    details_->setText(!text.isEmpty() ? text
                      : picture_      ? tr("J goes to what is waited for, E to the longest waiting")
                                      : QString());
    details_->setToolTip(text);
    timeline_->setArrows(picture_ ? arrowsOf(*picture_, reference) : std::vector<TimelineArrow>());
    emit selectionChanged(reference);
}

void JobStepView::addMenuItems(QMenu& menu, quint32 reference) {
    if (!picture_ || reference == no_reference) return;
    if (const auto awaited = awaitedBy(*picture_, reference))
        menu.addAction(tr("Go to what it waits for (J)"), this, [this, node = *awaited] { select(node); });
    const int stage = stageOf(*picture_, reference);
    if (stage >= 0 && !job_.graphOf(stage).isEmpty())
        menu.addAction(tr("Open stage %1").arg(stage), this, [this, stage] { emit stageWanted(stage); });
}

bool JobStepView::useKey(const QKeyEvent& event) {
    return ownKey(event) || timeline_->useKey(event);
}

bool JobStepView::ownKey(const QKeyEvent& event) {
    constexpr auto commands = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    if (event.modifiers() & commands) return false;
    if (event.key() == Qt::Key_J) {
        goToAwaited();
        return true;
    }
    if (event.key() != Qt::Key_O || !picture_) return false;
    if (const int stage = stageOf(*picture_, selected_); stage >= 0) emit stageWanted(stage);
    return true;
}

bool JobStepView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && ownKey(static_cast<const QKeyEvent&>(*event))) return true;
    return QWidget::eventFilter(watched, event);
}

}  // namespace overlap::ui
