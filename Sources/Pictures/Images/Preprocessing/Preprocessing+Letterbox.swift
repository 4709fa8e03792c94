extension Preprocessing {
    /// The placement of a picture with its own proportions in a frame: how its extents are rounded to whole numbers,
    /// and where an odd row or column of the border goes.
    ///
    /// Families of detectors differ here by a pixel, which changes confidences.
    public enum Letterbox: String, Sendable, CaseIterable {
        /// Extents are rounded to the nearest number, the picture is centered, halves round to even: Pillow's
        /// `ImageOps.pad`.
        case pillow
        /// Extents are rounded to the nearest number, the picture is centered; an odd row goes below, an odd column to
        /// the right.
        ///
        ///     r = min(H ÷ h, W ÷ w),  extents = round(side × r),  top = round(border ÷ 2 − 0.1)
        ///
        /// Points are mapped back by the rounded extents. Source: `LetterBox` and `scale_boxes` of
        /// https://github.com/ultralytics/ultralytics (8.4; versions before mapped them back by `r`), likewise
        /// `letterbox` of https://github.com/ultralytics/yolov5
        case ultralytics
        /// Extents are rounded down, the picture is in the upper left corner: the border is on the right and below.
        ///
        /// Points are mapped back by `min(H ÷ h, W ÷ w)`. Source: `preproc` of
        /// https://github.com/Megvii-BaseDetection/YOLOX
        case yolox
        /// Extents are rounded down, the picture is centered; an odd row goes below, an odd column to the right.
        ///
        /// Points are mapped back by the extents, from the exact middle. Source: `letterbox_image` and
        /// `correct_yolo_boxes` of https://github.com/pjreddie/darknet
        case darknet
        /// The picture is centered with its exact extents. A pixel of the frame shows the place of its upper left
        /// corner, interpolated between four pixels of the picture, whatever the filter; the border's color lies beyond
        /// the edges.
        ///
        ///     scale = max(w ÷ W, h ÷ H),  place = position × scale + (side − scale × frame) ÷ 2
        ///
        /// Points are mapped back in the same way. Source: `image_to_tensor_converter_opencv.cc` of
        /// https://github.com/google-ai-edge/mediapipe
        case mediapipe
        /// The picture fills the frame, whatever its proportions. A pixel of the frame shows the place of its upper
        /// left corner, as with ``mediapipe``; points are mapped back as if it showed its middle.
        ///
        /// Source: as ``mediapipe``, without `keep_aspect_ratio`
        case mediapipeFill = "mediapipe-fill"
        /// Extents are rounded down in single precision, the picture is centered; an odd row goes below, an odd column
        /// to the right.
        ///
        ///     r = max(w ÷ W, h ÷ H),  extents = ⌊side ÷ r⌋,  top = ⌊(H − h ÷ r) ÷ 2⌋
        ///
        /// Points are mapped back by the rounded extents. Source: `resize_with_pad` in `image_ops_impl.py` of
        /// https://github.com/tensorflow/tensorflow
        case tensorflow
        /// The picture is fitted into a frame that is 4 pixels narrower and lower, its extents are rounded to the
        /// nearest number, and it is centered; an odd row goes below, an odd column to the right.
        ///
        /// Points are mapped back by `min((H − 4) ÷ h, (W − 4) ÷ w)`. Source: `DetectionLongestMaxSizeRescale` and
        /// `DetectionCenterPadding` with the extents of YOLO-NAS in https://github.com/Deci-AI/super-gradients
        /// (`training/processing/processing.py`)
        case superGradients = "super-gradients"
        /// Extents are rounded to the nearest number, the picture is in the upper left corner.
        ///
        /// Points are mapped back by `min(H ÷ h, W ÷ w)`. Source: `KeypointsLongestMaxSizeRescale` and
        /// `KeypointsBottomRightPadding`, as ``superGradients``
        case superGradientsCorner = "super-gradients-corner"

        /// The pixels by which the frame of ``superGradients`` is smaller.
        private static let superGradientsBorder = 4

        /// The placement of a picture of `size` in a frame.
        func axes(of size: ImageSize, in frame: ImageSize) throws(PreprocessingError) -> (x: Axis, y: Axis) {
            let resized = try resizedSize(of: size, in: frame)
            let ratio = Self.ratio(of: size, in: frame)
            switch self {
            case .mediapipe:
                return (
                    Self.sampledAxis(size.width, in: frame.width, ratio: ratio),
                    Self.sampledAxis(size.height, in: frame.height, ratio: ratio)
                )
            case .mediapipeFill:
                return (
                    Self.sampledAxis(size.width, in: frame.width, ratio: Double(frame.width) / Double(size.width)),
                    Self.sampledAxis(size.height, in: frame.height, ratio: Double(frame.height) / Double(size.height))
                )
            case .superGradients:
                let ratio = Self.ratio(of: size, in: Self.innerFrame(frame))
                return (
                    axis(resized.width, in: frame.width, exact: Double(size.width) * ratio),
                    axis(resized.height, in: frame.height, exact: Double(size.height) * ratio)
                )
            case .pillow, .ultralytics, .yolox, .darknet, .tensorflow, .superGradientsCorner: break
            }
            var (x, y) = (
                axis(resized.width, in: frame.width, exact: Double(size.width) * ratio),
                axis(resized.height, in: frame.height, exact: Double(size.height) * ratio)
            )
            if self == .tensorflow {
                let (width, height) = Self.singleExtents(of: size, in: frame)
                x.origin = max(0, Int(((Float(frame.width) - width) / 2).rounded(.down)))
                y.origin = max(0, Int(((Float(frame.height) - height) / 2).rounded(.down)))
            }
            return (x, y)
        }

        /// The extents of a picture inside a frame before they are rounded, in single precision.
        private static func singleExtents(of size: ImageSize, in frame: ImageSize) -> (width: Float, height: Float) {
            let (width, height) = (Float(size.width), Float(size.height))
            let ratio = max(width / Float(frame.width), height / Float(frame.height))
            return (width / ratio, height / ratio)
        }

        private static func innerFrame(_ frame: ImageSize) -> ImageSize {
            ImageSize(
                width: max(1, frame.width - superGradientsBorder), height: max(1, frame.height - superGradientsBorder))
        }

        /// The placement of one axis whose picture is not resized to whole numbers.
        private static func sampledAxis(_ length: Int, in extent: Int, ratio: Double) -> Axis {
            var axis = Axis(resized: extent)
            let exact = Double(length) * ratio
            axis.mappedExtent = exact
            axis.mappedShift = (Double(extent) - exact) / 2
            axis.places = SampledPlaces(start: (Double(length) - Double(extent) / ratio) / 2, step: 1 / ratio)
            return axis
        }

        /// The placement of one axis.
        ///
        /// - Parameter exact: The extent before rounding.
        private func axis(_ resized: Int, in extent: Int, exact: Double) -> Axis {
            var axis = Axis(resized: resized)
            axis.extent = extent
            let border = extent - resized
            switch self {
            case .pillow: axis.origin = Int((Double(border) * 0.5).rounded(.toNearestOrEven))
            case .ultralytics, .darknet, .superGradients: axis.origin = border / 2
            case .yolox, .mediapipe, .mediapipeFill, .tensorflow, .superGradientsCorner: axis.origin = 0
            }
            switch self {
            case .pillow, .ultralytics, .mediapipe, .mediapipeFill, .tensorflow: break
            case .yolox, .superGradients, .superGradientsCorner: axis.mappedExtent = exact
            case .darknet: axis.mappedShift = Double(border) / 2 - Double(axis.origin)
            }
            return axis
        }

        /// The size of the picture inside the frame.
        func resizedSize(of size: ImageSize, in frame: ImageSize) throws(PreprocessingError) -> ImageSize {
            let (width, height) = (Double(size.width), Double(size.height))
            let (frameWidth, frameHeight) = (Double(frame.width), Double(frame.height))
            switch self {
            case .pillow:
                let (ratio, frameRatio) = (width / height, frameWidth / frameHeight)
                if ratio == frameRatio { return frame }
                return ratio > frameRatio
                    ? try Preprocessing.size(frameWidth, (height / width * frameWidth).rounded(.toNearestOrEven))
                    : try Preprocessing.size((width / height * frameHeight).rounded(.toNearestOrEven), frameHeight)
            case .ultralytics, .mediapipe, .superGradients, .superGradientsCorner:
                let ratio = Self.ratio(of: size, in: self == .superGradients ? Self.innerFrame(frame) : frame)
                return try Preprocessing.size(
                    (width * ratio).rounded(.toNearestOrEven), (height * ratio).rounded(.toNearestOrEven))
            case .mediapipeFill: return frame
            case .tensorflow:
                let (width, height) = Self.singleExtents(of: size, in: frame)
                return try Preprocessing.size(Double(width.rounded(.down)), Double(height.rounded(.down)))
            case .yolox:
                let ratio = Self.ratio(of: size, in: frame)
                return try Preprocessing.size(width * ratio, height * ratio)
            case .darknet:
                return Float(frameWidth) / Float(width) < Float(frameHeight) / Float(height)
                    ? try Preprocessing.size(frameWidth, height * frameWidth / width)
                    : try Preprocessing.size(width * frameHeight / height, frameHeight)
            }
        }

        private static func ratio(of size: ImageSize, in frame: ImageSize) -> Double {
            min(Double(frame.height) / Double(size.height), Double(frame.width) / Double(size.width))
        }
    }
}
