// answer_probe trace|graph FILE: opens a file in the real window, and cancels it at several moments. Prints one JSON
// object, in milliseconds: how long opening takes, until all views show it; the longest that the window's thread had no
// time for the person meanwhile; and the longest from asking to cancel until the window is ready for the next file.

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>
#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string_view>

#include "ui/measure/measurements.h"
#include "ui/shell/main_window.h"
#include "ui/shell/times_controller.h"

namespace {

using namespace overlap::ui;

constexpr std::array cancel_moments_ms{50.0, 200.0, 500.0, 1000.0, 2000.0, 4000.0};
constexpr double forever_ms = 1e9;
constexpr double pause_ms = 2000;  ///< until a reader that was stopped has given its memory back

/// What opens files of a kind.
struct Opener {
    std::function<void()> open, cancel;
    std::function<bool()> is_reading;  ///< which can be cancelled
    std::function<bool()> is_busy;     ///< until every view shows it
};

double ms_of(const QElapsedTimer& clock) {
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

/// Notices when the event loop had no time.
class Watch {
  public:
    Watch() {
        last_.start();
        QObject::connect(&timer_, &QTimer::timeout, [this] {
            longest_ms_ = std::max(longest_ms_, ms_of(last_));
            last_.restart();
        });
        timer_.start(1);
    }
    double longest_ms() const { return longest_ms_; }

  private:
    QTimer timer_;
    QElapsedTimer last_;
    double longest_ms_ = 0;
};

/// Answers events for some time, or until there is nothing to wait for.
void wait(
    double ms, const std::function<bool()>& is_waiting = [] { return true; }) {
    QElapsedTimer clock;
    clock.start();
    while (is_waiting() && ms_of(clock) < ms) QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

void measure(const Opener& opener) {
    const Watch watch;
    QElapsedTimer clock;
    double slowest_cancel_ms = 0;
    // Before the file is open for the first time: two of the largest at once are more than the limit of memory allows.
    for (const double moment_ms : cancel_moments_ms) {
        opener.open();
        wait(moment_ms, opener.is_reading);
        clock.start();
        opener.cancel();
        wait(forever_ms, opener.is_reading);
        slowest_cancel_ms = std::max(slowest_cancel_ms, ms_of(clock));
        wait(pause_ms);
    }
    clock.start();
    opener.open();
    wait(forever_ms, opener.is_busy);
    std::printf("{\"open_ms\": %.1f, \"longest_without_answer_ms\": %.1f, \"slowest_cancel_ms\": %.1f}\n", ms_of(clock),
                watch.longest_ms(), slowest_cancel_ms);
}

[[noreturn]] void fail(const QString& reason) {
    std::cerr << "answer_probe: " << reason.toStdString() << '\n';
    std::exit(1);
}

}  // namespace

int main(int argument_count, char** arguments) {
    QApplication application(argument_count, arguments);
    const std::string_view kind = argument_count == 3 ? arguments[1] : "";
    if (kind != "trace" && kind != "graph") {
        std::cerr << "usage: answer_probe trace|graph FILE\n";
        return 2;
    }
    const QString file = QString::fromLocal8Bit(arguments[2]);
    MainWindow window;
    window.resize(1600, 1000);
    window.show();
    const auto is_busy = [&] { return !window.idle(); };
    Measurements& traces = window.times().measurements();
    GraphLoader& graphs = window.document().loader();
    QObject::connect(&traces, &Measurements::failed, fail);
    QObject::connect(&graphs, &GraphLoader::failed, [](const QString&, const QString& reason) { fail(reason); });
    if (kind == "trace") {
        window.openSessionOrSample();  // what a trace lies over
        wait(forever_ms, is_busy);
        measure({[&] {
                     while (traces.count() > 0) traces.close(0);  // one that is open is not read again
                     window.openFiles({file});
                 },
                 [&] { traces.cancel(); }, [&] { return traces.busy(); }, is_busy});
    } else {
        measure({[&] { window.openFiles({file}); }, [&] { graphs.cancel(); }, [&] { return graphs.busy(); }, is_busy});
    }
    return 0;
}
