#include "ui/shell/files/save_controller.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QRegularExpression>

#include "ui/document/document.h"
#include "ui/files/file_looks.h"
#include "ui/frame/actions.h"
#include "ui/session/plan_file_watch.h"
#include "ui/session/recent_files.h"

namespace overlap::ui {
namespace {

const QString plan_suffix = QStringLiteral(".plan.json");

QString fileName(const QString& path) {
    return QFileInfo(path).fileName();
}

/// The name under which a plan is saved: every plan ends in .plan.json, so that dialogs show it.
QString planFileName(const QString& path) {
    if (path.endsWith(plan_suffix, Qt::CaseInsensitive)) return path;
    for (const QString& part : {QStringLiteral(".plan"), QStringLiteral(".json")})
        if (path.endsWith(part, Qt::CaseInsensitive)) return path.chopped(part.size()) + plan_suffix;
    return path + plan_suffix;
}

}  // namespace

SaveController::SaveController(Document& document, RecentFiles& recent, FileLooks& looks, QWidget& window,
                               PlanSaver::Write write)
    : document_(document),
      recent_(recent),
      looks_(looks),
      window_(window),
      saver_(new PlanSaver(document, this, std::move(write))),
      watch_(new PlanFileWatch(document, this)) {
    connect(saver_, &PlanSaver::finishedLate, this, &SaveController::showSaved);
    connect(watch_, &PlanFileWatch::changed, this, &SaveController::tellOfChange);
    connect(watch_, &PlanFileWatch::restored, this, [this](quint64 variant) {
        if (told_.contains(variant)) emit withdrawn(told_.take(variant).sentence);
    });
    connect(&document, &Document::variantsChanged, this, &SaveController::withdrawResolved);
    connect(&document, &Document::currentChanged, watch_, &PlanFileWatch::look);
}

void SaveController::registerActions(Actions& actions) {
    const QString file = tr("File");
    actions.add("file.save", file, tr("&Save"), tr("Save the plan"), {QKeySequence::Save}, [this] { savePlan(); });
    actions.add("file.saveAs", file, tr("Save &as…"), tr("Save the plan in another file"),
                {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [this] { askAndSave(); });
}

bool SaveController::savePlan() {
    if (!document_.editable()) return false;
    const QString path = document_.current()->filePath();
    return path.isEmpty() ? askAndSave() : savePlanAs(path);
}

QString SaveController::suggestedName() const {
    if (const QString path = document_.current()->filePath(); !path.isEmpty()) return path;
    static const QRegularExpression not_in_names(QStringLiteral(R"([\s/\\:]+)"));
    const QString name = document_.name() + u'.' +
                         document_.current()->title().toLower().replace(not_in_names, QStringLiteral("_")) +
                         plan_suffix;
    const QString& graph = document_.loaded().source.file;
    const QString folder = graph.startsWith(u":/") ? QDir::homePath() : QFileInfo(graph).absolutePath();
    return QDir(folder).filePath(name);
}

bool SaveController::askAndSave() {
    if (!document_.editable()) return false;
    QString path = suggestedName();
    // The dialog reads the folder.
    if (!looks_.answers(path)) path = QDir::home().filePath(fileName(path));
    const QString chosen = QFileDialog::getSaveFileName(&window_, tr("Save plan"), path, tr("Plans (*.plan.json)"));
    // The dialog has asked about the name that was chosen, not about the one that is finally written.
    return !chosen.isEmpty() && savePlanAs(chosen, planFileName(chosen) == chosen);
}

bool SaveController::savePlanAs(const QString& path, bool replace) {
    if (!document_.editable()) return false;
    const QString file = path == document_.current()->filePath() ? path : planFileName(path);
    const auto outcome = saver_->save(document_.currentIndex(), file, replace);
    if (!outcome) {
        emit told(tr("Saving %1: its folder has not answered yet").arg(fileName(file)), file);
        return false;
    }
    return showSaved(*outcome);
}

bool SaveController::showSaved(const PlanSaver::Outcome& outcome) {
    switch (outcome.result) {
        case PlanSaver::Result::saved:
            recent_.add({outcome.file});
            emit told(tr("Saved %1").arg(fileName(outcome.file)), outcome.file);
            return true;
        case PlanSaver::Result::exists:
        case PlanSaver::Result::changed:
            askToReplace(outcome.file, outcome.result == PlanSaver::Result::changed, outcome.variant);
            return false;
        case PlanSaver::Result::under_way:
            emit warned(tr("%1 is still being saved: its folder has not answered yet").arg(outcome.file));
            return false;
        case PlanSaver::Result::failed:
            emit warned(outcome.problem);
            return false;
    }
    return false;
}

std::vector<NoticeAction> SaveController::answers(const QString& file, bool own, quint64 variant) {
    // The answer may come later, when another plan is current.
    auto with_variant = [this, variant](auto run) {
        return [this, variant, run] {
            const int index = document_.indexOf(variant);
            if (index < 0) {
                emit warned(tr("The plan has been closed; reopen it to save it"));
                return;
            }
            document_.setCurrentIndex(index);
            run();
        };
    };
    std::vector<NoticeAction> actions{
        {own ? tr("Overwrite") : tr("Replace"), with_variant([this, file] { savePlanAs(file, true); })},
        {tr("Save as…"), with_variant([this] { askAndSave(); })}};
    if (own) actions.push_back({tr("Open the file's"), [this, file] { emit openWanted({file}); }});
    return actions;
}

void SaveController::askToReplace(const QString& file, bool own, quint64 variant) {
    emit warned(own ? tr("%1 was changed on disk since it was read; the plan was not saved").arg(file)
                    : tr("%1 exists; the plan was not saved").arg(file),
                answers(file, own, variant));
}

void SaveController::tellOfChange(quint64 variant, const QString& file) {
    if (saver_->underWay().contains(file)) return;  // it is this program that changes it
    const QString sentence = tr("%1 was changed on disk since it was read").arg(file);
    if (told_.contains(variant)) emit withdrawn(sentence);
    told_[variant] = {file, document_.variant(document_.indexOf(variant)).fileDigest(), sentence};
    emit warnedAlso(sentence, {}, answers(file, true, variant));
}

void SaveController::withdrawResolved() {
    const auto is_resolved = [this](quint64 variant, const Told& told) {
        const int index = document_.indexOf(variant);
        if (index < 0) return true;
        const Variant& plan = document_.variant(index);
        if (plan.filePath() != told.file || plan.fileDigest() != told.digest) return true;
        for (int other = 1; other < document_.variantCount(); ++other)
            if (document_.variant(other).filePath() == told.file &&
                document_.variant(other).fileDigest() != told.digest)
                return true;
        return false;
    };
    for (const quint64 variant : told_.keys())
        if (is_resolved(variant, told_[variant])) emit withdrawn(told_.take(variant).sentence);
}

void SaveController::lookAtFile() {
    watch_->look();
}

bool SaveController::refusesClosing() {
    saver_->waitForAll();  // so that the session has the file of each plan
    const QStringList files = saver_->underWay();
    if (!refused_.refuses(files)) return false;
    emit warned(
        tr("%1 is still being saved: its folder has not answered yet. Close the window once more to leave it to itself")
            .arg(files.front()));
    return true;
}

}  // namespace overlap::ui
