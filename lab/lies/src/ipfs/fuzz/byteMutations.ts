/** Mutates bytes in ways that suit protobuf, CBOR, JSON and CARs. */
import * as Random from "@plumbline/seeded/Random"

const EDGES = [0, 1, 2, 0x0a, 0x12, 0x18, 0x22, 0x2f, 0x7f, 0x80, 0xff, 0xfe, 0xef, 0xbb, 0xbf, 0xfb, 0x61, 0x82]

/** Mutates bytes once: changes a byte, a bit or a length, or removes, doubles, moves or inserts a piece. */
export const once = (bytes: Uint8Array, random: Random.Random, donors: ReadonlyArray<Uint8Array>): Uint8Array => {
  const at = Random.int(random, Math.max(1, bytes.length))
  const length = 1 + Random.int(random, Math.min(12, Math.max(1, bytes.length - at)))
  const copy = Uint8Array.from(bytes)
  switch (Random.int(random, 9)) {
    case 0:
      copy[at] = Random.int(random, 256)
      return copy
    case 1:
      copy[at] = (copy[at] ?? 0) ^ (1 << Random.int(random, 8))
      return copy
    case 2:
      copy[at] = Random.pick(random, EDGES)
      return copy
    case 3:
      copy[at] = (copy[at] ?? 0) + (Random.chance(random, 0.5) ? 1 : -1)
      return copy
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 5:
      return Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
    case 6:
      return bytes.subarray(0, at)
    case 7: {
      const insert = Array.from({ length }, () => Random.pick(random, EDGES))
      return Buffer.concat([bytes.subarray(0, at), Uint8Array.from(insert), bytes.subarray(at)])
    }
    default: {
      const donor = Random.pick(random, donors)
      const from = Random.int(random, Math.max(1, donor.length))
      const piece = donor.subarray(from, from + length)
      const keeps = Random.chance(random, 0.5)
      return Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(keeps ? at : at + piece.length)])
    }
  }
}

/** Applies one to three mutations. */
export const mutate = (bytes: Uint8Array, random: Random.Random, donors: ReadonlyArray<Uint8Array>): Uint8Array => {
  let mutated = once(bytes, random, donors)
  while (Random.chance(random, 0.25)) mutated = once(mutated, random, donors)
  return mutated
}
