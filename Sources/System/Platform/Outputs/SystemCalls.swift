import Glibc

/// The calls that an output makes to the system, which tests replace to make them fail.
package struct SystemCalls: Sendable {
    /// `write(2)`.
    package var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int = {
        Glibc.write($0, $1.baseAddress, $1.count)
    }
    /// `fsync(2)`.
    package var synchronize: @Sendable (Int32) -> Int32 = { fsync($0) }

    package init() {}
}
