import Inference
import Models

extension Catalog {
    /// The decoders for the outputs of detectors, in the order in which they are tried.
    package static let decoders = DecoderName.allCases.map(\.decoder)
}

extension DecoderName {
    /// The decoder for the outputs of this family.
    package var decoder: any ObjectDecoder.Type {
        switch self {
        case .coreml: CoreMLDecoder.self
        case .mediapipeFace: BlazeFaceDecoder.self
        case .mediapipePalm: BlazePalmDecoder.self
        case .mediapipePerson: BlazePoseDecoder.self
        case .scrfd: SCRFDDecoder.self
        case .yunet: YuNetDecoder.self
        case .centerface: CenterFaceDecoder.self
        case .retinaface: RetinaFaceDecoder.self
        case .ultraface: UltraFaceDecoder.self
        case .picodet: PicoDetDecoder.self
        case .centernet: CenterNetDecoder.self
        case .detr: DETRDecoder.self
        case .rtdetr: RTDETRDecoder.self
        case .rtdetrEndToEnd: RTDETREndToEndDecoder.self
        case .paddle: PaddleDetectionDecoder.self
        case .yoloNASFlat: YOLONASFlatDecoder.self
        case .yoloNASBatch: YOLONASBatchDecoder.self
        case .yoloNAS: YOLONASDecoder.self
        case .yoloEndToEnd: YOLOEndToEndDecoder.self
        case .yolov7EndToEnd: YOLOv7EndToEndDecoder.self
        case .torchvision: TorchvisionDecoder.self
        case .efficientdet: EfficientDetDecoder.self
        case .ssd: SSDDecoder.self
        case .yolov3: YOLOv3Decoder.self
        case .nanodet: NanoDetDecoder.self
        case .nanodetV0: NanoDetV0Decoder.self
        case .yolox: YOLOXDecoder.self
        case .yolov8: YOLOv8Decoder.self
        case .yolov5: YOLOv5Decoder.self
        case .yoloOBB: YOLOOBBDecoder.self
        case .yoloOBBEndToEnd: YOLOOBBEndToEndDecoder.self
        }
    }
}
