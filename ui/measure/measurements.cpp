#include "ui/measure/measurements.h"

#include <QFile>
#include <algorithm>

#include "ui/tasks/task_failure.h"

namespace overlap::ui {

namespace {

QString failureOf(const ReadMeasurements& read) {
    const QString failures = read.failures.join(QStringLiteral("; "));
    qsizetype open = 0;
    for (const auto& measurement : read.measurements) open += measurement->files.size();
    if (open == 0) return failures;
    return open == 1 ? Measurements::tr("%1; the other file is open").arg(failures)
                     : Measurements::tr("%1; the other %2 files are open").arg(failures, QString::number(open));
}

}  // namespace

Measurements::Measurements(QObject* parent) : QObject(parent) {}

void Measurements::setCurrentIndex(int index) {
    if (index == current_ || index < -1 || index >= count()) return;
    current_ = index;
    emit currentChanged();
}

void Measurements::belongTo(const QString& graph) {
    if (std::ranges::find(graphs_, QString()) == graphs_.end()) return;
    std::ranges::replace(graphs_, QString(), graph);
    emit changed();
}

void Measurements::open(const QStringList& files, bool show) {
    request({files, show});
}

void Measurements::request(Request request) {
    const QStringList& files = request.files;
    const bool show = request.show;
    if (files.isEmpty()) return;
    const auto same = std::find_if(measurements_.begin(), measurements_.end(),
                                   [&](const auto& measurement) { return measurement->files == files; });
    if (same != measurements_.end()) {
        if (show) setCurrentIndex(static_cast<int>(same - measurements_.begin()));
        return;
    }
    // What is being read, or will be, opens once, too.
    if (busy() && reading_.files == files) {
        reading_.show |= show;
        return;
    }
    const auto waits = std::ranges::find(waiting_, files, &Request::files);
    if (waits != waiting_.end()) {
        waits->show |= show;
        return;
    }
    waiting_.push_back(std::move(request));
    if (!busy()) startNext();
}

void Measurements::startNext() {
    if (waiting_.empty()) return;
    Request request = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(request));
}

void Measurements::start(Request request) {
    reading_ = request;
    task_.start([this, request](std::stop_token stop) -> LatestTask::Delivery {
        const auto tell = [&](double share) { progress_.put([this, share] { emit progressed(share); }); };
        try {
            auto read = readMeasurements(request.files, stop, tell);
            return [this, read = std::move(read)] {
                emit finished();
                add(read.measurements);
                if (!read.failures.isEmpty()) emit failed(failureOf(read));
                startNext();
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] {
                emit finished();
                emit failed(reason);
                startNext();
            };
        }
    });
    emit started(request.files.front());
}

void Measurements::add(const std::vector<std::shared_ptr<Measurement>>& measurements) {
    for (const auto& measurement : measurements) {
        measurement->title = freeTitle(*measurement);
        measurements_.push_back(measurement);
        graphs_.push_back(reading_.graph);
        emit changed();
        emit opened(measurements_.back(), reading_.show);
    }
    if (reading_.show && !measurements.empty()) setCurrentIndex(count() - 1);
}

QString Measurements::freeTitle(const Measurement& of) const {
    const auto taken = [this](const QString& title) {
        return std::any_of(measurements_.begin(), measurements_.end(),
                           [&](const auto& measurement) { return measurement->title == title; });
    };
    const QString word = of.isSimulated() ? tr("Simulated") : tr("Measured");
    QString title = word;
    for (int number = 2; taken(title); ++number) title = QStringLiteral("%1 %2").arg(word).arg(number);
    return title;
}

void Measurements::cancel() {
    if (!busy()) return;
    waiting_.clear();
    task_.cancel();
    emit finished();
    emit cancelled(reading_.files.front());
}

void Measurements::close(int index) {
    if (index < 0 || index >= count()) return;
    measurements_.erase(measurements_.begin() + index);
    graphs_.erase(graphs_.begin() + index);
    const bool was_current = index == current_;
    if (was_current) {
        current_ = -1;
    } else if (index < current_) {
        --current_;
    }
    emit changed();
    if (was_current) emit currentChanged();
}

QJsonArray Measurements::state() const {
    QJsonArray all;
    for (const auto& measurement : measurements_) all.append(QJsonArray::fromStringList(measurement->files));
    // What is still to be read is open, too, as far as the user is concerned.
    if (busy()) all.append(QJsonArray::fromStringList(reading_.files));
    for (const Request& request : waiting_) all.append(QJsonArray::fromStringList(request.files));
    return all;
}

QJsonArray Measurements::graphs() const {
    QJsonArray all;
    for (const QString& graph : graphs_) all.append(graph);
    if (busy()) all.append(reading_.graph);
    for (const Request& request : waiting_) all.append(request.graph);
    return all;
}

void Measurements::restore(const QJsonArray& state, const QJsonArray& graphs) {
    QStringList gone;
    for (qsizetype i = 0; i < state.size(); ++i) {
        QStringList files;
        for (const QJsonValue& file : state[i].toArray()) files.append(file.toString());
        const auto is_gone = [](const QString& file) { return !QFile::exists(file); };
        std::copy_if(files.begin(), files.end(), std::back_inserter(gone), is_gone);
        if (std::none_of(files.begin(), files.end(), is_gone)) request({files, false, graphs.at(i).toString()});
    }
    if (!gone.isEmpty())
        emit failed(gone.size() == 1
                        ? tr("%1 is gone; its measurement is not open").arg(gone.front())
                        : tr("%1 are gone; their measurements are not open").arg(gone.join(QStringLiteral(", "))));
}

}  // namespace overlap::ui
