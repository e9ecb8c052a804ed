#pragma once

#include <QCoreApplication>
#include <QString>
#include <string_view>

#include "core/layout/arrangement.h"
#include "core/layout/box_tree.h"
#include "core/views/box_figures.h"

namespace overlap::ui {

/// Text of the core as Qt has it.
QString fromCore(std::string_view text);

/// Names and descriptions of boxes. Cheap to copy; what it refers to must live longer.
class BoxTexts {
    Q_DECLARE_TR_FUNCTIONS(BoxTexts)

  public:
    BoxTexts(const Graph& graph, const ModuleTree& modules, const BoxTree& tree, const std::vector<BoxFigures>& figures)
        : graph_(graph), modules_(modules), tree_(tree), figures_(figures) {}

    /// `layers.0` at the root, `attention` within it; `layers.1 … layers.30`; `mm` of an operation.
    QString title(BoxId box) const;
    /// Class of a module without its package, or empty.
    QString className(BoxId box) const;
    /// One line of figures: time, then what its collectives move, or shape and type of an operation's result.
    /// @param partly_selected of a pile, says so instead of how many are identical.
    QString figures(BoxId box, const QString& partly_selected = {}) const;
    /// What of a box is selected: `3 of 31 selected` of a pile, of other boxes that a part is.
    /// @param modules of the pile that are selected as a whole.
    QString partlySelected(BoxId box, std::uint32_t modules) const;
    /// How long a box is exposed; of a pile how many, and each on average.
    QString exposed(BoxId box, double ms) const;
    /// What a box holds at the peak of memory; of a pile how many, and each on average.
    QString held(BoxId box, double bytes) const;
    /// The box from the model down, for breadcrumbs and screen readers: `layers.0 › attention`.
    QString path(BoxId box) const;
    /// Everything known of a box, as rich text.
    /// @param placed the box as it is drawn. @param partly_selected empty, or what of it is selected, in lines.
    QString toolTip(const PlacedBox& placed, double exposed_ms, const QString& partly_selected = {}) const;
    /// What a screen reader says. @param partly_selected empty, or what of the box is selected.
    QString spoken(BoxId box, bool open, const QString& partly_selected = {}) const;
    /// Dotted paths of the modules that a box represents; empty for boxes that are no modules.
    QStringList modules(BoxId box) const;
    /// Name that stays the same when the graph is opened again, for the session.
    QString key(BoxId box) const;

    /// `3 tensors, 436 MiB`.
    static QString amount(const LevelEdge& edge);

  private:
    QString runTitle(const Box& box, BoxId id) const;
    QString operationFigures(const Box& box, const BoxFigures& figures) const;

    const Graph& graph_;
    const ModuleTree& modules_;
    const BoxTree& tree_;
    const std::vector<BoxFigures>& figures_;
};

/// Short names of operators: `mm` of `aten.mm.default`.
QString shortTarget(const QString& target);

}  // namespace overlap::ui
