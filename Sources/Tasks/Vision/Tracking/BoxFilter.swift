import Predicting

/// A Kalman filter for a box that moves and grows at constant speed while its proportions stay.
///
/// State: center x, center y and area with their speeds per frame, and width ÷ height; lengths are in thousandths of
/// the picture's sides. The covariances of SORT couple a quantity only with its own speed, so each quantity has its own
/// filter.
package struct BoxFilter {
    /// One quantity `p` and its speed `v`: `p ← p + v` in each frame.
    private struct Quantity {
        var value: Double
        var speed = 0.0
        /// The covariance [[variance, shared], [shared, speedVariance]].
        var variance: Double
        var shared = 0.0
        var speedVariance: Double
        /// The amounts that a frame adds to the variances.
        let noise: (value: Double, speed: Double)
        /// The variance of a measurement.
        let measurementVariance: Double

        mutating func predict() {
            value += speed
            variance += 2 * shared + speedVariance + noise.value
            shared += speedVariance
            speedVariance += noise.speed
        }

        mutating func correct(_ measured: Double) {
            let sum = variance + measurementVariance
            let (gain, speedGain) = (variance / sum, shared / sum)
            let error = measured - value
            value += gain * error
            speed += speedGain * error
            speedVariance -= speedGain * shared
            shared *= 1 - gain
            variance *= 1 - gain
        }
    }

    private static let scale = 1000.0

    private var x: Quantity
    private var y: Quantity
    private var area: Quantity
    private var aspect: Quantity

    package init(_ box: NormalizedBox) {
        let (x, y, area, aspect) = Self.measured(box)
        self.x = Quantity(value: x, variance: 10, speedVariance: 10_000, noise: (1, 0.01), measurementVariance: 1)
        self.y = Quantity(value: y, variance: 10, speedVariance: 10_000, noise: (1, 0.01), measurementVariance: 1)
        self.area = Quantity(
            value: area, variance: 10, speedVariance: 10_000, noise: (1, 0.0001), measurementVariance: 10)
        self.aspect = Quantity(value: aspect, variance: 10, speedVariance: 0, noise: (1, 0), measurementVariance: 10)
    }

    /// Advances by one frame.
    package mutating func predict() {
        if area.value + area.speed <= 0 { area.speed = 0 }
        x.predict()
        y.predict()
        area.predict()
        aspect.predict()
    }

    /// Corrects the state by the box that was seen.
    package mutating func correct(_ box: NormalizedBox) {
        let measured = Self.measured(box)
        x.correct(measured.x)
        y.correct(measured.y)
        area.correct(measured.area)
        aspect.correct(measured.aspect)
    }

    /// The expected box.
    package var box: NormalizedBox {
        let area = max(area.value, 1e-6)
        let width = (area * max(aspect.value, 1e-6)).squareRoot()
        let height = area / width
        return NormalizedBox(
            x: Float((x.value - width / 2) / Self.scale), y: Float((y.value - height / 2) / Self.scale),
            width: Float(width / Self.scale), height: Float(height / Self.scale))
    }

    private static func measured(_ box: NormalizedBox) -> (x: Double, y: Double, area: Double, aspect: Double) {
        let (width, height) = (Double(box.width) * scale, max(Double(box.height) * scale, 1e-6))
        return (Double(box.x) * scale + width / 2, Double(box.y) * scale + height / 2, width * height, width / height)
    }
}
