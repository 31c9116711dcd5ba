"""What stands in the pictures of a page: settings in, figures and the words around them out.

The page's script draws them, and so does the route that answers while a slider is dragged
(``pages/ui/live_route.py``). Both ask here, so they cannot differ.
"""

from core.lessons.block import BlockLessonSettings
from core.lessons.cost import CostSettings
from core.lessons.heads import HeadsSettings
from core.lessons.kv_cache import KVCacheSettings
from core.lessons.masking import MaskingSettings
from core.lessons.positions import PositionsSettings
from core.lessons.scaling import ScalingSettings
from core.lessons.soft_lookup import SoftLookupSettings
from core.lessons.trained_heads import TrainedHeadsSettings
from core.settings import AttentionSettings
from core.training.experiments import TrainingSettings
from pages.ui.pictures.block import block
from pages.ui.pictures.cost import cost
from pages.ui.pictures.heads import heads
from pages.ui.pictures.home import home
from pages.ui.pictures.kv_cache import kv_cache
from pages.ui.pictures.masking import masking
from pages.ui.pictures.picture import View
from pages.ui.pictures.playground import playground
from pages.ui.pictures.positions import positions
from pages.ui.pictures.scaling import scaling
from pages.ui.pictures.soft_lookup import soft_lookup
from pages.ui.pictures.trained_heads import trained_heads
from pages.ui.pictures.training import training

VIEWS = {
    "cost": View(CostSettings, cost),
    "block": View(BlockLessonSettings, block),
    "heads": View(HeadsSettings, heads),
    "kv-cache": View(KVCacheSettings, kv_cache),
    "masking": View(MaskingSettings, masking),
    "home": View(AttentionSettings, home),
    "positions": View(PositionsSettings, positions),
    "playground": View(AttentionSettings, playground),
    "soft-lookup": View(SoftLookupSettings, soft_lookup),
    "scaling": View(ScalingSettings, scaling),
    "trained-heads": View(TrainedHeadsSettings, trained_heads),
    "training": View(TrainingSettings, training),
}
