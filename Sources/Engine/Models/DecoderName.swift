/// The name of a family of detectors in options and sidecar files. The order is that in which the decoders are tried.
package enum DecoderName: String, CaseIterable, Sendable {
    case coreml
    case mediapipeFace = "mediapipe-face"
    case mediapipePalm = "mediapipe-palm"
    case mediapipePerson = "mediapipe-person"
    case scrfd, yunet, centerface, retinaface, ultraface, picodet, centernet
    case torchvision, detr
    case rtdetr = "rt-detr"
    case rtdetrEndToEnd = "rt-detr-end2end"
    case paddle
    case yoloNASFlat = "yolo-nas-flat"
    case yoloNASBatch = "yolo-nas-batch"
    case yoloNAS = "yolo-nas"
    case yoloEndToEnd = "yolo-end2end"
    case yolov7EndToEnd = "yolov7-end2end"
    case efficientdet, ssd, yolov3, nanodet
    case nanodetV0 = "nanodet-v0"
    case yolox, yolov8, yolov5
    case yoloOBB = "yolo-obb"
    case yoloOBBEndToEnd = "yolo-obb-end2end"
}

/// The name of a family of networks for points in options and sidecar files. The order is that in which the decoders
/// are tried.
package enum PointDecoderName: String, CaseIterable, Sendable {
    case yoloPose = "yolo-pose"
    case yoloPoseEndToEnd = "yolo-pose-end2end"
    case movenet
    case movenetMultipose = "movenet-multipose"
    case yoloNASPose = "yolo-nas-pose"
    case simcc
    case heatmaps
    case mediapipePose = "mediapipe-pose"
    case mediapipeHand = "mediapipe-hand"
    case mediapipeAttention = "mediapipe-face-attention"
    case mediapipeFace = "mediapipe-face"
    case mediapipeIris = "mediapipe-iris"
    case points
}

extension Catalog {
    /// The names of the decoders for the outputs of networks for points.
    public static var pointDecoderNames: [String] { PointDecoderName.allCases.map(\.rawValue) }

    /// The names of the decoders for the outputs of detectors.
    public static var decoderNames: [String] { DecoderName.allCases.map(\.rawValue) }
}
