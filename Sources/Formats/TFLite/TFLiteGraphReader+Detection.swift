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
        let options: [String: Double]
        do throws(FormatError) {
            options = try FlexBufferMap(model.file.bytes[node.customOptions ?? 0..<0]).numbers
        } catch {
            throw node.invalid(error.description)
        }
        func number(_ name: String, default fallback: Double? = nil) throws(FormatError) -> Double {
            guard let number = options[name] ?? fallback else { throw node.invalid("option \(name) is missing") }
            return number
        }
        func count(_ name: String, default fallback: Double? = nil) throws(FormatError) -> Int {
            let number = try number(name, default: fallback)
            guard let count = Int(exactly: number) else { throw node.invalid("\(name) is \(number)") }
            return count
        }
        var scales: [Float] = []
        for axis in ["y", "x", "h", "w"] { scales.append(Float(try number("\(axis)_scale"))) }
        let counts = (
            detections: try count("max_detections"), classesPerDetection: try count("max_classes_per_detection"),
            perClass: try count("detections_per_class", default: 100), classes: try count("num_classes")
        )
        let (score, overlap) = (Float(try number("nms_score_threshold")), Float(try number("nms_iou_threshold")))
        let isClassByClass = try number("use_regular_nms", default: 0) != 0
        return try node.checked { () throws(OperatorError) in
            try DetectionPostProcess(
                maximumDetections: counts.detections, maximumClassesPerDetection: counts.classesPerDetection,
                detectionsPerClass: counts.perClass, isClassByClass: isClassByClass, scoreThreshold: score,
                overlapThreshold: overlap, classCount: counts.classes, scales: scales)
        }
    }
}
