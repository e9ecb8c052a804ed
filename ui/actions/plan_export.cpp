#include "ui/actions/plan_export.h"

#include <QCoreApplication>
#include <QDate>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include "core/base/error.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// What a job in the background needs, by value: the document continues to change.
struct Job {
    ExportFormat format;
    QString path;
    Plan plan;
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const TimeSource> times;
    std::shared_ptr<const Evaluation> result, baseline;
    std::string made_by, made_on;
};

/// @returns nothing when stopped.
std::optional<ExportOutput> run(Job& job, const std::stop_token& stop) {
    if (!job.result) job.result = evaluate(job.graph, job.plan, stop, job.times);
    if (!job.result) return std::nullopt;
    const ExportInput input{job.plan, job.result, job.baseline, job.made_by, job.made_on};
    ExportOutput output = write_export(job.format, input);
    if (stop.stop_requested()) return std::nullopt;
    const QString problem = exportFile(job.path, QByteArray::fromStdString(output.bytes));
    if (!problem.isEmpty()) throw InputError("", problem.toStdString(), ErrorCode::file_not_written);
    return output;
}

}  // namespace

PlanExport::PlanExport(Document& document, QWidget& window) : QObject(&window), document_(document), window_(window) {}

void PlanExport::registerActions(Actions& actions) {
    for (const ExportFormat& format : export_formats()) {
        const QString help = text(format.help);
        actions.add(QStringLiteral("export.") + text(format.name), tr("Export"), tr("%1…").arg(text(format.title)),
                    tr("Export the plan: %1").arg(help), {}, [this, &format] { ask(format); });
    }
}

QString PlanExport::refusal() const {
    if (!document_.isOpen()) return noGraphOpen(document_);
    if (!document_.editable()) return tr("This is the graph as it is; choose a plan to export");
    return {};
}

void PlanExport::ask(const ExportFormat& format) {
    if (const QString reason = refusal(); !reason.isEmpty()) {
        emit failed(reason);
        return;
    }
    const QFileInfo plan_file(document_.current()->filePath());
    const QString folder = document_.current()->filePath().isEmpty() ? QDir::currentPath() : plan_file.path();
    const std::string name = export_file_name(format, document_.name().toStdString(), document_.current()->plan().name);
    auto* dialog = new QFileDialog(&window_, tr("Export: %1").arg(text(format.title)), folder,
                                   tr("%1 (*%2)").arg(text(format.title), text(format.suffix)));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(text(format.suffix.substr(1)));
    dialog->selectFile(QString::fromStdString(name));
    connect(dialog, &QFileDialog::fileSelected, this, [this, &format](const QString& path) { write(format, path); });
    dialog->open();
}

void PlanExport::write(const ExportFormat& format, const QString& path) {
    if (const QString reason = refusal(); !reason.isEmpty()) {
        emit failed(reason);
        return;
    }
    if (task_.busy()) {
        emit failed(tr("%1 was not written: another export is being written").arg(QFileInfo(path).fileName()));
        return;
    }
    const Variant& variant = *document_.current();
    Job job{format,
            path,
            variant.plan(),
            document_.graph(),
            nullptr,
            nullptr,
            document_.loaded().baseline,
            "Overlap Studio " + QCoreApplication::applicationVersion().toStdString(),
            QDate::currentDate().toString(Qt::ISODate).toStdString()};
    if (!variant.stale()) job.result = variant.evaluation();
    if (const auto& times = document_.times()) {
        job.times = times->source;
        job.baseline = times->baseline;
    }
    task_.start([this, job = std::move(job)](std::stop_token stop) mutable -> LatestTask::Delivery {
        try {
            const std::optional<ExportOutput> output = run(job, stop);
            if (!output) return {};
            QStringList notes;
            for (const std::string& note : output->notes) notes.append(QString::fromStdString(note));
            return [this, path = job.path, notes] { emit written(path, notes); };
        } catch (const std::exception& error) {
            const QString reason = reasonOf(error);
            // Errors of writing begin with the file, errors of the export do not.
            const auto* input_error = dynamic_cast<const InputError*>(&error);
            const bool names_file = input_error && input_error->code() == ErrorCode::file_not_written;
            return [this, sentence = names_file
                                         ? reason
                                         : tr("%1 was not written: %2").arg(QFileInfo(job.path).fileName(), reason)] {
                emit failed(sentence);
            };
        }
    });
}

}  // namespace overlap::ui
