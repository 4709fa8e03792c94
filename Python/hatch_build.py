"""What makes the wheel one for every version of Python on one kind of processor."""

import platform

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    """Says that the wheel holds machine code. auditwheel then finds the oldest Linux that runs it."""

    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-linux_{platform.machine()}"
