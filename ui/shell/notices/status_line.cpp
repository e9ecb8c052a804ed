#include "ui/shell/notices/status_line.h"

#include <QEvent>
#include <QLabel>
#include <QStatusBar>
#include <QStatusTipEvent>
#include <QStyle>
#include <QTimer>

#include "ui/cost/graph_cost_model.h"
#include "ui/document/document.h"
#include "ui/document/evaluation_failure.h"
#include "ui/document/graph_reading.h"
#include "ui/frame/load_progress.h"
#include "ui/measure/measurements.h"
#include "ui/measure/trace_times.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/elided_label.h"

namespace overlap::ui {
namespace {

constexpr int message_ms = 8000;
constexpr int room_between = 32;  ///< margins of the bar, and what is between its parts
const QString widest_time = QStringLiteral("000.0 ms");

}  // namespace

StatusLine::StatusLine(QStatusBar& bar, Document& document, Measurements& measurements, TraceTimes& times)
    : bar_(bar),
      document_(document),
      times_(times),
      graph_(new ElidedLabel),
      message_(new ElidedLabel),
      tip_(new ElidedLabel),
      time_(new QLabel) {
    time_->setProperty("role", "good");
    time_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    message_->setProperty("role", "message");
    message_->hide();
    tip_->hide();
    bar.setContentsMargins(8, 0, 12, 0);
    bar.setSizeGripEnabled(false);
    // In a narrow window they share what there is.
    bar.addWidget(graph_, 1);
    bar.addWidget(message_, 1);
    bar.addWidget(tip_, 1);
    addReadingProgress(bar, measurements);
    bar.addPermanentWidget(time_);
    bar.installEventFilter(this);
    // Qt would draw tips over what is there, or what comes meanwhile over them.
    if (bar.window() != &bar) bar.window()->installEventFilter(this);
    connect(&document, &Document::evaluationChanged, this, &StatusLine::update);
    connect(&document, &Document::evaluatingChanged, this, &StatusLine::update);
    connect(&document, &Document::graphChanged, this, &StatusLine::update);
    connect(&document, &Document::failed, this, &StatusLine::update);
    whenReadingChanges(document, this, [this] { update(); });
    connect(&times, &TraceTimes::changed, this, &StatusLine::update);
}

void StatusLine::addReadingProgress(QStatusBar& bar, Measurements& measurements) {
    auto* graph = new LoadProgress;
    GraphLoader& loader = document_.loader();
    connect(&loader, &GraphLoader::started, graph, &LoadProgress::start);
    connect(&loader, &GraphLoader::progressed, graph, &LoadProgress::setShare);
    connect(&loader, &GraphLoader::failed, graph, &LoadProgress::finish);
    connect(&loader, &GraphLoader::loaded, graph, &LoadProgress::finish);
    connect(&loader, &GraphLoader::listed, graph, &LoadProgress::finish);
    connect(&loader, &GraphLoader::cancelled, graph, &LoadProgress::finish);
    connect(graph, &LoadProgress::cancelWanted, &loader, &GraphLoader::cancel);
    auto* traces = new LoadProgress;
    connect(&measurements, &Measurements::started, traces, &LoadProgress::start);
    connect(&measurements, &Measurements::progressed, traces, &LoadProgress::setShare);
    connect(&measurements, &Measurements::finished, traces, &LoadProgress::finish);
    connect(traces, &LoadProgress::cancelWanted, &measurements, &Measurements::cancel);
    bar.addPermanentWidget(graph);
    bar.addPermanentWidget(traces);
}

void StatusLine::showMessage(const QString& sentence, const QString& tool_tip) {
    const QString shown = shownLines(sentence).replace(u'\n', QStringLiteral("; "));  // there is room for one line
    message_->setText(shown);
    message_->setToolTip(shownLines(tool_tip.isEmpty() ? sentence : tool_tip));
    tip_->clear();  // the pointer is still at what was clicked
    shareRoom();
    QTimer::singleShot(message_ms, this, [this, shown] {
        if (message_->text() != shown) return;
        message_->clear();
        shareRoom();
    });
}

void StatusLine::showTip(const QString& tip) {
    tip_->setText(shownName(tip));
    tip_->setToolTip(shownLines(tip));
    shareRoom();
}

/// A tip stands alone. What was just done takes the place of what is always there, where both do not fit.
void StatusLine::shareRoom() {
    // Before a label is seen for the first time its font is not yet that of the style sheet.
    message_->ensurePolished();
    const auto width = [](const QLabel& label) { return label.fontMetrics().horizontalAdvance(label.text()); };
    const int room = (bar_.width() - time_->sizeHint().width()) / 2 - room_between;
    const bool tip = !tip_->text().isEmpty(), message = !tip && !message_->text().isEmpty();
    graph_->setHidden(tip || (message && width(*message_) > room));
    // A short message leaves the rest to what is always there.
    message_->setMaximumWidth(message && !graph_->isHidden() ? message_->sizeHint().width() : QWIDGETSIZE_MAX);
    message_->setVisible(message);
    tip_->setVisible(tip);
}

bool StatusLine::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize && watched == &bar_) shareRoom();
    if (event->type() == QEvent::StatusTip) {
        showTip(static_cast<QStatusTipEvent*>(event)->tip());
        return true;
    }
    return QObject::eventFilter(watched, event);
}

