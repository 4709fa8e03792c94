import COpenCL
import Planning

/// A built program.
final class OpenCLProgram: @unchecked Sendable {
    // Any thread may use OpenCL's handles. This one never changes.
    private let handle: cl_program
    private let library: OpenCLLibrary

    /// Without warnings, whose number PoCL writes to the standard error of whoever asks.
    private static let options = "-cl-std=CL1.2 -w"

    /// Builds a program, or loads the binary of an earlier build where one is kept.
    init(_ context: OpenCLContext, text: String) throws(DeviceError) {
        library = context.library
        let information = context.device.information
        let key = [
            information.platform, information.name, information.version, information.driverVersion, Self.options, text,
        ].joined(separator: "\n")
        let cache = context.device.programCache
        if let binary = cache?.binary(for: key), let built = try? Self.build(context, binary: binary) {
            handle = built
            return
        }
        handle = try Self.build(context, text: text)
        if let binary { cache?.store(binary, for: key) }
    }

    deinit { _ = library.functions.clReleaseProgram(handle) }

    /// Makes a kernel; the caller releases it.
    func makeKernel(_ name: String) throws(DeviceError) -> cl_kernel {
        var status: cl_int = 0
        let kernel = library.functions.clCreateKernel(handle, name, &status)
        guard status == CL_SUCCESS, let kernel else { throw DeviceError(status: status, "clCreateKernel of \(name)") }
        return kernel
    }

    private static func build(_ context: OpenCLContext, text: String) throws(DeviceError) -> cl_program {
        let functions = context.library.functions
        var status: cl_int = 0
        let program = text.withCString { start in
            var start: UnsafePointer<CChar>? = start
            return functions.clCreateProgramWithSource(context.handle, 1, &start, nil, &status)
        }
        guard status == CL_SUCCESS, let program else { throw DeviceError(status: status, "clCreateProgramWithSource") }
        try build(program, context)
        return program
    }

    private static func build(_ context: OpenCLContext, binary: [UInt8]) throws(DeviceError) -> cl_program {
        let functions = context.library.functions
        var status: cl_int = 0
        var binaryStatus: cl_int = 0
        var id: cl_device_id? = context.device.id
        var count = binary.count
        let program = binary.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return functions.clCreateProgramWithBinary(
                context.handle, 1, &id, &count, &start, &binaryStatus, &status)
        }
        guard status == CL_SUCCESS, let program else { throw DeviceError(status: status, "clCreateProgramWithBinary") }
        try build(program, context)
        return program
    }

    /// Builds the program, and releases it when that fails.
    private static func build(_ program: cl_program, _ context: OpenCLContext) throws(DeviceError) {
        let functions = context.library.functions
        var id: cl_device_id? = context.device.id
        let status: cl_int = functions.clBuildProgram(program, 1, &id, options, nil, nil)
        guard status != CL_SUCCESS else { return }
        defer { _ = functions.clReleaseProgram(program) }
        var count = 0
        _ = functions.clGetProgramBuildInfo(
            program, context.device.id, cl_program_build_info(CL_PROGRAM_BUILD_LOG), 0, nil, &count)
        var log = [UInt8](repeating: 0, count: count)
        _ = functions.clGetProgramBuildInfo(
            program, context.device.id, cl_program_build_info(CL_PROGRAM_BUILD_LOG), count, &log, nil)
        let text = String(decoding: log.prefix { $0 != 0 }.prefix(2000), as: UTF8.self)
        throw DeviceError(.failed, "\(context.device.name): a program does not build (\(status)): \(text)")
    }

    /// The program's binary, from which it can be created again; nil when the driver does not provide it.
    private var binary: [UInt8]? {
        let functions = library.functions
        var count = 0
        guard
            functions.clGetProgramInfo(
                handle, cl_program_info(CL_PROGRAM_BINARY_SIZES), MemoryLayout<Int>.size, &count, nil) == CL_SUCCESS,
            count > 0
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        let status: cl_int = bytes.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return functions.clGetProgramInfo(
                handle, cl_program_info(CL_PROGRAM_BINARIES), MemoryLayout<UnsafeMutablePointer<UInt8>?>.size, &start,
                nil)
        }
        return status == CL_SUCCESS ? bytes : nil
    }
}
