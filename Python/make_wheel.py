"""Builds the wheel: the package, the C library, and the licences of everything inside.

    python Python/make_wheel.py LIBRARY CHECKOUTS OUTPUT

LIBRARY is libapus.so.0, CHECKOUTS the folder of Swift packages, OUTPUT the folder for the wheel. auditwheel takes in
the system's libraries that the library needs, and names the oldest glibc that has what is used.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LARGEST = 30 << 20
# Packages of Debian whose code is in the library or the wheel.
DEBIAN = ["libgcc-s1", "libpng16-16", "libsqlite3-0", "libstdc++6", "libturbojpeg0", "zlib1g"]


def main():
    library, checkouts, output = (os.path.abspath(path) for path in sys.argv[1:])
    os.makedirs(output, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = write_sources(os.path.join(folder, "repository"), library, checkouts)
        built = os.path.join(folder, "built")
        tool("build", "--wheel", "--no-isolation", "--outdir", built, source)
        (wheel,) = glob.glob(os.path.join(built, "*.whl"))
        repaired = os.path.join(folder, "repaired")
        tool("auditwheel", "repair", "--wheel-dir", repaired, wheel)
        (wheel,) = glob.glob(os.path.join(repaired, "*.whl"))
        size = os.path.getsize(wheel)
        if size > LARGEST:
            sys.exit(f"{os.path.basename(wheel)} has {size / 2**20:.1f} MiB, more than {LARGEST >> 20}")
        tool("auditwheel", "show", wheel)
        for old in glob.glob(os.path.join(output, "*.whl")):
            os.remove(old)
        print(f"{shutil.copy(wheel, output)}: {size / 2**20:.1f} MiB")


def write_sources(root, library, checkouts):
    """Writes the sources of the wheel as they lie in the repository, with the library and licences among them."""
    package = os.path.join(root, "Python")
    shutil.copytree(
        os.path.join(ROOT, "Python"), package, ignore=shutil.ignore_patterns("__pycache__", "tests", "*.whl"))
    version = os.path.join("Sources", "Inference", "Version.swift")
    os.makedirs(os.path.dirname(os.path.join(root, version)))
    shutil.copy(os.path.join(ROOT, version), os.path.join(root, version))
    shutil.copy(library, os.path.join(package, "apus", "libapus.so.0"))
    shutil.copy(os.path.join(ROOT, "LICENSE"), package)
    licenses = os.path.join(package, "licenses")
    os.makedirs(licenses)
    for name, path in license_files(checkouts):
        shutil.copy(path, os.path.join(licenses, f"{name}.txt"))
    return package


def license_files(checkouts):
    """The name and the licence of everything that is inside the library or beside it."""
    yield "Swift", swift_license()
    for folder in sorted(os.listdir(checkouts)):
        for path in glob.glob(os.path.join(glob.escape(os.path.join(checkouts, folder)), "LICENSE*")):
            yield folder, path
    for name in DEBIAN:
        yield name, f"/usr/share/doc/{name}/copyright"


def swift_license():
    """The licence of Swift's libraries, which lies in its toolchain."""
    swift = os.path.realpath(shutil.which("swift") or sys.exit("swift is not in PATH"))
    return os.path.join(os.path.dirname(os.path.dirname(swift)), "share", "swift", "LICENSE.txt")


def tool(module, *arguments):
    """Runs a tool of the environment."""
    environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    subprocess.run([sys.executable, "-m", module, *arguments], check=True, env=environment)


if __name__ == "__main__":
    main()
