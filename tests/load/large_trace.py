"""Writes a profiler's trace of any size: a real one over and over, each time later by its length.

    large_trace.py TRACE MEGABYTES OUT
"""

import gzip
import json
import sys

TIME_DIGITS = 9  # microseconds of one repetition: a quarter of an hour
PLACE = "@repetition@"


def repeatable(trace):
    """The events as text, in which PLACE stands for the leading digits of every time."""
    events = [event for event in trace["traceEvents"] if event.get("ph") != "M" and "ts" in event]
    first = min(float(event["ts"]) for event in events)
    texts = []
    for event in events:
        microseconds = float(event["ts"]) - first
        if microseconds >= 10 ** TIME_DIGITS:
            sys.exit("large_trace.py: the trace is too long to be repeated")
        text = json.dumps(event | {"ts": PLACE})
        texts.append(text.replace(f'"{PLACE}"', f"{PLACE}{microseconds:0{TIME_DIGITS + 4}.3f}"))
    return ",\n".join(texts)


def main():
    source, megabytes, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with gzip.open(source, "rt") as file:
        trace = json.load(file)
    text = repeatable(trace)
    header = {key: value for key, value in trace.items() if key != "traceEvents"}
    named = ",\n".join(json.dumps(event) for event in trace["traceEvents"] if event.get("ph") == "M")
    with open(out, "w") as file:
        file.write(json.dumps(header)[:-1] + ("," if header else "") + '"traceEvents": [\n' + named)
        written, repetition = 0, 0
        while written < megabytes << 20:
            repetition += 1
            file.write(",\n")
            written += file.write(text.replace(PLACE, str(repetition)))
        file.write("\n]}\n")


if __name__ == "__main__":
    main()
