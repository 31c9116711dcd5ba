"""Where "See it on the page" leads: to a state that shows the task's own numbers, or to the bare page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from core.examples import WORKED_EXAMPLES
from core.exercises import EXERCISES
from core.exercises.place import BY_ID
from core.lessons.block import STEPS, BlockLessonSettings
from core.lessons.block_counts import model_size
from core.lessons.block_wrong import entry
from core.lessons.cost import CostSettings, trace_cost
from core.lessons.cost_window import reach
from core.lessons.head_counts import LayerCount
from core.lessons.heads import HeadsSettings, trace_heads
from core.lessons.kv_cache import KVCacheSettings, trace_kv_cache
from core.lessons.kv_memory import trace_memory
from core.lessons.masking import MaskingSettings, trace_masking
from core.lessons.masking_cases import cached_decoding, mistakes_of
from core.lessons.positions import PositionsSettings, trace_rope
from core.lessons.road import SUBJECT, recurrent_steps
from core.lessons.scaling import ScalingSettings, overflows, trace_scaling
from core.lessons.soft_lookup import SoftLookupSettings, trace_soft_lookup
from core.numbers import parse_compact
from core.settings import AttentionSettings
from core.trace import trace_attention
from core.training.experiments import TrainingSettings

SEEDS = range(9)
SOURCES = [example.numbers for example in WORKED_EXAMPLES.values()]
PAGES = {
    "soft-lookup": (SoftLookupSettings, trace_soft_lookup),
    "playground": (AttentionSettings, trace_attention),
    "masking": (MaskingSettings, trace_masking),
    "scaling": (ScalingSettings, trace_scaling),
    "heads": (HeadsSettings, trace_heads),
    "positions": (PositionsSettings, trace_rope),
    "kv-cache": (KVCacheSettings, trace_kv_cache),
    "cost": (CostSettings, trace_cost),
    "block": (BlockLessonSettings, lambda settings: settings),
    "training": (TrainingSettings, lambda settings: settings),
}
NO_LINK = {
    "X28",
    "X29",
    "X33",
    "X46",
    "X54",
    "N11",
    "N13",
    "N16",
    "I01",
    "I02",
}  # no page takes their numbers
SOMETIMES = {"X36"}  # the page takes lesson C's pair only


def ints(text):
    return [int(word.replace(",", "")) for word in re.findall(r"\d[\d,]*", text)]


def columns(found):
    return frozenset((0, int(j)) for j in found)


def cells(where):
    return frozenset((int(i), int(j)) for i, j in np.argwhere(where))


def slopes(t, task):
    p = t.weights[0].max(axis=1)
    return max(p * (1 - p))


def before_and_after(t, _):
    warm = trace_soft_lookup(replace(t.settings, temperature=1.0))
    return warm.weights.max(), t.weights.max()


def memory(t):
    return trace_memory(t.settings)


# What the linked state shows, to be compared with the answer (of the part with that number).
ANSWERS = {
    "X01": (0, lambda t, task: t.weights[1]),
    "X02": (0, lambda t, task: t.output[0]),
    "X03": (0, lambda t, task: t.weights),
    "X04": (0, lambda t, task: t.weights),
    "X06": (0, lambda t, task: t.weights[0]),
    "X07": (0, lambda t, task: t.weights[t.settings.cell]),
    "X08": (0, lambda t, task: t.weights[0].sum(axis=0)[ints(task.question)[0]]),
    "X10": (0, lambda t, task: t.weights[0]),
    "X11": (0, lambda t, task: cells(np.abs(t.difference) > 1e-9)),
    "X12": (0, lambda t, task: (t.weights == 0).sum()),
    "X13": (0, lambda t, task: t.weights[t.settings.cell]),
    "X17": (0, lambda t, task: t.keys_read),
    "X18": (0, lambda t, task: t.weights[t.settings.cell]),
    "X19": (0, lambda t, task: t.divisors[t.settings.scale]),
    "X20": (0, lambda t, task: t.weights[0]),
    "X21": (0, before_and_after),
    "X22": (1, slopes),
    "X23": (0, lambda t, task: " × ".join(map(str, t.weights.shape[-2:]))),
    "X25": (0, lambda t, task: ints(task.setup)[1] ** 2 / t.settings.cost.entries),
    "X26": (0, lambda t, task: t.q_heads.shape[-1] ** 0.5),
    "X27": (0, lambda t, task: LayerCount(t.settings.wide, t.settings.wide_heads).weights),
    "X31": (0, lambda t, task: t.weights[t.settings.cell]),
    "X34": (0, lambda t, task: t.score),
    "X35": (0, lambda t, task: t.score),
    "X36": (0, lambda t, task: t.score),
    "X37": (0, lambda t, task: t.q_angles[-1]),
    "X38": (0, lambda t, task: columns(np.flatnonzero((t.q_rotated[0, 0] != 0) & (t.q[0, 0] == 0)))),
    "X39": (0, lambda t, task: t.settings.kv_head),
    "X40": (0, lambda t, task: memory(t).per_token),
    "X41": (0, lambda t, task: (t.settings.kv_head, t.settings.heads / t.settings.kv_heads)),
    "X43": (0, lambda t, task: t.mask.sum()),
    "X44": (0, lambda s, task: entry(s.a, s.b).product),
    "X45": (0, lambda s, task: entry(s.a, s.b).product),
    "X48": (0, lambda t, task: t.weights),
    "X49": (0, lambda t, task: t.weights[t.settings.cell]),
    "X50": (0, lambda t, task: t.scores[2]),
    "X51": (0, lambda t, task: t.weights[t.settings.query]),
    "X56": (0, lambda t, task: columns(np.flatnonzero(t.weights[t.settings.row]))),
    "X57": (0, lambda t, task: t.output[int("second number" in task.question)]),
    "X58": (0, lambda t, task: columns(
        j for j in range(t.settings.d_model)
        if np.array_equal(t.q[:, j], t.q_heads[t.settings.head][:, j % t.settings.d_k])
    )),
    "N02": (1, lambda t, task: columns(np.flatnonzero(t.weights[t.settings.row]))),
    "N03": (0, lambda t, task: (*t.weights.shape[-2:], *t.context.shape[-2:])),
    "N04": (0, lambda t, task: t.output),
    "N05": (0, lambda t, task: t.output[0]),
    "N06": (0, lambda t, task: columns(
        np.flatnonzero(mistakes_of(t).polarity.weights[ints(task.question)[0]]))),
    "N07": (0, lambda t, task: t.weights.shape),
    "N08": (0, lambda t, task: t.weights[0, 1]),
    "N10": (0, lambda t, task: len(t.weights)),
    "N14": (0, lambda s, task: (0.0, entry(s.a, s.b).product)),
    "N17": (0, lambda t, task: (recurrent_steps(SUBJECT, t.settings.reader), 1)),
    "N18": (0, lambda t, task: memory(t).cache / (memory(t).per_token * ints(task.setup)[0])),
    "N19": (0, lambda t, task: t.weights),
    "N20": (0, lambda t, task: t.output[1]),
    "I03": (0, lambda t, task: (reach(t.settings.near, t.settings.depth) - 1, t.settings.depth, 1)),
    "I04": (0, lambda t, task: t.most_held),
    "I05": (0, lambda t, task: [x / 2**20 for _, x in sorted(memory(t).by_kv_heads.items(), reverse=True)]),
    "I06": (0, lambda t, task: (1 + t.settings.heads / (2 * t.settings.kv_heads), 0)),
    "I07": (1, lambda t, task: (*t.weights.shape[-2:], len(t.output))),
    "I08": (0, lambda t, task: (LayerCount(t.settings.wide, 1).weights, 8 * t.settings.wide**2)),
    "I09": (0, lambda t, task: cached_decoding(t.settings).bottom_right.visible.sum()),
    "I12": (0, lambda t, task: (
        next(x.limit for x in overflows(t.settings.offset) if f"in {x.dtype}" in task.setup), 0)),
    "I13": (0, lambda t, task: (1, t.settings.heads)),
}  # fmt: skip


def four(*numbers):
    return [f"{x:.4f}" for x in numbers]


# Where the answer is in words: numbers of the linked state that the task's texts print.
PRINTED = {
    "X05": lambda t: four(t.weights.min()),
    "X09": lambda t: four(*t.weights.ravel()),
    "X14": lambda t: four(*t.weights),
    "X15": lambda t: four(t.unmasked_weights[-2, -1]),
    "X16": lambda t: [f"the inputs “{' '.join(t.tokens)}” and the targets"],
    "X30": lambda t: [f"{x:g}" for x in {round(float(w), 9) for w in t.weights[0, 1:, 0]}],
    "X32": lambda t: four(*t.output.ravel()),
    "X42": lambda t: [f"{t.settings.step} tokens", f"{t.mask[t.settings.step, :-1].sum()} old keys"],
    "X52": lambda t: four(*t.output),
    "X53": lambda t: [f"{len(t.tokens)} tokens in all", f"all {(t.weights[0] == 0).sum()} weights are 0"],
    "X55": lambda t: [f"D = {t.x.shape[1]}", f"{len(t.weights)} head"],
    "N01": lambda t: four(t.unmasked_weights[t.settings.cell[1:]]),
    "N12": lambda t: [f"position {t.settings.cell[1]}"],
    "N15": lambda s: [
        f"{model_size(s).layers} blocks", f"{model_size(s).vocabulary:,} logits", model_size(s).name,
    ],
    **{f"T0{i}": lambda s: [f"{s.step:,} steps"] for i in range(1, 6)},
    "I10": lambda t: [f"move {t.settings.rope_offset} positions", f"“{t.settings.text}”"],
    "I11": lambda s: [f"{s.layers} blocks", f"2 · {s.layers}"],
}  # fmt: skip
OTHERWISE = {"X24", "X47", "N09"}  # orders: tests of their own


def linked():
    return [each for each in EXERCISES if each.id not in NO_LINK]


def opened(exercise, task):
    """What the linked page computes."""
    settings_class, trace = PAGES[exercise.page]
    settings, notes = settings_class.from_query(task.link)
    assert notes == []
    assert settings.to_query() == task.link
    return trace(settings)


def test_numbers_of_a_built_in_source_are_shown_by_that_source():
    """Their own table would be unfolded otherwise."""
    for exercise in linked():
        for seed in SEEDS:
            link = exercise.make(seed).link
            if link.get("source") == "custom":
                assert parse_compact(link["numbers"]) not in SOURCES, (exercise.id, seed)
    assert {name: BY_ID[name].make(0).link["source"] for name in ("X01", "X03", "N04", "N08", "N20")} == {
        "X01": "two-keys", "X03": "two-keys", "N04": "two-keys", "N08": "three-tokens", "N20": "cat-sat-mat"
    }  # fmt: skip


def texts(task):
    parts = [text for part in task.parts for text in (part.label, *part.options)]
    return " ".join(
        (task.setup, task.question, task.explain, *parts, *(each.feedback for each in task.wrong))
    )


def test_every_link_is_looked_at_here():
    assert {each.id for each in linked()} == ANSWERS.keys() | PRINTED.keys() | OTHERWISE
    for exercise in EXERCISES:
        links = [bool(exercise.make(seed).link) for seed in SEEDS]
        if exercise.id in SOMETIMES:
            assert links[0]
        else:
            assert all(links) == any(links) == (exercise.id not in NO_LINK), exercise.id


@pytest.mark.parametrize(
    "exercise", [each for each in EXERCISES if each.id in ANSWERS], ids=lambda each: each.id
)
def test_the_linked_state_shows_the_answer(exercise):
    which, shown = ANSWERS[exercise.id]
    for seed in SEEDS:
        task = exercise.make(seed)
        if exercise.id in SOMETIMES and not task.link:
            continue
        answer, found = task.parts[which].answer, shown(opened(exercise, task), task)
        if isinstance(answer, str | frozenset):
            assert found == answer, seed
        else:
            assert np.ravel(found) == pytest.approx(np.ravel(answer), abs=1e-6), seed


@pytest.mark.parametrize(
    "exercise", [each for each in EXERCISES if each.id in PRINTED], ids=lambda each: each.id
)
def test_the_linked_state_has_the_numbers_of_the_text(exercise):
    for seed in SEEDS:
        task = exercise.make(seed)
        found, told = PRINTED[exercise.id](opened(exercise, task)), texts(task)
        assert found
        assert all(each in told for each in found), (seed, found)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_linked_state_shows_what_is_asked_and_not_something_beside_it(seed):
    t = opened(BY_ID["X07"], task := BY_ID["X07"].make(seed))  # the covered cell is explained
    covered = task.setup.split("reads ")[1].rstrip(".").split(", ").index("?")
    assert t.settings.cell == (0, 0, covered)
    t = opened(BY_ID["X31"], task := BY_ID["X31"].make(seed))  # the padding key is: the last
    assert t.settings.cell == (0, 0, len(t.k[0]) - 1)
    assert not t.k[0, -1].any()

    t = opened(BY_ID["X09"], BY_ID["X09"].make(seed))  # a whole grid
    assert t.weights.shape == (1, 3, 3)
    assert t.weights[0].sum(axis=1) == pytest.approx([1, 1, 1])

    t = opened(BY_ID["X19"], task := BY_ID["X19"].make(seed))  # drawn, undivided and divided
    assert t.products.std() == pytest.approx(task.parts[0].answer, abs=task.parts[0].tolerance)
    assert t.scaled.std() == pytest.approx(1, abs=0.05)

    t = opened(BY_ID["X25"], task := BY_ID["X25"].make(seed))  # the page's table goes from n to 2n
    assert (t.settings.n, t.settings.heads) == (ints(task.setup)[0], 1)
    if seed == 0:
        assert 2 * t.settings.n == ints(task.setup)[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_linked_state_has_the_steps_that_are_ordered(seed):
    t = opened(BY_ID["X24"], task := BY_ID["X24"].make(seed))
    assert t.settings.stage == "masked"
    assert np.isneginf(t.masked).any()
    assert (t.settings.window is None) == ("future" in " ".join(task.parts[0].options))

    settings = opened(BY_ID["X47"], task := BY_ID["X47"].make(seed))
    assert settings.norm_place == "pre"
    assert settings.style in ("llama", "gpt2")
    assert ("SwiGLU" in task.parts[0].options) == (settings.style == "llama")
    kinds = {"N": "Norm", "a": "Attention", "d": "Add", "M": "MLP"}
    found = ["d" if card.startswith("add") else "N" if "Norm" in card else "a" if card == "attention" else "M"
             for card in task.parts[0].answer]  # fmt: skip
    assert [kinds[each] for each in found] == [name.removesuffix(" 2") for name in STEPS["pre"]]

    t = opened(BY_ID["N09"], task := BY_ID["N09"].make(seed))
    shapes = [
        list(t.q.shape),
        None,
        list(t.q_heads.shape),
        None,
        None,
        list(t.merged.shape),
        list(t.output.shape),
    ]
    for card, shape in zip(task.parts[0].answer, shapes, strict=True):
        assert shape is None or str(shape) in card


@pytest.mark.parametrize("seed", SEEDS)
def test_rope_is_on_where_what_it_turns_is_asked(seed):
    t = opened(BY_ID["N12"], BY_ID["N12"].make(seed))
    token = t.settings.cell[1]
    assert not np.allclose(t.q_rotated[0, token], t.q[0, token])
    assert not np.allclose(t.k_rotated[0, token], t.k[0, token])
    assert np.allclose(t.context[0], t.weights[0] @ t.v[0])  # values as they were
