import Models

/// The decoder for MediaPipe's detectors of palms (BlazePalm).
///
/// The points are the wrist, the first joints of the index, middle, ring and little finger, and the first two joints of
/// the thumb.
///
/// Source: `palm_detection_cpu.pbtxt` of https://github.com/google-ai-edge/mediapipe
package struct BlazePalmDecoder: MediaPipeDecoder {
    package static let name = DecoderName.mediapipePalm
    package static let label = "palm"
    package static let pointCount = 7
    package static let grids: [[(stride: Int, count: Int)]] = [[(8, 2), (16, 6)]]
    package static let black: Float = 0
    package let reading: MediaPipeReading

    package init(_ reading: MediaPipeReading) { self.reading = reading }
}
