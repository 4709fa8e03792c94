import Models

/// The decoder for MediaPipe's detectors of faces (BlazeFace).
///
/// The points are the right eye, the left eye, the tip of the nose, the middle of the mouth, and the right and the left
/// ear, as the person has them.
///
/// Sources: `face_detection_short_range.pbtxt` and `face_detection_full_range.pbtxt` of
/// https://github.com/google-ai-edge/mediapipe
package struct BlazeFaceDecoder: MediaPipeDecoder {
    package static let name = DecoderName.mediapipeFace
    package static let label = "face"
    package static let pointCount = 6
    package static let grids: [[(stride: Int, count: Int)]] = [[(8, 2), (16, 6)], [(16, 2), (32, 6)], [(4, 1)]]
    package static let black: Float = -1
    package let reading: MediaPipeReading

    /// The full-range network, whose only grid has a stride of 4, wants more.
    package var customaryConfidence: Float? { reading.anchorCount == 48 * 48 ? 0.6 : Self.customaryConfidence }

    package init(_ reading: MediaPipeReading) { self.reading = reading }
}
