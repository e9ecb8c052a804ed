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
    if (apart) {
        const double middle = (start.x + end.x) / 2;
        return {start, {middle, start.y}, {middle, end.y}, end};
    }
    // Past the wider of the two, whose corner would be in the way.
    const double bow = box_gap * 1.5;
    const double side = right ? std::max(start.x, end.x) + bow : std::min(start.x, end.x) - bow;
    return {start, {side, start.y}, {side, end.y}, end};
}

}  // namespace overlap
