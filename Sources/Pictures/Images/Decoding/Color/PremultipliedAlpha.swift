extension UInt8 {
    /// What was multiplied by alpha, as Pillow divides it.
    ///
    /// - Parameter clear: The result where alpha is 0.
    func divided(by alpha: UInt8, clear: UInt8) -> UInt8 {
        alpha == 255 ? self : alpha == 0 ? clear : UInt8(clamping: Int(self) * 255 / Int(alpha))
    }
}
