#!/usr/bin/env bash
# Lists the files of a folder for `apus doctor`: CRC-32 in hexadecimal digits, bytes and path, a line each.
#
#     Sources/Doors/Distribution/file_list.sh FOLDER
set -euo pipefail
cd "$1"
# gzip ends with the CRC-32 and the count of bytes, four bytes each with the lowest first.
find . -type f -printf '%P\n' | LC_ALL=C sort | while IFS= read -r file; do
	read -r d c b a < <(gzip -1nc <"$file" | tail -c 8 | head -c 4 | od -An -tx1)
	echo "$a$b$c$d $(stat -c %s "$file") $file"
done
