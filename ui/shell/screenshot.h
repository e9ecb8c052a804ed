#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

namespace overlap::ui {

struct ScreenshotOptions {
    QString output;  ///< its name ends in the format: `.png` or another that Qt writes
    QSize size{1600, 1000};
    /// One of screenshotViews().
    QString view = QStringLiteral("window");
    QString theme = QStringLiteral("dark");
    QString select;  ///< `module:PATH`, `modules:PATH,PATH`, `bucket:N`, `node:NAME`, `group:NAME`, as the inspector's
                     ///< links; `step:N` from 1; `compare`: both steps of Compare in the timeline
    /// By how many milliseconds the most exposed collective is dragged and held, earlier where it is negative; nothing:
    /// it is not dragged. The timeline shows its surroundings.
    std::optional<double> drag_ms;
    double zoom = 1;  ///< share of the step that the timeline shows, from its middle
};

/// The parts of the window that can be in a picture, as a list in a sentence: `window, modules, … or toolbar`.
QString screenshotViews();

/// Opens the files, waits for their evaluation and writes the window as a picture. Needs a QApplication.
/// @returns the program's exit status: 0 done, 1 a file could not be opened or written (reported on stderr), 2 wrong
/// options.
int renderScreenshot(const QStringList& files, const ScreenshotOptions& options);

}  // namespace overlap::ui
