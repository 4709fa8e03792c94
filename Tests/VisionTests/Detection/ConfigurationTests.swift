import Apus
import Foundation
import Images
import Testing

@Suite("What says how outputs become objects")
struct ConfigurationTests {
    private func configuration(_ text: String) throws -> DetectionConfiguration {
        try DetectionConfiguration(json: Data(text.utf8), path: "m.postprocess.json")
    }

    @Test("Every key of a sidecar file is read")
    func keys() throws {
        let configuration = try configuration(
            """
            {"decoder": "yolox", "confidence_threshold": 0.3, "iou_threshold": 0.6, "class_agnostic": true,
             "max_objects": 7, "labels": ["cat", "dog"], "strides": [8, 16], "anchors": [[[1, 2], [3, 4]]],
             "box_format": "tlbr", "box_units": "pixels", "class_offset": 1, "category_ids": [17, 18]}
            """)
        #expect(configuration.decoder == "yolox")
        #expect(configuration.minimumConfidence == 0.3 && configuration.isConfidenceGiven)
        #expect(configuration.suppression.isThresholdGiven)
        #expect(
            configuration.suppression == NonMaximumSuppression(threshold: 0.6, isClassAgnostic: true, maximumCount: 7))
        #expect(configuration.labels == Labels(["cat", "dog"]))
        #expect(configuration.strides == [8, 16])
        #expect(configuration.anchors == [[[1, 2], [3, 4]]])
        #expect(configuration.boxFormat == .topLeftBottomRight)
        #expect(configuration.boxUnits == .pixels)
        #expect(configuration.classOffset == 1)
        #expect(configuration.categoryIDs == [17, 18])
    }

    @Test(
        "What is wrong in a sidecar file is named",
        arguments: [
            ("{\"decoder\": \"yolo99\"}", "yolo99"), ("{\"nms\": 1}", "nms"), ("[]", "JSON object"),
            ("{", "JSON object"),
            ("{\"iou_threshold\": 2}", "iou_threshold"), ("{\"max_objects\": 0}", "max_objects"),
            ("{\"strides\": [0]}", "strides"), ("{\"anchors\": [[[1]]]}", "anchors"),
            ("{\"labels\": 3}", "labels"), ("{\"box_units\": \"miles\"}", "box_units"),
        ])
    func problems(_ text: String, _ named: String) {
        let error = #expect(throws: ApusError.self) { try self.configuration(text) }
        #expect("\(error.map { "\($0)" } ?? "")".contains(named))
    }

    @Test("Metadata of a file names the task and the classes")
    func metadata() throws {
        let configuration = try #require(
            DetectionConfiguration(metadata: ["task": "detect", "names": "{0: 'person', 1: 'fire truck'}"]))
        #expect(configuration.labels == Labels(["person", "fire truck"]))
        #expect(DetectionConfiguration(metadata: ["task": "classify"]) == nil)
        for (text, size) in [
            ("[320, 640]", ImageSize(width: 640, height: 320)), ("96", ImageSize(width: 96, height: 96)), ("[]", nil),
            ("[0, 32]", nil), ("[1, 2, 3]", nil), ("99999999999999999999", nil),
            (String(repeating: "9", count: 99), nil),
        ] {
            #expect(DetectionConfiguration(metadata: ["task": "detect", "imgsz": text])?.inputSize == size, "\(text)")
        }
        #expect(DetectionConfiguration(metadata: ["task": "detect", "names": "{0: __import__('os')}"])?.labels == nil)
    }
}
