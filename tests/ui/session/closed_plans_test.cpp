#include "ui/session/closed_plans.h"

#include <QtTest>
#include <stdexcept>

namespace overlap::ui {

class ClosedPlansTest : public QObject {
    Q_OBJECT

    static SessionVariant edited(int number) { return {QByteArray::number(number), {}, true}; }
    static SessionVariant saved(int number) {
        return {QByteArray::number(number), QStringLiteral("/plans/%1.plan.json").arg(number), false};
    }
    static QByteArrayList namesOf(const ClosedPlans& plans) {
        QByteArrayList names;
        for (const SessionVariant& plan : plans.all()) names.append(plan.plan);
        return names;
    }
    static ClosedPlans fullOf(SessionVariant (*make)(int)) {
        ClosedPlans plans;
        for (int number = 0; number < static_cast<int>(ClosedPlans::limit); ++number)
            plans.close(make(number), [](const QByteArray&) { return false; });
        return plans;
    }

  private slots:
    void theOneClosedLastComesBackFirst() {
        ClosedPlans plans;
        plans.add(edited(1));
        plans.add(edited(2));
        QByteArray opened;
        QString reason;
        QVERIFY(plans.reopen([&](const SessionVariant& plan) { opened = plan.plan; }, reason));
        QCOMPARE(opened, QByteArray("2"));
        QCOMPARE(namesOf(plans), QByteArrayList{"1"});
        QVERIFY(reason.isEmpty());
    }

    void onesThatCannotBeOpenedStay() {
        ClosedPlans plans;
        plans.replaceAll({edited(1), edited(2), edited(3)});
        QString reason;
        const auto openFirst = [](const SessionVariant& plan) {
            if (plan.plan != "1") throw std::runtime_error("no plan: " + plan.plan.toStdString());
        };
        QVERIFY(plans.reopen(openFirst, reason));
        QCOMPARE(namesOf(plans), (QByteArrayList{"2", "3"}));
        QVERIFY(!plans.reopen(openFirst, reason));
        QCOMPARE(reason, QStringLiteral("no plan: 3"));
        QCOMPARE(namesOf(plans), (QByteArrayList{"2", "3"}));
    }

    void withoutAnyThereIsNoReason() {
        ClosedPlans plans;
        QString reason = QStringLiteral("of before");
        QVERIFY(!plans.reopen([](const SessionVariant&) {}, reason));
        QVERIFY(reason.isEmpty());
    }

    void beyondTheLimitTheOldestInAFileGoes() {
        ClosedPlans plans = fullOf(saved);
        const QByteArrayList before = namesOf(plans);
        QCOMPARE(before.size(), static_cast<qsizetype>(ClosedPlans::limit));
        plans.close(edited(100), [](const QByteArray&) { return true; });
        QCOMPARE(namesOf(plans), before.mid(1) + QByteArrayList{"100"});
    }

    void editsGoIntoAFileOrStay() {
        ClosedPlans plans = fullOf(edited);
        const QByteArrayList before = namesOf(plans);
        QByteArray aside;
        const auto keep = [&](const QByteArray& plan) {
            aside = plan;
            return true;
        };
        plans.close(edited(100), keep);
        QCOMPARE(aside, QByteArray("0"));
        QCOMPARE(namesOf(plans), before.mid(1) + QByteArrayList{"100"});
        plans.close(edited(101), [](const QByteArray&) { return false; });
        QCOMPARE(namesOf(plans), before.mid(1) + (QByteArrayList{"100", "101"}));
    }
};

}  // namespace overlap::ui

QTEST_APPLESS_MAIN(overlap::ui::ClosedPlansTest)
#include "closed_plans_test.moc"
