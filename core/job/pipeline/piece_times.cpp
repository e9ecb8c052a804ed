#include <algorithm>

#include "core/job/pipeline/pipeline_step.h"

namespace overlap::job {

double PipelineStep::part_ms(const PiecePart& part, std::size_t of_class) const {
    const double ms = part.compute_ms * replicas->factor(of_class, part.stage) + part.fixed_ms;
    return part.routed ? ms * replicas->routed(of_class) : ms;
}

double PipelineStep::piece_ms(const Piece& piece, std::size_t of_class) const {
    double sum = 0, longest = 0;
    for (std::uint32_t i = piece.first_part; i < piece.first_part + piece.parts; ++i) {
        const double ms = part_ms(parts[i], of_class);
        sum += ms;
        longest = std::max(longest, ms);
    }
    if (piece.parts < 2 || overlap.kind == OverlapRule::Kind::sum) return sum;
    return overlap.kind == OverlapRule::Kind::longest ? longest : overlap.factor * sum;
}

double PipelineStep::piece_exposed_ms(const Piece& piece, std::size_t of_class) const {
    double sum = 0, longest = 0, of_longest = 0;
    for (std::uint32_t i = piece.first_part; i < piece.first_part + piece.parts; ++i) {
        sum += parts[i].fixed_ms;
        const double ms = part_ms(parts[i], of_class);
        if (ms > longest) longest = ms, of_longest = parts[i].fixed_ms;
    }
    if (piece.parts < 2 || overlap.kind == OverlapRule::Kind::sum) return sum;
    return overlap.kind == OverlapRule::Kind::longest ? of_longest : overlap.factor * sum;
}

double PipelineStep::piece_busy_ms(const Piece& piece, std::size_t of_class) const {
    if (piece.role != PieceRole::action) return 0;
    return std::max(0.0, piece_ms(piece, of_class) - piece_exposed_ms(piece, of_class));
}

}  // namespace overlap::job
