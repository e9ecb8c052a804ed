#include "ui/shell/plan_tabs.h"

#include <QInputDialog>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/edits/plan_commands.h"
#include "ui/files/file_looks.h"
#include "ui/frame/actions.h"
#include "ui/frame/variant_bar.h"
#include "ui/measure/measurements.h"
#include "ui/plans/plans_panel.h"
#include "ui/session/kept_plans.h"
#include "ui/shell/session_controller.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {

PlanTabs::PlanTabs(Document& document, Measurements& measurements, SessionController& session, FileLooks& looks,
                   QWidget& window)
    : document_(document), measurements_(measurements), session_(session), looks_(looks), window_(window) {}

void PlanTabs::registerActions(Actions& actions) {
    const QString plan = tr("Plan");
    actions.add("plan.rename", plan, tr("&Rename plan…"), tr("Give the plan another name"), {},
                [this] { renamePlan(); });
    actions.add("plan.close", plan, tr("&Close plan"), tr("Close the plan, which can be reopened, or the measurement"),
                {QKeySequence::Close}, [this] { closeCurrent(); });
    reopen_ =
        actions.add("plan.reopen", plan, tr("Reopen c&losed plan"), tr("Bring back the plan that was closed last"),
                    {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)}, [this] { reopenPlan(); });
    updateReopen();
}

void PlanTabs::registerSteps(Actions& actions) {
    const QString plan = tr("Plan");
    actions.add("plan.next", plan, tr("Ne&xt plan"), tr("Show the next plan"),
                {QKeySequence(Qt::CTRL | Qt::Key_PageDown)}, [this] { step(1); });
    actions.add("plan.previous", plan, tr("Pre&vious plan"), tr("Show the previous plan"),
                {QKeySequence(Qt::CTRL | Qt::Key_PageUp)}, [this] { step(-1); });
}

void PlanTabs::follow(VariantBar& bar) {
    connect(&bar, &VariantBar::closeWanted, this, &PlanTabs::closePlan);
    connect(&bar, &VariantBar::renameWanted, this, &PlanTabs::renameAt);
    connect(&bar, &VariantBar::noteWanted, this, &PlanTabs::noteOn);
    connect(&bar, &VariantBar::colourWanted, this, &PlanTabs::setColour);
    connect(&bar, &VariantBar::closeMeasurementWanted, &measurements_, &Measurements::close);
}

void PlanTabs::follow(PlansPanel& table) {
    connect(&table, &PlansPanel::closeWanted, this, &PlanTabs::closePlan);
    connect(&table, &PlansPanel::renameWanted, this, &PlanTabs::renameAt);
    connect(&table, &PlansPanel::noteWanted, this, &PlanTabs::noteOn);
    connect(&table, &PlansPanel::colourWanted, this, &PlanTabs::setColour);
}

void PlanTabs::closePlan(int index) {
    if (index <= 0 || index >= document_.variantCount()) return;
    const QString title = document_.variant(index).title();
    SessionVariant closed = sessionVariant(document_.variant(index));
    closed.place = index;
    document_.closeVariant(index);
    session_.closedPlans().close(std::move(closed),
                                 [this](const QByteArray& plan) { return !session_.keepAside(plan).isEmpty(); });
    updateReopen();
    session_.schedule();
    emit told(tr("Closed %1; Plan ▸ Reopen closed plan brings it back").arg(title));
}

void PlanTabs::closeCurrent() {
    if (const int measured = measurements_.currentIndex(); measured >= 0) return measurements_.close(measured);
    closePlan(document_.currentIndex());
}

void PlanTabs::reopenPlan() {
    if (!document_.isOpen() || session_.closedPlans().empty() || reading_) return;
    const SessionVariant last = session_.closedPlans().all().back();
    const QString graph = document_.loaded().path;
    reading_ = histories_.beginOne(last, graph, session_.folder(), [this, last, graph] {
        reading_ = false;
        // Where another graph is open by now, or the plan is gone, it is where it was.
        if (document_.isOpen() && document_.loaded().path == graph && session_.closedPlans().putLast(last.plan))
            reopenPlanNow();
        histories_.clear();
        updateReopen();
    });
    if (!reading_) return reopenPlanNow();
    updateReopen();
}

void PlanTabs::reopenPlanNow() {
    if (!document_.isOpen()) return;
    QString reason;
    QStringList sentences, titles;
    const auto reopen = [&](const SessionVariant& closed) {
        sentences.clear();
        titles.clear();
        const std::vector<SessionVariant> open = sessionDocument(document_, sessionVariantOutline).variants;
        int place = closed.place > 0 ? closed.place : document_.variantCount();
        for (const RestoredVariant& restored :
             restoreKeptPlan(closed, document_.loaded(), looks_, open, sentences, session_.folder(), &histories_)) {
            titles.append(document_.addRestored(restored).title());
            document_.moveVariant(document_.currentIndex(), std::min(place++, document_.variantCount() - 1));
        }
    };
    if (!session_.closedPlans().reopen(reopen, reason)) {
        if (!reason.isEmpty()) emit warned(reason);
        return;
    }
    emit told(tr("Reopened %1").arg(titles.join(QStringLiteral(", "))));
    if (!sentences.isEmpty()) emit warned(sentences.join(QStringLiteral("; ")));
    updateReopen();
    session_.schedule();
}

void PlanTabs::updateReopen() {
    setAvailable(*reopen_, reading_                         ? tr("What can be undone in the closed plan is being read")
                           : session_.closedPlans().empty() ? tr("No plan of this graph was closed")
                                                            : QString());
}

void PlanTabs::renameAt(int index) {
    document_.setCurrentIndex(index);
    renamePlan();
}

void PlanTabs::renamePlan() {
    if (!document_.editable()) return;
    bool accepted = false;
    const QString name = QInputDialog::getText(&window_, tr("Rename plan"), tr("Name"), QLineEdit::Normal,
                                               document_.current()->title(), &accepted);
    if (accepted) document_.renameCurrent(name);
}

void PlanTabs::noteOn(int variant) {
    bool accepted = false;
    const QString present = QString::fromStdString(document_.variant(variant).plan().notes);
    const QString note =
        QInputDialog::getMultiLineText(&window_, tr("Note on the plan"), tr("Note"), present, &accepted);
    if (accepted) PlanCommands(document_).setNote(variant, note);
}

void PlanTabs::setColour(int variant, PlanColour colour) {
    PlanCommands(document_).setColour(variant, colour);
}

void PlanTabs::step(int by) {
    const int variants = document_.variantCount();
    const int measured = measurements_.currentIndex();
    const int wanted = (measured < 0 ? document_.currentIndex() : variants + measured) + by;
    if (wanted >= variants) return measurements_.setCurrentIndex(wanted - variants);
    if (wanted < 0) return;
    measurements_.setCurrentIndex(-1);
    document_.setCurrentIndex(wanted);
}

}  // namespace overlap::ui
