import CPUBackend
import FoundationEssentials
import Models
import OpenCLBackend
import Planning
import Platform

/// The backends that a session may use, and how it uses them.
package struct BackendSelection: Sendable {
    /// The backends in order of preference; the reference is always the last.
    package var backends: [any Backend]
    /// Which layers run on the device, when one of the backends has one.
    package var deviceUse: DeviceUse
    /// Whether the device alone was asked for, so that the processor must not replace it.
    package var isDeviceDemanded: Bool

    package init(backends: [any Backend], deviceUse: DeviceUse = .cheapest, isDeviceDemanded: Bool = false) {
        self.backends = backends
        self.deviceUse = deviceUse
        self.isDeviceDemanded = isDeviceDemanded
    }

    /// The device, when one of the backends has one.
    package var device: (any Device)? { backends.lazy.compactMap(\.device).first }

    /// The backends that run on the processor.
    var processorBackends: [any Backend] { backends.filter { $0.device == nil } }

    /// The backends for a preference list; the reference is added at the end.
    ///
    /// An empty list selects the processor, and a GPU where there is one. OpenCL alone makes its device run every layer
    /// for which it has a kernel, and the processor run the others.
    ///
    /// - Parameters:
    ///   - device: The number of an OpenCL device or a part of its name; nil for the best.
    ///   - precision: What products may be rounded to.
    /// - Throws: ``ApusError/backend(name:message:)`` when a backend, a device or an instruction set that was asked for
    ///   is not available.
    package init(
        named names: [BackendName], device: String? = nil, precision: Precision = .f32
    ) throws(ApusError) {
        try Catalog.checkInstructions()
        if names.isEmpty {
            let gpu = device == nil && !Self.mayHaveGPU ? nil : try? Self.openCLDevice(device, isGPU: device == nil)
            let devices = gpu.map { [OpenCLBackend($0, precision: precision.ofProducts) as any Backend] } ?? []
            self.init(backends: devices + [try Catalog.processor(precision, mayHaveDevice: true), ReferenceBackend()])
            return
        }
        var chosen: [any Backend] = []
        let mayHaveDevice = names.contains(.opencl)
        for name in names where !chosen.contains(where: { $0.name == name.rawValue }) {
            chosen.append(try Self.backend(name, device: device, precision, mayHaveDevice: mayHaveDevice))
        }
        if precision.ofProcessor != .float32, let other = chosen.first,
            !chosen.contains(where: { $0 is CPUBackend || $0.device != nil })
        {
            let others = precision.ofProducts == .float32 ? "backend cpu" : "backends cpu and opencl"
            throw .backend(name: other.name, message: "\(precision.rawValue) is computed by the \(others) alone")
        }
        let isDeviceDemanded = chosen.count == 1 && chosen[0].device != nil
        if isDeviceDemanded { chosen.append(try Catalog.processor(precision, mayHaveDevice: true)) }
        if !chosen.contains(where: { $0 is ReferenceBackend }) { chosen.append(ReferenceBackend()) }
        self.init(
            backends: chosen, deviceUse: isDeviceDemanded ? .wherePossible : .cheapest,
            isDeviceDemanded: isDeviceDemanded)
    }

    /// The notice for a device that computes in another precision than the one allowed.
    package func notice(on precision: Precision) -> String? {
        guard let backend = backends.lazy.compactMap({ $0 as? OpenCLBackend }).first,
            backend.precision != precision.ofProducts
                || (precision.ofProducts == .float32 && precision.ofProcessor != .float32)
        else { return nil }
        return "\(backend.openCLDevice.name) has no tensor cores for \(precision.rawValue); it computes in "
            + backend.precision.rawValue
    }

    /// The precision as runs record it, such as `f16 (cpu in f32)`: its name, what each backend computes in if that is
    /// not what was asked of all of them, and which layers were chosen.
    package func arithmetic(of precision: Precision) -> String {
        let computed: [(text: String, isAsked: Bool)] = backends.compactMap { backend in
            switch backend {
            case let cpu as CPUBackend:
                (
                    "\(cpu.name) in \(cpu.arithmetic.rawValue)",
                    cpu.arithmetic == precision.ofProcessor || precision == .automatic && cpu.roundingRefusal == nil
                )
            case let device as OpenCLBackend:
                ("\(device.name) in \(device.precision.rawValue)", device.precision == precision.ofProducts)
            default: nil
            }
        }
        var details = computed.allSatisfy(\.isAsked) ? [] : computed.map(\.text)
        if let choice = precisionChoice { details.append(choice.identity) }
        return precision.rawValue + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }

    /// The notice for built programs that are kept where other users could have put them.
    var programNotice: String? {
        backends.lazy.compactMap { ($0 as? OpenCLBackend)?.openCLDevice.programProblem }.first
            .map { "programs that were built before are not used: \($0)" }
    }

    private static func backend(
        _ name: BackendName, device: String?, _ precision: Precision, mayHaveDevice: Bool
    ) throws(ApusError) -> any Backend {
        if name == .opencl { return OpenCLBackend(try openCLDevice(device), precision: precision.ofProducts) }
        if let backend = try Catalog.processorBackend(name, precision, mayHaveDevice: mayHaveDevice) {
            return backend
        }
        let names = Catalog.backendNames.joined(separator: ", ")
        throw .backend(name: name.rawValue, message: "there is no such backend; there are \(names)")
    }

    /// Finds an OpenCL device.
    ///
    /// - Parameters:
    ///   - wanted: The number of a device or a part of its name; nil for the best.
    ///   - isGPU: Whether to leave out processors, which OpenCL may list as devices.
    private static func openCLDevice(_ wanted: String?, isGPU: Bool = false) throws(ApusError) -> OpenCLDevice {
        func refuse(_ message: String) -> ApusError { .backend(name: BackendName.opencl.rawValue, message: message) }
        let devices: [OpenCLDevice]
        switch Catalog.openCLDevices {
        case .success(let found): devices = found
        case .failure(let absence): throw refuse("\(absence)")
        }
        if let wanted {
            let named =
                Int(wanted).map { devices.indices.contains($0) ? [devices[$0]] : [] }
                ?? devices.filter { $0.name.lowercased().contains(wanted.lowercased()) }
            if let device = named.first { return device }
            let present = devices.enumerated().map { "\($0) \($1.name)" }
            throw refuse("there is no device \(wanted); there are \(present.joined(separator: ", "))")
        }
        let kinds: [DeviceInformation.Kind] = [.gpu, .accelerator] + (isGPU ? [] : [.processor])
        for kind in kinds { if let device = devices.first(where: { $0.information.kind == kind }) { return device } }
        throw refuse("there is no GPU")
    }

    /// Whether the system has a device file of a GPU. Asking OpenCL instead would load every driver, which takes longer
    /// than many runs.
    private static var mayHaveGPU: Bool {
        ["/dev/nvidiactl", "/dev/kfd", "/dev/dri", "/dev/dxg"].contains { FileManager.default.fileExists(atPath: $0) }
    }
}

extension PrecisionChoice {
    /// How many layers are rounded, and a hash of their names.
    fileprivate var identity: String {
        var hash = StableHash()
        for name in layers.keys.sorted() where layers[name]?.isRounded == true { hash.combine(name) }
        return "\(precisionName) in \(roundedCount) of \(layers.count) layers, \(hash.text)"
    }
}
