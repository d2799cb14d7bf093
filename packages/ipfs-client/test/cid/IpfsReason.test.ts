import { assert, describe, it } from "@effect/vitest"
import {
  Block,
  BlockSource,
  Cid,
  IpfsClient,
  IpfsPath,
  IpfsReason,
  Multihash,
  UnixFs,
  ProvenIpfsClient
} from "@plumbline/ipfs-client"
import type { UnprovenError } from "@plumbline/verdict"
import { Effect, Layer, Result, Stream } from "effect"

/** Returns the data of the only claim, and fails the test for any other error. */
const reasonOf = (error: { readonly _tag: string }) => {
  assert.strictEqual(error._tag, "UnprovenError")
  const { claims, subject } = error as UnprovenError
  assert.strictEqual(claims.length, 1)
  assert.strictEqual(claims[0]!.about, "Value")
  return { subject, reason: claims[0]!.reason }
}

const failureOf = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

const SENTENCES: ReadonlyArray<readonly [{ readonly sentence: string }, string]> = [
  [IpfsReason.UnknownHash({ code: 0x11 }), "the hash function 0x11 cannot prove content"],
  [IpfsReason.DigestTooShort({ size: 19 }), "a digest of 19 bytes proves nothing"],
  [IpfsReason.DigestTooLong({ code: 0x12, size: 33 }), "the hash function 0x12 has no 33 bytes"],
  [IpfsReason.IdentityTooLong({ limit: 128 }), "an identity hash holds at most 128 bytes"],
  [IpfsReason.NotHashed({ size: 9, limit: 8 }), "9 bytes, which is more than 8, were not hashed"],
  [IpfsReason.UnreadableCodec({ code: 0x86, reading: "values" }), "the codec 0x86 is not one that can be read"],
  [IpfsReason.UnreadableCodec({ code: 0x85, reading: "files" }), "the codec 0x85 is not one of files"],
  [IpfsReason.IpnsName({}), "an IPNS name, which only a node resolves"],
  [IpfsReason.NodesOwnTree({}), "a path in the node's own tree, which no CID names"],
  [IpfsReason.AddNotComputed({ option: "nocopy" }), "the CID of what is added with nocopy is not computed here"],
  [
    IpfsReason.AddNotComputed({ option: "hash" }),
    "the CID of what is added with this hash function is not computed here"
  ],
  [IpfsReason.AddNotComputed({ option: "chunker" }), "the CID of what is added with this chunker is not computed here"],
  [
    IpfsReason.AddNotComputed({ option: "maxFileLinks" }),
    "the CID of what is added with so many links is not computed here"
  ],
  [
    IpfsReason.AddNotComputed({ option: "maxHamtFanout" }),
    "the CID of what is added with such shards is not computed here"
  ],
  [
    IpfsReason.AddNotComputed({ option: "inlineLimit" }),
    "the CID of what is added with such an inline-limit is not computed here"
  ],
  [IpfsReason.StoreNotComputed({}), "the CID of what is stored in this codec or by this hash is not computed here"],
  [IpfsReason.OtherEncoding({}), "the node writes this data in another way than Kubo does"],
  [IpfsReason.NoCar({ said: "root" }), "a root of what is not a CAR"],
  [IpfsReason.NoCar({ said: "sums" }), "sums of what is not a CAR"]
]

const bytes = Uint8Array.of(1, 2, 3)
const digest = Multihash.digestOf("sha2-256", bytes)

describe("IpfsReason", () => {
  it("says each reason in a sentence", () => {
    for (const [reason, sentence] of SENTENCES) assert.strictEqual(reason.sentence, sentence)
  })

  it("names the subject and carries the numbers where a block is checked", () => {
    const weak = Cid.make(Block.RAW, 0x11, digest)
    assert.deepStrictEqual(reasonOf(failureOf(Block.check(weak, bytes))), {
      subject: Cid.toText(weak),
      reason: IpfsReason.UnknownHash({ code: 0x11 })
    })
    const short = Cid.make(Block.RAW, Multihash.SHA2_256, digest.subarray(0, 19))
    assert.deepStrictEqual(
      reasonOf(failureOf(Block.check(short, bytes))).reason,
      IpfsReason.DigestTooShort({ size: 19 })
    )
    const right = Cid.make(Block.RAW, Multihash.SHA2_256, digest)
    assert.deepStrictEqual(
      reasonOf(failureOf(Block.check(right, bytes, { maxBlockSize: 2 }))).reason,
      IpfsReason.NotHashed({ size: 3, limit: 2 })
    )
    const unreadable = failureOf(Block.links({ cid: Cid.make(0x86, Multihash.SHA2_256, digest), bytes }))
    assert.deepStrictEqual(reasonOf(unreadable).reason, IpfsReason.UnreadableCodec({ code: 0x86, reading: "values" }))
    assert.match(unreadable.message, /^bagdac\w+: the codec 0x86 is not one that can be read$/)
  })

  it("tells a codec of values from one of files", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const cid = Cid.make(Block.DAG_CBOR, Multihash.SHA2_256, digest)
        const error = yield* Effect.flip(UnixFs.stat(BlockSource.fromBlocks([{ cid, bytes }]), cid))
        assert.deepStrictEqual(
          reasonOf(error).reason,
          IpfsReason.UnreadableCodec({ code: Block.DAG_CBOR, reading: "files" })
        )
      })
    ))

  it("carries the option that a proving client cannot compute with", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const ipfs = yield* IpfsClient.IpfsClient
        const added = yield* Effect.flip(ipfs.add({ content: bytes }, { chunker: "rabin" }))
        assert.deepStrictEqual(reasonOf(added), {
          subject: "add",
          reason: IpfsReason.AddNotComputed({ option: "chunker" })
        })
        const named = yield* Effect.flip(Stream.runDrain(ipfs.cat(IpfsPath.fromTextUnsafe("/ipns/example.org"))))
        assert.deepStrictEqual(reasonOf(named), { subject: "/ipns/example.org", reason: IpfsReason.IpnsName({}) })
      }).pipe(
        Effect.provide(
          ProvenIpfsClient.layer().pipe(
            Layer.provide(IpfsClient.layerFetch({ url: "http://node.example", fetch: async () => new Response("") }))
          )
        )
      )
    ))
})
