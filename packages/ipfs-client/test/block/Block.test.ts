import { assert, describe, it } from "@effect/vitest"
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import * as dagPb from "@ipld/dag-pb"
import { Hex, Keccak256, Rlp } from "@plumbline/codec"
import { Block, Cid, Multihash } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

const FUNCTIONS = [
  Multihash.SHA2_256,
  Multihash.SHA2_512,
  Multihash.KECCAK_256,
  Multihash.BLAKE2B_256,
  Multihash.BLAKE3,
  Multihash.IDENTITY
]

const tagOf = (checked: ReturnType<typeof Block.check>): string =>
  Result.isSuccess(checked) ? "ok" : checked.failure._tag

const texts = (links: ReturnType<typeof Block.links>): ReadonlyArray<string> =>
  Result.getOrThrow(links).map((cid) => Cid.toText(cid))

const raw = (n: number): Cid.Cid => Result.getOrThrow(Block.cidOf(Block.RAW, Uint8Array.of(n)))

describe("Block.check", () => {
  it("takes the bytes that the CID names, and refuses every other", () => {
    const random = Random.make(4)
    for (let i = 0; i < Random.runs(60); i++) {
      const bytes = Random.bytes(random, 1 + Random.int(random, 120))
      const hash = Random.pick(random, FUNCTIONS)
      const cid = Result.getOrThrow(Block.cidOf(Block.RAW, bytes, hash))
      assert.strictEqual(tagOf(Block.check(cid, bytes)), "ok")
      const at = Random.int(random, bytes.length)
      const changes = [
        bytes.with(at, bytes[at]! ^ (1 << Random.int(random, 8))),
        bytes.subarray(1),
        bytes.subarray(0, -1),
        Uint8Array.of(...bytes, 0),
        new Uint8Array(0)
      ]
      for (const changed of changes) assert.strictEqual(tagOf(Block.check(cid, changed)), "RefutedError")
    }
  })

  it("refuses each byte of a block that is changed", () => {
    const bytes = dagPb.encode(dagPb.prepare({ Data: "data", Links: [{ Name: "a", Hash: raw(1), Tsize: 9 }] }))
    const cid = Result.getOrThrow(Block.cidOf(Block.DAG_PB, bytes))
    for (let at = 0; at < bytes.length; at++) {
      assert.strictEqual(tagOf(Block.check(cid, bytes.with(at, bytes[at]! ^ 1))), "RefutedError", `byte ${at}`)
      assert.strictEqual(tagOf(Block.check(cid, bytes.subarray(0, at))), "RefutedError", `cut at ${at}`)
    }
  })

  it("names the CID, the digest that was expected and the one that it got", () => {
    const cid = raw(1)
    const refuted = Block.check(cid, Uint8Array.of(2))
    assert(Result.isFailure(refuted))
    const digest = (n: number) => Hex.fromBytes(raw(n).multihash.digest).slice(2)
    assert.strictEqual(
      refuted.failure.message,
      `${Cid.toText(cid)}: block hash: expected ${digest(1)}, got ${digest(2)}`
    )
  })

  it("hashes no block that is larger than its bound", () => {
    const bytes = new Uint8Array(Block.defaults.maxBlockSize + 1)
    const cid = Result.getOrThrow(Block.cidOf(Block.RAW, bytes))
    assert.strictEqual(tagOf(Block.check(cid, bytes)), "UnprovenError")
    assert.strictEqual(tagOf(Block.check(cid, bytes, { maxBlockSize: bytes.length })), "ok")
    assert.strictEqual(tagOf(Block.check(raw(1), Uint8Array.of(1), { maxBlockSize: 0 })), "UnprovenError")
  })

  it("never takes a block by a hash function that proves nothing", () => {
    const bytes = Uint8Array.of(1, 2, 3)
    for (const cid of [
      Cid.make(Block.RAW, 0x11, new Uint8Array(20)),
      Cid.make(Block.RAW, 0x7777, bytes),
      Cid.make(Block.RAW, Multihash.SHA2_256, raw(1).multihash.digest.subarray(0, 8)),
      Cid.make(Block.RAW, Multihash.SHA2_256, new Uint8Array(0)),
      Cid.make(Block.RAW, Multihash.IDENTITY, new Uint8Array(129))
    ]) {
      assert.strictEqual(tagOf(Block.check(cid, bytes)), "UnprovenError")
      assert.strictEqual(tagOf(Block.check(cid, cid.multihash.digest)), "UnprovenError")
    }
  })
})

