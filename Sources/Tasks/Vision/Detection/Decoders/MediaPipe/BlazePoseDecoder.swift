import Models

/// The decoder for MediaPipe's detectors of people (BlazePose). A box is no box of a person: it anchors the crop of the
/// body, which the points tell, and lies somewhere between chin and chest.
///
/// The points are the middle of the hips, a point on the circle around it that holds the whole body, the middle of the
/// shoulders, and a point on the circle around it that holds the upper body. Where a person stands upright, the points
/// on the circles lie above their centers.
///
/// Source: `pose_detection_cpu.pbtxt` of https://github.com/google-ai-edge/mediapipe
package struct BlazePoseDecoder: MediaPipeDecoder {
    package static let name = DecoderName.mediapipePerson
    package static let label = "anchor of a person"
    package static let pointCount = 4
    package static let grids: [[(stride: Int, count: Int)]] = [[(8, 2), (16, 2), (32, 6)], [(8, 2), (16, 6)]]
    package static let black: Float = -1
    package let reading: MediaPipeReading

    package init(_ reading: MediaPipeReading) { self.reading = reading }
}
