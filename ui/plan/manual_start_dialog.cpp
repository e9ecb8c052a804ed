#include "ui/plan/manual_start_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <cmath>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr QSize start_size{720, 440};
constexpr double tolerated_share = 1e-3;
constexpr double rounding_ms = 1e-6;  ///< less of a sum means nothing
enum Column { bucket, members, before, after, added, column_count };

QString summaryOf(const ManualStartProposal& proposal) {
    if (proposal.manual->refused) {
        const QString reason = QString::fromStdString(proposal.manual->refusal->problem());
        return ManualStartDialog::tr("As cards of whole modules the buckets make a plan that is refused: %1.")
            .arg(reason);
    }
    const double before_ms = proposal.automatic->simulation.step_ms, after_ms = proposal.manual->simulation.step_ms;
    const QString summary =
        ManualStartDialog::tr("As cards of whole modules the buckets make a step of %1 instead of %2 (%3).")
            .arg(formatTime(after_ms), formatTime(before_ms), formatDifference(after_ms - before_ms, Unit::Time));
    if (!proposal.links_shared) return summary;
    return ManualStartDialog::tr("%1 Steps and exposed times are those of a job, with links shared.").arg(summary);
}

QString peakOf(const ManualStartProposal& proposal) {
    const auto before = static_cast<double>(proposal.automatic->corrected_memory.peak_bytes);
    const auto after = static_cast<double>(proposal.manual->corrected_memory.peak_bytes);
    if (before == after) return ManualStartDialog::tr("The memory peak stays at %1.").arg(formatBytes(before));
    return ManualStartDialog::tr("The memory peak is %1 instead of %2 (%3).")
        .arg(formatBytes(after), formatBytes(before), formatDifference(after - before, Unit::Bytes));
}

QString reasonsOf(const ManualStart& start) {
    QStringList sentences;
    for (const ManualStart::LeftOut& reason : start.left_out)
        sentences.append(QString::fromStdString(reason.sentence) + u'.');
    return sentences.join(u'\n');
}

QLabel* label(const QString& text) {
    auto* label = new QLabel(shownLines(text));
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

void addRow(QTableWidget& table, const QString& name, const QString& collectives, double before_ms, double after_ms) {
    const int row = table.rowCount();
    table.insertRow(row);
    const QStringList texts{name, collectives, formatTime(before_ms), formatTime(after_ms),
                            formatDifference(after_ms - before_ms, Unit::Time)};
    for (int column = 0; column < column_count; ++column) {
        auto* item = new QTableWidgetItem(texts[column]);
        item->setTextAlignment(Qt::AlignVCenter | (column == bucket ? Qt::AlignLeft : Qt::AlignRight));
        table.setItem(row, column, item);
    }
}

/// Without what sums in another order leave.
double rounded(double ms) {
    return std::abs(ms) < rounding_ms ? 0 : ms;
}

/// The step, and what it consists of: compute, waits for the buckets, and the rest, so that differences add up.
void addRows(QTableWidget& table, const ManualStartProposal& proposal) {
    const Simulation &before = proposal.automatic->simulation, &after = proposal.manual->simulation;
    double rest_before_ms = before.step_ms - before.compute_ms, rest_after_ms = after.step_ms - after.compute_ms;
    for (const ExposureChange& change : proposal.changes) {
        rest_before_ms -= change.before_ms;
        rest_after_ms -= change.after_ms;
    }
    addRow(table, ManualStartDialog::tr("Step, the sum of what follows"), {}, before.step_ms, after.step_ms);
    addRow(table, ManualStartDialog::tr("Compute"), {}, before.compute_ms, after.compute_ms);
    // Below nothing where buckets are waited for at the same time.
    addRow(table, ManualStartDialog::tr("Waits that stay as they are, and idle time"), {}, rounded(rest_before_ms),
           rounded(rest_after_ms));
    for (const ExposureChange& change : proposal.changes)
        addRow(table, shownName(QString::fromStdString(change.collective)),
               formatCount(static_cast<std::int64_t>(change.members)), change.before_ms, change.after_ms);
}

QTableWidget* tableOf(const ManualStartProposal& proposal) {
    auto* table = new QTableWidget(0, column_count);
    table->setObjectName("exposureChanges");
    table->setAccessibleName(ManualStartDialog::tr("What the step consists of, with the exposed time of each bucket"));
    table->setHorizontalHeaderLabels({ManualStartDialog::tr("Time of the step"), ManualStartDialog::tr("Collectives"),
                                      ManualStartDialog::tr("Now"), ManualStartDialog::tr("As cards"),
                                      ManualStartDialog::tr("Difference")});
    table->horizontalHeaderItem(bucket)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->verticalHeader()->hide();
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setShowGrid(false);
    table->setItemDelegate(new TableDelegate(table));
    addRows(*table, proposal);
    table->resizeColumnsToContents();
    table->horizontalHeader()->setSectionResizeMode(bucket, QHeaderView::Stretch);
    return table;
}

}  // namespace

bool ManualStartProposal::keepsResult() const {
    const auto is_kept = [](double before, double after) { return after <= before * (1 + tolerated_share); };
    return !manual->refused && is_kept(automatic->simulation.step_ms, manual->simulation.step_ms) &&
           is_kept(static_cast<double>(automatic->corrected_memory.peak_bytes),
                   static_cast<double>(manual->corrected_memory.peak_bytes));
}

ManualStartDialog::ManualStartDialog(const ManualStartProposal& proposal, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Manual plan from this result"));
    setObjectName("manualStartDialog");
    auto* column = new QVBoxLayout(this);
    column->addWidget(label(summaryOf(proposal)));
    if (!proposal.manual->refused) column->addWidget(label(peakOf(proposal)));
    if (const QString reasons = reasonsOf(proposal.start); !reasons.isEmpty()) column->addWidget(label(reasons));
    if (!proposal.manual->refused) column->addWidget(tableOf(proposal), 1);
    column->addWidget(label(tr(
        "With the automatic steps kept, buckets and order stay as they are; overlaps by hand act on their result.")));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    QPushButton* keep = buttons->addButton(tr("&Keep automatic steps"), QDialogButtonBox::AcceptRole);
    QPushButton* cards = buttons->addButton(tr("&Make cards"), QDialogButtonBox::AcceptRole);
    keep->setObjectName("keepAutomaticSteps");
    cards->setObjectName("makeCards");
    cards->setEnabled(!proposal.manual->refused);
    if (proposal.manual->refused) cards->setToolTip(tr("The plan would be refused"));
    keep->setDefault(true);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(keep, &QPushButton::clicked, this, &ManualStartDialog::automaticStepsWanted);
    connect(cards, &QPushButton::clicked, this, &ManualStartDialog::cardsWanted);
    for (QPushButton* button : {keep, cards}) connect(button, &QPushButton::clicked, this, &QDialog::accept);
    resize(start_size);
}

}  // namespace overlap::ui
