import Apus
import CBuild
import CPNG
import CSQLite
import CZlib

/// What this command is made of: the document of `apus --version --json`.
struct VersionReport: Encodable {
    let version = Version.current
    /// The commit that a release was built from; nil in other builds.
    let commit = Self.text(apus_build_commit())
    /// The compiler of Swift that a release was built with; nil in other builds.
    let toolchain = Self.text(apus_build_toolchain())
    /// The versions of the libraries that the command is linked with, as they say them when they run.
    let libraries = [
        "glibc": Self.text(apus_c_library_version()), "libpng": Self.text(png_get_libpng_ver(nil)),
        "sqlite": Self.text(sqlite3_libversion()), "zlib": Self.text(zlibVersion()),
    ]
    let backends: [String] = Catalog.backendNames
    /// The instruction sets for which kernels are built in and that this processor has.
    let instructions: [Catalog.InstructionSetDescription]

    /// - Throws: ``ApusError/backend(name:message:)`` when an instruction set that was asked for is not available.
    init() throws(ApusError) { instructions = try Catalog.instructionSets() }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
