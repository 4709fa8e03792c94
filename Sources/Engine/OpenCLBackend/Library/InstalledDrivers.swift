import FoundationEssentials
import Glibc
import Tensors

/// The drivers that OpenCL's loader would load, found without loading any.
///
/// Reference: https://registry.khronos.org/OpenCL/specs/2.2/html/OpenCL_ICD_Installation.html
package struct InstalledDrivers: Sendable {
    /// A driver that the loader would load.
    package struct Driver: Sendable {
        /// The file that names the library; nil when an environment variable names it.
        package let file: String?
        /// The library's name as the file gives it.
        package let library: String

        /// PoCL, which runs kernels on the processor.
        var isPoCL: Bool { (file.map { $0 + library } ?? library).lowercased().contains("pocl") }
    }

    package let drivers: [Driver]

    private static let folder = "/etc/OpenCL/vendors"
    /// The maximum bytes of a file that names a library.
    private static let maximumBytes = 4096

    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        let vendors = environment["OCL_ICD_VENDORS"] ?? environment["OPENCL_VENDOR_PATH"] ?? Self.folder
        let others = (environment["OCL_ICD_FILENAMES"] ?? "").split(separator: ":").map(String.init)
        drivers = Self.drivers(vendors) + others.flatMap(Self.drivers)
    }

    /// The drivers in a folder, in a file that names one, or of a library with this name.
    private static func drivers(_ path: String) -> [Driver] {
        if let names = try? FileManager.default.contentsOfDirectory(atPath: path) {
            return names.filter { $0.hasSuffix(".icd") }.sorted().compactMap { driver(path + "/" + $0) }
        }
        if path.hasSuffix(".icd") { return [driver(path)].compactMap { $0 } }
        return path.contains(".so") ? [Driver(file: nil, library: path)] : []
    }

    private static func driver(_ file: String) -> Driver? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content = [UInt8](repeating: 0, count: maximumBytes)
        let count = read(descriptor, &content, content.count)
        guard count > 0 else { return nil }
        let line = String(decoding: content[..<count], as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        return Driver(file: file, library: String(line))
    }

    /// Whether the system provides the information about the processor that PoCL needs.
    private static var hasTopology: Bool {
        let paths = ["/sys/devices/system/cpu/cpu0/topology", "/sys/bus/cpu/devices/cpu0/topology"]
        return paths.contains { access($0, R_OK | X_OK) == 0 }
    }

    /// A text that determines whether the drivers can be loaded: while it is unchanged, so is the answer.
    package var state: String {
        let start = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let prefixes = ["OCL_", "OPENCL_", "POCL_", "LD_", "CUDA_", "NVIDIA_"]
        let variables = ProcessInfo.processInfo.environment.filter { entry in
            prefixes.contains { entry.key.hasPrefix($0) }
        }
        // The list of libraries changes whenever a package is installed.
        let files = drivers.compactMap(\.file) + drivers.map(\.library) + ["/etc/ld.so.cache"]
        let stamps = files.map { path -> String in
            var status = stat()
            guard stat(path, &status) == 0 else { return path }
            return "\(path) \(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
        }
        let lines = [start ?? "", "\(Self.hasTopology)"] + drivers.map(\.library) + stamps
        return (lines + variables.map { "\($0.key)=\($0.value)" }.sorted()).joined(separator: "\n")
    }

    /// The drivers that would end the process: PoCL calls `abort` when it cannot find the processor's topology.
    package var fatal: [Driver] { Self.hasTopology ? [] : drivers.filter(\.isPoCL) }

    /// Calls `body` while the loader finds all drivers except those that would end the process.
    ///
    /// The loader reads its folder once, in the first call. Only the environment can change that folder, and it is
    /// changed only where that is necessary, and where it is not a host's.
    func withoutFatal<Result>(_ body: () -> Result) -> Result {
        let refused = Set(fatal.map(\.library))
        guard !refused.isEmpty else { return body() }
        let folder = FileManager.default.temporaryDirectory.appending(path: "apus-drivers-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (number, driver) in drivers.enumerated() where !refused.contains(driver.library) {
            try? Data((driver.library + "\n").utf8).write(to: URL(fileURLWithPath: "\(folder)/\(number).icd"))
        }
        return ProcessEnvironment.setting(
            ["OCL_ICD_VENDORS": folder, "OCL_ICD_FILENAMES": nil, "OPENCL_VENDOR_PATH": nil], body)
    }
}
