#!/usr/bin/env bash
# Makes an environment of Python with packages of PyPI, or leaves nothing.
#
#     Tests/Environments/environment.sh FOLDER REQUIREMENTS CALLER
#
# REQUIREMENTS is a file for pip. What stands below a line that begins with "# Without" is installed last, without the
# packages that it asks for. An error begins with CALLER, such as "make parity".
set -euo pipefail
folder=$1 requirements=$2 caller=$3

names=$(grep -oE '^[[:alnum:]][^<>=!~ ]*' "$requirements" | tr '\n' ' ')
case " $names" in *" torch "*) size=", which may be gigabytes" ;; esac
echo "Installing from PyPI${size-}: ${names% }"

# install OPTION...: installs what standard input asks for.
install() { "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" -r /dev/stdin; }

trap 'rm -rf "$folder"' EXIT
rm -rf "$folder"
mkdir -p "$(dirname "$folder")"
python3 -m venv "$folder"
if ! sed '/^# Without/,$d' "$requirements" | install ||
	{ grep -q '^# Without' "$requirements" && ! sed '1,/^# Without/d' "$requirements" | install --no-deps; }; then
	echo "$caller: pip could not install what $requirements asks for" >&2
	exit 1
fi
# make compares the times of the folder and of the requirements.
touch "$folder"
trap - EXIT
