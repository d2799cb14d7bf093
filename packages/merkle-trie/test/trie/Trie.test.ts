import { assert, describe, it } from "@effect/vitest"
import { createMPT, MerklePatriciaTrie } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { Bytes, Hex, Keccak256, RlpWriter } from "@plumbline/codec"
import { Trie } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { bytesOf, entriesOf, random, runs } from "../support/generators.ts"

/** Independent oracle: ethereumjs puts one entry after another into its own trie. */
const oracle = async (entries: ReadonlyArray<readonly [Uint8Array, Uint8Array]>): Promise<string> => {
  const trie = await createMPT()
  for (const [key, value] of entries) await trie.put(key, value)
  return Hex.fromBytes(trie.root())
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value)

describe("Trie.rootOfList", () => {
  it("gives the empty root for no item", () => {
    assert.strictEqual(Hex.fromBytes(Trie.rootOfList([])), Trie.EMPTY_ROOT)
    assert.strictEqual(Hex.fromBytes(new MerklePatriciaTrie().EMPTY_TRIE_ROOT), Trie.EMPTY_ROOT)
  })

  it("agrees with ethereumjs at every length where the keys change their shape", async () => {
    const next = random(1)
    for (const length of [1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257, 300]) {
      const items = Array.from({ length }, () => bytesOf(next, 1 + (next() % 120)))
      const expected = await oracle(items.map((item, index) => [RLP.encode(index), item] as const))
      assert.strictEqual(Hex.fromBytes(Trie.rootOfList(items)), expected, `${length} items`)
    }
  })

  it("has the keys rlp(0), rlp(1), ... beyond 65,536 too, where its nodes no longer fit into shared memory", () => {
    const items = Array.from({ length: 66_000 }, (_, index) => text(`an item with the number ${index}`))
    const entries = items.map((item, index) => [RLP.encode(index), item] as const)
    assert.deepStrictEqual(Trie.rootOfList(items), Result.getOrThrow(Trie.rootOfMap(entries)))
  })

  it("depends on every item and on their order", () => {
    const items = [text("a"), text("b"), text("c")]
    const root = Hex.fromBytes(Trie.rootOfList(items))
    assert.notStrictEqual(Hex.fromBytes(Trie.rootOfList([text("b"), text("a"), text("c")])), root)
    assert.notStrictEqual(Hex.fromBytes(Trie.rootOfList(items.slice(0, 2))), root)
    assert.notStrictEqual(Hex.fromBytes(Trie.rootOfList([...items, text("d")])), root)
  })
})

describe("Trie.rootOfWritten", () => {
  /** Writes items as messages, and returns the root and the hash of each item. */
  const written = (writer: RlpWriter.RlpWriter, items: ReadonlyArray<Uint8Array>) => {
    const starts: Array<number> = []
    const ends = items.map((item) => {
      const start = writer.beginMessage()
      writer.raw(item)
      starts.push(start)
      return writer.endMessage(start)
    })
    const root = Trie.rootOfWritten(writer, starts, ends)
    return [root, ...starts.map((start) => writer.text(start - 32, start))]
  }

  it("gives the root of the list, and hashes the items beside it", () => {
    const next = random(6)
    for (const length of [0, 1, 2, 17, 128, 300]) {
      const items = Array.from({ length }, () => bytesOf(next, 1 + (next() % 600)))
      const expected = [Hex.fromBytes(Trie.rootOfList(items)), ...items.map(Keccak256.hashHex)]
      assert.deepStrictEqual(written(RlpWriter.make(), items), expected)
      assert.deepStrictEqual(
        RlpWriter.borrow((writer) => written(writer, items)),
        expected
      )
    }
  })

  it("leaves the items as they are, so that another list of them can follow", () => {
    const items = Array.from({ length: 20 }, (_, i) => new Uint8Array(100 + i).fill(i))
    RlpWriter.borrow((writer) => {
      const first = written(writer, items)
      assert.deepStrictEqual(written(writer, items.slice(1))[0], Hex.fromBytes(Trie.rootOfList(items.slice(1))))
      assert.deepStrictEqual(first.slice(1), items.map(Keccak256.hashHex))
    })
  })
})

