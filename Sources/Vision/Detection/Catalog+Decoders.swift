import Inference

extension Catalog {
    /// The decoders of detectors' outputs, in the order in which outputs are tried.
    package static let decoders = DecoderName.allCases.map(\.decoder)
}

extension DecoderName {
    /// What reads the outputs of this family.
    package var decoder: any ObjectDecoder.Type {
        switch self {
        case .coreml: CoreMLDecoder.self
        case .ssd: SSDDecoder.self
        case .yolov3: YOLOv3Decoder.self
        case .yolox: YOLOXDecoder.self
        case .yolov8: YOLOv8Decoder.self
        case .yolov5: YOLOv5Decoder.self
        }
    }
}
