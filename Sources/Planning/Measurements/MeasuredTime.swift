/// How long a lowering took for a layer.
package struct MeasuredTime: Sendable, Equatable {
    /// The time of one image where it is kept, of a run where a plan tells it.
    package let microseconds: Double
    /// The threads that ran.
    package let threads: Int
    /// The images that were computed together.
    package let images: Int
}
