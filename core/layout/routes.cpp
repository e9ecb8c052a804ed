#include "core/layout/routes.h"

#include <algorithm>
#include <cmath>

namespace overlap {

std::vector<LayoutPoint> route_beside(const LayoutRect& from, const LayoutRect& to, double box_gap) {
    const bool right = from.centre().x <= to.centre().x;
    const bool apart = right ? from.right() <= to.x : to.right() <= from.x;
    const double reach = std::min(port_gap, std::min(from.height, to.height) / 2);
    const LayoutPoint start{right ? from.right() : from.x, from.y + reach};
    // Boxes one above the other: out and back in on the same side.
    const LayoutPoint end{apart == right ? to.x : to.right(), to.y + reach};
    const double bow = apart ? std::abs(end.x - start.x) / 2 : box_gap * 1.5;
    const double out = right ? bow : -bow;
    return {start, {start.x + out, start.y}, {apart ? end.x - out : end.x + out, end.y}, end};
}

}  // namespace overlap
