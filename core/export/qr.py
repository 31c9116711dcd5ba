"""An address as a QR code, made without any network."""

from functools import lru_cache

from core.errors import SettingError, require

LONGEST = 1_000  # bytes: with more, a phone at the back of a room reads no module any more


@lru_cache(maxsize=64)  # six milliseconds, and a lecture asks for the same at each change of panel
def qr_code(address: str) -> str:
    """Return a QR code as a picture in a data URI: black on white in every theme, with its quiet zone.

    Args:
        address: what a phone opens.

    Returns:
        "data:image/svg+xml,…", for an element ``<img>``; four white modules stand around the code.

    Raises:
        SettingError: if the address is too long to be read from a distance.
    """
    import segno  # a few milliseconds, and few ask for it

    length = len(address.encode())
    require(
        length <= LONGEST,
        f"This state is too long for a QR code: {length:,} bytes, at most {LONGEST:,}. Copy the link.",
        SettingError,
    )
    code = segno.make_qr(address, error="m", boost_error=False)
    return code.svg_data_uri(border=4, dark="#000", light="#fff", omitsize=True)
