import Graphs

extension TFLiteGraphReader {
    /// Adds the custom operator with which detection models end.
    mutating func addDetection(_ node: TFLiteNode) throws(FormatError) {
        let operation = try detection(node)
        guard node.outputs.count == 4 else {
            throw node.invalid("it has \(node.outputs.count) outputs; boxes, classes, scores and a count are expected")
        }
        readsNumbers = true
        var operands: [Graph.ValueID?] = []
        for position in 0..<3 { operands.append(try plain(try node.input(position))) }
        readsNumbers = false
        let values = try apply(operation, operands, node.name, count: 4)
        for (index, value) in zip(node.outputs, values) {
            guard elementType(index) == .float32 else { throw node.unsupported("outputs that are not float32") }
            define(index, value)
        }
    }

    private func detection(_ node: TFLiteNode) throws(FormatError) -> DetectionPostProcess {
        let options = try TFLiteCustomOptions(node, in: model)
        var scales: [Float] = []
        for axis in ["y", "x", "h", "w"] { scales.append(Float(try options.number("\(axis)_scale"))) }
        let counts = (
            detections: try options.integer("max_detections"),
            classesPerDetection: try options.integer("max_classes_per_detection"),
            perClass: try options.integer("detections_per_class", default: 100),
            classes: try options.integer("num_classes")
        )
        let (score, overlap) = (
            Float(try options.number("nms_score_threshold")), Float(try options.number("nms_iou_threshold"))
        )
        let isClassByClass = try options.number("use_regular_nms", default: 0) != 0
        return try node.checked { () throws(OperatorError) in
            try DetectionPostProcess(
                maximumDetections: counts.detections, maximumClassesPerDetection: counts.classesPerDetection,
                detectionsPerClass: counts.perClass, isClassByClass: isClassByClass, scoreThreshold: score,
                overlapThreshold: overlap, classCount: counts.classes, scales: scales)
        }
    }
}
