"""The shared part of the scripts that make packages of Core ML."""

import json


def settle(path):
    """Gives the entries of a manifest the same identifiers each time; those of coremltools are random."""
    manifest = json.loads((path / "Manifest.json").read_text())
    names = {key: f"00000000-0000-0000-0000-{index:012}" for index, key in enumerate(sorted(manifest["itemInfoEntries"]))}
    text = json.dumps(manifest, indent=1, sort_keys=True)
    for key, value in names.items():
        text = text.replace(key, value)
    (path / "Manifest.json").write_text(text + "\n")
