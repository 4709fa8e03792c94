import CPictures

extension Image {
    private static let colorLibrary = PictureLibrary.find(
        apus_lcms(), for: "a color profile", "liblcms2.so.2", package: "liblcms2-2", apus_lcms_load)

    /// The error of every file that needs the library of color profiles; nil where it is there.
    static var missingColorLibrary: ImageError? { colorLibrary.error }

    /// The image in sRGB, given the profile of its file. A profile that cannot be applied is a warning.
    ///
    /// - Throws: ``ImageError/missingLibrary(kind:library:package:)``.
    func convertedToSRGB(_ profile: ColorProfile) throws(ImageError) -> Image {
        let functions = try Self.colorLibrary.get().functions
        let input = profile.bytes.withUnsafeBytes {
            functions.cmsOpenProfileFromMem($0.baseAddress, UInt32(clamping: $0.count))
        }
        guard let input else { return warned("the color profile cannot be read") }
        defer { _ = functions.cmsCloseProfile(input) }
        guard let output = functions.cmsCreate_sRGBProfile() else { throw .outOfMemory }
        defer { _ = functions.cmsCloseProfile(output) }
        let space = Int(functions.cmsGetColorSpace(input))
        guard space == apus_lcms_rgb || space == apus_lcms_grey else {
            return warned("the color profile of \(profile.colorSpace) is not applied")
        }
        let isGrey = space == apus_lcms_grey
        let transform = functions.cmsCreateTransform(
            input, UInt32(isGrey ? apus_lcms_grey_bytes : apus_lcms_rgb_bytes), output, UInt32(apus_lcms_rgb_bytes),
            UInt32(apus_lcms_perceptual), 0)
        guard let transform else { return warned("the color profile cannot be applied") }
        defer { functions.cmsDeleteTransform(transform) }
        // The three channels of a grey picture are equal.
        let source = isGrey ? stride(from: 0, to: pixels.count, by: 3).map { pixels[$0] } : pixels
        var converted = Image(size) { target in
            let rowLength = isGrey ? width : width * 3
            source.withUnsafeBufferPointer { source in
                for row in 0..<height {
                    functions.cmsDoTransform(
                        transform, source.baseAddress.map { $0 + row * rowLength },
                        target.baseAddress.map { $0 + row * width * 3 }, UInt32(width))
                }
            }
        }
        converted.warning = warning
        return converted
    }

    /// The image with another warning.
    private func warned(_ text: String) -> Image {
        var image = self
        image.warning = [warning, text].compactMap { $0 }.joined(separator: "; ")
        return image
    }
}
