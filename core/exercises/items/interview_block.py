"""Questions of interviews on a block: its parameters, and the norms on the way back."""

from core.exercises.exercise import Exercise, Part, Task, Wrong
from core.exercises.items.twins import pick
from core.lessons.block import BlockLessonSettings
from core.lessons.cost_counts import Cost
from core.lessons.head_counts import LayerCount
from core.lessons.heads import HeadsSettings

_ANGLE = "lesson A, Interview angle"

_WIDTHS = tuple(
    (width, heads) for width, heads in ((256, 4), (384, 6), (768, 12), (1024, 16), (2048, 16), (4096, 32))
)


def _block_parameters(seed: int) -> Task:
    """Attention against the MLP. Twins draw the width."""
    width, heads = pick(seed, (512, 8), _WIDTHS)
    layer = LayerCount(width, heads)
    mlp = Cost(1, layer.d_k, heads, heads).mlp  # one multiplication a token for each parameter
    right = (float(layer.weights), float(mlp))
    three, one_matrix = float(3 * heads * layer.one_head), mlp / 2
    return Task(
        setup=f"A block in the style of GPT-2 is {width:,} wide and has {heads} heads. Its MLP widens to "
        f"{4 * width:,} and narrows back. Biases and norms are not counted.",
        question="How many parameters do attention and the MLP have?",
        parts=(Part("numbers", right, names=("attention", "MLP")),),
        wrong=(
            Wrong(((three, right[1]),), "the output matrix forgotten", "Q, K and V make three matrices. "
                  "$W_O$ is the fourth."),
            Wrong(((float(layer.full_width_heads), right[1]),), "each head has full-width matrices",
                  f"All {heads} heads together own one width: they are slices of the same matrices."),
            Wrong(((right[0], one_matrix),), "the mlp has one matrix", "One matrix widens, another narrows "
                  "back."),
        ),
        explain=f"Attention: $4 D^2$ = {layer.weights:,}. MLP: $2 \\cdot D \\cdot 4D = 8 D^2$ = {mlp:,}. So "
        "two thirds of the block are in its MLP.",
        link=HeadsSettings(wide=width, wide_heads=heads).to_query(),
    )  # fmt: skip


def _norms_on_the_path(seed: int) -> Task:
    """Norms between the loss and the embedding. Twins draw the depth."""
    layers = pick(seed, 12, (2, 3, 4, 6, 8, 10))
    right = (1.0, 2.0 * layers)
    return Task(
        setup=f"Two models of {layers} blocks, each block with two sub-layers and two norms. In the pre-norm "
        "model each sub-layer gets a normalised copy, and one final norm follows the last block. In the "
        "post-norm model each sum is normalised. Go back from the logits to the embedding along the sums, "
        "past all sub-layers.",
        question="How many norms does the gradient pass on this path in each model?",
        parts=(Part("numbers", right, names=("pre-norm", "post-norm")),),
        wrong=(
            Wrong(((right[1] + 1, right[1]),), "a pre-norm block normalises the stream", "Its norms stand in "
                  "front of the sub-layers, beside the stream, not on it."),
            Wrong(((0.0, right[1]),), "the final norm forgotten", "After the last block of a pre-norm model "
                  "one norm stands on the stream."),
            Wrong(((1.0, float(layers)),), "one norm for each block", "A block has two sub-layers, and each "
                  "sum is normalised."),
        ),
        explain=f"Pre-norm: 1, whatever the depth. Post-norm: 2 · {layers} = {right[1]:g}, and each of them "
        "changes the size of the gradient. That is why deep post-norm models need a careful warm-up.",
        link=BlockLessonSettings(layers=layers, norm_place="post").to_query(),
    )  # fmt: skip


INTERVIEW_BLOCK = (
    Exercise("I08", "Attention and MLP", "block", "core", "heads",
             (_ANGLE,
              "lesson C, MLP: it widens by four and narrows"), _block_parameters),
    Exercise("I11", "Norms on the way back", "block", "advanced", "block",
             (_ANGLE, "lesson C, The block: pre-norm"), _norms_on_the_path),
)  # fmt: skip
