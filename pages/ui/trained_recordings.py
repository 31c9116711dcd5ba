"""Where a page's recording comes from: the gallery, or a model that reads a sentence now."""

from core.lessons.trained_heads import OWN, TrainedHeadsSettings
from core.models.gallery import recorded
from core.models.recording import Recording, RecordingError


def recording_of(settings: TrainedHeadsSettings) -> Recording | str:
    """Return the recording of the settings' model and sentence, or a sentence that says why there is none."""
    if settings.sentence == OWN:
        return "not yet"
    try:
        return recorded(settings.model, settings.sentence)
    except RecordingError as error:
        return f"The recording cannot be read, so there is no picture. {error}"
