/// Memory that a planned value lies in.
package enum MemorySpace: String, Sendable, Hashable {
    /// The processor's.
    case host
    /// That of the device that a plan uses.
    case device
}

/// A device with memory of its own, whose steps are enqueued and run while the processor does something else.
package protocol Device: AnyObject, Sendable {
    /// What the device is called.
    var name: String { get }

    /// Bytes that everything on the device may take together.
    var memoryByteCount: Int { get }
    /// The most bytes of one block of its memory.
    var largestBlockByteCount: Int { get }

    /// Expected microseconds of moving so many bytes between the processor's memory and the device's, either way.
    func transferMicroseconds(byteCount: Int) -> Double

    /// Makes a queue with memory of its own.
    ///
    /// - Parameter recordsTimes: Whether it can say when the device did what.
    /// - Throws: ``DeviceError``.
    func makeStream(recordingTimes recordsTimes: Bool) throws(DeviceError) -> any DeviceStream
}

extension Device {
    package var memoryByteCount: Int { .max }
    package var largestBlockByteCount: Int { .max }
}

/// A prepared piece of a device's work. What it is, only the device's backend knows.
package protocol DeviceStep: Sendable {}

/// What a plan has on a device. One object per plan, so that its preparation is found again.
package final class DevicePart: Sendable {
    package let device: any Device
    package let steps: [any DeviceStep]
    /// Bytes of the device's memory for values between steps.
    package let arenaByteCount: Int
    /// Bytes of the processor's memory for what is on its way.
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
    /// Whether it can say when the device did what.
    var recordsTimes: Bool { get }

    /// Takes the memory, compiles the kernels and sets the arguments that steps need, or finds them from an earlier call.
    ///
    /// - Throws: ``DeviceError``.
    func prepare(_ part: DevicePart) throws(DeviceError) -> any PreparedDevicePart

    /// Drops what the device keeps, after an error that it may not have survived. The next stream begins anew.
    func abandon()
}

/// The steps of one plan, ready to be enqueued in order. Nothing here allocates or compiles.
package protocol PreparedDevicePart: AnyObject {
    /// The processor's memory for what is on its way, from where and to where copies are fast.
    var staging: UnsafeMutableRawPointer { get }

    /// Enqueues a step of the part.
    func enqueue(step: Int) throws(DeviceError)
    /// Enqueues a copy of staged bytes to the arena; they are read until ``finish()`` returns.
    func upload(stagingOffset: Int, arenaOffset: Int, byteCount: Int) throws(DeviceError)
    /// Enqueues a copy of bytes of the arena to the staging memory; they are there when ``finish()`` has returned.
    func download(arenaOffset: Int, stagingOffset: Int, byteCount: Int) throws(DeviceError)
    /// Has what is enqueued begin.
    func flush() throws(DeviceError)
    /// Waits, blocking the thread, until all that is enqueued is done.
    func finish() throws(DeviceError)

    /// Whether times are kept of what is enqueued from now on, on a stream that can.
    var isRecording: Bool { get set }
    /// How many commands were enqueued since ``takeTimes()`` while times were kept; a step may have several.
    var recordedCommandCount: Int { get }
    /// The times of those commands, in order, once they are done; forgets them.
    func takeTimes() throws(DeviceError) -> [DeviceTime]
}

/// When a device did something, in nanoseconds of a clock of its own.
package struct DeviceTime: Sendable {
    /// When the processor enqueued it.
    package let enqueued: Int64
    package let start: Int64
    package let end: Int64

    package init(enqueued: Int64, start: Int64, end: Int64) {
        self.enqueued = enqueued
        self.start = start
        self.end = end
    }
}

/// Why a device did not do what it was asked.
package struct DeviceError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// Its memory does not suffice.
        case outOfMemory
        /// Anything else, after which the device may be of no more use.
        case failed
    }

    package let kind: Kind
    /// The device, the call and its answer.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
