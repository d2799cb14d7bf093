import { assert, it } from "@effect/vitest"
import * as codec from "@plumbline/codec"

it("exports these names and no others", () => {
  const names = Object.entries(codec).map(([module, members]) => `${module}: ${Object.keys(members).sort().join(" ")}`)
  assert.deepStrictEqual(names, [
    "Address: Address EIP_1191_CHAINS checksum equals fromBytes fromBytesUnsafe fromHex fromHexUnsafe isAddress isChecksumValid toBytes",
    "BatchHash: hash",
    "BoundedMap: BoundedMap",
    "Bytes: Bytes BytesError concat equals join padLeft padLeftUnsafe slice sliceUnsafe",
    "BytesError: BytesError",
    "CheckedText: schema",
    "Hash32: Hash32 ZERO equals fromBytes fromBytesUnsafe fromHex fromHexUnsafe isHash32 toBytes",
    "Hex: Hex HexError equals fromBytes isHex size sized toBytes toBytesUnsafe",
    "HexBatch: get",
    "HexError: HexError",
    "Keccak256: EMPTY engine hash hashHex hashMany",
    "Nearest: find",
    "PlainAddress: Address EIP_1191_CHAINS equals fromBytes fromBytesUnsafe fromHex fromHexUnsafe isAddress toBytes",
    "PlainHex: checkUnsafe fromBytes isHex schema toBytesUnsafe",
    "PlainKeccak: hash hashHex",
    "Quantity: Quantity QuantityError fromBytes fromBytesUnsafe fromHex fromHexUnsafe toBytes toHex",
    "QuantityError: QuantityError",
    "Rlp: RlpEncodeError RlpError decode decodeUnsafe defaults encode",
    "RlpError: RlpEncodeError RlpError",
    "RlpTree: decode",
    "RlpWriter: RlpWriter borrow make",
    "WireObject: MISSING array boolean bySchema fail fieldOf install kept literals nullOr number object objectIf of oneOf optional string struct",
    "WordPair: hash hashUnsafe"
  ])
})
