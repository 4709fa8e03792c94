import FoundationEssentials
import Synchronization

/// The frames or pages of one picture file, which is walked once however many of them are decoded in order.
///
/// Any thread may ask for any frame. One before those that were asked for lately is drawn from the first again.
package final class PictureFrames: @unchecked Sendable {
    // Guards what is mutable.
    private let lock = Mutex<Void>(())
    private let file: Bytes
    private let memory: UnsafeMutableRawBufferPointer
    private var content: Content?
    private var asked: Set<Int> = []

    private enum Content {
        case pages(TIFFPages)
        case animation(Animation)
        /// What has one frame, or only one that is decoded.
        case single
    }

    private final class Animation {
        let picture: any PictureDecoder
        var drawing: any FrameDrawing
        /// The index of the next frame that is drawn.
        var next = 0
        /// Frames that were drawn on the way to a later one, and that were not asked for yet.
        var passed: [Int: Image] = [:]
        /// The first frame that cannot be drawn, and why.
        var failure: (frame: Int, error: ImageError)?

        init(_ picture: any PictureDecoder, _ drawing: any FrameDrawing) {
            (self.picture, self.drawing) = (picture, drawing)
        }
    }

    /// The maximum number of frames, and of their bytes, that are kept for those who ask for them late.
    private static let maximumPassed = (count: 16, byteCount: 64 << 20)

    /// - Parameter bytes: The file, which is copied.
    package init(_ bytes: some ContiguousBytes) {
        memory = bytes.withUnsafeBytes { buffer in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count, alignment: 16)
            copy.copyMemory(from: buffer)
            return copy
        }
        file = Bytes(UnsafeRawBufferPointer(memory))
    }

    deinit {
        content = nil
        memory.deallocate()
    }

    /// The number of bytes of the file.
    package var byteCount: Int { file.count }

    /// Whether every frame was asked for.
    package var isDone: Bool {
        lock.withLock { _ in
            switch content {
            case .pages(let pages): asked.count >= pages.directories.count
            case .animation(let animation): asked.count >= animation.picture.frameCount
            case .single: true
            case nil: false
            }
        }
    }

    /// Decodes a frame, with the pixels of ``Image/init(decoding:options:)``.
    package func image(_ frame: Int, _ options: Image.DecodingOptions) throws(ImageError) -> Image {
        let options = options.decoding(frame: frame)
        enum Found {
            case decoded(Image, any PictureDecoder)
            case pages(TIFFPages)
            case single
        }
        let found = try lock.withLock { _ throws(ImageError) -> Found in
            let content: Content
            if let known = self.content { content = known } else { content = try read() }
            self.content = content
            asked.insert(frame)
            switch content {
            case .pages(let pages): return .pages(pages)
            case .animation(let animation):
                return .decoded(try drawn(animation, frame, options), animation.picture)
            case .single: return .single
            }
        }
        switch found {
        case .decoded(let image, let picture): return try Image(decoded: image, of: picture, options)
        case .pages(let pages): return try Image(TIFFDecoder(file, frame: frame, pages), options)
        case .single: return try Image(PictureDecoders.decoder(of: file).init(file, frame: frame), options)
        }
    }

    private func read() throws(ImageError) -> Content {
        let kind = try PictureDecoders.decoder(of: file)
        if kind == TIFFDecoder.self { return .pages(TIFFPages(file)) }
        // What it says of memory is about frames behind the first.
        let picture = try kind.init(file, frame: 1)
        guard let drawing = try picture.drawing() else { return .single }
        return .animation(Animation(picture, drawing))
    }

    /// The picture with a frame, as it is stored.
    private func drawn(
        _ animation: Animation, _ frame: Int, _ options: Image.DecodingOptions
    ) throws(ImageError) -> Image {
        try options.check(frame, of: animation.picture)
        if let failure = animation.failure, frame >= failure.frame { throw failure.error }
        if let image = animation.passed.removeValue(forKey: frame) { return image }
        if frame < animation.next {
            guard let drawing = try animation.picture.drawing() else { throw .corrupt("the file has no frame") }
            (animation.drawing, animation.next, animation.passed) = (drawing, 0, [:])
        }
        while true {
            let size = animation.drawing.nextSize
            try options.check(size)
            try options.checkMemory(size, animation.picture)
            do throws(ImageError) {
                try animation.drawing.drawNext()
            } catch {
                animation.failure = (animation.next, error)
                throw error
            }
            animation.next += 1
            let last = animation.next - 1
            if last == frame { return try animation.drawing.image() }
            let byteCount = (size.pixelCount ?? .max).multipliedReportingOverflow(by: 3 * Self.maximumPassed.count)
            if frame - last <= Self.maximumPassed.count, !byteCount.overflow,
                byteCount.partialValue <= Self.maximumPassed.byteCount
            {
                animation.passed[last] = try animation.drawing.image()
                if animation.passed.count > Self.maximumPassed.count, let first = animation.passed.keys.min() {
                    animation.passed[first] = nil
                }
            }
        }
    }
}
