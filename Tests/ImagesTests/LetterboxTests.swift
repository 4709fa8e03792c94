import Foundation
import Images
import Testing

/// The placement of a picture in a frame, for each family of detectors.
@Suite("Letterboxes")
struct LetterboxTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let letterbox: Preprocessing.Letterbox
        let picture: ImageSize
        let frame: ImageSize
        /// The picture's size after resizing, and its upper left corner.
        let resized: ImageSize
        let corner: (x: Int, y: Int)
        /// The point of the picture at 3/4 of the frame's width and 3/5 of its height.
        let place: (x: Double, y: Double)

        init(
            _ letterbox: Preprocessing.Letterbox, _ picture: (Int, Int), _ frame: (Int, Int), _ resized: (Int, Int),
            _ corner: (Int, Int), _ place: (Double, Double)
        ) {
            self.letterbox = letterbox
            self.picture = ImageSize(width: picture.0, height: picture.1)
            self.frame = ImageSize(width: frame.0, height: frame.1)
            self.resized = ImageSize(width: resized.0, height: resized.1)
            (self.corner, self.place) = (corner, place)
        }

        var testDescription: String { "\(letterbox.rawValue): \(picture) in \(frame)" }
    }

    /// Made in Python by the formulas of the references: `LetterBox.__call__` and `scale_boxes` of
    /// https://github.com/ultralytics/ultralytics, `preproc` of https://github.com/Megvii-BaseDetection/YOLOX with its
    /// boxes divided by the ratio, `letterbox_image` and `correct_yolo_boxes` of https://github.com/pjreddie/darknet,
    /// `_resize_image_with_pad_common` of https://github.com/tensorflow/tensorflow with the rounded extents,
    /// `DetectionLongestMaxSizeRescale` to four pixels less with `DetectionCenterPadding`, and
    /// `KeypointsLongestMaxSizeRescale` with `KeypointsBottomRightPadding`, of
    /// https://github.com/Deci-AI/super-gradients
    static let cases = [
        Case(.ultralytics, (600, 400), (320, 320), (320, 213), (0, 53), (0.750000000, 0.652582160)),
        Case(.ultralytics, (1000, 664), (640, 640), (640, 425), (0, 107), (0.750000000, 0.651764706)),
        Case(.ultralytics, (451, 300), (416, 416), (416, 277), (0, 69), (0.750000000, 0.651985560)),
        Case(.ultralytics, (427, 640), (416, 416), (278, 416), (69, 0), (0.874100719, 0.600000000)),
        Case(.ultralytics, (333, 500), (640, 480), (320, 480), (160, 0), (1.000000000, 0.600000000)),
        Case(.ultralytics, (1920, 1080), (416, 416), (416, 234), (0, 91), (0.750000000, 0.677777778)),
        Case(.ultralytics, (64, 64), (32, 64), (32, 32), (0, 16), (0.750000000, 0.700000000)),
        Case(.yolox, (600, 400), (320, 320), (320, 213), (0, 0), (0.750000000, 0.900000000)),
        Case(.yolox, (1000, 664), (640, 640), (640, 424), (0, 0), (0.750000000, 0.903614458)),
        Case(.yolox, (451, 300), (416, 416), (416, 276), (0, 0), (0.750000000, 0.902000000)),
        Case(.yolox, (427, 640), (416, 416), (277, 416), (0, 0), (1.124121780, 0.600000000)),
        Case(.yolox, (333, 500), (640, 480), (319, 480), (0, 0), (1.501501502, 0.600000000)),
        Case(.yolox, (1920, 1080), (416, 416), (416, 234), (0, 0), (0.750000000, 1.066666667)),
        Case(.yolox, (64, 64), (32, 64), (32, 32), (0, 0), (0.750000000, 1.200000000)),
        Case(.darknet, (600, 400), (320, 320), (320, 213), (0, 53), (0.750000000, 0.650234742)),
        Case(.darknet, (1000, 664), (640, 640), (640, 424), (0, 108), (0.750000000, 0.650943396)),
        Case(.darknet, (451, 300), (416, 416), (416, 276), (0, 70), (0.750000000, 0.650724638)),
        Case(.darknet, (427, 640), (416, 416), (277, 416), (69, 0), (0.875451264, 0.600000000)),
        Case(.darknet, (333, 500), (640, 480), (319, 480), (160, 0), (1.001567398, 0.600000000)),
        Case(.darknet, (1920, 1080), (416, 416), (416, 234), (0, 91), (0.750000000, 0.677777778)),
        Case(.darknet, (64, 64), (32, 64), (32, 32), (0, 16), (0.750000000, 0.700000000)),
        Case(.tensorflow, (600, 400), (320, 320), (320, 213), (0, 53), (0.750000000, 0.652582160)),
        Case(.tensorflow, (1000, 664), (640, 640), (640, 424), (0, 107), (0.750000000, 0.653301887)),
        Case(.tensorflow, (451, 300), (416, 416), (416, 276), (0, 69), (0.750000000, 0.654347826)),
        Case(.tensorflow, (427, 640), (416, 416), (277, 416), (69, 0), (0.877256318, 0.600000000)),
        Case(.tensorflow, (333, 500), (640, 480), (319, 480), (160, 0), (1.003134796, 0.600000000)),
        Case(.tensorflow, (1920, 1080), (416, 416), (416, 234), (0, 91), (0.750000000, 0.677777778)),
        Case(.tensorflow, (64, 64), (32, 64), (32, 32), (0, 16), (0.750000000, 0.700000000)),
        Case(.superGradients, (600, 400), (320, 320), (316, 211), (2, 54), (0.753164557, 0.655063291)),
        Case(.superGradients, (1000, 664), (640, 640), (636, 422), (2, 109), (0.751572327, 0.651189664)),
        Case(.superGradients, (451, 300), (416, 416), (412, 274), (2, 71), (0.752427184, 0.651687702)),
        Case(.superGradients, (427, 640), (416, 416), (275, 412), (70, 2), (0.880380164, 0.600970874)),
        Case(.superGradients, (333, 500), (640, 480), (317, 476), (161, 2), (1.006258359, 0.600840336)),
        Case(.superGradients, (1920, 1080), (416, 416), (412, 232), (2, 92), (0.752427184, 0.680043150)),
        Case(.superGradients, (64, 64), (32, 64), (28, 28), (2, 18), (0.785714286, 0.728571429)),
        Case(.superGradientsCorner, (600, 400), (320, 320), (320, 213), (0, 0), (0.750000000, 0.900000000)),
        Case(.superGradientsCorner, (1000, 664), (640, 640), (640, 425), (0, 0), (0.750000000, 0.903614458)),
        Case(.superGradientsCorner, (451, 300), (416, 416), (416, 277), (0, 0), (0.750000000, 0.902000000)),
        Case(.superGradientsCorner, (427, 640), (416, 416), (278, 416), (0, 0), (1.124121780, 0.600000000)),
        Case(.superGradientsCorner, (333, 500), (640, 480), (320, 480), (0, 0), (1.501501502, 0.600000000)),
        Case(.superGradientsCorner, (1920, 1080), (416, 416), (416, 234), (0, 0), (0.750000000, 1.066666667)),
        Case(.superGradientsCorner, (64, 64), (32, 64), (32, 32), (0, 0), (0.750000000, 1.200000000)),
    ]

    @Test("A picture lies where the family's reference puts it, and places go back as there", arguments: cases)
    func equalsReference(_ expected: Case) throws {
        let (width, height) = (expected.picture.width, expected.picture.height)
        let white = try Image(width: width, height: height, pixels: [UInt8](repeating: 255, count: width * height * 3))
        var steps = Preprocessing()
        steps.setResizing(.fit, to: expected.frame, color: .gray, letterbox: expected.letterbox)
        let numbers = try steps.tensor(from: white).elements(as: Float.self)
        // The first plane.
        let frame = expected.frame
        for row in 0..<frame.height {
            for column in 0..<frame.width {
                let isInside =
                    (expected.corner.x..<expected.corner.x + expected.resized.width).contains(column)
                    && (expected.corner.y..<expected.corner.y + expected.resized.height).contains(row)
                guard numbers[row * frame.width + column] == (isInside ? 255 : 114) else {
                    Issue.record("row \(row), column \(column) is \(numbers[row * frame.width + column])")
                    return
                }
            }
        }
        let place = try steps.placement(of: expected.picture).original(x: 0.75, y: 0.6)
        #expect(abs(place.x - expected.place.x) < 1e-8 && abs(place.y - expected.place.y) < 1e-8, "\(place)")
    }

    @Test("MediaPipe's frame shows the upper left corner of each place, and half of the border beside the edges")
    func mediapipe() throws {
        // The scale is 6 ÷ 4: columns lie at 0, 1.5, 3 and 4.5, rows at −1, 0.5, 2 and 3.5.
        var pixels: [UInt8] = []
        for row: UInt8 in 0..<4 {
            for column: UInt8 in 0..<6 { pixels += [10 * column + 60 * row, row, 0] }
        }
        let picture = try Image(width: 6, height: 4, pixels: pixels)
        var steps = Preprocessing()
        steps.setResizing(.fit, to: ImageSize(width: 4, height: 4), color: .black, letterbox: .mediapipe)
        let numbers = try steps.tensor(from: picture).elements(as: Float.self)
        #expect(numbers[0..<4] == [0, 0, 0, 0] && numbers[4..<8] == [30, 45, 60, 75])
        // Halves are rounded up: (180 + 0) ÷ 2, (195 + 0) ÷ 2.
        #expect(numbers[8..<12] == [120, 135, 150, 165] && numbers[12..<16] == [90, 98, 105, 113])
        let placement = try steps.placement(of: picture.size)
        let corner = placement.original(x: 0, y: 0)
        #expect(abs(corner.x) < 1e-12 && abs(corner.y + 0.25) < 1e-12)
        let end = placement.original(x: 1, y: 1)
        #expect(abs(end.x - 1) < 1e-12 && abs(end.y - 1.25) < 1e-12)
    }

    @Test("MediaPipe's frame without proportions shows the upper left corner of each place")
    func mediapipeFill() throws {
        // Columns lie at 0 and 3, rows at 0 and 2.
        var pixels: [UInt8] = []
        for row: UInt8 in 0..<4 {
            for column: UInt8 in 0..<6 { pixels += [10 * column + 60 * row, row, 0] }
        }
        let picture = try Image(width: 6, height: 4, pixels: pixels)
        var steps = Preprocessing()
        steps.setResizing(.fit, to: ImageSize(width: 2, height: 2), letterbox: .mediapipeFill)
        let numbers = try steps.tensor(from: picture).elements(as: Float.self)
        #expect(numbers[0..<4] == [0, 30, 120, 150])
        let placement = try steps.placement(of: picture.size)
        let (corner, end) = (placement.original(x: 0, y: 0), placement.original(x: 1, y: 1))
        #expect(abs(corner.x) < 1e-12 && abs(corner.y) < 1e-12 && abs(end.x - 1) < 1e-12 && abs(end.y - 1) < 1e-12)
    }

    @Test("Steps with different letterboxes have different descriptions")
    func descriptions() {
        let size = ImageSize(width: 8, height: 8)
        let texts = Preprocessing.Letterbox.allCases.map { letterbox in
            var steps = Preprocessing()
            steps.setResizing(.fit, to: size, letterbox: letterbox)
            return steps.description
        }
        #expect(Set(texts).count == texts.count)
    }
}
