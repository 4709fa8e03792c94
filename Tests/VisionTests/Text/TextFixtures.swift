import TestSupport
import Apus
import Foundation
import Images

/// The files that `make_text_fixtures.py` writes.
enum TextFixtures {
    static func path(_ name: String) -> String { TestedNetworks.fixtures.appending(path: "text/\(name)").path }

    static func model(_ name: String) throws -> Model { try Model(contentsOf: path("\(name).onnx")) }

    /// Numbers of OpenCV and pyclipper.
    struct References: Decodable {
        struct Warped: Decodable {
            let corners: [[Double]]
            let width: Int
            let height: Int
            let pixels: [UInt8]
        }

        struct Rectangle: Decodable {
            let points: [[Double]]
            let area: Double
        }

        struct Grown: Decodable {
            let path: [[Double]]
            let distance: Double
            let points: [[Double]]
            let area: Double
        }

        let warped: Warped
        let rectangles: [Rectangle]
        let grown: [Grown]
    }

    static func references() throws -> References {
        try JSONDecoder().decode(References.self, from: Data(contentsOf: URL(fileURLWithPath: path("references.json"))))
    }

    /// A rectangle of OpenCV, in the order of RapidOCR, as `make_rectangle_fixtures.py` writes it.
    struct Bits: Decodable {
        let kind: String
        let points: [[Double]]
        let corners: [[Double]]
        let side: Double
    }

    static func bits() throws -> [Bits] {
        try JSONDecoder().decode([Bits].self, from: Data(contentsOf: URL(fileURLWithPath: path("rectangles.json"))))
    }

    static func points(_ pairs: [[Double]]) -> [PixelPoint] { pairs.map { PixelPoint(x: $0[0], y: $0[1]) } }
}
