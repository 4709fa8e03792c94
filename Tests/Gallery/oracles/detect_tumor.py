"""A classifier of scans of the brain."""

from detect_tumor import TumorDetector


def load(model):
    detector = TumorDetector(model_path=model)

    def answer(picture):
        shares = detector.predict(picture).probabilities
        return {"scores": {str(getattr(name, "value", name)): share / 100 for name, share in shares.items()}}

    return answer
