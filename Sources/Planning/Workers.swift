/// Threads that a step spreads its work over.
package protocol Workers: AnyObject, Sendable {
    /// How many threads take part, the caller included.
    var count: Int { get }

    /// Calls `body` once for every index below `count`, on all threads, and returns when every call has returned.
    ///
    /// - Parameters:
    ///   - context: Handed to every call; valid until this function returns.
    ///   - body: Receives the context, the index, and the number of the thread (below `self.count`).
    func run(_ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction)
}

/// One piece of a step's work: context, index, thread.
package typealias WorkerFunction = @convention(c) (UnsafeRawPointer, Int, Int) -> Void

/// The calling thread alone.
package final class SerialWorkers: Workers {
    package init() {}
    package var count: Int { 1 }
    package func run(_ count: Int, _ context: UnsafeRawPointer, _ body: WorkerFunction) {
        for index in 0..<count { body(context, index, 0) }
    }
}
