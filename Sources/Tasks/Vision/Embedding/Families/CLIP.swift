import Images
import Models

/// The encoder of pictures of CLIP, as Hugging Face's Transformers exports it.
///
/// SigLIP's encoder has the same names of input and output, but other numbers; it lacks the layer that CLIP has before
/// the first of its blocks.
///
/// Sources: https://arxiv.org/abs/2103.00020, and `preprocessor_config.json` of
/// https://huggingface.co/openai/clip-vit-base-patch16
struct CLIP: ModelFamily {
    let name = "clip"
    let title = "CLIP"
    let source = "https://github.com/openai/CLIP"
    let task = VisionTask.embed

    func evidence(in signature: TaskSignature) -> String? {
        guard signature.channelCount == 3, signature.inputSize != nil, signature.inputName == "pixel_values",
            signature.outputs.contains(where: { $0.name == "image_embeds" && $0.rowExtent != nil }),
            signature.hasValue(named: "pre_layrnorm")
        else { return nil }
        return "its output \"image_embeds\" and its layer \"pre_layrnorm\""
    }

    func preprocessing(for signature: TaskSignature) -> Preprocessing? {
        signature.inputSize.map { size in
            Preprocessing(
                .centerCrop, to: size, filter: .bicubic, scale: 1 / 255, mean: [0.48145466, 0.4578275, 0.40821073],
                standardDeviation: [0.26862954, 0.26130258, 0.27577711])
        }
    }
}
