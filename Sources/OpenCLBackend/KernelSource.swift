import OpenCLKernels

/// What a program is made of: what all begin with, and files of kernels.
package enum KernelSource: Sendable, Hashable {
    case copy

    private var files: [apus_opencl_file] {
        switch self {
        case .copy: [APUS_OPENCL_COPY]
        }
    }

    /// The program's text.
    ///
    /// - Parameter macros: Defined before everything else; a name `F(x)` takes arguments.
    func text(_ macros: [String: String]) -> String {
        let definitions = macros.sorted { $0.key < $1.key }.map { "#define \($0.key) \($0.value)\n" }
        return (definitions + ([APUS_OPENCL_COMMON] + files).map { String(cString: apus_opencl_text($0)) }).joined()
    }
}
