#include "ui/job/job_controls.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QScopedValueRollback>
#include <algorithm>
#include <cmath>

#include "core/job/schedules/named_schedules.h"
#include "ui/theme/counted_text.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_box.h"
#include "ui/widgets/number_field.h"

namespace overlap::ui {
namespace {

constexpr std::int64_t usual_host = 8;
constexpr int usual_percent = 5, most_percent = 1000;
constexpr int percent_decimals = 6;
constexpr int most_microbatches = 100'000;
constexpr std::int64_t most_ranks = 1'000'000'000;  ///< where it is not known how many the job has
enum MergeKey { merge_microbatches = 1, merge_slow_number, merge_slow_percent };

QLabel* label(const QString& text, QWidget* buddy) {
    auto* made = new QLabel(text);
    made->setProperty("role", "dim");
    made->setBuddy(buddy);
    return made;
}

}  // namespace

JobControls::JobControls(OpenJob& job, QWidget* parent)
    : QWidget(parent),
      job_(job),
      schedule_(new ElidedBox),
      microbatches_(new NumberField),
      slow_(new ElidedBox),
      slow_number_(new NumberField),
      slow_percent_(new NumberField(percent_decimals)),
      routing_(new ElidedBox) {
    setObjectName("jobControls");
    schedule_->setAccessibleName(tr("Schedule"));
    schedule_->setToolTip(tr("The order in which each pipeline rank runs its forwards and backwards"));
    microbatches_->setRange(1, most_microbatches);
    microbatches_->setAccessibleName(tr("Microbatches"));
    microbatches_->setToolTip(tr("Microbatches of a step"));
    slow_->setAccessibleName(tr("Who is slow"));
    slow_->setToolTip(tr(
        "Whose compute takes longer. Ranks of other pipelines wait for it at the end of the step, for gradients, and "
        "not in collectives within a stage's graph"));
    slow_number_->setAccessibleName(tr("Number of the slow host or rank"));
    slow_percent_->setRange(-99, most_percent);
    slow_percent_->setValue(usual_percent);
    slow_percent_->setSuffix(tr(" %"));
    slow_percent_->setAccessibleName(tr("How much slower"));
    slow_percent_->setToolTip(tr("By how much longer its compute takes"));
    // In the order of TriedRouting.
    routing_->addItems({tr("As the job has them"), tr("Even"), tr("One rank twice")});
    routing_->setAccessibleName(tr("Tokens of experts"));
    routing_->setToolTip(
        tr("How tokens are spread over the ranks of experts: evenly, or one rank with twice what each "
           "other one has"));
    for (QComboBox* box : {schedule_, slow_, routing_}) {
        box->view()->setAccessibleName(box->accessibleName());
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
        box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }
    for (NumberField* box : {microbatches_, slow_number_, slow_percent_}) {
        connect(box, &NumberField::refused, this, &JobControls::refused);
        box->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        box->setMinimumWidth(64);
    }
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(6);
    layout->addWidget(label(tr("Schedule"), schedule_), 0, 0);
    layout->addWidget(schedule_, 0, 1, 1, 2);
    layout->addWidget(label(tr("Microbatches"), microbatches_), 1, 0);
    layout->addWidget(microbatches_, 1, 1, 1, 2);
    layout->addWidget(slow_, 2, 0);
    layout->addWidget(slow_number_, 2, 1);
    layout->addWidget(slow_percent_, 2, 2);
    layout->addWidget(label(tr("Tokens"), routing_), 3, 0);
    layout->addWidget(routing_, 3, 1, 1, 2);
    layout->setColumnStretch(1, 1);
    layout->setColumnStretch(2, 1);

    connect(schedule_, &QComboBox::activated, this, [this] { chooseSchedule(schedule_->currentData().toString()); });
    connect(microbatches_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        if (showing_) return;
        const auto count = static_cast<std::int32_t>(value);
        job::JobChanges changes = job_.changes();
        changes.microbatches = count;
        if (count == job_.document().schedule.microbatches) changes.microbatches.reset();
        job_.change(countedText(count, tr("%1 microbatch"), tr("%1 microbatches")), changes, merge_microbatches);
    });
    connect(slow_, &QComboBox::activated, this, &JobControls::changeSlow);
    connect(slow_number_, &QDoubleSpinBox::valueChanged, this, &JobControls::changeSlow);
    connect(slow_percent_, &QDoubleSpinBox::valueChanged, this, &JobControls::changeSlow);
    connect(routing_, &QComboBox::activated, this, &JobControls::changeRouting);
    connect(&job, &OpenJob::opened, this, [this] {
        ranks_.reset();
        fillSchedules();
        fillSlow();
        {
            // Another job's would be greyed beside "as the job has it", and taken by the next choice.
            const QScopedValueRollback guard(showing_, true);
            slow_number_->setValue(0);
            slow_percent_->setValue(usual_percent);
        }
        show();
    });
    connect(&job, &OpenJob::changed, this, &JobControls::show);
    connect(&job, &OpenJob::evaluated, this, &JobControls::show);
    fillSlow();
    setEnabled(false);
}

std::int64_t JobControls::hostSize() const {
    if (!job_.isOpen() || job_.document().topology.empty()) return usual_host;
    return std::max<std::int64_t>(1, job_.document().topology.front().ranks);
}

