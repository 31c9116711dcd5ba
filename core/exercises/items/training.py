"""Exercises on trainings: what comes out is read from the recorded runs of three seeds."""

from collections.abc import Sequence

import numpy as np

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick, shuffled
from core.training.course import recorded
from core.training.experiments import TrainingSettings
from core.training.runs import RUNS


def _seeds(name: str, measure: str, step: int) -> np.ndarray:
    """What three seeds have come to after a step; a run that has ended stays as it was."""
    course = recorded(name)
    return course.of(measure)[:, int((course.steps <= step).sum()) - 1]


def _at(name: str, measure: str, step: int) -> float:
    return float(_seeds(name, measure, step).mean())


def _values(names: Sequence[str], step: int) -> str:
    each = (f"{RUNS[name].title}: {_at(name, 'accuracy', step):.0%}" for name in names)
    return "; ".join(each)


def _link(experiment: str, run: str, step: int) -> dict[str, str]:
    return TrainingSettings(experiment=experiment, run=run, step=step).to_query()


def _one_layer_or_two(seed: int) -> Task:
    """Copying what followed last time takes two layers. Twins stop the training earlier."""
    step = pick(seed, 300, (60, 90, 120, 180, 210, 240))
    right_after = {name: _at(name, "accuracy", step) for name in ("one-layer", "two-layers")}
    names = {
        (True, True): "both",
        (False, True): "the one with two layers",
        (True, False): "the one with one layer",
        (False, False): "neither",
    }
    answer = names[right_after["one-layer"] > 0.9, right_after["two-layers"] > 0.9]
    feedback = {
        "both": (
            "one layer can copy what followed",
            "One layer compares the present token with earlier ones. It finds the earlier copy, but the "
            "token to be copied stands one place later, and its key does not say what stood before it.",
        ),
        "the one with one layer": (
            "fewer layers are easier to train",
            "It has fewer parameters, and not enough for this task: it never gets there.",
        ),
        "neither": (
            "small models cannot copy",
            f"Two layers get {right_after['two-layers']:.0%} right by then.",
        ),
        "the one with two layers": (
            "circuits are there from the start",
            "Two layers suffice, but after so few steps their heads have not formed yet.",
        ),
    }
    return Task(
        setup="A sequence of 8 to 24 different random letters is repeated, as *G K B … G K B …* Two models "
        "learn to predict the next letter: attention only, causal, RoPE, one with one layer and one "
        f"with two. They are trained for {step} steps of 64 sequences.",
        question="Which of them then gets more than 9 of 10 repeated letters right?",
        parts=(Part("choose", answer, options=tuple(names.values())),),
        wrong=tuple(Wrong((name,), *feedback[name]) for name in names.values() if name != answer),
        explain=f"Right by then: one layer {right_after['one-layer']:.0%}, two layers "
        f"{right_after['two-layers']:.0%} (mean of three seeds). A head of the first layer copies "
        "the token before into each place; a head of the second finds the place whose *token before* "
        "is the present one. That pair is called an induction head.",
        link=_link("layers", "two-layers", step),
    )


def _fixed_period(seed: int) -> Task:
    """A tiny loss without the head that was hoped for. Twins stop the training earlier."""
    step = pick(seed, 300, (120, 150, 180, 210, 240))
    loss, accuracy = _at("fixed-period", "loss", step), _at("fixed-period", "accuracy", step)
    options = ("more than 9 in 10", "about half", "fewer than 2 in 10")
    answer = options[0] if accuracy > 0.9 else options[2] if accuracy < 0.2 else options[1]
    feedback = {
        options[0]: (
            "a small loss proves the mechanism",
            f"The loss of {loss:.3f} was measured on the period of 16. There it is enough to look a fixed "
            "number of places back.",
        ),
        options[1]: (
            "what is learned carries over in part",
            "“Look 15 back” finds the wrong letter for every other period: there is nothing in between.",
        ),
        options[2]: ("a small loss means nothing", "It can copy: the loss was measured on other periods."),
    }
    return Task(
        setup="A model with two layers and RoPE learns to continue repeated sequences. **Every** training "
        f"sequence repeats after exactly 16 letters. After {step} steps its loss is {loss:.3f} nats, "
        "where guessing gives 3.47.",
        question="On sequences that repeat after 8 to 24 letters, how many repeated letters does it get "
        "right?",
        parts=(Part("choose", answer, options=options),),
        wrong=tuple(Wrong((each,), *feedback[each]) for each in options if each != answer),
        explain=f"It gets {accuracy:.0%} right. RoPE lets a head look a fixed distance back, and with one "
        "period that is all it takes. No induction head forms. Vary in training what must not be "
        "relied on.",
        link=_link("period", "fixed-period", step),
    )


