#pragma once

#include <QColor>
#include <QCoreApplication>
#include <QList>
#include <QString>
#include <vector>

#include "core/layout/box_tree.h"
#include "core/plan/box_figures.h"

namespace overlap::ui {

class Document;
struct Theme;

/// What the stripe of a box tells.
enum class BoxColouring { bucket, exposed, kind, dtype, stage };

/// All of them, in the order in which they are offered.
const QList<BoxColouring>& boxColourings();
/// Stable name for the session: `bucket`, `exposed`, `kind`, `dtype`, `stage`.
QString nameOf(BoxColouring colouring);
/// What people read: `bucket`, `exposed time`, …
QString titleOf(BoxColouring colouring);

/// Which buckets boxes are in and how long they are exposed; renewed with plan and evaluation.
class BoxColours {
    Q_DECLARE_TR_FUNCTIONS(BoxColours)

  public:
    /// One part of a stripe, in equal shares from above. Of its share it fills `filled` from below.
    struct Part {
        QColor colour;
        bool hatched = false;
        double filled = 1;
    };
    struct Key {
        Part part;
        QString meaning;
    };

    void setFigures(const BoxTree& tree, const std::vector<BoxFigures>& figures);
    /// Looks at the document's plan and evaluation again.
    void update(const Document& document, const BoxTree& tree);

    /// Parts of a box's stripe; empty where there is nothing to tell.
    QList<Part> stripe(BoxId box, BoxColouring colouring, const Theme& theme) const;
    /// What the colours that occur mean; empty for buckets, which cards explain.
    QList<Key> legend(BoxColouring colouring, const Theme& theme) const;
    double exposedMs(BoxId box) const { return exposed_ms_.empty() ? 0 : exposed_ms_[box]; }
    /// Indices of the buckets that a box's nodes are in, in order, at most `most_buckets`.
    const std::vector<int>& buckets(BoxId box) const;

    static constexpr std::size_t most_buckets = 6;

  private:
    const BoxTree* tree_ = nullptr;
    const std::vector<BoxFigures>* figures_ = nullptr;
    std::vector<std::vector<int>> buckets_;
    std::vector<double> exposed_ms_;
    double longest_exposed_ms_ = 0;
    std::vector<Dtype> dtypes_;  ///< that occur, by the number of boxes
};

}  // namespace overlap::ui