void JobControls::fillSchedules() {
    const QScopedValueRollback guard(showing_, true);
    schedule_->clear();
    if (!job_.hasStages()) return;
    const job::ScheduleSpec& own = job_.document().schedule;
    const bool listed = own.actions || !own.file.empty();
    schedule_->addItem(
        listed ? tr("The list given (as opened)") : tr("%1 (as opened)").arg(QString::fromStdString(own.name)),
        QString());
    for (const job::NamedSchedule& schedule : job::named_schedules()) {
        if (!listed && schedule.name == own.name) continue;
        const QString name = QString::fromUtf8(schedule.name.data(), static_cast<qsizetype>(schedule.name.size()));
        schedule_->addItem(name, name);
    }
}

bool JobControls::documentHasSlow() const {
    return job_.hasStages() && job_.document().variation && !job_.document().variation->slow.empty();
}

void JobControls::fillSlow() {
    const QScopedValueRollback guard(showing_, true);
    slow_->clear();
    const auto add = [this](const QString& text, Slow kind) { slow_->addItem(text, static_cast<int>(kind)); };
    if (documentHasSlow()) add(tr("As the job has it"), Slow::own);
    add(tr("Nobody slow"), Slow::nobody);
    add(tr("Slow host"), Slow::host);
    add(tr("Slow rank"), Slow::rank);
}

JobControls::Slow JobControls::chosenSlow() const {
    return static_cast<Slow>(slow_->currentData().toInt());
}

void JobControls::chooseSlow(Slow kind) {
    slow_->setCurrentIndex(slow_->findData(static_cast<int>(kind)));
}

void JobControls::show() {
    const QScopedValueRollback guard(showing_, true);
    setEnabled(job_.hasStages());
    if (!job_.hasStages()) return;
    const job::JobChanges& changes = job_.changes();
    schedule_->setCurrentIndex(std::max(0, schedule_->findData(QString::fromStdString(changes.schedule))));
    schedule_->setToolTip(schedule_->currentText());
    microbatches_->setValue(changes.microbatches.value_or(job_.document().schedule.microbatches));
    if (job_.figures()) ranks_ = job_.figures()->ranks;
    const std::int64_t host = hostSize();
    const bool is_host = changes.slow ? changes.slow->count == host && host > 1 : chosenSlow() != Slow::rank;
    // Also of a job that is refused: what it is refused for says nothing of its ranks.
    const std::int64_t last = std::max<std::int64_t>(0, ranks_.value_or(most_ranks) - 1);
    slow_number_->setMaximum(static_cast<double>(is_host ? last / host : last));
    if (changes.slow) {
        chooseSlow(is_host ? Slow::host : Slow::rank);
        slow_number_->setValue(static_cast<double>(is_host ? changes.slow->first / host : changes.slow->first));
        slow_percent_->setValue((changes.slow->factor - 1) * 100);
    } else {
        chooseSlow(documentHasSlow() && !changes.nobody_slow ? Slow::own : Slow::nobody);
    }
    routing_->setCurrentIndex(static_cast<int>(changes.routing));
    setAvailable(*routing_, job_.document().routing
                                ? QString()
                                : tr("The job has no routing: the document says no tokens of experts"));
    for (QWidget* box : {slow_number_, slow_percent_})
        setAvailable(*box, changes.slow ? QString() : tr("Choose a slow rank or host first"));
    if (changes.slow)
        slow_number_->setToolTip(is_host ? tr("Which host: %1 ranks each, numbered from 0").arg(host)
                                         : tr("Which rank"));
}

void JobControls::chooseSchedule(const QString& name) {
    job::JobChanges changes = job_.changes();
    changes.schedule = name.toStdString();
    const QString text = name.isEmpty() ? tr("the job's own schedule") : tr("schedule %1").arg(name);
    job_.change(tr("Use %1").arg(text), changes);
}

void JobControls::changeSlow() {
    if (showing_) return;
    job::JobChanges changes = job_.changes();
    const Slow kind = chosenSlow();
    changes.nobody_slow = kind == Slow::nobody && documentHasSlow();
    if (kind == Slow::own || kind == Slow::nobody) {
        changes.slow.reset();
        return job_.change(kind == Slow::own ? tr("Slow as the job has it") : tr("Nobody slow"), changes);
    }
    const bool is_host = kind == Slow::host;
    const std::int64_t size = is_host ? hostSize() : 1;
    // Of the other kind the number is of that: the first host or rank then.
    const bool same = changes.slow && (changes.slow->count == size);
    const std::int64_t number = same ? std::llround(slow_number_->value()) : 0;
    changes.slow = job::SlowRanks{number * size, size, (100 + slow_percent_->value()) / 100.0};
    const int merge = sender() == slow_number_    ? merge_slow_number
                      : sender() == slow_percent_ ? merge_slow_percent
                                                  : -1;
    job_.change((is_host ? tr("Slow host %1") : tr("Slow rank %1")).arg(number), changes, merge);
}

void JobControls::changeRouting() {
    job::JobChanges changes = job_.changes();
    changes.routing = static_cast<job::TriedRouting>(routing_->currentIndex());
    job_.change(tr("Tokens of experts: %1").arg(routing_->currentText()), changes);
}

}  // namespace overlap::ui
