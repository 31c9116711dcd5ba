"""Every prompt of the three lessons is asked by an exercise.

The list is made by hand, line by line through the lessons: every Predict, Try it, Notice, Watch out, Common
mistake and Knowledge check, and the worked examples, notes and remarks that play their part.
"""

from core.exercises import EXERCISES

LESSONS = (
    "lesson A, Intuition: one step however far",
    "lesson A, Note: additive scores came first",
    "lesson A, Try it 1: which value the output copies",
    "lesson A, Try it 2: which cells change without the mask",
    "lesson A, Try it 2: why a decoder keeps them masked",
    "lesson A, Notice: each row sums to 1",
    "lesson A, Notice: zeros to the right of column i",
    "lesson A, Notice: the first token's weight is 1",
    "lesson A, Notice: unscaled, the row is almost one-hot",
    "lesson A, Notice: tiny gradients of a saturated softmax",
    "lesson A, Why divide by the root of d_k",
    "lesson A, Causal masking: encoders omit the mask",
    "lesson A, Multi-head: parameters",
    "lesson A, Multi-head: the cost of one full-width head",
    "lesson A, Worked example: weights and output",
    "lesson A, Worked example: sharper or softer rows",
    "lesson A, Worked example: shapes for a sequence",
    "lesson A, step 1: taking off the maximum changes nothing",
    "lesson A, Predict: softmax of 1000, 1001, 1002",
    "lesson A, step 2: only the last two axes",
    "lesson A, step 2: the mask comes before softmax",
    "lesson A, Predict: row 0 under the mask",
    "lesson A, Predict: as many heads as columns",
    "lesson A, step 4: without the loop",
    "lesson A, Predict: the forgotten transpose",
    "lesson A, Cost: twice the context",
    "lesson A, Cost: never the whole matrix",
    "lesson A, Cost: sliding windows",
    "lesson A, KV caching: what is kept",
    "lesson A, KV caching: n scores for a new token",
    "lesson A, KV caching: the cache grows with context and batch",
    "lesson A, Position information: outputs move with their tokens",
    "lesson A, Position information: RoPE on Q and K",
    "lesson A, Interpreting attention: values and other layers",
    "lesson A, Watch out: the causal mask forgotten",
    "lesson A, Watch out: padding",
    "lesson A, Watch out: large unscaled scores",
    "lesson A, Watch out: memory grows with the square",
    "lesson A, Common mistake: dividing by d_k",
    "lesson A, Common mistake: no scaling at all",
    "lesson A, Common mistake: softmax along the wrong axis",
    "lesson A, Common mistake: a large negative number in half precision",
    "lesson A, Common mistake: the grid's size and d_k",
    "lesson A, Common mistake: one head as the model's thought",
    "lesson A, Knowledge check: the weights of a query of length 2",
    "lesson A, Knowledge check: the output for a query of length 2",
    "lesson A, Knowledge check: implementation challenge",
    "lesson A, Interview angle",
    "lesson B, What attention is: one step",
    "lesson B, Query, key, value: the row of “sat”",
    "lesson B, Steps: from scores to output",
    "lesson B, Scale: the variance of a dot product",
    "lesson B, Scale: gradients of two rows",
    "lesson B, Scale: the printed softmax rows",
    "lesson B, Worked example: the table of scores",
    "lesson B, Worked example: the grid of weights, put right",
    "lesson B, Worked example: the row of “cat”",
    "lesson B, Worked example: the printed outputs",
    "lesson B, Causal masking: seeing the target would be cheating",
    "lesson B, Causal masking: True means may attend",
    "lesson B, Causal masking: the hidden score",
    "lesson B, Causal masking: its printed row",
    "lesson B, Multi-head: heads with different patterns",
    "lesson B, Multi-head: 128 = 4 × 32",
    "lesson B, Multi-head: split and concatenate",
    "lesson B, Code: a fill of -1e9",
    "lesson B, Code: keys with a head axis",
    "lesson B, Visualization: rows sum to 1, columns need not",
    "lesson B, Visualization: the printed softmax of a diagram",
    "lesson B, Notice: the upper triangle is zero",
    "lesson C, Soft lookup: T queries and S keys",
    "lesson C, Soft lookup: the three tokens",
    "lesson C, Remark: attention began in translation",
    "lesson C, Why divide: the variance is d",
    "lesson C, Why divide: eight scores",
    "lesson C, Causal masking: reading the answer",
    "lesson C, Causal masking: the example",
    "lesson C, Causal masking: the last token sees everything, as before",
    "lesson C, Causal masking: all predictions in one pass",
    "lesson C, Multi-head: D = 8, H = 2",
    "lesson C, Multi-head: no loop over heads",
    "lesson C, Position: dog bites man",
    "lesson C, RoPE: a pair turned by 90°",
    "lesson C, RoPE: the length stays",
    "lesson C, RoPE: the speeds",
    "lesson C, RoPE: only the difference counts",
    "lesson C, RoPE: nothing is added to values",
    "lesson C, RoPE: the example at distance 2",
    "lesson C, RoPE: the example at distance -2",
    "lesson C, RoPE: two ways to pair",
    "lesson C, Shared heads: the cache limits texts and length",
    "lesson C, Shared heads: one KV head for all",
    "lesson C, Shared heads: which head reads which",
    "lesson C, Shared heads: the size of the cache",
    "lesson C, The block: the order of its parts",
    "lesson C, The block: only a correction is added",
    "lesson C, The block: why add instead of replace",
    "lesson C, The block: pre-norm",
    "lesson C, The block: the full model",
    "lesson C, MLP: it widens by four and narrows",
    "lesson C, SwiGLU: SiLU is z times its sigmoid",
    "lesson C, SwiGLU: the example",
    "lesson C, SwiGLU: 0 switches an entry off",
)
CLAIMED = {key: [each.id for each in EXERCISES if key in each.covers] for key in LESSONS}


def test_the_list_names_nothing_twice():
    assert len(set(LESSONS)) == len(LESSONS)
    assert [key.split(",")[0] for key in LESSONS] == sorted(key.split(",")[0] for key in LESSONS)


def test_every_prompt_of_the_lessons_is_asked():
    assert [key for key, ids in CLAIMED.items() if not ids] == []


def test_no_exercise_claims_a_prompt_that_is_not_listed():
    claims = {key for each in EXERCISES for key in each.covers if key.lower().startswith("lesson")}
    assert claims - set(LESSONS) == set()


def test_what_an_exercise_covers_is_said_once():
    for each in EXERCISES:
        assert len(set(each.covers)) == len(each.covers), each.id


def test_interviews_are_known_by_their_number():
    ids = [each.id for each in EXERCISES if each.interview]
    assert ids == [f"I{i:02}" for i in range(1, 14)]
    assert CLAIMED["lesson A, Interview angle"] == ids


def test_the_first_exercise_is_the_first_of_the_lessons_and_interviews_come_last():
    ids = [each.id for each in EXERCISES]
    assert ids[0] == "X01"
    assert [each[0] for each in ids] == ["X"] * 58 + ["N"] * 20 + ["T"] * 5 + ["I"] * 13
