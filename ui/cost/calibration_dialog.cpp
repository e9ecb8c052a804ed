#include "ui/cost/calibration_dialog.h"

#include <QDialogButtonBox>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "core/io/cost_model/cost_model_file.h"
#include "ui/tasks/task_failure.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr QSize start_size{820, 480};
enum Column { what, samples, fitted, before, after, column_count };

QString errorText(const RelativeError& error) {
    return CalibrationDialog::tr("%1, %2").arg(formatPercent(error.median), formatPercent(error.ninetieth));
}

QString fittedText(const NamedCostModel& model, const CalibrationRow& row) {
    if (row.kind == CalibrationRow::Kind::compute_class) {
        const auto cost = model.classes.find(row.name);
        if (cost == model.classes.end()) return CalibrationDialog::tr("as before");
        return CalibrationDialog::tr("%1 of full rates, %2")
            .arg(formatPercent(cost->second.efficiency), formatTime(cost->second.overhead_ms));
    }
    if (row.kind == CalibrationRow::Kind::host_link)
        return CalibrationDialog::tr("%1 GB/s").arg(formatNumber(model.host_link_bytes_per_s / 1e9));
    const auto link = model.links_of_groups.find(row.name);
    if (link == model.links_of_groups.end()) return CalibrationDialog::tr("not fitted");
    return CalibrationDialog::tr("%1 GB/s, %2")
        .arg(formatNumber(link->second.bytes_per_s / 1e9), formatTime(link->second.latency_ms));
}

QString rowName(const CalibrationRow& row) {
    const QString name = shownName(QString::fromStdString(row.name));
    switch (row.kind) {
        case CalibrationRow::Kind::compute_class:
            return QString(name).replace(u'_', u' ');
        case CalibrationRow::Kind::process_group:
            return CalibrationDialog::tr("process group %1").arg(name);
        case CalibrationRow::Kind::host_link:
            break;
    }
    return CalibrationDialog::tr("link to the host");
}

QString stepText(const CalibratedStep& step) {
    if (!step.measured_ms) return {};
    return CalibrationDialog::tr(
               "Step measured %1, predicted %2 before and %3 after; exposed measured %4, predicted %5 "
               "before and %6 after")
        .arg(formatTime(*step.measured_ms), formatTime(step.before_ms), formatTime(step.after_ms),
             formatTime(step.measured_exposed_ms.value_or(0)), formatTime(step.before_exposed_ms),
             formatTime(step.after_exposed_ms));
}

QString predictionText(const PlanPrediction& prediction) {
    const QString plan = shownName(QString::fromStdString(prediction.plan));
    if (!prediction.refusal.empty())
        return CalibrationDialog::tr("%1: refused, %2").arg(plan, QString::fromStdString(prediction.refusal));
    const QString times = CalibrationDialog::tr("%1: the step is predicted to take %2, exposed %3")
                              .arg(plan, formatTime(prediction.step_ms), formatTime(prediction.exposed_ms));
    QString text =
        prediction.expected_error
            ? CalibrationDialog::tr("%1; expected within %2, by the measured step and by samples held out of the fit")
                  .arg(times, formatPercent(*prediction.expected_error))
            : CalibrationDialog::tr("%1; how far that may be off is not known").arg(times);
    for (const Problem& problem : prediction.problems)
        text += QStringLiteral("; %1: %2")
                    .arg(QString::fromUtf8(severity_name(problem.severity)),
                         shownName(QString::fromStdString(problem.message)));
    return text;
}

}  // namespace

CalibrationDialog::CalibrationDialog(Calibration calibration, std::vector<PlanPrediction> predictions, QWidget* parent)
    : QDialog(parent),
      calibration_(std::move(calibration)),
      table_(new QTableWidget(0, column_count)),
      summary_(new QLabel) {
    setWindowTitle(tr("Calibration"));
    setObjectName("calibrationDialog");
    auto* column = new QVBoxLayout(this);
    fillTable();
    column->addWidget(table_, 1);
    QStringList sentences;
    for (const CalibratedStep& step : calibration_.steps)
        if (const QString told = stepText(step); !told.isEmpty()) sentences.append(told);
    for (const PlanPrediction& prediction : predictions) sentences.append(predictionText(prediction));
    for (const std::string& note : calibration_.notes) {
        const QString sentence = QString::fromStdString(note);
        sentences.append(sentence.left(1).toUpper() + sentence.mid(1));
    }
    summary_->setText(withUnbrokenUnits(shownLines(sentences.join(u'\n'))));
    summary_->setWordWrap(true);
    summary_->setTextFormat(Qt::PlainText);
    summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    summary_->setAccessibleName(tr("What was found"));
    column->addWidget(summary_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QPushButton* only_save = buttons->addButton(tr("&Save as…"), QDialogButtonBox::ActionRole);
    QPushButton* use = buttons->addButton(tr("Save and &use…"), QDialogButtonBox::ActionRole);
    column->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(only_save, &QPushButton::clicked, this, [this] {
        if (!askAndSave().isEmpty()) accept();
    });
    connect(use, &QPushButton::clicked, this, [this] {
        const QString path = askAndSave();
        if (path.isEmpty()) return;
        emit useWanted(path);
        accept();
    });
    resize(start_size);
}

void CalibrationDialog::fillTable() {
    table_->setAccessibleName(tr("Errors before and after"));
    table_->setHorizontalHeaderLabels(
        {tr("Times of"), tr("Samples"), tr("Fitted"), tr("Error before"), tr("Error after")});
    const QString error_help = tr("Relative error of predicted times: median, 90th percentile");
    table_->horizontalHeaderItem(before)->setToolTip(error_help);
    table_->horizontalHeaderItem(after)->setToolTip(error_help);
    table_->verticalHeader()->hide();
    for (const Column column : {what, fitted})
        table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setShowGrid(false);
    for (const CalibrationRow& row : calibration_.rows) {
        const int place = table_->rowCount();
        table_->insertRow(place);
        const QStringList texts{rowName(row), formatCount(row.samples), fittedText(calibration_.model, row),
                                errorText(row.before), errorText(row.after)};
        for (int column = 0; column < column_count; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            const bool number = column == samples || column == before || column == after;
            item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
            if (!row.note.empty()) item->setToolTip(shownLines(QString::fromStdString(row.note)));
            table_->setItem(place, column, item);
        }
    }
    table_->resizeColumnsToContents();
    table_->horizontalHeader()->setSectionResizeMode(fitted, QHeaderView::Stretch);
}

QString CalibrationDialog::summaryText() const {
    return summary_->text();
}

bool CalibrationDialog::save(const QString& path) {
    try {
        write_cost_model_file(calibration_.model, QFile::encodeName(path).toStdString());
        return true;
    } catch (const std::exception& error) {
        summary_->setText(shownLines(reasonOf(error)));
        return false;
    }
}

QString CalibrationDialog::askAndSave() {
    const QString proposed = QString::fromStdString(calibration_.model.name) + QStringLiteral(".cost.json");
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Save cost model"), proposed, tr("Cost models (*.cost.json)"));
    return !path.isEmpty() && save(path) ? path : QString();
}

}  // namespace overlap::ui
