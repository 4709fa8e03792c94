/// A family of detectors by the name that options and sidecar files use, in the order in which outputs are tried.
package enum DecoderName: String, CaseIterable, Sendable {
    case coreml, ssd, yolov3, yolox, yolov8, yolov5
}

extension Catalog {
    /// The names of the decoders of detectors' outputs.
    public static var decoderNames: [String] { DecoderName.allCases.map(\.rawValue) }
}
