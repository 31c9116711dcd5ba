"""What stands in the pictures of a page: settings in, figures and the words around them out.

The page's script draws them, and so does the route that answers while a slider is dragged
(``pages/ui/live_route.py``). Both ask here, so they cannot differ.
"""

from core.lessons.masking import MaskingSettings
from core.settings import AttentionSettings
from pages.ui.pictures.home import home
from pages.ui.pictures.masking import masking
from pages.ui.pictures.picture import View
from pages.ui.pictures.playground import playground

VIEWS = {
    "masking": View(MaskingSettings, masking),
    "home": View(AttentionSettings, home),
    "playground": View(AttentionSettings, playground),
}
