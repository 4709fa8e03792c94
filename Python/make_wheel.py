"""Builds the wheel: the package, the C library, and the licences of everything inside.

    python Python/make_wheel.py DISTRIBUTION OUTPUT

DISTRIBUTION is the folder that dist.sh packs, with the C library and the libraries inside it; OUTPUT the folder for the
wheel. auditwheel names the oldest glibc that has what is used, and refuses what not every Linux has.
"""

import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LARGEST = 16 << 20


def main():
    distribution, output = (os.path.abspath(path) for path in sys.argv[1:])
    os.makedirs(output, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = write_sources(os.path.join(folder, "repository"), distribution)
        built = os.path.join(folder, "built")
        tool("build", "--wheel", "--no-isolation", "--outdir", built, source)
        (wheel,) = glob.glob(os.path.join(built, "*.whl"))
        repaired = os.path.join(folder, "repaired")
        tool("auditwheel", "repair", "--zip-compression-level", "9", "--wheel-dir", repaired, wheel)
        (wheel,) = glob.glob(os.path.join(repaired, "*.whl"))
        if "manylinux_2_34" not in os.path.basename(wheel):
            sys.exit(f"{os.path.basename(wheel)} needs a newer glibc than 2.34")
        size = os.path.getsize(wheel)
        if size > LARGEST:
            sys.exit(f"{os.path.basename(wheel)} has {size / 2**20:.1f} MiB, more than {LARGEST >> 20}")
        for old in glob.glob(os.path.join(output, "*.whl")):
            os.remove(old)
        print(f"{shutil.copy(wheel, output)}: {size / 2**20:.1f} MiB")


def write_sources(root, distribution):
    """Writes the sources of the wheel as they lie in the repository, with the library and licences among them."""
    package = os.path.join(root, "Python")
    shutil.copytree(
        os.path.join(ROOT, "Python"), package,
        ignore=shutil.ignore_patterns("__pycache__", "tests", "distributed", "*.whl"))
    version = os.path.join("Sources", "Engine", "Models", "Version.swift")
    os.makedirs(os.path.dirname(os.path.join(root, version)))
    shutil.copy(os.path.join(ROOT, version), os.path.join(root, version))
    libraries = os.path.join(package, "apus", "lib")
    shutil.copytree(os.path.join(distribution, "lib", "apus"), os.path.join(libraries, "apus"))
    shutil.copy(os.path.join(distribution, "lib", "libapus.so.0"), libraries)
    shutil.copytree(os.path.join(distribution, "share", "doc", "apus"), os.path.join(package, "licenses"))
    return package


def tool(module, *arguments):
    """Runs a tool of the environment."""
    environment = {**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    # Files in the wheel have the time of the commit.
    if "SOURCE_DATE_EPOCH" not in environment:
        time = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
        environment["SOURCE_DATE_EPOCH"] = time.stdout.strip() or "315532800"
    subprocess.run([sys.executable, "-m", module, *arguments], check=True, env=environment)


if __name__ == "__main__":
    main()
