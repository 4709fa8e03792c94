/// The measured time of a lowering for a layer.
package struct MeasuredTime: Sendable, Equatable {
    /// The time of one image in records, of one run in plans.
    package let microseconds: Double
    /// The number of threads that ran.
    package let threads: Int
    /// The number of images that were computed together.
    package let images: Int
}
