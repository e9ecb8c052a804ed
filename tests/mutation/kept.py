"""What is kept below the build folder between the steps, and from one run to the next: the sample, and what became of it."""

import dataclasses
import hashlib
import json

from change import Change


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A change of the source `path`. `source_line` is the line in which it begins; `digest` is of the whole source."""

    path: str
    change: Change
    source_line: str
    digest: str

    def key(self):
        """What the change has in common with itself in another sample, as long as its source is the same."""
        change = self.change
        text = f"{self.path}\t{self.digest}\t{change.begin}\t{change.end}\t{change.kind}\t{change.after}"
        return hashlib.sha256(text.encode()).hexdigest()[:24]


class Work:
    """The files of a sample, below the build folder."""

    def __init__(self, build):
        self.folder = build / "mutants"
        self.sources = build / "sources"
        self.mutants_file = self.folder / "mutants.json"
        self.results_file = self.folder / "results.json"
        self.folder.mkdir(parents=True, exist_ok=True)

    def write_mutants(self, root, numbered):
        """`numbered` are pairs of a path and its change, by number."""
        texts = {path: (root / path).read_bytes() for path, _ in numbered}
        rows = [[path, dataclasses.astuple(change), change.source_line(texts[path]), hashlib.sha256(texts[path]).hexdigest()]
                for path, change in numbered]
        self.mutants_file.write_text(json.dumps(rows, indent=0), encoding="utf-8")

    def read_mutants(self):
        rows = json.loads(self.mutants_file.read_text(encoding="utf-8"))
        return [Mutant(path, Change(*fields), line, digest) for path, fields, line, digest in rows]

    def read_results(self):
        """{key: [by, ran_out, tests, processor_s]} of all changes that were tried, of this sample and of others."""
        if not self.results_file.exists():
            return {}
        return json.loads(self.results_file.read_text(encoding="utf-8"))

    def write_results(self, results):
        self.results_file.write_text(json.dumps(results, indent=0), encoding="utf-8")
