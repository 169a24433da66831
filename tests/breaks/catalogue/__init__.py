"""All breaks, by subject."""

from tests.breaks.catalogue import activity, building, crossing, delivery, fence, overlay, reading, visibility
from tests.breaks.kinds import Break

BREAKS: list[Break] = [
    *building.BREAKS,
    *fence.BREAKS,
    *overlay.BREAKS,
    *delivery.BREAKS,
    *crossing.BREAKS,
    *activity.BREAKS,
    *reading.BREAKS,
    *visibility.BREAKS,
]