QString StatusLine::graphText() const {
    const GraphHeader& header = document_.graph()->header();
    // A narrow window cuts the end off: what figures depend on comes before what the graph always has.
    QStringList parts{shownName(document_.name())};
    if (!document_.baseline().times_known) {
        parts.append(tr("no times: choose a cost model"));
    } else if (const QString model = costModelName(*document_.graph()); !model.isEmpty()) {
        parts.append(tr("times: estimated with %1").arg(model));
    } else if (const auto& cost = document_.graph()->header().cost; cost && !cost->device_name.empty()) {
        parts.append(tr("times: the graph's own, of %1").arg(shownName(QString::fromStdString(cost->device_name))));
    }
    parts += modelTexts(times_.model());
    if (!times_.files().isEmpty())
        parts.append(document_.times() ? tr("times: trace %1").arg(document_.times()->name()) : tr("reading times…"));
    parts.append(countedText(document_.graph()->node_count(), tr("%1 node"), tr("%1 nodes")));
    parts.append(
        countedText(document_.baseline().simulation.collectives.size(), tr("%1 collective"), tr("%1 collectives")));
    if (header.rank && header.world_size) parts.append(tr("rank %1 of %2").arg(*header.rank).arg(*header.world_size));
    return parts.join(QStringLiteral(" · "));
}

void StatusLine::update() {
    if (!document_.isOpen()) return graph_->setText(noGraphOpen(document_));
    graph_->setText(graphText());
    const QString why = differenceToOwn(document_.loaded());
    graph_->setToolTip(shownLines(why.isEmpty() ? graph_->text() : graph_->text() + u'\n' + why));
    const auto evaluation = document_.evaluation();
    const QString failure = evaluationFailure(document_);
    const bool caution = !failure.isEmpty() || (evaluation && evaluation->refused);
    time_->setText(document_.evaluating()              ? tr("evaluating…")
                   : !failure.isEmpty()                ? tr("not evaluated")
                   : evaluation && evaluation->refused ? tr("plan refused, see Problems")
                   : evaluation                        ? tr("evaluated in %1").arg(formatTime(evaluation->evaluate_ms))
                                                       : QString());
    time_->setToolTip(failure.isEmpty() ? QString() : shownLines(whyNotEvaluated(document_)));
    time_->setProperty("role", caution ? "caution" : "good");
    time_->style()->polish(time_);
    // What stands left of it does not move with each of its digits.
    time_->setMinimumWidth(time_->fontMetrics().horizontalAdvance(tr("evaluated in %1").arg(widest_time)) + 1);
}

}  // namespace overlap::ui
