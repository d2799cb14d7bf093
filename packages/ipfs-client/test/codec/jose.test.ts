/** dag-jose, compared with answers of Kubo 0.43. */
import { createHash } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import * as dagCbor from "@ipld/dag-cbor"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"
import { CID } from "multiformats/cid"
import { create as createDigest } from "multiformats/hashes/digest"

import { fromBlocks } from "../../src/block/BlockSource.ts"
import { Block, Cid, Dag, NodePath } from "../../src/index.ts"

const INNER = CID.parse("bafyreigl2iaivsrovuuufz4eeqnqejepcamsdffttawmmlykhbqkaislie")

const OTHER = CID.parse("bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq")

const blockOf = (bytes: Uint8Array): Block.Block => {
  const digest = createHash("sha256").update(bytes).digest()
  const cid = CID.createV1(Block.DAG_JOSE, createDigest(0x12, digest))
  return { cid: Result.getOrThrow(Cid.fromBytes(cid.bytes)), bytes }
}

const protectedHeader = new TextEncoder().encode('{"alg":"EdDSA"}')
const signed = {
  payload: INNER.bytes,
  signatures: [{ protected: protectedHeader, signature: new Uint8Array(64).fill(7) }]
}
const encrypted = {
  ciphertext: new Uint8Array(20).fill(1),
  iv: new Uint8Array(12).fill(2),
  protected: protectedHeader,
  recipients: [{ header: { kid: "a" }, encrypted_key: new Uint8Array([0xfb, 0xff]) }],
  tag: new Uint8Array(16).fill(3),
  unprotected: { any: [1, "b"] }
}
const decoded = (value: unknown) => Block.decode(blockOf(dagCbor.encode(value)))

describe("dag-jose", () => {
  it("has the CID that Kubo gives to this message", () => {
    const cid = "bagcqceraceginpkhuqyh5ghu6taqlgfqpbazqfekn4yxtej5aky5h2hegn3q"
    assert.strictEqual(Cid.toText(blockOf(dagCbor.encode(signed)).cid), cid)
  })

  it("shows a signed message as Kubo does, with the link of its payload", () => {
    const block = blockOf(dagCbor.encode(signed))
    const { link, ...rest } = Result.getOrThrow(Block.decode(block)) as Readonly<Record<string, unknown>> & {
      readonly link: Cid.Cid
    }
    assert.strictEqual(Cid.toText(link), String(INNER))
    assert.deepStrictEqual(rest, {
      payload: "AXESIMvSAIrKLq0pQueEJBsCJI8QGSGUs5gsxi8KOGCgIktB",
      signatures: [
        {
          protected: "eyJhbGciOiJFZERTQSJ9",
          signature: "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw"
        }
      ]
    })
    assert.deepStrictEqual(Result.getOrThrow(Block.links(block)).map(String), [String(INNER)])
  })

  it("takes a link in the block only if it is the one of the payload", () => {
    const block = blockOf(dagCbor.encode({ ...signed, link: INNER }))
    const { link } = Result.getOrThrow(Block.decode(block)) as { readonly link: Cid.Cid }
    assert.strictEqual(Cid.toText(link), String(INNER))
    assert.deepStrictEqual(Result.getOrThrow(Block.links(block)).map(String), [String(INNER)])
  })

  it("shows an encrypted message, which has no link", () => {
    assert.deepStrictEqual(Result.getOrThrow(decoded(encrypted)), {
      ciphertext: "AQEBAQEBAQEBAQEBAQEBAQEBAQE",
      iv: "AgICAgICAgICAgIC",
      protected: "eyJhbGciOiJFZERTQSJ9",
      recipients: [{ header: { kid: "a" }, encrypted_key: "-_8" }],
      tag: "AwMDAwMDAwMDAwMDAwMDAw",
      unprotected: { any: [1, "b"] }
    })
    assert.deepStrictEqual(Result.getOrThrow(Block.links(blockOf(dagCbor.encode(encrypted)))), [])
  })

  it.effect("is passed by a path, which goes on in the payload's block", () =>
    Effect.gen(function* () {
      const inner = dagCbor.encode({ a: { b: [1, 2] } })
      const block = blockOf(dagCbor.encode(signed))
      const cid = Result.getOrThrow(Cid.fromText(String(INNER)))
      const source = fromBlocks([block, { cid, bytes: inner }])
      const { value } = yield* Dag.resolve(source, block.cid, ["link", "a", "b", "1"])
      assert.strictEqual(value, 2)
      const at = (path: string) => Effect.orDie(NodePath.resolve((cid) => Effect.orDie(source(cid)), path))
      const text = Cid.toText(block.cid)
      const place = yield* at(`${text}/signatures/0/protected`)
      assert.deepStrictEqual([place.value, place.inside.join("/")], ["eyJhbGciOiJFZERTQSJ9", "signatures/0/protected"])
      assert.strictEqual(Cid.toText((yield* at(`${text}/link/a`)).cid), String(INNER))
    })
  )

  it("refuses a message without its fields, with other fields, or with links elsewhere", () => {
    const [signature] = signed.signatures
    for (const value of [
      [],
      {},
      { ...signed, payload: "text" },
      { ...signed, payload: new Uint8Array(3) },
      { signatures: signed.signatures },
      { ...signed, other: 1 },
      { ...signed, signatures: {} },
      { ...signed, signatures: [1] },
      { ...signed, signatures: [{ protected: protectedHeader }] },
      { ...signed, signatures: [{ ...signature, other: 1 }] },
      { ...signed, signatures: [{ ...signature, header: { a: INNER } }] },
      { ...signed, link: "text" },
      { ...signed, link: OTHER },
      { ...signed, payload: new Uint8Array(3), link: INNER },
      { ...encrypted, tag: "text" },
      { ...encrypted, payload: INNER.bytes },
      { ...encrypted, unprotected: [INNER] },
      { ...encrypted, recipients: [{ other: 1 }] }
    ]) {
      const block = blockOf(dagCbor.encode(value))
      for (const read of [Block.decode, Block.links]) {
        const refused: Result.Result<unknown, Block.DecodeError> = read(block)
        assert.isTrue(Result.isFailure(refused), JSON.stringify(value))
        if (Result.isFailure(refused)) assert.match(refused.failure.message, /not dag-jose$/)
      }
    }
  })

  it("reads or refuses changed bytes, and finds the link of the value", () => {
    const random = Random.make(29)
    const base = dagCbor.encode(signed)
    for (let run = 0; run < 2000; run++) {
      const bytes = Uint8Array.from(base)
      bytes[Random.int(random, bytes.length)] = Random.int(random, 256)
      const block = blockOf(bytes)
      const [value, links] = [Block.decode(block), Block.links(block)]
      assert.strictEqual(Result.isSuccess(value), Result.isSuccess(links))
      if (Result.isFailure(value) || Result.isFailure(links)) continue
      const { link } = value.success as Readonly<Record<string, unknown>> & { readonly link: Cid.Cid }
      assert.deepStrictEqual(links.success.map(String), [Cid.toText(link)])
    }
  })
})
