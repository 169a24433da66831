"""Pictures: bytes in, sizes out. What somebody has sent is never passed on: all that is shown was drawn here anew.

So the place where a photo was taken, comments and whatever else a file may hold stay behind; what the file said about
its orientation and colours has been applied.
"""

import base64
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import IO

from django.conf import settings
from django.utils.translation import gettext as _
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

FORMATS = ("JPEG", "PNG", "WEBP", "GIF")  # by content; of one that moves the first picture
MOST_TIMES_AS_LONG = 10
WIDTHS = (480, 960, 1600)  # a phone's card, a phone's whole width on a fine screen, a desktop
TALLEST = 2  # times the width of the largest size; what is taller is narrower
SQUARE = 192  # an avatar on a fine screen
TINY, LONGEST_PLACEHOLDER = 24, 400
QUALITY = 80

# A picture of too many pixels is refused by its header; this stops what a header does not say.
Image.MAX_IMAGE_PIXELS = settings.MEDIA_MAX_PIXELS
warnings.simplefilter("error", Image.DecompressionBombWarning)

_SRGB = ImageCms.createProfile("sRGB")
_ORIENTATION = 0x0112
_Turn = Image.Transpose
_TURNS = {
    2: _Turn.FLIP_LEFT_RIGHT, 3: _Turn.ROTATE_180, 4: _Turn.FLIP_TOP_BOTTOM, 5: _Turn.TRANSPOSE,
    6: _Turn.ROTATE_270, 7: _Turn.TRANSVERSE, 8: _Turn.ROTATE_90,
}  # fmt: skip
_LYING = (5, 6, 7, 8)  # width and height change places


class BadPicture(ValueError):
    """Why a file is not shown, in words for who sent it."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is known of a picture before its sizes are made: the largest size's sides, and a placeholder."""

    width: int
    height: int
    placeholder: str


@dataclass(frozen=True, slots=True)
class Sizes:
    """WebP files by their width, the largest last, and a square for an avatar."""

    width: int
    height: int
    files: dict[int, bytes]
    square: bytes


def look_at(file: IO[bytes]) -> Look:
    """A picture that can be shown, decoded to its end. BadPicture."""
    with _opened(file) as picture:
        drawn, (width, height) = _drawn(picture, (TINY, TINY))
        return Look(width, height, _placeholder(drawn))


def make_sizes(file: IO[bytes]) -> Sizes:
    """All sizes of a picture, none larger than it is. BadPicture."""
    with _opened(file) as picture:
        largest, _ = _drawn(picture, _BOX)
    width, height = largest.size
    files = {w: _webp(largest.resize((w, max(1, round(height * w / width))))) for w in WIDTHS if w < width}
    side = min(SQUARE, width, height)
    square = _webp(ImageOps.fit(largest, (side, side)))
    return Sizes(width, height, files | {width: _webp(largest)}, square)


_BOX = (WIDTHS[-1], WIDTHS[-1] * TALLEST)


@contextmanager
def _opened(file: IO[bytes]) -> Iterator[Image.Image]:
    """A picture of which no more than the header has been read, and that may be decoded. BadPicture."""
    try:
        with Image.open(file, formats=FORMATS) as picture:
            _check(picture.width, picture.height)
            yield picture
    except (BadPicture, MemoryError):
        raise
    except UnidentifiedImageError:
        raise BadPicture(_("Must be a photo: a JPEG, PNG, WebP or GIF file.")) from None
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise BadPicture(_too_many_pixels()) from None
    except Exception:  # Pillow raises whatever its many parsers stumble over
        raise BadPicture(_("The file is damaged, or not all of it has arrived.")) from None


def _check(width: int, height: int) -> None:
    if min(width, height) < 1:
        raise BadPicture(_("The photo has no width or no height."))
    if width * height > settings.MEDIA_MAX_PIXELS:
        raise BadPicture(_too_many_pixels())
    if max(width, height) > MOST_TIMES_AS_LONG * min(width, height):
        words = _("One side is more than %(times)d times as long as the other.")
        raise BadPicture(words % {"times": MOST_TIMES_AS_LONG})


