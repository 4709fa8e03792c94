# Writes a program in C that defines each function of apus.h, for its types, and an array for each constant, whose size
# is 1 more than the constant's value:
#
#     awk -f stub.awk apus.h
BEGIN { print "#include <apus.h>" }

{ sub(/\/\/.*/, "") }

{
    # Comments, also over several lines.
    line = $0
    for (;;) {
        if (in_comment) {
            end = index(line, "*/")
            if (!end) { line = ""; break }
            line = substr(line, end + 2)
            in_comment = 0
        }
        start = index(line, "/*")
        if (!start) break
        end = index(substr(line, start + 2), "*/")
        if (end) line = substr(line, 1, start - 1) substr(line, start + 2 + end + 1)
        else { printed = substr(line, 1, start - 1); in_comment = 1; line = printed; break }
    }
    if (line ~ /^#|^extern|^}$/) next
    rest = line
    while (match(rest, /APUS_[A-Z0-9_]+/)) {
        name = substr(rest, RSTART, RLENGTH)
        rest = substr(rest, RSTART + RLENGTH)
        if (!(name in constants)) { constants[name] = 1; print "char value_of_" name "[1 + " name "];" }
    }
    text = text " " line
    while (match(text, /[;{}]/)) {
        statement = substr(text, 1, RSTART)
        text = substr(text, RSTART + 1)
        if (statement ~ /^ *(apus_status|void|const char \*) *apus_[a-z0-9_]+\(.*\);$/) {
            body = statement ~ /^ *void/ ? "{}" : "{ return 0; }"
            sub(/;$/, " " body, statement)
            print statement
        }
    }
}
