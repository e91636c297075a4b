"""The house: who may import whom, what importing costs, what is public."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import assistant
import records
from records.errors import ErrsageError

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("records", "index", "assistant", "ui")
FRAMEWORKS = {"gradio", "uvicorn", "starlette", "fastapi", "typer", "rich"}
HEAVY = {"torch", "sentence_transformers", "faiss", "transformers"}
NAMELESS = {"utils", "util", "helpers", "helper", "common", "manager", "handler"}
DOTTED = re.compile(r"(?:records|index|assistant|ui)(?:\.\w+)+")

FILES = sorted(
    file.relative_to(ROOT) for package in PACKAGES for file in (ROOT / package).rglob("*.py")
)


def tree(file: Path) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"), filename=str(file))


def modules_of(file: Path, node: ast.AST) -> Iterator[str]:
    """The modules that one node imports, or names as a whole string to import later."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        parts = file.with_suffix("").parts[: -node.level] if node.level else ()
        yield ".".join((*parts, *filter(None, [node.module])))
    elif isinstance(node, ast.Constant) and DOTTED.fullmatch(str(node.value)):
        yield str(node.value)


def imported(file: Path) -> set[str]:
    """The top-level names that a file imports anywhere, function bodies included."""
    nodes = ast.walk(tree(file))
    return {module.partition(".")[0] for node in nodes for module in modules_of(file, node)}


def imported_at_once(file: Path) -> set[str]:
    """The top-level names that importing a file imports."""
    found: set[str] = set()
    nodes: list[ast.AST] = [tree(file)]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            nodes += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found |= {module.partition(".")[0] for module in modules_of(file, node)}
            nodes += ast.iter_child_nodes(node)
    return found


def test_all_packages_are_looked_at() -> None:
    assert {file.parts[0] for file in FILES} == set(PACKAGES)
    assert imported(Path("index/quality.py")) >= {"index", "records", "numpy"}
    assert "faiss" in imported(Path("index/dense.py")) - imported_at_once(Path("index/dense.py"))


def test_imports_never_run_back() -> None:
    reverse = [
        f"{file.as_posix()} imports {name}"
        for file in FILES
        for name in sorted(imported(file) & set(PACKAGES))
        if PACKAGES.index(name) > PACKAGES.index(file.parts[0])
    ]

    assert reverse == []


def test_frameworks_are_imported_only_by_doors() -> None:
    indoors = [
        f"{file.as_posix()} imports {name}"
        for file in FILES
        if file.parts[0] != "ui"
        for name in sorted(imported(file) & FRAMEWORKS)
    ]

    assert indoors == []


def test_model_libraries_are_imported_only_inside_functions() -> None:
    at_once = [
        f"{file.as_posix()} imports {name}"
        for file in FILES
        for name in sorted(imported_at_once(file) & HEAVY)
    ]

    assert at_once == []


def test_every_file_is_named_after_its_subject() -> None:
    nameless = [
        file.as_posix()
        for file in FILES
        if NAMELESS & {word for part in file.with_suffix("").parts for word in part.split("_")}
    ]

    assert nameless == []


@pytest.mark.parametrize("package", ["records", "assistant"])
def test_importing_loads_nothing_heavy(package: str) -> None:
    script = f"import sys, {package}; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert set(done.stdout.split()) & (HEAVY | FRAMEWORKS) == set()


def test_the_public_names_of_assistant_can_be_imported() -> None:
    from assistant.api import Assistant

    assert len(assistant.__all__) == len(set(assistant.__all__))
    assert dir(assistant) == sorted(assistant.__all__)
    homes = {getattr(assistant, name).__module__.partition(".")[0] for name in assistant.__all__}
    assert homes == {"assistant", "index", "records"}
    assert assistant.Assistant is Assistant
    with pytest.raises(AttributeError, match="module 'assistant' has no attribute 'Asistant'"):
        _ = assistant.Asistant


def test_the_public_names_of_records_are_exactly_these() -> None:
    assert set(records.__all__) == {"ErrorRecord", "read", "template"}
    assert all(hasattr(records, name) for name in records.__all__)


@pytest.mark.parametrize("module", ["records.errors", "index.errors", "assistant.errors"])
def test_the_error_tree_is_public(module: str) -> None:
    tree_of = {
        name: value
        for name, value in vars(importlib.import_module(module)).items()
        if inspect.isclass(value) and issubclass(value, ErrsageError) and not name.startswith("_")
    }

    assert set(tree_of) - set(assistant.__all__) == set()
    assert all(getattr(assistant, name) is value for name, value in tree_of.items())
    assert all(inspect.getdoc(value) for value in tree_of.values())
