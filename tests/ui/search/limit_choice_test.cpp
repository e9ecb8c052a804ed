#include <QComboBox>

#include "tests/ui/search/searched_panel.h"

namespace overlap::ui {

/// What of the limits of a search can be chosen.
class LimitChoiceTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void whatIsNotKnownIsNotOffered() {
        const QModelIndex device =
            panel_->controls().limit()->model()->index(static_cast<int>(SearchControls::Limit::device), 0);
        for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{80} << 30, std::int64_t{0}}) {
            setDeviceMemory(bytes);
            QCOMPARE(device.flags().testFlag(Qt::ItemIsEnabled), bytes > 0);
            const QString help = device.data(Qt::ToolTipRole).toString();
            QCOMPARE(help.contains(QStringLiteral("does not say what the device holds")), bytes == 0);
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::LimitChoiceTest)
#include "limit_choice_test.moc"
