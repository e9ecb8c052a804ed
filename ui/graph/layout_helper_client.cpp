#include "ui/graph/layout_helper_client.h"

#include <new>
#include <utility>

#include "ui/files/companion_program.h"
#include "ui/files/end_process.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

constexpr int patience_ms = 3000;

}  // namespace

LayoutHelperClient::LayoutHelperClient(const QString& program, QObject* parent)
    : QObject(parent), program_(program.isEmpty() ? companionProgram(QStringLiteral("overlap-layout")) : program) {
    patience_.setSingleShot(true);
    patience_.setInterval(patience_ms);
    connect(&patience_, &QTimer::timeout, this,
            [this] { giveUp(tr("Graphviz took too long for a level of the graph; it stays in our own layout")); });
}

LayoutHelperClient::~LayoutHelperClient() {
    if (process_) endProcess(*process_);
}

void LayoutHelperClient::request(std::uint64_t key, const LevelGraph& graph, std::shared_ptr<const LevelLayout> own) {
    if (!asked_.insert(key).second) return;
    ForeignLevel foreign = foreign_level(graph, LevelLayoutOptions());
    if (foreign.nodes.empty()) return;
    waiting_.push_back({key, graph, std::move(own), std::move(foreign)});
    startNext();
}

void LayoutHelperClient::cancel() {
    waiting_.clear();
    asked_.clear();
    patience_.stop();
    sent_ = false;
    received_.clear();
    if (process_) endProcessLater(process_.release());
}

void LayoutHelperClient::startNext() {
    if (waiting_.empty() || sent_) return;
    if (!process_) {
        process_ = std::make_unique<QProcess>();
        process_->setProcessChannelMode(QProcess::SeparateChannels);
        connect(process_.get(), &QProcess::readyReadStandardOutput, this, &LayoutHelperClient::readAnswers);
        connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart)
                giveUp(
                    tr("The layout helper %1 could not be started; the graph stays in our own layout").arg(program_));
        });
        connect(process_.get(), &QProcess::finished, this,
                [this] { giveUp(tr("The layout helper ended unexpectedly; the graph stays in our own layout")); });
        process_->start(program_, QStringList());
    }
    sent_ = true;
    LayoutRequest& request = waiting_.front().foreign.request;
    request.id = ++serial_;
    process_->write(QByteArray::fromStdString(write_message(write_request(request))));
    patience_.start();
}

void LayoutHelperClient::readAnswers() {
    received_ += process_->readAllStandardOutput().toStdString();
    try {
        std::string body;
        while (sent_ && take_message(received_, body)) {
            const LayoutAnswer answer = read_answer(body);
            if (answer.id != serial_) continue;
            patience_.stop();
            sent_ = false;
            const Level level = std::move(waiting_.front());
            waiting_.pop_front();
            if (answer.problem.empty()) {
                auto merged = std::make_shared<LevelLayout>(
                    merge_answer(level.graph, *level.own, level.foreign, answer, LevelLayoutOptions()));
                emit laidOut(level.key, std::move(merged));
            } else if (const QString problem = QString::fromStdString(answer.problem); !told_.contains(problem)) {
                told_.append(problem);
                emit failed(tr("%1; it stays in our own layout").arg(problem));
            }
        }
        startNext();
    } catch (const std::bad_alloc& error) {
        giveUp(tr("%1; the graph stays in our own layout").arg(reasonOf(error)));
    } catch (const std::exception& error) {
        giveUp(tr("The layout helper answered nonsense (%1); the graph stays in our own layout").arg(reasonOf(error)));
    }
}

void LayoutHelperClient::giveUp(const QString& reason) {
    // The level that did it is left out; whether the others do the same is seen when they are asked for.
    const bool failed_to_run = sent_ && process_ && process_->error() == QProcess::FailedToStart;
    if (failed_to_run)
        waiting_.clear();
    else if (!waiting_.empty() && sent_)
        waiting_.pop_front();
    // Not from within a signal of the process itself.
    if (process_) endProcessLater(process_.release());
    patience_.stop();
    sent_ = false;
    received_.clear();
    if (!told_.contains(reason)) {
        told_.append(reason);
        emit failed(reason);
    }
    startNext();
}

}  // namespace overlap::ui
