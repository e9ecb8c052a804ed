#pragma once

#include <QColor>
#include <QCoreApplication>
#include <QList>
#include <QString>
#include <bitset>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/graph/module_tree.h"
#include "core/layout/box_tree.h"
#include "core/views/box_figures.h"

namespace overlap::ui {

class Document;
struct Theme;

/// What the stripe of a box shows.
enum class BoxColouring { bucket, exposed, memory, kind, dtype, stage };

/// All of them, in the order in which they are offered.
const QList<BoxColouring>& boxColourings();
/// Stable name for the session: `bucket`, `exposed`, `memory`, `kind`, `dtype`, `stage`.
QString nameOf(BoxColouring colouring);
/// The displayed name: `bucket`, `exposed time`, …
QString titleOf(BoxColouring colouring);

/// What occurs among boxes: the meanings that a legend explains.
struct OccurringFigures {
    explicit OccurringFigures(std::span<const BoxFigures> figures);

    std::bitset<operation_kind_count> kinds;
    std::bitset<stage_count> stages;
    std::vector<Dtype> dtypes;  ///< those of most boxes first
};

/// Which buckets boxes are in, how long they are exposed and what they hold at the peak of memory; renewed with plan
/// and evaluation. To renew takes time that grows with the buckets and the modules, not with the boxes; amounts of
/// boxes are computed on request.
class BoxColours {
    Q_DECLARE_TR_FUNCTIONS(BoxColours)

  public:
    /// One part of a stripe; they follow each other from above. Of its share of the height it fills `filled` from
    /// below.
    struct Part {
        QColor colour;
        bool hatched = false;
        double filled = 1;
        double share = 1;
    };
    struct Key {
        Part part;
        QString meaning;
    };

    /// The boxes to colour; what is referred to stays alive until there are others.
    void setBoxes(const BoxTree& tree, const std::vector<BoxFigures>& figures, const OccurringFigures& occurring);
    /// Looks at the document's plan and evaluation again.
    void update(const Document& document);

    /// Parts of a box's stripe; empty where there is nothing to show. Buckets have the shares of the box's nodes that
    /// are in them: what the parts leave below them is in no bucket.
    QList<Part> stripe(BoxId box, BoxColouring colouring, const Theme& theme) const;
    /// What the colours that occur mean; empty for buckets, which cards explain.
    QList<Key> legend(BoxColouring colouring, const Theme& theme) const;
    double exposedMs(BoxId box) const;
    /// Held at the peak of memory.
    double peakBytes(BoxId box) const;
    /// Indices of the buckets that a box's nodes are in, in order, at most `most_buckets`.
    std::vector<int> buckets(BoxId box) const;

    static constexpr std::size_t most_buckets = 6;

  private:
    /// What of a box is in buckets.
    struct Inside {
        std::map<int, std::uint32_t> nodes_of;  ///< by bucket, of the first `most_buckets`
        std::uint32_t nodes = 0;                ///< in any bucket

        void add(const Inside& more);
    };

    void updateBuckets(const ModuleTree& modules, const std::vector<BucketEntry>& buckets);
    /// Whether a box can hold modules of buckets without being in one.
    bool isAround(BoxId box) const;
    QList<Part> bucketParts(BoxId box, const Theme& theme) const;
    /// The bucket that the whole of a box is in, or -1.
    int ownBucket(BoxId box) const;
    /// An amount of each box, of all boxes at once, on the first request.
    struct Amounts {
        std::vector<double> of_box;
        double largest = 0;  ///< of one box of the outermost level
    };
    using Compute = std::vector<double> (*)(const Evaluation&, const BoxTree&);

    void forgetAmounts();
    const Amounts& workedOut(Amounts& amounts, Compute compute) const;
    const Amounts& exposed() const;
    const Amounts& peak() const;
    /// Of a pile of identical boxes, what one of them has on average.
    double ofOne(BoxId box, const Amounts& amounts) const;
    /// A part as high as its share of the largest; none for 0.
    QList<Part> amountPart(BoxId box, const Amounts& amounts, Part part) const;

    const BoxTree* tree_ = nullptr;
    const std::vector<BoxFigures>* figures_ = nullptr;
    const OccurringFigures* occurring_ = nullptr;
    std::vector<std::int32_t> bucket_of_module_;        ///< or -1; empty without buckets
    std::vector<std::uint32_t> hues_;                   ///< of buckets
    std::unordered_map<BoxId, Inside> buckets_inside_;  ///< of boxes that are in no bucket themselves
    std::shared_ptr<const Evaluation> evaluation_;      ///< that amounts are of
    mutable Amounts exposed_ms_, peak_bytes_;
};

}  // namespace overlap::ui
