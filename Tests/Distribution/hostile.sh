#!/usr/bin/env bash
# Opens and predicts damaged and hostile files of every kind through the packed C library.
#
#     Tests/Distribution/hostile.sh PACKAGE [ARGUMENT...]
#
# PACKAGE is the folder that make dist packs. The other arguments are those of Tests/Hostile.
set -euo pipefail
cd "$(dirname "$0")/../.."
package=$(readlink -f "$1") program=.build/dist/hostile
library=$package/lib/libapus.so.0
shift

gcc -std=c99 -O1 -g -Wall -Wextra -Werror -pedantic "-I$package/include" Tests/Distribution/programs/hostile.c \
	-o $program "$library" "-Wl,-rpath,$package/lib"
# The program has some of the command's subcommands.
commands=run,plan,inspect,predict,detect,pose,landmarks,segment,embed,depth,image,raw
python3 Tests/Hostile $program --commands $commands --named predict "$@"
