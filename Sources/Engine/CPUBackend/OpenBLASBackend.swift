import Planning

/// The processor with OpenBLAS for every matrix product, and Apus's kernels for everything else.
///
/// It gives the same guarantees as ``CPUBackend``: OpenBLAS is always called with the rows of one image.
package struct OpenBLASBackend: Backend {
    private let openBLAS: OpenBLAS

    /// Why a library cannot be used, in words.
    package struct Absence: Error, CustomStringConvertible {
        let problem: String

        package var description: String {
            "OpenBLAS cannot be loaded: \(problem); Debian's package libopenblas0 brings it"
        }
    }

    /// The backend with the system's library, which is opened at first use.
    package static let system = find("libopenblas.so.0")

    /// The backend with a library, by its file name.
    package static func find(_ library: String) -> Result<OpenBLASBackend, Absence> {
        Result { () throws(Absence) in OpenBLASBackend(openBLAS: try OpenBLAS(library)) }
    }

    package var name: String { "openblas" }

    package var deviceDescription: String { openBLAS.configuration }

    package var lowerings: [any Lowering] { ProcessorLowerings.shared + ProcessorLowerings.openBLAS(openBLAS) }

    package var measurementKey: String? {
        "\(ProcessorLowerings.measurementKey(name: name, .chosen)), \(openBLAS.configuration)"
    }
}
