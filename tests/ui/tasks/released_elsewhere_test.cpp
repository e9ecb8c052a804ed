#include "ui/tasks/released_elsewhere.h"

#include <QtTest>
#include <future>
#include <thread>

namespace overlap::ui {

class ReleasedElsewhereTest : public QObject {
    Q_OBJECT

    /// Tells which thread it goes on.
    struct Value {
        std::promise<std::thread::id> gone;
        ~Value() { gone.set_value(std::this_thread::get_id()); }
    };

  private slots:
    void theLastOwnerDoesNotGiveTheMemoryBack() {
        auto value = std::make_shared<Value>();
        Value* const before = value.get();
        std::future<std::thread::id> gone = value->gone.get_future();
        auto released = releasedElsewhere(std::move(value));
        QCOMPARE(released.get(), before);
        auto other = released;
        released.reset();
        QCOMPARE(gone.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
        other.reset();
        QVERIFY(gone.get() != std::this_thread::get_id());
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::ReleasedElsewhereTest)
#include "released_elsewhere_test.moc"
