import Inference

extension Catalog {
    /// The kinds of datasets, in the order in which an input is tried.
    public static let datasets: [DatasetKind] = [
        .standardInput, .remote, .folder, .manifest, .numPy, .tar, .video, .file,
    ]
}