def _too_many_pixels() -> str:
    words = _("Has too many pixels; at most %(most)s million are allowed.")
    return words % {"most": f"{settings.MEDIA_MAX_PIXELS / 1e6:g}"}


def _drawn(picture: Image.Image, box: tuple[int, int]) -> tuple[Image.Image, tuple[int, int]]:
    """The picture upright, in sRGB, within `box`; and the sides of its largest size.

    1. Decode, a JPEG no finer than it takes.  2. Eight bits, and no palette.  3. Make it small.  4. Colours, on white
    where it is transparent.  5. Turn it. So whatever costs time is done to few pixels.
    """
    sides, profile = picture.size, picture.info.get("icc_profile")
    enough = max(_within(sides, box), _within(sides, box[::-1]))  # whichever way it is turned
    picture.draft(None, (enough[0] * 2, enough[1] * 2))
    picture.load()
    orientation = _orientation(picture)
    lying = orientation in _LYING
    upright = sides[::-1] if lying else sides
    width, height = _within(upright, box)
    wanted = (height, width) if lying else (width, height)
    small = _plain(picture).resize(wanted, Image.Resampling.LANCZOS, reducing_gap=3.0)
    drawn = _in_srgb(_opaque(small), profile)
    if orientation in _TURNS:
        drawn = drawn.transpose(_TURNS[orientation])
    return drawn, _within(upright, _BOX)


def _within(sides: tuple[int, int], box: tuple[int, int]) -> tuple[int, int]:
    """Sides in the same ratio that fit into `box`, and are not longer than they were."""
    scale = min(1.0, box[0] / sides[0], box[1] / sides[1])
    return max(1, math.floor(sides[0] * scale)), max(1, math.floor(sides[1] * scale))


def _orientation(picture: Image.Image) -> int:
    """As the camera noted it; upright where its note cannot be read."""
    try:
        noted = picture.getexif().get(_ORIENTATION)
    except Exception:  # as _opened: a picture is not refused for its notes
        return 1
    return noted if isinstance(noted, int) else 1


def _plain(picture: Image.Image) -> Image.Image:
    """In a mode that can be made smaller well: L, LA, RGB, RGBA or CMYK."""
    if picture.mode == "F" or picture.mode.startswith("I"):  # 16 bits, which Pillow would cut off at 255
        return picture.point(lambda value: value / 256).convert("L")
    if picture.mode == "RGBA":
        return picture
    if picture.has_transparency_data:
        return picture.convert("RGBA")
    if picture.mode in ("L", "RGB", "CMYK"):
        return picture
    return picture.convert("L" if picture.mode == "1" else "RGB")


def _opaque(picture: Image.Image) -> Image.Image:
    if picture.mode != "RGBA":
        return picture
    ground = Image.new("RGB", picture.size, "white")
    ground.paste(picture, mask=picture.getchannel("A"))
    return ground


def _in_srgb(picture: Image.Image, profile: bytes | None) -> Image.Image:
    """What browsers take a picture without a profile for. One that fits no profile is taken for it too."""
    if profile:
        try:
            given = ImageCms.ImageCmsProfile(BytesIO(profile))
            converted = ImageCms.profileToProfile(picture, given, _SRGB, outputMode="RGB")
        except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
            converted = None
        if converted is not None:
            return converted
    return picture.convert("RGB")


def _webp(picture: Image.Image, quality: int = QUALITY, method: int = 4) -> bytes:
    """The pixels alone: Pillow would pass on what it knows of a picture."""
    bare = Image.new("RGB", picture.size)
    bare.paste(picture)
    made = BytesIO()
    bare.save(made, "WEBP", quality=quality, method=method)
    return made.getvalue()


def _placeholder(tiny: Image.Image) -> str:
    """A data: address of some 150 characters, or a colour where that would be too long."""
    address = "data:image/webp;base64," + base64.b64encode(_webp(tiny, 40, 6)).decode()
    if len(address) <= LONGEST_PLACEHOLDER:
        return address
    red, green, blue = tiny.resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))  # type: ignore[misc]
    return f"#{red:02x}{green:02x}{blue:02x}"
