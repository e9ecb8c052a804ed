#!/usr/bin/env python3
"""Check that the links of all Markdown pages lead to files that are there, and to headings that they have.

    check_links.py ROOT

Links to other machines are not followed. Printed is one line for each link that leads nowhere; exit status 1 then.
"""
import argparse
import os
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.M)


def pages(root):
    for folder, folders, names in os.walk(root):
        # What a build makes has other places for its pictures until it is installed.
        folders[:] = sorted(name for name in folders if not name.startswith(("build", ".git")))
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".md"))


def anchor_of(heading):
    """As Git hosts make it: lower case, words joined by hyphens, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def text_of(page):
    with open(page, encoding="utf-8") as file:
        return file.read()


def broken_links(page):
    for link in LINK.findall(text_of(page)):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = os.path.join(os.path.dirname(page), path) if path else page
        if not os.path.exists(target):
            yield f"{page}: there is no {path}"
        elif anchor and target.endswith(".md") and anchor not in map(anchor_of, HEADING.findall(text_of(target))):
            yield f"{page}: {path or 'the page'} has no heading #{anchor}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root")
    found, count = [], 0
    for page in pages(parser.parse_args().root):
        count += 1
        found += broken_links(page)
    print("\n".join(found + [f"{count} pages: {len(found)} links lead nowhere"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
