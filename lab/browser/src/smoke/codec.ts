/** A first program with the codec. Runs in the browser's realm, and from the packed packages in a rehearsal. */
import { Address, BatchHash, Bytes, Hash32, Hex, HexBatch, Keccak256, Quantity, Rlp, RlpWriter } from "@plumbline/codec"
import * as HexModule from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  const empty = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
  expectSame("Keccak-256 of nothing", Keccak256.hashHex(new Uint8Array()), empty)
  expectSame("the constant", Keccak256.EMPTY, empty)
  expectSame("many at once", Hex.fromBytes(Keccak256.hashMany([new Uint8Array()])[0]!), empty)

  const batch = HexBatch.get()!
  const item = batch.add("0x")
  expectSame("a batch is hashed", BatchHash.hash(batch, [item]), true)
  const start = batch.starts[item]!
  expectSame("its hash", Hex.fromBytes(batch.memory.slice(start - 32, start)), empty)

  expectSame("a deep import", HexModule.fromBytes, Hex.fromBytes)
  expectSame("bytes", Hex.fromBytes(Hex.toBytesUnsafe("0x00ff")), "0x00ff")
  expectSame("a quantity", Quantity.fromHexUnsafe("0x41"), 65n)
  expectSame("a quantity decoded", Schema.decodeUnknownSync(Quantity.Quantity)("0x400"), 1024n)
  expectSame("a quantity encoded", Schema.encodeSync(Quantity.Quantity)(0n), "0x0")
  expectSame("bytes decoded", Schema.decodeUnknownSync(Bytes.Bytes)("0x0102").length, 2)

  // The first example of EIP-55.
  const address = Address.fromHexUnsafe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
  expectSame("a checksum", Address.checksum(address), "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
  expectSame("the zero hash", Hash32.toBytes(Hash32.ZERO).length, 32)

  // The Yellow Paper's example: [ "cat", "dog" ].
  const text = new TextEncoder()
  const list = Rlp.encode([text.encode("cat"), text.encode("dog")])
  expectSame("RLP", Hex.fromBytes(list), "0xc88363617483646f67")
  expectSame("RLP decoded", Rlp.decodeUnsafe(list).length, 2)
  const writer = RlpWriter.make()
  const mark = writer.beginList()
  writer.data("0x636174")
  writer.bytes(text.encode("dog"))
  writer.endList(mark)
  expectSame("RLP written", Hex.fromBytes(writer.slice(0)), Hex.fromBytes(list))

  return `Keccak-256 by ${Keccak256.engine()}`
}
