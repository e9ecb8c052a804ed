#include "ui/job/open/open_job.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QUndoCommand>
#include <algorithm>

#include "core/base/error.h"
#include "core/job/document/job_file.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/kept_job.h"
#include "ui/tasks/task_failure.h"

namespace overlap::ui {
namespace {

bool sameAs(const std::shared_ptr<const Plan>& a, const std::shared_ptr<const Plan>& b) {
    return a == b || (a && b && *a == *b);
}

std::string folderFor(const QString& file) {
    return QFile::encodeName(folderOfJob(file)).toStdString();
}

}  // namespace

/// What is tried with the job, before and after.
class OpenJob::Change : public QUndoCommand {
  public:
    Change(OpenJob& job, job::JobChanges after, const QString& text, int merge)
        : QUndoCommand(text), job_(job), before_(job.changes_), after_(std::move(after)), merge_(merge) {}

    void redo() override { job_.setChanges(after_); }
    void undo() override { job_.setChanges(before_); }
    int id() const override { return merge_; }
    bool mergeWith(const QUndoCommand* newer) override {
        after_ = static_cast<const Change*>(newer)->after_;
        setText(newer->text());
        setObsolete(after_ == before_);
        return true;
    }

  private:
    OpenJob& job_;
    job::JobChanges before_, after_;
    int merge_;
};

/// Another plan for a stage.
class OpenJob::PlanChange : public QUndoCommand {
  public:
    PlanChange(OpenJob& job, int stage, const StagePlan& after, const QString& text)
        : QUndoCommand(text), job_(job), stage_(stage), before_(job.stagePlan(stage)), after_(after) {}

    void redo() override { job_.setStagePlan(stage_, after_); }
    void undo() override { job_.setStagePlan(stage_, before_); }

