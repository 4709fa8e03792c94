#!/usr/bin/env bash
# Tests the Python package with the C library and the command of the folder $DISTRIBUTION, which make dist packs.
#
#     Python/tests/run.sh TARGET [ARGUMENT...]
#
# TARGET is the name of the target of make, and a sentence about it stands above each.
set -euo pipefail
cd "$(dirname "$0")/../.."
cache=${CACHE:-.cache} target=$1
shift
package=$(readlink -f "$DISTRIBUTION")
export APUS_LIBRARY=$package/lib/libapus.so.0 PYTHONPATH=$PWD/Python

# run_pytest ENVIRONMENT ARGUMENT...
run_pytest() {
	APUS_COMMAND=$package/bin/apus PYTHONDONTWRITEBYTECODE=1 \
		"$cache/$1/bin/python" -m pytest -q -p no:cacheprovider "${@:2}"
}

case $target in
## test the Python package, its wheel in a new environment and in a Debian with Python alone
test-python)
	run_pytest python-tests Python/tests "$@"
	unset APUS_LIBRARY PYTHONPATH
	Python/tests/try_wheel.sh .build/wheels/*.whl "$cache/python-clean" Tests/Fixtures/{models,photos}
	Python/tests/debian.sh .build/wheels/*.whl
	;;
## open and predict damaged and hostile files of every kind in Python; ARGUMENTS="--only bombs/"
hostile-python)
	python3 Python/tests/hostile.py "$@"
	;;
## run Ray Data, Spark and Dask as local clusters; fetches 1.1 GB
test-distributed)
	run_pytest distributed -o filterwarnings= Python/distributed "$@"
	;;
*)
	echo "run.sh: there is no $target" >&2
	exit 1
	;;
esac
