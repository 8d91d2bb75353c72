"""How values lie in a tier: a mark of how, a checksum, then the bytes.

A value that does not come out as it went in is no value: a damaged row is a miss.
"""

import zlib

_PLAIN, _DEFLATED = b"\x00", b"\x01"
_HEAD = 5
_LEVEL = 1
"""The quickest: half of the size is had for a fifth of the time of level 6."""
_LARGEST = 64 << 20


def pack(data: bytes, *, compress: bool = False) -> bytes:
    """Wrap *data* for `unpack`; compressed where that is asked for and helps."""
    checksum = zlib.crc32(data).to_bytes(_HEAD - 1, "little")
    if compress and len(small := zlib.compress(data, _LEVEL)) < len(data):
        return _DEFLATED + checksum + small
    return _PLAIN + checksum + data


def unpack(packed: bytes) -> bytes | None:
    """Return what went into `pack`; None where *packed* is anything else."""
    mark, checksum, data = packed[:1], packed[1:_HEAD], packed[_HEAD:]
    if mark == _DEFLATED:
        inflater = zlib.decompressobj()
        try:
            data = inflater.decompress(data, _LARGEST)
        except zlib.error:
            return None
    elif mark != _PLAIN:
        return None
    whole = zlib.crc32(data).to_bytes(_HEAD - 1, "little") == checksum
    return data if whole else None
