#include "ui/run/run_report.h"

#include <QCoreApplication>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

QString text(const char* english) {
    return QCoreApplication::translate("RunReport", english);
}

/// Of a table whose first column names what the others show.
class Table {
  public:
    void add(const QString& name, const QString& value, const QString& remark = {}) {
        html_ += QStringLiteral("<tr><td style='padding-right:16px;color:%1'>%2</td><td>%3")
                     .arg(currentTheme().dim.name(), shownName(name).toHtmlEscaped(), shownName(value).toHtmlEscaped());
        if (!remark.isEmpty())
            html_ += QStringLiteral(" <span style='color:%1'>%2</span>")
                         .arg(currentTheme().dim.name(), shownName(remark).toHtmlEscaped());
        html_ += QStringLiteral("</td></tr>");
    }
    QString html() const { return QStringLiteral("<table cellspacing='0' cellpadding='2'>%1</table>").arg(html_); }

  private:
    QString html_;
};

QString ranksText(const QStringList& machines) {
    QStringList different = machines;
    different.removeDuplicates();
    const QString where = different.size() == 1
                              ? different.front()
                              : text("%1 machines: %2").arg(different.size()).arg(different.join(QStringLiteral(", ")));
    return machines.size() == 1 ? text("1 rank on %1").arg(where)
                                : text("%1 ranks on %2").arg(machines.size()).arg(where);
}

QString difference(double measured, double predicted) {
    if (predicted <= 0) return {};
    const double ms = measured - predicted;
    return text("measured; predicted %1 (%2, %3)")
        .arg(formatTime(predicted), formatDifference(ms, Unit::Time), formatDifference(ms / predicted, Unit::Percent));
}

QString compiledText(const ShownStep& shown) {
    return QString::fromStdString(std::string(compiled_scope_text(*shown.compiled)));
}

/// Whether the window's figures are of other kernels than those that ran.
bool areOfOtherKernels(const ShownStep& shown, const RunResult& result) {
    return shown.compiled && *shown.compiled != result.compiled;
}

/// The window's figure, and in the same sentence why the runner predicts another one.
void addPredicted(const QString& name, double shown_ms, double runner_ms, const ShownStep& shown,
                  const RunResult& result, Table& table) {
    const QString predicted =
        shown.separate_links ? text("predicted, with a link of its own for each process group") : text("predicted");
    if (shown_ms <= 0 || formatTime(shown_ms) == formatTime(runner_ms))
        return table.add(name, formatTime(runner_ms), text("%1; a dry check measures nothing").arg(predicted));
    const QString why =
        areOfOtherKernels(shown, result)
            ? text("which starts each operator by itself, where the job compiles %1").arg(compiledText(shown))
            : text("which has the graph's own times, where the window has others");
    table.add(name, formatTime(shown_ms),
              text("%1, as in the window; %2 for the runner, %3; a dry check measures nothing")
                  .arg(predicted, formatTime(runner_ms), why));
}

void addTimes(const RunResult& result, const ShownStep& shown, Table& table) {
    if (result.dry) {
        addPredicted(text("Step"), shown.step_ms, result.predicted_step_ms, shown, result, table);
        addPredicted(text("Exposed"), shown.exposed_ms, result.predicted_exposed_ms, shown, result, table);
        return;
    }
    table.add(text("Device"), result.device);
    table.add(text("Step"), formatTime(result.step_ms), difference(result.step_ms, result.predicted_step_ms));
    table.add(text("Spread"), text("%1 to %2").arg(formatTime(result.fastest_ms), formatTime(result.slowest_ms)),
              text("of %1 steps").arg(formatCount(result.iterations)));
    if (result.exposed_ms) {
        table.add(text("Exposed"), formatTime(*result.exposed_ms),
                  difference(*result.exposed_ms, result.predicted_exposed_ms));
    } else {
        table.add(text("Exposed"), text("not measured"), text("kernels were not recorded"));
    }
    table.add(text("Memory taken"), formatBytes(static_cast<double>(result.peak_memory_bytes)));
}

void addSums(const std::vector<DifferenceSum>& sums, Table& table) {
    for (const DifferenceSum& sum : sums) {
        const QString name = QString::fromStdString(sum.name);
        table.add(sum.is_group ? text("Collectives of %1").arg(name) : QString(name).replace(u'_', u' '),
                  text("%1 in %2 nodes").arg(formatTime(sum.measured_ms), formatCount(sum.nodes)),
                  difference(sum.measured_ms, sum.predicted_ms));
    }
}

void addGroups(const RunResult& result, Table& table) {
    for (const GroupRun& group : result.groups) {
        const QString how = group.real ? text("NCCL") : text("emulated");
        table.add(text("Group %1").arg(group.name),
                  text("%1 collectives of %2, %3")
                      .arg(formatCount(group.collectives), formatBytes(static_cast<double>(group.bytes)), how),
                  group.because);
    }
}

}  // namespace

QString runReport(const RunResult& result, const std::vector<DifferenceSum>& sums, const ShownStep& shown) {
    Table table;
    table.add(text("Ran as"), ranksText(result.machines), result.dry ? text("everything but the kernels") : QString());
    addTimes(result, shown, table);
    if (areOfOtherKernels(shown, result) && !result.dry)
        table.add(text("Predicted for"), text("operators that start one by one, as the runner starts them"),
                  text("figures of the window are of a job that compiles %1").arg(compiledText(shown)));
    addSums(sums, table);
    const QString peak =
        result.live_peak_node.isEmpty()
            ? QString()
            : text("of which %1 is held at %2")
                  .arg(formatBytes(static_cast<double>(result.live_peak_bytes)), result.live_peak_node);
    table.add(text("Memory plan"), text("pool of %1").arg(formatBytes(static_cast<double>(result.pool_bytes))), peak);
    table.add({}, {},
              text("gaps between buffers are lost; the window's peak has none, nor kernels that a compiled job fuses"));
    addGroups(result, table);
    const QString agreement =
        result.machines.size() > 1 ? text("all ranks issue the same %1 commands") : text("%1 commands");
    table.add(text("Order"), result.order_digest, agreement.arg(formatCount(result.commands)));
    return table.html();
}

QString runSentence(const RunResult& result) {
    if (result.dry)
        return text("Dry check done: %1, a pool of %2")
            .arg(ranksText(result.machines), formatBytes(static_cast<double>(result.pool_bytes)));
    return text("Run done: a step takes %1, predicted %2")
        .arg(formatTime(result.step_ms), formatTime(result.predicted_step_ms));
}

}  // namespace overlap::ui
