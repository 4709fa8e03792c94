import COpenCL
import Planning

/// The properties that a device reports.
package struct DeviceInformation: Sendable {
    package enum Kind: String, Sendable {
        case processor, gpu, accelerator
    }

    /// The maker of a device, which determines what is worth trying on it.
    package enum Maker: Sendable {
        case nvidia, amd, intel, other
    }

    package var name: String
    package var vendor: String
    package var platform: String
    /// The version of OpenCL, followed by the vendor's additions.
    package var version: String
    package var driverVersion: String
    package var extensions: Set<String>
    package var kind: Kind
    package var computeUnitCount: Int
    package var clockMegahertz: Int
    package var memoryByteCount: Int
    /// The maximum bytes of one buffer.
    package var maximumAllocationByteCount: Int
    package var localMemoryByteCount: Int
    package var maximumWorkGroupSize: Int
    /// Whether the device computes in the processor's memory.
    package var sharesMemory: Bool
    package var hasCompiler: Bool

    init(_ device: cl_device_id, _ platform: cl_platform_id, _ library: OpenCLLibrary) throws(DeviceError) {
        let functions = library.functions
        func text(_ parameter: Int32) throws(DeviceError) -> String {
            var count = 0
            try library.check(
                functions.clGetDeviceInfo(device, cl_device_info(parameter), 0, nil, &count), "clGetDeviceInfo")
            var bytes = [UInt8](repeating: 0, count: count)
            try library.check(
                functions.clGetDeviceInfo(device, cl_device_info(parameter), count, &bytes, nil), "clGetDeviceInfo")
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        func number<Value: FixedWidthInteger>(_ parameter: Int32, _: Value.Type) throws(DeviceError) -> Int {
            var value = Value(0)
            try library.check(
                functions.clGetDeviceInfo(
                    device, cl_device_info(parameter), MemoryLayout<Value>.size, &value, nil), "clGetDeviceInfo")
            return Int(clamping: value)
        }
        name = try text(CL_DEVICE_NAME)
        vendor = try text(CL_DEVICE_VENDOR)
        version = try text(CL_DEVICE_VERSION)
        driverVersion = try text(CL_DRIVER_VERSION)
        extensions = Set(try text(CL_DEVICE_EXTENSIONS).split(separator: " ").map(String.init))
        self.platform = try library.platformName(platform)
        let type = try number(CL_DEVICE_TYPE, cl_device_type.self)
        kind =
            type & Int(CL_DEVICE_TYPE_GPU) != 0 ? .gpu : type & Int(CL_DEVICE_TYPE_CPU) != 0 ? .processor : .accelerator
        computeUnitCount = try number(CL_DEVICE_MAX_COMPUTE_UNITS, cl_uint.self)
        clockMegahertz = try number(CL_DEVICE_MAX_CLOCK_FREQUENCY, cl_uint.self)
        memoryByteCount = try number(CL_DEVICE_GLOBAL_MEM_SIZE, cl_ulong.self)
        maximumAllocationByteCount = try number(CL_DEVICE_MAX_MEM_ALLOC_SIZE, cl_ulong.self)
        localMemoryByteCount = try number(CL_DEVICE_LOCAL_MEM_SIZE, cl_ulong.self)
        maximumWorkGroupSize = try number(CL_DEVICE_MAX_WORK_GROUP_SIZE, Int.self)
        sharesMemory = try number(CL_DEVICE_HOST_UNIFIED_MEMORY, cl_bool.self) != 0
        hasCompiler = try number(CL_DEVICE_COMPILER_AVAILABLE, cl_bool.self) != 0
    }

    /// AMD's drivers report `Advanced Micro Devices, Inc.`, Mesa's report `AMD`.
    package var maker: Maker {
        let vendor = vendor.lowercased()
        if vendor.contains("nvidia") { return .nvidia }
        if vendor.contains("advanced micro devices") || vendor.hasPrefix("amd") { return .amd }
        return vendor.contains("intel") ? .intel : .other
    }

    /// A description of the device for people, with versions.
    package var description: String { "\(name), \(version), driver \(driverVersion)" }
}

extension OpenCLLibrary {
    func platformName(_ platform: cl_platform_id) throws(DeviceError) -> String {
        var count = 0
        try check(
            functions.clGetPlatformInfo(platform, cl_platform_info(CL_PLATFORM_NAME), 0, nil, &count),
            "clGetPlatformInfo")
        var bytes = [UInt8](repeating: 0, count: count)
        try check(
            functions.clGetPlatformInfo(platform, cl_platform_info(CL_PLATFORM_NAME), count, &bytes, nil),
            "clGetPlatformInfo")
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
