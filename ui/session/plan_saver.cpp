#include "ui/session/plan_saver.h"

#include <QEventLoop>
#include <QFile>
#include <QTimer>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "core/io/plan/plan_file.h"
#include "core/plan/found_note.h"
#include "ui/document/document.h"
#include "ui/files/file_digest.h"
#include "ui/files/write_file.h"

namespace overlap::ui {
namespace {

/// Whether a file has a plan that was written: the name of an edited plan follows its figures, which may have come in
/// the meantime, and that is no edit.
bool isAsWritten(Plan now, const Plan& written) {
    if (is_edited_plan_name(now.name) && is_edited_plan_name(written.name)) now.name = written.name;
    return now == written;
}

}  // namespace

/// Everything that a thread needs to save a plan.
struct PlanSaver::Request {
    Write write;
    Plan plan;
    QString file;
    std::string file_name;  ///< in the system's encoding
    quint64 variant = 0;
    quint64 number = 0;
    QString plan_file;        ///< of the plan before the save
    QByteArray known_digest;  ///< of that file
    bool replace = false;
};

PlanSaver::PlanSaver(Document& document, QObject* parent, Write write, std::chrono::milliseconds patience)
    : QObject(parent),
      document_(document),
      write_(write ? std::move(write) : Write(write_plan_file)),
      patience_(patience) {}

PlanSaver::Outcome PlanSaver::written(const Request& request) {
    Outcome outcome{Result::saved, request.variant, request.file, {}};
    try {
        const bool own = request.file == request.plan_file;
        if (!request.replace && QFile::exists(request.file) &&
            (!own || request.known_digest != fileDigest(request.file))) {
            outcome.result = own ? Result::changed : Result::exists;
        } else {
            request.write(request.plan, request.file_name);
        }
    } catch (const std::exception& error) {
        outcome.result = Result::failed;
        outcome.problem = writingProblem(request.file, error);
    }
    return outcome;
}

std::optional<PlanSaver::Outcome> PlanSaver::save(int index, const QString& file, bool replace) {
    const Variant& variant = document_.variant(index);
    if (under_way_.contains(file)) return Outcome{Result::under_way, variant.key(), file, {}};
    // Shared with the delivery, which may come after save() has returned.
    struct Call {
        bool waits = true;
        std::optional<Outcome> outcome;
    };
    const auto call = std::make_shared<Call>();
    std::shared_ptr<const Request> request;
    try {
        request = std::make_shared<const Request>(Request{
            .write = write_,
            .plan = variant.plan(),
            .file = file,
            .file_name = QFile::encodeName(file).toStdString(),
            .variant = variant.key(),
            .number = ++last_number_,
            .plan_file = variant.filePath(),
            .known_digest = variant.fileDigest(),
            .replace = replace,
        });
        under_way_.append(file);
        newest_[request->variant] = request->number;
        tasks_.run(
            [this, request, call]() -> DetachedTasks::Delivery {
                return [this, request, call, outcome = written(*request)] {
                    finish(*request, outcome);
                    call->outcome = outcome;
                    if (!call->waits) emit finishedLate(outcome);
                };
            },
            patience_);
    } catch (const std::system_error&) {
        // No further thread: the plan is saved here, however long it takes.
        const Outcome outcome = written(*request);
        finish(*request, outcome);
        return outcome;
    } catch (const std::exception& error) {
        under_way_.removeOne(file);
        return Outcome{Result::failed, variant.key(), file, writingProblem(file, error)};
    }
    call->waits = false;
    return call->outcome;
}

void PlanSaver::finish(const Request& request, const Outcome& outcome) {
    under_way_.removeOne(request.file);
    if (outcome.result != Result::saved) return;
    markReplaced(request);
    const int index = document_.indexOf(request.variant);
    if (index < 0) return;
    Variant& variant = document_.variant(index);
    if (newest_.value(request.variant) != request.number || variant.filePath() != request.plan_file) return;
    const QByteArray digest = contentDigest(QByteArray::fromStdString(write_plan_text(request.plan)));
    if (isAsWritten(variant.plan(), request.plan)) {
        variant.setSaved(request.file, digest);
    } else {
        variant.setUnsaved(request.file, digest);  // edited since: the file has the plan before
    }
}

/// Another tab's plan that was in the file, such as one that another program had put there, is in no file any more.
void PlanSaver::markReplaced(const Request& request) {
    for (int index = 0; index < document_.variantCount(); ++index) {
        Variant& other = document_.variant(index);
        const bool was_there = other.filePath() == request.file && !other.modified();
        if (was_there && other.key() != request.variant && other.plan() != request.plan)
            other.setUnsaved(request.file, other.fileDigest());
    }
}

void PlanSaver::waitForAll() {
    if (under_way_.isEmpty()) return;
    QEventLoop loop;
    connect(this, &PlanSaver::finishedLate, &loop, [&] {
        if (under_way_.isEmpty()) loop.quit();
    });
    QTimer::singleShot(patience_, &loop, &QEventLoop::quit);
    loop.exec(QEventLoop::ExcludeUserInputEvents);
}

}  // namespace overlap::ui
