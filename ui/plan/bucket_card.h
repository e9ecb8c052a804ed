#pragma once

#include <QRect>
#include <QString>
#include <QStringList>
#include <vector>

#include "ui/plan/bucket_model.h"

namespace overlap::ui {

/// Where the parts of a card are. One computation serves painting, hit-testing and the height of a row.
struct CardGeometry {
    QRect card;
    QRect mark;  ///< the bucket's hue
    QRect title;
    QRect figures;
    QString figures_text;  ///< all of them, or what there is room for
    QRect bar;             ///< exposed share
    struct ChipPlace {
        QRect area;
        int chip = -1;  ///< index of the chip; -1 for the one that represents the rest
        QString label;
    };
    std::vector<ChipPlace> chips;
    QRect preview;   ///< empty unless there is a text for it
    int height = 0;  ///< of the whole row

    /// The chip at `position`, or -1.
    int chipAt(const QPoint& position) const;
};

/// The first line of a card.
struct CardHeading {
    QString title;
    QStringList figures;  ///< the longest first; shown are the first that cut no title, or the last
};

/// @param row the row's rectangle; its height does not matter.
/// @param all_chips wraps chips over as many lines as they need instead of leaving the rest out.
/// @param preview what a drop would do, as long as it can be; it takes as many lines as it needs.
CardGeometry layOutCard(const QRect& row, const CardHeading& heading, const std::vector<BucketChip>& chips,
                        bool all_chips, const QString& preview);

}  // namespace overlap::ui
