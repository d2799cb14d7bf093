/** Compares the links of a bundle's blocks with those that the codecs of `@plumbline/ipfs-client` find. */
import { assert, describe, it } from "@effect/vitest"
import { Hex, Keccak256, Rlp } from "@plumbline/codec"
import { Block, Cid } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

import * as BundleLinks from "../../src/bundle/bundleLinks.ts"

const [BLOCK, UNCLES, TRANSACTIONS, RECEIPTS, STATE, STORAGE, RAW] = [0x90, 0x91, 0x92, 0x94, 0x96, 0x98, 0x55]
const CODECS = [BLOCK, UNCLES, TRANSACTIONS, RECEIPTS, STATE, STORAGE, RAW]

type Link = readonly [codec: number, hash: string]

/**
 * Returns the links that the other package finds, except links that lead out of the Ethereum block, such as to its
 * parent.
 */
const expected = (codec: number, bytes: Uint8Array): ReadonlyArray<Link> | undefined => {
  const links = Block.links({ cid: Cid.make(codec, 0x1b, Keccak256.hash(bytes)), bytes })
  if (Result.isFailure(links)) return undefined
  return links.success
    .filter(({ code }) => codec !== UNCLES && code !== BLOCK)
    .map(({ code, multihash }): Link => [code, multihash.digest.join()])
}

const found = (codec: number, bytes: Uint8Array): ReadonlyArray<Link> | undefined =>
  BundleLinks.linksOf(codec, bytes)?.map(({ codec, hash }): Link => [codec, hash.join()])

const random = Random.make(31)
const bytes = (size: number): Uint8Array => Uint8Array.from({ length: size }, () => Random.int(random, 256))
const size = () => Random.pick(random, [0, 1, 20, 31, 32, 32, 32, 32, 33])

const account = () => Rlp.encode([bytes(1), bytes(8), bytes(size()), bytes(size())])
const header = (): Rlp.Rlp =>
  Array.from({ length: 14 + Random.int(random, 6) }, () => bytes(size() % 33 === 0 ? 0 : 32))
const leaf = (): Rlp.Rlp => [Uint8Array.of(Random.pick(random, [0x20, 0x31, 0x00, 0x11])), account()]
const node = (depth = 0): Rlp.Rlp => {
  const child = () =>
    depth < 3 && Random.int(random, 5) === 0 ? node(depth + 1) : bytes(Random.pick(random, [0, 0, 32]))
  switch (Random.int(random, 4)) {
    case 0:
      return leaf()
    case 1:
      return [Uint8Array.of(0x11), child()]
    case 2:
      return Array.from({ length: Random.pick(random, [17, 17, 17, 16, 3]) }, child)
    default:
      return [...Array.from({ length: 16 }, child), new Uint8Array(0)]
  }
}

describe("links", () => {
  it("are those of the codecs, in their order, and what is not of its codec is so in both", () => {
    const seen = new Map<number, { read: number; refused: number; linked: number }>()
    for (let run = 0; run < Random.runs(4000); run++) {
      const item = Random.pick(random, [node, node, leaf, header, () => [header(), header()], () => []])()
      const encoded = Rlp.encode(item)
      if (Random.int(random, 8) === 0) encoded[Random.int(random, encoded.length)] = Random.int(random, 256)
      for (const codec of CODECS) {
        // a string of 32 bytes is not a node, although it could be the hash of a node
        if (encoded.length === 33 && encoded[0] === 0xa0) continue
        const links = found(codec, encoded)
        assert.deepStrictEqual(links, expected(codec, encoded), `codec ${codec}, ${Hex.fromBytes(encoded)}`)
        const count = seen.get(codec) ?? { read: 0, refused: 0, linked: 0 }
        seen.set(codec, {
          read: count.read + (links === undefined ? 0 : 1),
          refused: count.refused + (links === undefined ? 1 : 0),
          linked: count.linked + (links?.length ?? 0)
        })
      }
    }
    // for every codec, some links were compared
    for (const codec of CODECS) {
      const { linked, read, refused } = seen.get(codec)!
      assert.isAbove(read, 50, `codec ${codec}`)
      if (codec !== RAW) assert.isAbove(refused, 50, `codec ${codec}`)
      if (codec !== RAW && codec !== UNCLES) assert.isAbove(linked, 100, `codec ${codec}`)
    }
  })

  it("of nothing are none: no code, no storage, no uncles, no transactions", () => {
    const [noCode, noTrie, noUncles] = [[], [0x80], [0xc0]].map((bytes) => Keccak256.hash(Uint8Array.from(bytes)))
    const own = new Uint8Array(32).fill(7)
    const leaf = (storage: Uint8Array, code: Uint8Array): Uint8Array =>
      Rlp.encode([Uint8Array.of(0x20), Rlp.encode([bytes(1), bytes(8), storage, code])])
    assert.deepStrictEqual(found(STATE, leaf(noTrie!, noCode!)), [])
    assert.deepStrictEqual(found(STATE, leaf(own, noCode!)), [[STORAGE, own.join()]])
    assert.deepStrictEqual(found(STATE, leaf(noTrie!, own)), [[RAW, own.join()]])
    const header = [
      own,
      noUncles!,
      new Uint8Array(20),
      own,
      noTrie!,
      noTrie!,
      ...Array.from({ length: 9 }, () => bytes(1))
    ]
    assert.deepStrictEqual(found(BLOCK, Rlp.encode(header)), [[STATE, own.join()]])
  })

  it("of a header of Amsterdam are also its access list, which no codec names, if it is not empty", () => {
    const own = new Uint8Array(32).fill(7)
    const list = new Uint8Array(32).fill(8)
    const noList = Keccak256.hash(Uint8Array.of(0xc0))
    const header = (count: number, at21: Uint8Array): Uint8Array =>
      Rlp.encode(Array.from({ length: count }, (_, at) => (at === 21 ? at21 : at < 6 ? own : bytes(1))))
    for (const [encoded, more] of [
      [header(21, list), []],
      [header(22, list), [[RAW, list.join()]]],
      [header(23, list), [[RAW, list.join()]]],
      [header(23, noList), []],
      [header(23, list.subarray(1)), []]
    ] as const) {
      assert.deepStrictEqual(found(BLOCK, encoded), [...(expected(BLOCK, encoded) ?? []), ...more])
      assert.lengthOf(expected(BLOCK, encoded)!, 4)
    }
  })

  it("of a string of 32 bytes in the place of a node are none: it is not a node", () => {
    assert.isUndefined(BundleLinks.linksOf(STATE, Rlp.encode(new Uint8Array(32))))
    assert.deepStrictEqual(BundleLinks.linksOf(STATE, Uint8Array.of(0x80)), [])
  })
})
