"""RapidLayout: the parts of a page."""

from rapid_layout import RapidLayout


def load(model, kind):
    analyse = RapidLayout(model_type=kind, model_dir_or_path=model)

    def answer(picture):
        found = analyse(picture)
        parts = zip(found.boxes, found.scores, found.class_names)
        return {"boxes": [[*map(float, box), float(score), name] for box, score, name in parts]}

    return answer
