/// The memory of a planned value.
package enum MemorySpace: String, Sendable, Hashable {
    /// The processor's memory.
    case host
    /// The memory of the plan's device.
    case device
}

/// A device with its own memory. Its steps are enqueued and run while the processor does something else.
package protocol Device: AnyObject, Sendable {
    /// The device's name.
    var name: String { get }

    /// The bytes that everything on the device may take together.
    var memoryByteCount: Int { get }
    /// The maximum bytes of one block of its memory.
    var maximumBlockByteCount: Int { get }

    /// Expected microseconds to move `byteCount` bytes between the processor's memory and the device's, in either
    /// direction.
    func transferMicroseconds(byteCount: Int) -> Double

    /// Makes a queue with its own memory.
    ///
    /// - Parameter recordsTimes: Whether the stream can tell when the device ran each command.
    /// - Throws: ``DeviceError``.
    func makeStream(recordingTimes recordsTimes: Bool) throws(DeviceError) -> any DeviceStream
}

extension Device {
    package var memoryByteCount: Int { .max }
    package var maximumBlockByteCount: Int { .max }
}

/// A prepared piece of a device's work. Only the device's backend knows its content.
package protocol DeviceStep: Sendable {}

/// The part of a plan that runs on a device. Each plan has one object, by which its preparation is found again.
package final class DevicePart: Sendable {
    package let device: any Device
    package let steps: [any DeviceStep]
    /// Bytes of the device's memory for values between steps.
    package let arenaByteCount: Int
    /// Bytes of the processor's memory through which transfers pass.
    package let stagingByteCount: Int

    package init(device: any Device, steps: [any DeviceStep], arenaByteCount: Int, stagingByteCount: Int) {
        self.device = device
        self.steps = steps
        self.arenaByteCount = arenaByteCount
        self.stagingByteCount = stagingByteCount
    }
}

/// A device's queue and memory for one run at a time.
///
/// Not safe for concurrent use: an execution owns one.
package protocol DeviceStream: AnyObject {
    /// Whether the stream can tell when the device ran each command.
    var recordsTimes: Bool { get }

    /// Allocates the memory, compiles the kernels and sets the arguments that steps need, or finds them from an earlier
    /// call.
    ///
    /// - Throws: ``DeviceError``.
    func prepare(_ part: DevicePart) throws(DeviceError) -> any PreparedDevicePart

    /// Drops what the device keeps, after an error that may have left it unusable. The next stream starts from nothing.
    func abandon()
}

/// The steps of one plan, ready to be enqueued in order. No call here allocates or compiles.
package protocol PreparedDevicePart: AnyObject {
    /// The processor's memory through which transfers pass; copies to and from it are fast.
    var staging: UnsafeMutableRawPointer { get }

    /// Enqueues a step of the part.
    func enqueue(step: Int) throws(DeviceError)
    /// Enqueues a copy of staged bytes to the arena; it may read them until ``finish()`` returns.
    func upload(stagingOffset: Int, arenaOffset: Int, byteCount: Int) throws(DeviceError)
    /// Enqueues a copy of bytes of the arena to the staging memory; they have arrived when ``finish()`` has returned.
    func download(arenaOffset: Int, stagingOffset: Int, byteCount: Int) throws(DeviceError)
    /// Makes the device begin what is enqueued.
    func flush() throws(DeviceError)
    /// Blocks the thread until everything enqueued is done.
    func finish() throws(DeviceError)

    /// Whether times of commands enqueued from here on are kept, on a stream that can.
    var isRecording: Bool { get set }
    /// The number of commands enqueued while times were kept, since the last ``takeTimes()``; a step may have several.
    var recordedCommandCount: Int { get }
    /// Returns the times of those commands, in order, once they are done, and forgets them.
    func takeTimes() throws(DeviceError) -> [DeviceTime]
}

/// The times of one command of a device, in nanoseconds of the device's own clock.
package struct DeviceTime: Sendable {
    /// When the processor enqueued the command.
    package let enqueued: Int64
    package let start: Int64
    package let end: Int64

    package init(enqueued: Int64, start: Int64, end: Int64) {
        self.enqueued = enqueued
        self.start = start
        self.end = end
    }
}

/// Why a device could not do what it was asked.
package struct DeviceError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The device has too little memory.
        case outOfMemory
        /// Any other failure, after which the device may be unusable.
        case failed
    }

    package let kind: Kind
    /// The device, the call and the result of the call.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