  private:
    OpenJob& job_;
    int stage_;
    StagePlan before_, after_;
};

OpenJob::OpenJob(QObject* parent) : QObject(parent) {
    connect(&evaluator_, &JobEvaluator::answered, this, &OpenJob::take);
    connect(&evaluator_, &JobEvaluator::compared, this, [this](const JobComparison& comparison) {
        comparison_ = comparison;
        emit compared();
    });
    connect(&evaluator_, &JobEvaluator::busyChanged, this, &OpenJob::busyChanged);
    connectMeasured();
    connectFiles();
    for (LatestTask* task : {&reading_, &opened_task_})
        connect(task, &LatestTask::busyChanged, this, &OpenJob::busyChanged);
}

OpenJob::~OpenJob() {
    looks_again_ = false;  // what ends below starts no look
    reading_.cancel();
    opened_task_.cancel();
    looking_.cancel();
    measured_reader_.cancel();
    evaluator_.cancel();
}

QString OpenJob::name() const {
    if (!isOpen()) return {};
    return document_->name.empty() ? QFileInfo(file_).fileName() : QString::fromStdString(document_->name);
}

void OpenJob::open(const QString& path) {
    keepPending();
    if (path == file_ && modified()) {
        // It is open with its changes, and these can be undone still.
        reading_.cancel();
        pending_ = {};
        return announce();
    }
    if (const auto kept = kept_.find(path); kept != kept_.end()) return read(kept->second);
    QJsonObject state{{"file", path}};
    // A file that is read again keeps what was measured of it.
    if (path == file_ && !measuredFiles().isEmpty()) state["measured"] = QJsonArray::fromStringList(measuredFiles());
    read(state);
}

void OpenJob::keepPending() {
    if (pending_.contains("document")) kept_[pending_["file"].toString()] = pending_;
}

void OpenJob::readFile(const QJsonObject& state) {
    reading_.start([this, state, path = state["file"].toString()](std::stop_token stop) -> LatestTask::Delivery {
        try {
            const QByteArray digest = fileDigest(path);  // first: what is written after it is seen
            auto document = std::make_shared<const job::JobDocument>(readJob(path));
            if (stop.stop_requested()) return {};
            return [this, state, path, document, digest, files = plansOfFiles(*document, path)] {
                setDocument(path, path, document, files);
                digest_ = digest;
                followAgain(state);
                announce();
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { emit failed(reason); };
        }
    });
}

void OpenJob::setDocument(const QString& path, const QString& read_from,
                          std::shared_ptr<const job::JobDocument> document, StagePlans files) {
    if (modified()) kept_[file_] = ownState();
    kept_.erase(path);
    pending_ = {};
    undo_.clear();
    file_ = path;
    read_from_ = read_from;
    changes_ = {};
    document_ = std::move(document);
    files_ = filesOfStages(*document_, read_from);
    plans_.assign(document_->stages.size(), nullptr);
    saved_changes_ = {};
    saved_plans_ = plans_;
    followed_.assign(document_->stages.size(), {});
    last_stage_ = -1;
    file_plans_ = std::move(files);
    times_ = std::make_shared<StageTimes>(folderFor(read_from));
    answer_ = {};
    graphs_.clear();
    told_files_.clear();
    told_document_.clear();
    changed_plans_.clear();
    opened_.reset();
    knows_opened_ = false;
    opened_task_.cancel();
    looking_.cancel();
    comparison_ = {};
    measured_reader_.cancel();
    measured_ = {};
    measured_asked_.clear();
    measured_again_.clear();
}

void OpenJob::announce() {
    watchFiles();
    emit opened();
    emit compared();
    evaluate();
}

void OpenJob::cancel() {
    reading_.cancel();
    measured_reader_.cancel();
    measured_asked_.clear();
}

void OpenJob::change(const QString& text, const job::JobChanges& changes, int merge) {
    if (!isOpen() || changes == changes_) return;
    undo_.push(new Change(*this, changes, text, merge));
}

void OpenJob::setChanges(const job::JobChanges& changes) {
    changes_ = changes;
    emit changed();
    evaluate();
}

QString OpenJob::graphOf(int stage) const {
    return stage < 0 || stage >= stageCount() ? QString() : files_[static_cast<std::size_t>(stage)].graph;
}

QString OpenJob::planFileOf(int stage) const {
    return stage < 0 || stage >= stageCount() ? QString() : files_[static_cast<std::size_t>(stage)].plan;
}

bool OpenJob::hadPlanFile(int stage) const {
    return stage >= 0 && stage < stageCount() && !document_->stages[static_cast<std::size_t>(stage)].plan.empty();
}

std::shared_ptr<const Plan> OpenJob::planOf(int stage) const {
    return stage < 0 || stage >= static_cast<int>(plans_.size()) ? nullptr : plans_[static_cast<std::size_t>(stage)];
}

std::shared_ptr<const Plan> OpenJob::filePlanOf(int stage) const {
    return stage < 0 || stage >= static_cast<int>(file_plans_.size()) ? nullptr
                                                                      : file_plans_[static_cast<std::size_t>(stage)];
}

FollowedTab OpenJob::followedBy(int stage) const {
    return stage < 0 || stage >= stageCount() ? FollowedTab() : followed_[static_cast<std::size_t>(stage)];
}

void OpenJob::follow(int stage, quint64 tab) {
    if (stage >= 0 && stage < stageCount()) followed_[static_cast<std::size_t>(stage)].tab = tab;
}

void OpenJob::setPlan(int stage, std::shared_ptr<const Plan> plan) {
    if (stage >= 0 && stage < stageCount()) setStagePlan(stage, {std::move(plan), followedBy(stage)});
}

OpenJob::StagePlan OpenJob::stagePlan(int stage) const {
    return {planOf(stage), followedBy(stage)};
}

void OpenJob::setStagePlan(int stage, const StagePlan& plan) {
    std::shared_ptr<const Plan>& own = plans_[static_cast<std::size_t>(stage)];
    FollowedTab& followed = followed_[static_cast<std::size_t>(stage)];
    const bool other = !sameAs(own, plan.plan);
    if (!other && followed == plan.followed) return;
    const bool evaluates = other && (!own || !plan.plan || !does_the_same(*own, *plan.plan));
    followed = plan.followed;
    if (other) own = plan.plan;
    emit changed();
    if (evaluates) evaluate();
}

void OpenJob::usePlan(int stage, std::shared_ptr<const Plan> plan, quint64 tab, const QString& text) {
    if (stage < 0 || stage >= stageCount()) return;
    if (sameAs(planOf(stage), plan) && followedBy(stage).tab == tab) return;
    undo_.push(new PlanChange(*this, stage, {std::move(plan), {tab}}, text));
}

void OpenJob::evaluate() {
    if (!isOpen()) return;
    JobRequest request;
    request.document = document_;
    request.changes = changes_;
    request.plans = plans_;
    request.measured = measured_.job;
    request.times = times_;
    request.folder = folderFor(read_from_);
    request.file = QFile::encodeName(file_).toStdString();
    request.read_from = read_from_;
    request.asks_graphs = graphs_.empty();
    evaluator_.request(request);
    // What differences are to: the job as it was opened, also where a session brings it back with changes, or where it
    // is changed before its first evaluation has come.
    if (differs() && !knows_opened_ && !opened_task_.busy()) evaluateOpened(request);
}

void OpenJob::evaluateOpened(const JobRequest& request) {
    opened_task_.start([this, request](std::stop_token stop) -> LatestTask::Delivery {
        std::optional<JobFigures> figures;
        bool known = false;
        try {
            job::PipelineOptions options;
            options.folder = request.folder;
            options.evaluator = StageTimes::evaluator(request.times, {});
            options.stop = stop;
            auto document = std::make_shared<const job::JobDocument>(withoutDraws(*request.document));
            if (stop.stop_requested()) return {};
            job::JobPicture picture;
            picture.evaluation = job::evaluate_job(std::move(document), options);
            figures = figuresOf(&picture);
            known = true;
        } catch (const InputError&) {
            // There is nothing to compare with, until it can be evaluated: a file may come back.
        }
        return [this, figures, known] {
            opened_ = figures;
            knows_opened_ = known;
            emit evaluated();
        };
    });
}

void OpenJob::take(const JobAnswer& answer) {
    answer_ = answer;
    // Of a job that is refused files may be read later.
    if (graphs_.empty() && answer.picture) graphs_ = answer.graphs;
    comparison_.spread.reset();  // of before
    if (!knows_opened_ && !differs()) {
        opened_ = figures();
        knows_opened_ = answer.picture != nullptr;
    }
    emit evaluated();
    readMeasured();
}

std::optional<JobFigures> OpenJob::figures() const {
    return figuresOf(answer_.picture.get());
}

std::vector<std::optional<job::StageFigures>> OpenJob::stageFigures() const {
    if (!answer_.picture) return answer_.stages;
    const std::vector<job::StageFigures> figures = job::stage_figures(*answer_.picture->evaluation);
    return {figures.begin(), figures.end()};
}

bool OpenJob::differs() const {
    return changes_ != job::JobChanges() ||
           std::ranges::any_of(plans_, [](const auto& plan) { return plan != nullptr; });
}

QJsonObject OpenJob::state() const {
    QJsonObject state = pending_.isEmpty() ? ownState() : pending_;
    std::map<QString, QJsonObject> kept = kept_;
    // What is open stays until what is read takes its place.
    if (!pending_.isEmpty() && modified()) kept[file_] = ownState();
    kept.erase(state["file"].toString());
    QJsonArray others;
    for (const auto& [file, other] : kept) others.append(other);
    if (!others.isEmpty()) state["others"] = others;
    return state;
}

void OpenJob::followAgain(const QJsonObject& state) {
    last_stage_ = state["stage"].toInt(-1);
    for (const QJsonValue stage : state["followed"].toArray()) follow(stage.toInt(-1), unknown_tab);
    for (const QJsonValue file : state["measured"].toArray()) measured_again_.append(file.toString());
}

void OpenJob::restore(const QJsonObject& state) {
    for (const QJsonValue other : state["others"].toArray()) kept_[other["file"].toString()] = other.toObject();
    QJsonObject own = state;
    own.remove("others");
    // Until it has been read, and where it cannot be, this is what there is to keep.
    pending_ = own;
    read(own);
}

void OpenJob::read(const QJsonObject& state) {
    const QString file = state["file"].toString();
    if (file.isEmpty()) return;
    // What was not changed is read again as its file has it now.
    if (!state.contains("document")) return readFile(state);
    reading_.start([this, file, state](std::stop_token) -> LatestTask::Delivery {
        try {
            auto document = std::make_shared<const job::JobDocument>(
                job::read_job_text(state["document"].toString().toStdString(), QFile::encodeName(file).toStdString()));
            const StagePlans plans = plansFromJson(state["plans"].toArray());
            const QByteArray digest =
                state.contains("digest") ? state["digest"].toString().toLatin1() : fileDigest(file);
            const QString from = state.contains("readFrom") ? state["readFrom"].toString() : file;
            return [this, state, file, from, document, plans, digest, files = plansOfFiles(*document, from)] {
                setDocument(file, from, document, files);
                digest_ = digest;
                changes_ = jobChangesFromJson(state["changes"].toObject());
                for (std::size_t i = 0; i < std::min(plans.size(), plans_.size()); ++i)
                    if (!sameAs(plans[i], files[i])) plans_[i] = plans[i];
                goOnIn(state);
                followAgain(state);
                announce();
                emit changed();
            };
        } catch (const std::exception& error) {
            return [this, reason = reasonOf(error)] { emit failed(reason); };
        }
    });
}

}  // namespace overlap::ui
