"""Makes a wheel from a library that cargo has built already, so that tests compile nothing a second time.

    python wheel.py LIBRARY OUT_FOLDER

Wheels for others are made by ``cargo xtask wheel`` (maturin, release).
"""

from __future__ import annotations

import base64
import hashlib
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def contents(library: Path, name: str, tag: str, metadata: str) -> dict[str, bytes]:
    sources = sorted((HERE / "python").rglob("*"))
    files = {
        path.relative_to(HERE / "python").as_posix(): path.read_bytes()
        for path in sources
        if path.suffix in (".py", ".pyi", ".typed")
    }
    files["privet/_privet.abi3.so"] = library.read_bytes()
    files[f"{name}.dist-info/METADATA"] = metadata.encode()
    wheel = f"Wheel-Version: 1.0\nGenerator: privet\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files[f"{name}.dist-info/WHEEL"] = wheel.encode()
    return files


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def main(library: Path, folder: Path) -> Path:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    version = tomllib.loads((HERE.parent.parent / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    name, tag = f"privet-{version}", f"cp311-abi3-{platform}"
    metadata = f"Metadata-Version: 2.1\nName: privet\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {need}\n" for need in project["dependencies"])
    files = contents(library, name, tag, metadata)
    record = f"{name}.dist-info/RECORD"
    lines = [f"{path},sha256={digest(data)},{len(data)}\n" for path, data in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / f"{name}-{tag}.whl"
    with zipfile.ZipFile(out, "w") as wheel:
        for path, data in files.items():
            wheel.writestr(path, data)
    return out


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2])))
