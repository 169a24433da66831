"""Pictures: what is taken, what is refused, and what is left of them."""

import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageCms

from posts.media.imaging import WIDTHS, BadPicture, look_at, make_sizes
from tests.factories import picture

Colour = tuple[int, int, int]


def drawn(mode: str = "RGB", size: tuple[int, int] = (40, 30), colour: Any = (200, 40, 40)) -> Image.Image:
    return Image.new(mode, size, colour)


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    made = BytesIO()
    image.save(made, form, **options)
    return made.getvalue()


def largest(content: bytes) -> Image.Image:
    sizes = make_sizes(BytesIO(content))
    return Image.open(BytesIO(sizes.files[sizes.width]))


def middle(content: bytes) -> Colour:
    made = largest(content)
    pixel = made.getpixel((made.width // 2, made.height // 2))
    assert isinstance(pixel, tuple)
    return pixel[0], pixel[1], pixel[2]


def near(found: Colour, wanted: Colour) -> bool:
    return all(abs(a - b) <= 6 for a, b in zip(found, wanted, strict=True))


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of(width: int, height: int, *, bits: int = 8, colour: int = 2, rows: bytes = b"") -> bytes:
    """A PNG of any size in a few bytes: its header says so, and what follows is `rows`."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


RED = (200, 40, 40)
GREY16 = png_of(4, 4, bits=16, colour=0, rows=(b"\x00" + struct.pack(">4H", *[0x8040] * 4)) * 4)
HALF_SEEN = saved(drawn("RGBA", colour=(200, 40, 40, 0)), "PNG")
PALETTE = drawn("P", colour=0)
PALETTE.putpalette([200, 40, 40, 0, 0, 0])


@pytest.mark.parametrize(
    ("content", "colour"),
    [
        (saved(drawn(), "JPEG", quality=95), RED),
        (saved(drawn(), "JPEG", quality=95, progressive=True), RED),
        (saved(drawn(), "PNG"), RED),
        (saved(drawn(), "WEBP", lossless=True), RED),
        (saved(drawn(), "GIF"), RED),
        (saved(drawn("RGBA", colour=(200, 40, 40, 255)), "WEBP", lossless=True), RED),
        (saved(drawn("CMYK", colour=(0, 255, 255, 0)), "JPEG", quality=95), (255, 0, 0)),
        (saved(drawn("L", colour=90), "JPEG", quality=95), (90, 90, 90)),
        (saved(drawn("LA", colour=(90, 255)), "PNG"), (90, 90, 90)),
        (saved(drawn("1", colour=1), "PNG"), (255, 255, 255)),
        (GREY16, (128, 128, 128)),
        (saved(PALETTE, "PNG"), RED),
        (saved(PALETTE, "PNG", transparency=0), (255, 255, 255)),
        (saved(PALETTE, "GIF", transparency=0), (255, 255, 255)),
        (HALF_SEEN, (255, 255, 255)),
        (saved(drawn(), "PNG", save_all=True, append_images=[drawn(colour="black")], duration=50), RED),
        (saved(drawn(), "GIF", save_all=True, append_images=[drawn(colour="black")], duration=50), RED),
        (saved(drawn(), "WEBP", save_all=True, append_images=[drawn(colour="black")], lossless=True), RED),
        (saved(drawn(), "MPO", save_all=True, append_images=[drawn(colour="black")], quality=95), RED),
        (saved(drawn(size=(1, 1)), "PNG"), RED),
        (saved(drawn(size=(1, 1)), "GIF"), RED),
        (saved(drawn(size=(10, 100)), "PNG"), RED),
    ],
)
def test_it_is_shown_in_its_colours_as_webp(content: bytes, colour: Colour) -> None:
    """Of one that moves the first picture; what can be seen through is on white."""
    assert near(middle(content), colour)
    assert largest(content).format == "WEBP"
    look = look_at(BytesIO(content))
    assert (look.width, look.height) == largest(content).size
    assert look.placeholder.startswith("data:image/webp;base64,")
    assert len(look.placeholder) <= 400


def with_profile(image: Image.Image, **options: Any) -> bytes:
    return saved(
        image, "PNG", icc_profile=ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes(), **options
    )


def test_a_profile_that_does_not_fit_is_passed_over() -> None:
    assert near(middle(with_profile(drawn())), RED)
    nonsense = saved(drawn(), "PNG", icc_profile=b"nonsense" * 20)
    assert near(middle(nonsense), RED)
    assert "icc_profile" not in largest(nonsense).info


def test_colours_of_another_space_become_srgb() -> None:
    """Swapped is a profile by which red and green change places."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    count = struct.unpack(">I", profile[128:132])[0]
    tags = {bytes(profile[at : at + 4]): at for at in range(132, 132 + 12 * count, 12)}
    red, green = (bytes(profile[tags[name] + 4 : tags[name] + 12]) for name in (b"rXYZ", b"gXYZ"))
    profile[tags[b"rXYZ"] + 4 : tags[b"rXYZ"] + 12], profile[tags[b"gXYZ"] + 4 : tags[b"gXYZ"] + 12] = (
        green,
        red,
    )
    assert near(middle(saved(drawn(), "PNG", icc_profile=bytes(profile))), (40, 200, 40))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_it_stands_upright_however_the_camera_was_held(orientation: int, form: str) -> None:
    """The picture has a black corner at its upper left, and was stored as the camera says."""
    upright = drawn(size=(80, 40), colour="white")
    upright.paste("black", (0, 0, 20, 20))
    back = {
        1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
    }[orientation]  # fmt: skip
    exif = Image.Exif()
    exif[0x0112] = orientation
    content = saved(upright.transpose(back) if back is not None else upright, form, exif=exif)
    made = largest(content).convert("L")
    assert made.size == (80, 40)
    corners = [made.getpixel(place) for place in ((8, 8), (71, 8), (8, 31), (71, 31))]
    assert [int(corner) > 128 for corner in corners if isinstance(corner, int)] == [False, True, True, True]
    look = look_at(BytesIO(content))
    assert (look.width, look.height) == (80, 40)


def test_an_orientation_that_is_none_is_passed_over() -> None:
    exif = Image.Exif()
    exif[0x0112] = 77
    assert near(middle(saved(drawn(), "PNG", exif=exif)), RED)
    assert near(middle(saved(drawn(), "JPEG", quality=95, exif=b"Exif\x00\x00damaged")), RED)


@pytest.mark.parametrize("profiled", [True, False])
def test_nothing_is_left_of_what_the_file_told(profiled: bool) -> None:
    exif = Image.Exif()
    exif[0x010F], exif[0x0112] = "Camera of Ana", 1
    exif.get_ifd(0x8825)[2] = (41.0, 9.0, 0.0)
    more = {}
    if profiled:
        more["icc_profile"] = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    content = saved(
        drawn(), "JPEG", exif=exif, comment=b"Rua das Flores 7", xmp=b"<x>secret place</x>", **more
    )
    sizes = make_sizes(BytesIO(content))
    for made in [*sizes.files.values(), sizes.square]:
        shown = Image.open(BytesIO(made))
        shown.load()
        assert not shown.getexif()
        assert not {"exif", "icc_profile", "xmp", "comment"} & set(shown.info)
        for words in (b"Ana", b"Flores", b"secret", b"EXIF", b"ICCP", b"XMP"):
            assert words not in made


@pytest.mark.parametrize(
    ("size", "widths", "height"),
    [
        ((2000, 1500), [480, 960, 1600], 1200),
        ((1600, 1200), [480, 960, 1600], 1200),
        ((1000, 500), [480, 960, 1000], 500),
        ((480, 480), [480], 480),
        ((300, 200), [300], 200),
        ((1000, 8000), [400], 3200),
        ((1, 10), [1], 10),
    ],
)
def test_sizes_are_never_larger_than_the_photo(size: tuple[int, int], widths: list[int], height: int) -> None:
    content = saved(drawn(size=size), "JPEG")
    sizes = make_sizes(BytesIO(content))
    assert (list(sizes.files), sizes.width, sizes.height) == (widths, widths[-1], height)
    for width, made in sizes.files.items():
        assert Image.open(BytesIO(made)).width == width
    square = Image.open(BytesIO(sizes.square))
    assert square.width == square.height == min(192, widths[-1], height)
    look = look_at(BytesIO(content))
    assert (look.width, look.height) == (sizes.width, sizes.height)
    assert WIDTHS == (480, 960, 1600)


WHOLE = picture(200, 150)
NOISE = Image.effect_noise((60, 60), 90).convert("RGB")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "Must be a photo"),
        (b"soup", "Must be a photo"),
        (b"%PDF-1.4", "Must be a photo"),
        (b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", "Must be a photo"),
        (saved(drawn(), "BMP"), "Must be a photo"),
        (saved(drawn(), "TIFF"), "Must be a photo"),
        (b"GIF89a", "Must be a photo"),
        (b"\xff\xd8\xff", "Must be a photo"),
        (WHOLE[: len(WHOLE) // 2], "damaged"),
        (saved(NOISE, "PNG")[:-2000], "damaged"),
        (saved(NOISE, "WEBP")[:-200], ""),
        (saved(NOISE, "GIF")[:-500], "damaged"),
        (png_of(4, 4, rows=b"\x00"), "damaged"),
        (png_of(0, 4), ""),
        (png_of(4, 0), ""),
        (png_of(30_000, 30_000), "too many pixels"),
        (png_of(2**31 - 1, 2**31 - 1), ""),
        (saved(drawn(size=(1, 11)), "PNG"), "more than 10 times"),
        (saved(drawn(size=(2000, 100)), "PNG"), "more than 10 times"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_words(content: bytes, words: str) -> None:
    for read in (look_at, make_sizes):
        with pytest.raises(BadPicture) as refused:
            read(BytesIO(content))
        assert words in str(refused.value)
        assert str(refused.value).endswith(".")


def test_so_many_pixels_and_no_more(settings: Any) -> None:
    settings.MEDIA_MAX_PIXELS = 1200
    look_at(BytesIO(saved(drawn(size=(40, 30)), "PNG")))
    for form in ("PNG", "JPEG", "WEBP", "GIF"):
        with pytest.raises(BadPicture, match=r"at most 0\.0012 million"):
            look_at(BytesIO(saved(drawn(size=(41, 30)), form)))


def test_a_comment_that_grows_a_thousandfold_is_refused() -> None:
    bomb = chunk(b"zTXt", b"Comment\x00\x00" + zlib.compress(b"x" * (64 << 20)))
    whole = saved(drawn(), "PNG")
    with pytest.raises(BadPicture):
        make_sizes(BytesIO(whole[:33] + bomb * 2 + whole[33:]))