describe("Block.links", () => {
  it("are those of dag-pb, dag-cbor and dag-json, in order, repeated ones too", () => {
    const links = [raw(1), raw(2), raw(1)]
    const expected = links.map((cid) => cid.toString())
    const value = { a: [links[0], { b: links[1] }], c: links[2] }
    const blocks = [
      [
        Block.DAG_PB,
        dagPb.encode(
          dagPb.createNode(
            new Uint8Array(0),
            links.map((cid) => dagPb.createLink("", 1, cid))
          )
        )
      ],
      [Block.DAG_CBOR, dagCbor.encode(value)],
      [Block.DAG_JSON, dagJson.encode(value)]
    ] as const
    for (const [codec, bytes] of blocks) {
      const cid = Result.getOrThrow(Block.cidOf(codec, bytes))
      assert.deepStrictEqual(texts(Block.links({ cid, bytes })), expected)
    }
  })

  it("are not what only looks like one to the library", () => {
    // {"/": "x", "bytes": "x"}, written by hand, because the encoder takes this map for a CID too
    const trap = Uint8Array.of(0xa2, 0x61, 0x2f, 0x61, 0x78, 0x65, ...new TextEncoder().encode("bytes"), 0x61, 0x78)
    const bytes = Uint8Array.of(0x82, ...trap, ...dagCbor.encode(raw(1)))
    const cid = Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes))
    assert.deepStrictEqual(texts(Block.links({ cid, bytes })), [raw(1).toString()])
  })

  it("are none in raw bytes, whatever they look like", () => {
    const bytes = dagCbor.encode([raw(1)])
    assert.deepStrictEqual(texts(Block.links({ cid: Cid.make(Block.RAW, 0x12, new Uint8Array(32)), bytes })), [])
  })

  it("are the hashes of an Ethereum header, under the codecs of what they name", () => {
    const hash = (n: number) => Keccak256.hash(Uint8Array.of(n))
    const header = [
      hash(0),
      hash(1),
      new Uint8Array(20),
      hash(3),
      hash(4),
      hash(5),
      ...Array.from({ length: 9 }, () => new Uint8Array(0))
    ]
    const bytes = Rlp.encode(header)
    const cid = Cid.make(Block.ETH_BLOCK, Multihash.KECCAK_256, Keccak256.hash(bytes))
    assert.strictEqual(tagOf(Block.check(cid, bytes)), "ok")
    assert.deepStrictEqual(
      Result.getOrThrow(Block.links({ cid, bytes })).map((link) => [link.code, Hex.fromBytes(link.multihash.digest)]),
      [
        [0x90, Hex.fromBytes(hash(0))],
        [0x91, Hex.fromBytes(hash(1))],
        [0x96, Hex.fromBytes(hash(3))],
        [0x92, Hex.fromBytes(hash(4))],
        [0x94, Hex.fromBytes(hash(5))]
      ]
    )
  })

  it("of the Ethereum tries are children, embedded nodes' children, and what an account names", () => {
    const hash = (n: number) => Keccak256.hash(Uint8Array.of(n))
    const nothing = new Uint8Array(0)
    const branch = [hash(1), [Uint8Array.of(0x11), hash(2)], ...Array.from({ length: 14 }, () => nothing), nothing]
    const account = Rlp.encode([nothing, nothing, hash(3), hash(4)])
    const leaf = [Uint8Array.of(0x20, 1), account]
    const linksOf = (codec: number, item: Rlp.Rlp) => {
      const bytes = Rlp.encode(item)
      return Result.getOrThrow(Block.links({ cid: Cid.make(codec, 0x1b, Keccak256.hash(bytes)), bytes })).map(
        (link) => [link.code, Hex.fromBytes(link.multihash.digest)]
      )
    }
    const stored = [Block.ETH_STORAGE_TRIE, Hex.fromBytes(hash(1))]
    assert.deepStrictEqual(linksOf(Block.ETH_STORAGE_TRIE, branch), [
      stored,
      [Block.ETH_STORAGE_TRIE, Hex.fromBytes(hash(2))]
    ])
    assert.deepStrictEqual(linksOf(Block.ETH_STATE_TRIE, leaf), [
      [Block.ETH_STORAGE_TRIE, Hex.fromBytes(hash(3))],
      [Block.RAW, Hex.fromBytes(hash(4))]
    ])
    assert.deepStrictEqual(linksOf(Block.ETH_STORAGE_TRIE, leaf), [], "a value of storage is not an account")
  })

  it("are refused in bytes that are not of the codec, and never thrown about", () => {
    const random = Random.make(5)
    for (let i = 0; i < Random.runs(300); i++) {
      const codec = Random.pick(
        random,
        [...Block.codecs.keys()].filter((code) => code !== Block.RAW)
      )
      const bytes = Random.bytes(random, Random.int(random, 40))
      const cid = Result.getOrThrow(Block.cidOf(codec, bytes))
      const links = Block.links({ cid, bytes })
      if (Result.isFailure(links)) assert.strictEqual(links.failure._tag, "MalformedBlock")
      else for (const link of links.success) assert.isDefined(link.multihash)
    }
    // lists nested deeper than any stack
    const deep = new Uint8Array(1_000_000).fill(0x81)
    const nested = Block.links({ cid: Cid.make(Block.DAG_CBOR, 0x12, new Uint8Array(32)), bytes: deep })
    assert.isTrue(Result.isFailure(nested))
  })

  it("cannot be told in a codec that is not known", () => {
    const links = Block.links({ cid: Cid.make(0x9999, 0x12, new Uint8Array(32)), bytes: new Uint8Array(0) })
    assert.isTrue(Result.isFailure(links) && links.failure._tag === "UnprovenError")
  })
})