def _which_number_tells(seed: int) -> Task:
    """Held-out loss has the same leak as the training loss. Twins stop the training earlier."""
    step = pick(seed, 500, (150, 200, 250, 300, 350, 400, 450))
    one, other = "text-open", "text-causal"
    held_out, last = ([_at(name, measure, step) for name in (one, other)] for measure in ("held_out", "last"))
    looks_bad = (held_out[0] > held_out[1], last[0] > last[1])
    names = {
        (False, True): "only the loss at the last position",
        (True, False): "only the loss on held-out text",
        (True, True): "both",
        (False, False): "neither",
    }
    answer = names[looks_bad]
    feedback = {
        "only the loss on held-out text": (
            "held-out loss reveals every fault",
            f"It is {held_out[0]:.2f} nats: the later characters can be seen there too, and are copied.",
        ),
        "both": (
            "held-out loss reveals every fault",
            f"Held-out loss is {held_out[0]:.2f} nats, as good as in training: new text has the same leak.",
        ),
        "neither": (
            "no number tells",
            f"At the last position there is nothing later to copy: {last[0]:.2f} nats.",
        ),
    }
    return Task(
        setup="A model learns to predict the next character of Shakespeare with all 64 characters in view: "
        f"somebody forgot the causal mask. After {step} steps the training loss is "
        f"{_at(one, 'loss', step):.2f} nats; with the mask it would be {_at(other, 'loss', step):.2f}. "
        "Two more numbers are measured on text that was held out: the loss computed as in training, "
        "and the loss at the last position alone, where nothing later stands.",
        question="Which of the two is worse than that of the model with the mask?",
        parts=(Part("choose", answer, options=shuffled(seed + 1, tuple(names.values()))),),
        wrong=tuple(Wrong((each,), *feedback[each]) for each in names.values() if each != answer),
        explain=f"Held-out loss {held_out[0]:.2f} without the mask, {held_out[1]:.2f} with it. At the last "
        f"position {last[0]:.2f} and {last[1]:.2f}. Writing is always done at the last position, so "
        "what it writes is useless.",
        link=_link("mask", one, step),
    )


def _which_are_there(names: Sequence[str], step: int, share: float) -> frozenset[tuple[int, int]]:
    """The runs that get more than a share right with every seed, as cells of one row."""
    return frozenset((0, j) for j, name in enumerate(names) if _seeds(name, "accuracy", step).min() > share)


def _not_divided(seed: int) -> Task:
    """What the factor is for. Twins look after other numbers of steps."""
    step = pick(seed, 400, (280, 320, 360, 1000, 2000))
    names = ("scaled-64", "unscaled-64", "scaled-16", "unscaled-16")
    options = tuple(RUNS[name].title for name in names)
    answer = _which_are_there(names, step, 0.9)
    every = frozenset((0, j) for j in range(4))
    narrow = answer | {(0, 3)}
    return Task(
        setup="Four models with two layers of one head learn to continue repeated sequences. At the start "
        "every entry of q and k has variance 1. Two divide their scores by $\\sqrt{d_k}$, two do not; "
        f"$d_k$ is 64 or 16. Each is trained for as long as it needs, but not for more than {step:,} "
        "steps.",
        question="Which of them get more than 9 of 10 repeated letters right, with each of three seeds?",
        parts=(Part("cells", answer, options=options, rows=("",)),),
        wrong=(
            Wrong(
                (every,),
                "the scale is a detail",
                "Undivided scores have a standard deviation of √d_k: softmax is almost one-hot from the "
                "first step, and training waits on a plateau.",
            ),
            Wrong(
                (narrow,),
                "at a small d_k the scale does not matter",
                "At 16 undivided scores still spread by 4. Training gets away in the end, and takes several "
                "times as long.",
            ),
        ),
        explain=f"Right after {step:,} steps, mean of three seeds: {_values(names, step)}. Without the "
        "factor training waits on a plateau, longer where $d_k$ is larger. On easier tasks it is "
        "merely slower.",
        link=_link("scale", "unscaled-64", step),
    )


def _no_positions(seed: int) -> Task:
    """The mask alone tells order. Twins look after other numbers of steps."""
    step = pick(seed, 500, (300, 50, 400, 450, 100))
    names = ("open-none", "open-rope", "causal-none", "causal-rope")
    options = tuple(RUNS[name].title for name in names)
    answer = _which_are_there(names, step, 0.8)
    only_rope = frozenset({(0, 1), (0, 3)})
    every = frozenset((0, j) for j in range(4))
    wrong = (
        Wrong(
            (only_rope,),
            "without positions order is invisible",
            "That holds without a mask only. Under a causal mask each token sees another number of keys, and "
            "two layers learn to count by it.",
        ),
        Wrong(
            (only_rope | {(0, 2)},),
            "a mask is as good as positions",
            "The mask does give order away, but slowly: it is not learned yet.",
        ),
        Wrong(
            (every,),
            "attention knows the order by itself",
            "Without mask and positions a permuted sequence gives the same vectors, permuted: nothing tells "
            "who stands before whom.",
        ),
    )
    return Task(
        setup="Sixteen random letters stand in a row. At each place a model with two layers shall say which "
        "letter stands *before* it. Four models: with a causal mask or without, with RoPE or without "
        f"any positions. They are trained for {step} steps of 32 sequences.",
        question="Which of them get more than 8 of 10 right, with each of three seeds?",
        parts=(Part("cells", answer, options=options, rows=("",)),),
        wrong=tuple(each for each in wrong if each.answers != (answer,)),
        explain=f"Right by then, mean of three seeds: {_values(names, step)}. Attention without positions "
        "and without a mask is permutation-equivariant. A causal mask breaks that symmetry.",
        link=_link("positions", "causal-none", step),
    )


TRAINING = (
    Exercise(
        "T01",
        "One layer or two",
        "training",
        "core",
        "training",
        ("training: heads that build on one another",),
        _one_layer_or_two,
    ),
    Exercise(
        "T02",
        "A small loss",
        "training",
        "advanced",
        "training",
        ("training: a shortcut",),
        _fixed_period,
    ),
    Exercise(
        "T03",
        "The forgotten mask",
        "training",
        "core",
        "training",
        ("lesson A, Watch out: the causal mask forgotten",),
        _which_number_tells,
    ),
    Exercise(
        "T04",
        "The forgotten scale",
        "training",
        "core",
        "training",
        ("lesson A, Common mistake: no scaling at all",),
        _not_divided,
    ),
    Exercise(
        "T05",
        "The letter before",
        "training",
        "advanced",
        "training",
        ("lesson A, Position information: outputs move with their tokens",),
        _no_positions,
    ),
)
