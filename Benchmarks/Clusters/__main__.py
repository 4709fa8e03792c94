"""Times jobs of Ray Data and Spark with Apus beside those with Pillow and onnxruntime, and beside `apus predict`.

    make bench-clusters ARGUMENTS="--count 20000 --rounds 3"

Pictures are those of `make bench-runs`: JPEG files of 640 x 480. Each engine is a cluster of one machine with a worker
of one thread for each processor. Jobs run in turns; counted is the time from the first finished batch to the last.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent / "Runs")]

from compare import make_pictures  # noqa: E402
from jobs import JOBS, MODEL  # noqa: E402


def rate(job: str, folder: str, count: int, options) -> float:
    """The pictures a second of a job."""
    done = subprocess.run(
        [sys.executable, str(HERE / "jobs.py"), job, folder, str(options.workers), str(options.batch), options.command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    found = [line.split()[1:] for line in done.stdout.splitlines() if line.startswith("rows ")]
    if done.returncode or len(found) != 1 or int(found[0][0]) != count:
        raise SystemExit(f"{job} failed: {done.stderr[-3000:]}")
    return int(found[0][1]) / float(found[0][2])


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def main():
    processors = len(os.sched_getaffinity(0))
    parser = argparse.ArgumentParser(prog="Benchmarks/Clusters")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=processors)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--jobs", default=",".join(job.replace(", ", ":") for job in JOBS))
    parser.add_argument("--folder", default=".cache/bench-runs/pictures")
    parser.add_argument("--distribution", required=True, help="the folder that make dist packs")
    options = parser.parse_args()
    distribution = Path(options.distribution).resolve()
    options.command = str(distribution / "bin" / "apus")
    os.environ["APUS_LIBRARY"] = str(distribution / "lib" / "libapus.so.0")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "Python"), *sys.path[:2]])
    jobs = [job.replace(":", ", ") for job in options.jobs.split(",")]

    folder = os.path.abspath(os.path.join(options.folder, str(options.count)))
    make_pictures(folder, options.count)
    print(f"{processor()}, {processors} processors, {options.workers} workers of one thread; "
          f"load {os.getloadavg()[0]:.1f}")
    print(", ".join(f"{name} {version(name)}" for name in ("ray", "pyspark", "onnxruntime", "pillow")))
    print(f"{options.count} JPEG files of 640 x 480, {os.path.basename(MODEL)}, batches of {options.batch}, "
          f"{options.rounds} rounds in turns", flush=True)
    rounds = []
    for number in range(options.rounds):
        rounds.append({job: rate(job, folder, options.count, options) for job in jobs})
        print(f"  round {number + 1}: " + ", ".join(f"{job} {value:.1f}" for job, value in rounds[-1].items()),
              flush=True)

    print("pictures a second, minimum / median / maximum")
    for job in jobs:
        rates = [found[job] for found in rounds]
        print(f"  {job:14} {min(rates):8.1f} / {statistics.median(rates):.1f} / {max(rates):.1f}")
    print("ratios of each round, minimum / median")
    for engine in ("Ray", "Spark"):
        for other in (f"{engine}, peer", "apus predict"):
            if f"{engine}, Apus" in jobs and other in jobs:
                ratios = [found[f"{engine}, Apus"] / found[other] for found in rounds]
                print(f"  {engine}, Apus / {other:14} {min(ratios):.2f} / {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
