/**
 * Validates the nodes of `test/support/ipfsNode.ts`, with which other tests replace real nodes: Kubo's own client works
 * with them, and reads from them the content that our client wrote.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Cid } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"
import { create } from "kubo-rpc-client"
import { CID } from "multiformats/cid"

import * as Clients from "../support/clients.ts"
import { collect } from "../support/collect.ts"
import * as IpfsNode from "../support/ipfsNode.ts"

const HELLO = "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"

const both = Effect.gen(function* () {
  const { url } = yield* IpfsNode.make("kubo")
  return { theirs: create({ url: `${url}/api/v0` }), ours: yield* Clients.to(url) }
})

const promise = <A>(make: () => Promise<A>) => Effect.promise(make)

describe("kubo-rpc-client and this client", () => {
  it.effect("add the same files under the same names and CIDs", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* both
      const files = [
        { path: "d/a.txt", content: new TextEncoder().encode("hello world") },
        { path: "d/ü & +%20.txt", content: new TextEncoder().encode("x") }
      ]
      const his = yield* promise(() => collect(theirs.addAll(files, { wrapWithDirectory: true })))
      const mine = yield* Stream.runCollect(ours.addAll(files, { wrapWithDirectory: true }))
      assert.deepStrictEqual(
        mine.map((event) => [event.name, event.cid, "size" in event && event.size]),
        his.map(({ cid, path, size }) => [path, cid.toString(), size])
      )
      assert.strictEqual(his[0]?.cid.toString(), HELLO)
    })
  )

  it.effect("read what the other wrote", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* both
      const { cid } = yield* ours.add({ path: "f", content: Stream.make(Uint8Array.of(1, 2), Uint8Array.of(3)) })
      const bytes = yield* promise(async () => Buffer.concat(await collect(theirs.cat(CID.parse(cid)))))
      assert.deepStrictEqual([...bytes], [1, 2, 3])
      const block = yield* promise(() => theirs.block.put(Uint8Array.of(7), { format: "raw" }))
      assert.deepStrictEqual(yield* ours.blockGet(block), Uint8Array.of(7))
      const node = yield* promise(() => theirs.dag.put({ a: [1] }, { storeCodec: "dag-cbor" }))
      assert.strictEqual(new TextDecoder().decode(yield* ours.dagGet(node)), '{"a":[1]}')
      const link = yield* ours.dagPut(new TextEncoder().encode('{"b":2}'))
      assert.deepStrictEqual((yield* promise(() => theirs.dag.get(CID.parse(link)))).value, { b: 2 })
      assert.deepStrictEqual(
        yield* Stream.mkUint8Array(ours.get(cid)),
        new Uint8Array(yield* promise(async () => Buffer.concat(await collect(theirs.get(CID.parse(cid))))))
      )
    })
  )

  it.effect("see the same pins, entries and facts", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* both
      const root = (yield* ours.add({ path: "d/a", content: "a" }, { pin: false })).cid
      yield* ours.pinAdd(root, { name: "n" })
      const his = yield* promise(() => collect(theirs.pin.ls({ names: true })))
      assert.deepStrictEqual(
        yield* Stream.runCollect(ours.pinLs({ names: true })),
        his.map(({ cid, name, type }) => ({ cid: cid.toString() as Cid.CidText, type, name: name! }))
      )
      const entries = yield* promise(() => collect(theirs.ls(CID.parse(root))))
      assert.deepStrictEqual(
        (yield* Stream.runCollect(ours.ls(root))).map(({ cid, name, size }) => [name, cid as string, size]),
        entries.map(({ cid, name, size }) => [name, cid.toString(), size])
      )
      assert.strictEqual((yield* ours.version()).version, (yield* promise(() => theirs.version())).version)
      assert.strictEqual((yield* ours.id()).id, (yield* promise(() => theirs.id())).id.toString())
      yield* promise(() => theirs.pin.rm(CID.parse(root)))
      assert.deepStrictEqual(yield* Stream.runCollect(ours.pinLs()), [])
    })
  )

  it.effect("hear the same of a failure", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* both
      const his = yield* promise(() =>
        theirs.block.get(CID.parse(HELLO)).then(
          () => "",
          (error: Error) => error.message
        )
      )
      const mine = yield* Effect.flip(ours.blockGet(HELLO as Cid.CidText))
      assert.strictEqual(mine.reason.message, his)
    })
  )
})