describe("Trie.rootOfMap", () => {
  it("agrees with ethereumjs on random maps with shared prefixes and keys of other keys", async () => {
    for (let seed = 0; seed < runs; seed++) {
      const next = random(1000 + seed)
      const entries = new Map<string, readonly [Uint8Array, Uint8Array]>()
      for (let i = 0; i < 1 + (next() % 40); i++) {
        // few different bytes, so that keys share prefixes and one key is often the start of another
        const key = Uint8Array.from({ length: 1 + (next() % 5) }, () => [0x00, 0x01, 0x10, 0xff][next() % 4]!)
        // short values make some nodes shorter than 32 bytes; such nodes are embedded in their parents
        entries.set(Hex.fromBytes(key), [key, bytesOf(next, 1 + (next() % (seed % 2 === 0 ? 4 : 60)))])
      }
      const list = [...entries.values()]
      const expected = await oracle(list)
      assert.strictEqual(Hex.fromBytes(Result.getOrThrow(Trie.rootOfMap(list))), expected, `seed ${seed}`)
      assert.strictEqual(Hex.fromBytes(Result.getOrThrow(Trie.rootOfMap(list.toReversed()))), expected)
    }
  })

  it("agrees with ethereumjs on keys and values of every length where a head grows", async () => {
    for (const size of [1, 2, 3, 53, 54, 55, 56, 57, 58, Trie.MAX_KEY_SIZE]) {
      for (const length of [1, 2, 55, 56, 255, 256, 300]) {
        // one trie has one leaf with the whole path; the other has two leaves with nearly the whole path
        const [a, b] = [new Uint8Array(size).fill(0x11), new Uint8Array(size).fill(0x22)]
        for (const value of [new Uint8Array(length).fill(7), new Uint8Array(length).fill(0x80)]) {
          for (const entries of [
            [[a, value]],
            [
              [a, value],
              [b, value]
            ]
          ] as const) {
            assert.strictEqual(Hex.fromBytes(Result.getOrThrow(Trie.rootOfMap(entries))), await oracle(entries))
          }
        }
      }
    }
  })

  it("takes an empty value for no entry", () => {
    const root = Trie.rootOfMap([
      [text("a"), text("1")],
      [text("b"), new Uint8Array(0)]
    ])
    assert.deepStrictEqual(root, Trie.rootOfMap([[text("a"), text("1")]]))
    assert.strictEqual(
      Hex.fromBytes(Result.getOrThrow(Trie.rootOfMap([[text("b"), new Uint8Array(0)]]))),
      Trie.EMPTY_ROOT
    )
  })

  it("refuses two entries with one key, and keys above the bound", () => {
    const twice = Trie.rootOfMap([
      [text("a"), text("1")],
      [text("a"), text("2")]
    ])
    assert.isTrue(Result.isFailure(twice) && twice.failure._tag === "DuplicateKey" && twice.failure.key === "61")
    const long = Trie.rootOfMap([[new Uint8Array(Trie.MAX_KEY_SIZE + 1), text("1")]])
    assert.isTrue(Result.isFailure(long) && long.failure._tag === "KeyTooLong" && long.failure.got === 65)
  })
})

describe("Trie.nodesOfMap and Trie.nodesOfList", () => {
  /** Returns a trie of ethereumjs whose database holds only these nodes, each under its hash. */
  const oracleOver = async ({ nodes, root }: Trie.TrieNodes): Promise<MerklePatriciaTrie> => {
    const trie = await createMPT({ root })
    for (const node of nodes) await trie.database().put(Keccak256.hash(node), node)
    return trie
  }

  it("gives the nodes in which ethereumjs finds every value, and none beside them", async () => {
    let inline = 0
    for (let seed = 0; seed < runs; seed++) {
      const entries = entriesOf(seed)
      const built = Result.getOrThrow(Trie.nodesOfMap(entries))
      assert.deepStrictEqual(built.root, Result.getOrThrow(Trie.rootOfMap(entries)))
      assert.deepStrictEqual(Keccak256.hash(built.nodes[0]!), built.root)
      const trie = await oracleOver(built)
      const used = new Set<string>()
      for (const [key, value] of entries) {
        const { node, stack } = await trie.findPath(key, true)
        assert.isTrue(Bytes.equals(node!.value()!, value), `seed ${seed}`)
        for (const one of stack) {
          const rlp = one.serialize()
          if (rlp.length >= 32) used.add(Hex.fromBytes(rlp))
          else inline++
        }
      }
      used.add(Hex.fromBytes(built.nodes[0]!))
      assert.deepStrictEqual(new Set(built.nodes.map(Hex.fromBytes)), used, `seed ${seed}`)
    }
    assert.isAbove(inline, runs)
  })

  it("gives the nodes of a list, under the keys rlp(0), rlp(1), ...", async () => {
    const next = random(5)
    for (const length of [1, 2, 16, 127, 128, 129, 300]) {
      const items = Array.from({ length }, () => bytesOf(next, 1 + (next() % 60)))
      const built = Trie.nodesOfList(items)
      assert.deepStrictEqual(built.root, Trie.rootOfList(items))
      const trie = await oracleOver(built)
      for (const [index, item] of items.entries()) {
        assert.isTrue(Bytes.equals((await trie.get(RLP.encode(index)))!, item))
      }
    }
  })

  it("gives no nodes for no entries", () => {
    assert.deepStrictEqual(Trie.nodesOfList([]).nodes, [])
    const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap([]))
    assert.deepStrictEqual(nodes, [])
    assert.strictEqual(Hex.fromBytes(root), Trie.EMPTY_ROOT)
  })

  it("lays out keys that are each the start of the next, to the longest", async () => {
    const entries = Array.from({ length: Trie.MAX_KEY_SIZE }, (_, i) => [new Uint8Array(i + 1), text("x")] as const)
    assert.strictEqual(Hex.fromBytes(Result.getOrThrow(Trie.nodesOfMap(entries)).root), await oracle(entries))
  })
})
