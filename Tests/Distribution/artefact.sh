#!/usr/bin/env bash
# Tests one artefact in the folder release/ of a new Debian, beside models/, photos/ and rows.jsonl, as artefacts.sh
# lays them.
#
#     artefact.sh archive|debian|container|wheel
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
here=$PWD

fail() { echo "artefact.sh: $*" >&2; exit 1; }

# Everything outside of folders that any installation changes, and of the folder of this test.
listing() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /root -o -path /tmp -o -path /var/cache -o -path \
		/var/lib/apt -o -path /var/lib/dpkg -o -path /var/log -o -path /run -o -path /etc/ld.so.cache \) -prune -o \
		-print | sort
}

# same_rows COMMAND...: the command's rows of the photos are those that were given.
same_rows() {
	"$@" predict models/squeezenet1_1.onnx photos --top 1 --format jsonl --quiet >found.jsonl
	diff rows.jsonl found.jsonl || fail "$* gives other rows"
}

# since TEXT: prints the seconds since $begin; 20 are the aim on a machine that does nothing else.
since() { echo "artefact.sh: $1 in $((SECONDS - begin)) s"; }

archive() {
	begin=$SECONDS
	mkdir unpacked
	tar -C unpacked -xzf release/apus-*-linux-*.tar.gz
	local command
	command=$(echo "$PWD"/unpacked/apus-*/bin/apus)
	same_rows "$command"
	since "the archive is unpacked and answers"
	"$command" demo >demo.txt
	grep -q espresso demo.txt || fail "the demonstration of the archive says $(cat demo.txt)"
	"$command" doctor || fail "the doctor of the archive finds a problem"
	# A damaged installation says what is wrong.
	: >"$(dirname "$command")/../share/apus/demo/photos/rocket.jpg"
	local status=0
	"$command" doctor >damaged.txt || status=$?
	[ "$status" = 1 ] && grep -q "share/apus/demo/photos/rocket.jpg" damaged.txt || fail "a lost file is not said"
	"$command" --version --json
	rm -r unpacked
}

debian() {
	# What the packages depend on stays on every Debian.
	apt-get install -y -qq -o APT::Keep-Downloaded-Packages=true gcc libc6-dev pkg-config cmake g++ make \
		python3-minimal libturbojpeg0 libpng16-16 libsqlite3-0 libwebp7 libwebpdemux2 libtiff6 libheif1 libopenjp2-7 \
		liblcms2-2 >/dev/null
	listing >before.txt
	begin=$SECONDS
	apt-get install -y -qq ./release/apus_*.deb >/dev/null
	same_rows apus
	since "the package is installed and answers"
	apus doctor || fail "the doctor of the package finds a problem"
	apus demo >demo.txt
	grep -q espresso demo.txt || fail "the demonstration of the package says $(cat demo.txt)"
	apt-get install -y -qq ./release/{libapus0,libapus-dev,python3-apus}_*.deb >/dev/null
	examples
	(cd / && python3 -c '
import apus, sys
answer = apus.Classifier("/root/models/squeezenet1_1.onnx")("/root/photos/coffee.png")
print("Python:", answer.label); sys.exit(answer.label != "espresso")') || fail "python3-apus does not find the espresso"
	apt-get purge -y -qq apus libapus0 libapus-dev python3-apus >/dev/null
	listing >after.txt
	diff before.txt after.txt || fail "the packages leave traces"
}

# The first program and the project of the article about C, built by pkg-config and CMake from the installed packages.
examples() {
	mkdir -p example
	awk '/^```$/ { file = "" } file { print >file } /^```c$/ { file = ++count == 1 ? "example/first.c" : "" }
		/^```cmake$/ { file = "example/CMakeLists.txt" }' UsingC.md
	gcc -Wall -Wextra example/first.c -o example/first $(pkg-config --cflags --libs apus)
	cmake -S example -B example/build >/dev/null
	cmake --build example/build >/dev/null
	local program answer
	for program in example/first example/build/first; do
		answer=$("$program" models/squeezenet1_1.onnx photos/coffee.png)
		[[ $answer = "espresso 0."* ]] || fail "$program says $answer"
	done
	rm -r example
}

# Runs the steps of the container file in this system, without the documents that the system of a container leaves out.
container() {
	local line word
	printf 'path-exclude=/usr/share/%s/*\n' doc man lintian/overrides >/etc/dpkg/dpkg.cfg.d/container
	while IFS= read -r line; do
		word=${line%% *}
		case $word in
		FROM) [[ $line = *debian:bookworm* ]] || fail "this system is not that of $line" ;;
		COPY) (cd release && eval cp "${line#COPY }") ;;
		RUN) bash -euc "${line#RUN }" >container.log 2>&1 || { cat container.log >&2; fail "$line failed"; } ;;
		USER) user=${line#USER } ;;
		WORKDIR) mkdir -p "${line#WORKDIR }" ;;
		ENTRYPOINT | CMD | "#"* | "") ;;
		*) fail "the container file has $word" ;;
		esac
	done <release/Containerfile
	cp -r models photos /data/
	runuser -u "$user" -- sh -c 'cd /data && apus predict models/squeezenet1_1.onnx photos --top 1 --format jsonl --quiet' \
		>found.jsonl
	diff rows.jsonl found.jsonl || fail "the container gives other rows"
	runuser -u "$user" -- sh -c 'cd /data && apus doctor' || fail "the doctor of the container finds a problem"
	rm -r /data /etc/dpkg/dpkg.cfg.d/container
	apt-get purge -y -qq apus >/dev/null
}

wheel() {
	# The container's steps take the lists of packages away.
	apt-get update -qq
	apt-get install -y -qq python3-venv >/dev/null
	begin=$SECONDS
	python3 -m venv environment
	environment/bin/pip install --quiet --disable-pip-version-check --no-index release/*.whl
	environment/bin/python -c '
import apus, json
rows = list(apus.predict("models/squeezenet1_1.onnx", "photos", top=1))
for line, row in zip(open("rows.jsonl"), rows, strict=True):
    assert json.loads(line)["predictions"] == row["predictions"], (line, row)
print("Python:", rows[2]["predictions"][0]["label"])'
	since "the wheel is installed and answers"
	rm -r environment
}

case ${1:-} in archive | debian | container | wheel) ;; *) fail "there is no part ${1:-}" ;; esac
echo "artefact.sh: $1"
"$1"
cd "$here" && rm -f found.jsonl demo.txt damaged.txt
