"""What figures of plans say, and what speaks against them. Part of gpu_figures.py; standard library only."""
# What a prediction of a plan that the model was not fitted to may be off.
STEP_BOUND, EXPOSED_BOUND = 0.05, 0.10


def relative(predicted, measured):
    """None where nothing was measured, which is no error of 0."""
    return (predicted - measured) / measured if measured else None


def percent(error):
    return "not measured" if error is None else f"{error:+.1%}"


def reasons_against(plan, fitted):
    """What speaks against a plan's figures, the fitted one's errors excepted, which prove nothing."""
    unnamed = plan["measured"]["activities_without_node"]
    if unnamed:
        yield f"{unnamed} recorded kernels belong to no node"
    for kind, bound in (("step", STEP_BOUND), ("exposed", EXPOSED_BOUND)):
        error = plan[f"{kind}_error"]
        if error is None:
            yield f"no {kind} time was measured"
        elif abs(error) > bound and not fitted:
            yield f"the {kind} time is predicted {percent(error)} off, allowed are {bound:.0%}"


def tell(figures):
    tell_plans(figures)
    order = figures["order"]
    print("order of plans: measured " + ", ".join(order["measured"]) + "; predicted " +
          ", ".join(order["predicted"]) + ("; preserved" if order["preserved"] else "; NOT preserved"))
    for left, right in order["alike"]:
        print(f"{left} is the faster in one round and {right} in the other, so these two have no order")
    for reason in figures["reasons"]:
        print(f"NOT within bounds: {reason}")
    if figures["within_bounds"]:
        print("within bounds")


def have_order(left, right):
    """Whether the same of two plans was the faster in each round."""
    shorter = {mine < other for mine, other in zip(left["measured"]["rounds_ms"], right["measured"]["rounds_ms"])}
    return len(shorter) == 1


def copies_text(plan):
    measured, predicted = plan["measured"], plan["predicted"]
    if not measured["host_bytes"]:
        return ""
    rate = measured["host_link_bytes_per_s"]
    return (f"; {measured['host_bytes'] / 2**30:.1f} GiB on the host" +
            (f" by {rate / 1e9:.1f} GB/s" if rate else "") +
            f", exposed copies measured {measured['transfer_exposed_ms']:.3f} ms, predicted "
            f"{predicted['transfer_exposed_ms']:.3f} ms")


def tell_plans(figures):
    for name, plan in figures["plans"].items():
        fitted = " (fitted to)" if name == figures["fitted_to"] else ""
        print(f"{name}{fitted}: step measured {plan['measured']['step_ms']:.3f} ms, predicted "
              f"{plan['predicted']['step_ms']:.3f} ms ({percent(plan['step_error'])}), before calibration "
              f"{plan['before_calibration']['step_ms']:.3f} ms; exposed measured "
              f"{plan['measured']['exposed_ms']:.3f} ms, predicted {plan['predicted']['exposed_ms']:.3f} ms "
              f"({percent(plan['exposed_error'])})" + copies_text(plan))
    for row in figures["calibration"]["rows"]:
        print(f"{row['kind']} {row['name']}: {row['samples']} samples, median error "
              f"{row['relative_error_before']['median']:.1%} before, "
              f"{row['relative_error_after']['median']:.1%} after")
