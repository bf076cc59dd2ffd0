"""Headers of HTTP/2 (RFC 7541), as much as a gRPC call needs: all are sent as literals, and of those that come the literals are read."""

# The code is canonical: the symbols of each length in order. Longer codes are of no character that a header of gRPC has.
SYMBOLS_BY_LENGTH = {
    5: "012aceiost",
    6: " %-./3456789=A_bdfghlmnpru",
    7: ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz",
    8: "&*,;XZ",
    10: '!"()?',
    11: "'+|",
    12: "#>",
    13: "\0$@[]~",
    14: "^}",
    15: "<`{",
}


def huffman_codes():
    codes, code, length = {}, 0, 0
    for next_length, symbols in SYMBOLS_BY_LENGTH.items():
        code <<= next_length - length
        length = next_length
        for symbol in symbols:
            codes[(length, code)] = symbol
            code += 1
    return codes


HUFFMAN = huffman_codes()


def unhuffman(data):
    text, code, length = "", 0, 0
    for byte in data:
        for shift in range(7, -1, -1):
            code, length = code << 1 | byte >> shift & 1, length + 1
            symbol = HUFFMAN.get((length, code))
            if symbol is not None:
                text, code, length = text + symbol, 0, 0
    return text


def encode(headers):
    """Literals without indexing, names and values as they are; each shorter than 127 bytes."""
    block = b""
    for name, value in headers:
        block += b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()
    return block


def integer(block, at, bits):
    most = (1 << bits) - 1
    value, at, shift = block[at] & most, at + 1, 0
    if value < most:
        return value, at
    while True:
        value, more = value + ((block[at] & 127) << shift), block[at] & 128
        at, shift = at + 1, shift + 7
        if not more:
            return value, at


def text(block, at):
    is_huffman = block[at] & 128
    length, at = integer(block, at, 7)
    data = block[at : at + length]
    return unhuffman(data) if is_huffman else data.decode("latin-1"), at + length


def decode(block):
    """Headers whose names are spelled out. This side keeps no table of names, so that of others only the index is known."""
    headers, at = {}, 0
    while at < len(block):
        first = block[at]
        if first & 128:
            _, at = integer(block, at, 7)
        elif first & 0b11100000 == 0b00100000:
            _, at = integer(block, at, 5)
        else:
            name, at = integer(block, at, 6 if first & 64 else 4)
            if name == 0:
                name, at = text(block, at)
            headers[name], at = text(block, at)
    return headers
