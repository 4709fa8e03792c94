/// The name of a family of detectors in options and sidecar files. The order is that in which the decoders are tried.
package enum DecoderName: String, CaseIterable, Sendable {
    case coreml, ssd, yolov3, yolox, yolov8, yolov5
}

extension Catalog {
    /// The names of the decoders for the outputs of detectors.
    public static var decoderNames: [String] { DecoderName.allCases.map(\.rawValue) }
}
