import { assert, describe, it } from "@effect/vitest"
import { Block, BlockSource, Cid, DagCodec, IpfsNodeError, NodePath } from "@plumbline/ipfs-client"
import { Effect, Result } from "effect"

const JSON_TEXT = 0x0200
const text = (json: string): Uint8Array => new TextEncoder().encode(json)

const blockOf = (codec: number, bytes: Uint8Array): Block.Block => ({
  cid: Result.getOrThrow(Block.cidOf(codec, bytes)),
  bytes
})

const leaf = blockOf(JSON_TEXT, text('{"whole":1.0,"list":[[7]]}'))
const root = blockOf(Block.DAG_JSON, text(`{"leaf":{"/":${JSON.stringify(Cid.toText(leaf.cid))}},"zero":"0"}`))

const source: NodePath.NodeBlocks = (cid) =>
  Effect.mapError(BlockSource.fromBlocks([leaf, root])(cid), () => {
    const reason = new IpfsNodeError.NotFound({ cid: Cid.toText(cid) })
    return new IpfsNodeError.IpfsNodeError({ reason })
  })

const at = (path: string) => NodePath.resolve(source, `${Cid.toText(root.cid)}${path}`)

describe("NodePath", () => {
  it.effect("follows fields, items of lists, and links to other blocks", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* at(""), { cid: root.cid, inside: [], value: undefined })
      const link = yield* at("/leaf")
      assert.deepStrictEqual([Cid.toText(link.cid), link.inside], [Cid.toText(leaf.cid), []])
      const item = yield* at("/leaf/list/0/0")
      assert.deepStrictEqual(
        [Cid.toText(item.cid), item.inside, item.value],
        [Cid.toText(leaf.cid), ["list", "0", "0"], 7]
      )
    })
  )

  it.effect("keeps the kinds of numbers in every codec that it reads", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* at("/leaf/whole")).value, new DagCodec.Float(1))
    })
  )

  it.effect("names the block and the name where a path ends", () =>
    Effect.gen(function* () {
      const noLink = (cid: Cid.Cid, name: string) => `no link named "${name}" under ${Cid.toText(cid)}`
      const messageOf = (path: string) => Effect.map(Effect.flip(at(path)), ({ message }) => message)
      assert.strictEqual(yield* messageOf("/zero/0"), noLink(root.cid, "0"))
      assert.strictEqual(yield* messageOf("/leaf/list/00"), noLink(leaf.cid, "00"))
      assert.strictEqual(yield* messageOf("/leaf/whole/value"), noLink(leaf.cid, "value"))
    })
  )

  it.effect("refuses a block that is not the one of its CID", () =>
    Effect.gen(function* () {
      const liar: NodePath.NodeBlocks = () => Effect.succeed(leaf.bytes)
      const { reason } = yield* Effect.flip(NodePath.resolve(liar, `${Cid.toText(root.cid)}/leaf`))
      assert.strictEqual(reason._tag, "Damaged")
    })
  )

  it.effect("wants a block where a command needs one", () =>
    Effect.gen(function* () {
      const { reason } = yield* Effect.flip(NodePath.resolveBlock(source, `${Cid.toText(leaf.cid)}/list/0`))
      assert.strictEqual(reason._tag, "NoLink")
    })
  )
})
