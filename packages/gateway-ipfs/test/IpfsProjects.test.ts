/** Tests projects' pins over a node in memory: against a simple model, and after a crash at every step. */
import { assert, describe, it } from "@effect/vitest"
import * as Databases from "@plumbline/gateway/support/databases"
import { Block, Cid, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Logger, Stream } from "effect"

import * as Memory from "./support/ipfsMemoryNode.ts"
import { connect, type Image, imageOf, messageOf, open, over, project, restore, utf8 } from "./support/ipfsProjects.ts"

/** Stores content whose parts share a leaf. The expected sizes were computed by hand. */
const content = (state: Memory.State) => {
  const leaf = Memory.put(state, Block.RAW, new Uint8Array(100))
  const other = Memory.put(state, Block.RAW, new Uint8Array(7))
  const one = Memory.put(state, Block.DAG_CBOR, Memory.listOf([leaf]))
  const two = Memory.put(state, Block.DAG_CBOR, Memory.listOf([leaf, leaf, one]))
  return { leaf, other, one, two }
}

// the size of a list with one link: a head (1 byte), and the link (2 bytes of tag, 2 of length, 37 of CID)
const ONE = 1 + 41
const TWO = 1 + 3 * 41
const SIZES = { leaf: [100, 100], other: [7, 7], one: [ONE, ONE + 100], two: [TWO, TWO + ONE + 100] } as const

const pinsOf = (node: IpfsNode.IpfsNodeCommands, paths: ReadonlyArray<string> = [], options?: IpfsNode.PinLsOptions) =>
  Effect.map(Stream.runCollect(node.pinLs(paths, options)), (pins) =>
    pins.map(({ cid, name, through, type }) => [
      Cid.toText(cid),
      type,
      name,
      ...(through === undefined ? [] : [Cid.toText(through)])
    ])
  )

const own = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Effect.all([pinsOf(node, [], { type: "recursive" }), pinsOf(node, [], { type: "direct" })]), (both) =>
    both.flat()
  )

type Kept = Map<string, { readonly recursive: boolean; readonly name: string }>

describe.each(Databases.kinds)("pins of projects in $name", (kind) => {
  const test = it.effect.skipIf(kind.skipped)

  test("what is pinned through others is looked for once, however many are asked for", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const node = Memory.make(state)
        let reads = 0
        const counting: IpfsNode.IpfsNodeCommands = {
          ...node,
          blockGet: (path) => Effect.suspend(() => (reads++, node.blockGet(path)))
        }
        const a = (yield* over(counting, yield* kind.fresh)).node(project("a"))
        const count = 30
        const small = Array.from({ length: count }, (_, i) => Memory.put(state, Block.RAW, utf8(`leaf ${i}`)))
        const tops = small.map((leaf) => Memory.put(state, Block.DAG_CBOR, Memory.listOf([leaf])))
        for (const top of tops) yield* a.pinAdd(String(top))
        reads = 0
        const found = yield* pinsOf(a, small.map(String))
        assert.deepStrictEqual(
          found.map(([cid, type, , through]) => [cid, type, through]),
          small.map((leaf, i) => [String(leaf), "indirect", String(tops[i])])
        )
        assert.strictEqual(reads, count)
        reads = 0
        const other = String(Memory.put(state, Block.RAW, utf8("other")))
        assert.strictEqual(yield* messageOf(pinsOf(a, [other, other])), `path '${other}' is not pinned`)
        assert.strictEqual(reads, count)
      })
    ))

  test("a project sees its own pins only, and how its content is reached by them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const { leaf, one, other, two } = content(state)
        const [LEAF, ONE, OTHER, TWO] = [leaf, one, other, two].map(String) as [string, string, string, string]
        state.pins.set(OTHER, "recursive")
        const projects = yield* open(state, yield* kind.fresh)
        const a = projects.node(project("a"))
        const b = projects.node(project("b"))
        assert.deepStrictEqual(yield* pinsOf(a), [])

        yield* a.pinAdd(TWO, { name: "mine" })
        yield* b.pinAdd(`/ipfs/${ONE}`)
        yield* b.pinAdd(LEAF, { recursive: false, name: "theirs" })
        assert.deepStrictEqual(yield* own(a), [[TWO, "recursive", "mine"]])
        assert.sameDeepMembers(yield* pinsOf(a), [
          [TWO, "recursive", "mine"],
          [LEAF, "indirect", "", TWO],
          [ONE, "indirect", "", TWO]
        ])
        assert.deepStrictEqual(yield* pinsOf(b), [
          [ONE, "recursive", ""],
          [LEAF, "direct", "theirs"]
        ])
        assert.deepStrictEqual(yield* pinsOf(b, [], { name: "their" }), [[LEAF, "direct", "theirs"]])
        assert.deepStrictEqual(yield* pinsOf(a, [LEAF, TWO]), [
          [LEAF, "indirect", "", TWO],
          [TWO, "recursive", "mine"]
        ])
        assert.deepStrictEqual(yield* pinsOf(b, [LEAF], { type: "indirect" }), [[LEAF, "indirect", "", ONE]])
        for (const path of [TWO, OTHER])
          assert.strictEqual(yield* messageOf(pinsOf(b, [path])), `path '${path}' is not pinned`)

        assert.strictEqual(yield* messageOf(b.pinRm(TWO)), "not pinned or pinned indirectly")
        assert.strictEqual(yield* messageOf(a.pinRm(OTHER)), "not pinned or pinned indirectly")
        assert.strictEqual(yield* messageOf(a.pinRm(TWO, { recursive: false })), `${TWO} is pinned recursively`)
        assert.strictEqual(yield* messageOf(a.pinAdd(TWO, { recursive: false })), `${TWO} already pinned recursively`)
        assert.strictEqual(yield* messageOf(a.pinUpdate(ONE, LEAF)), "'from' cid was not recursively pinned already")
        assert.deepStrictEqual(yield* Effect.map(a.repoStat, ({ blocks, limit }) => [blocks, limit]), [1, undefined])
        assert.strictEqual(yield* messageOf(Stream.runDrain(a.gc)), "this node does not support repo/gc for projects")
        assert.deepStrictEqual([...state.pins.keys()].sort(), [LEAF, ONE, OTHER, TWO].sort())
      })
    ))

  test("the node lets go when the last project does, and never of what somebody else has pinned", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const { leaf, one, other } = content(state)
        state.pins.set(String(other), "direct")
        const projects = yield* open(state, yield* kind.fresh)
        const a = projects.node(project("a"))
        const b = projects.node(project("b"))
        yield* a.pinAdd(String(one))
        yield* b.pinAdd(String(one), { recursive: false })
        yield* a.pinRm(String(one))
        // The node's pin stays recursive, although b needs only a direct pin. To weaken the pin, the node would have to
        // unpin the content for a moment.
        assert.strictEqual(state.pins.get(String(one)), "recursive")
        assert.deepStrictEqual(yield* own(b), [[String(one), "direct", ""]])
        yield* b.pinRm(String(one))
        assert.isFalse(state.pins.has(String(one)))

        // The first pin is direct. The node is asked for a recursive pin when a project needs it.
        yield* b.pinAdd(String(one), { recursive: false })
        assert.strictEqual(state.pins.get(String(one)), "direct")
        yield* a.pinAdd(String(one))
        assert.strictEqual(state.pins.get(String(one)), "recursive")

        yield* a.pinAdd(String(other), { recursive: false })
        yield* a.pinRm(String(other))
        assert.strictEqual(state.pins.get(String(other)), "direct")

        yield* a.pinUpdate(String(one), String(leaf))
        assert.deepStrictEqual(yield* own(a), [[String(leaf), "recursive", ""]])
        assert.deepStrictEqual(yield* own(b), [[String(one), "direct", ""]])
        assert.isTrue(state.pins.has(String(one)))
      })
    ))

  test("what commands store is pinned for their project, and nothing that failed is", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const { two } = content(state)
        const projects = yield* open(state, yield* kind.fresh)
        const a = projects.node(project("a"))
        const added = yield* Stream.runCollect(
          a.add(
            [
              { path: "d/x", content: utf8("x") },
              { path: "f", content: Stream.make(utf8("f"), utf8("g")) }
            ],
            { pinName: "named" }
          )
        )
        const cids = new Map(added.map((out) => [out.name, out._tag === "Added" ? String(out.cid) : ""]))
        const { cid } = yield* a.blockPut(utf8("block"), { pin: true })
        const data = yield* a.dagPut(Memory.listOf([]), { pin: true })
        yield* a.blockPut(utf8("loose"))
        yield* a.add([{ content: utf8("not pinned") }], { pin: false }).pipe(Stream.runDrain)
        yield* a.add([{ content: utf8("hashed only") }], { onlyHash: true }).pipe(Stream.runDrain)
        const { roots } = yield* a.dagImport(a.dagExport(String(two)))
        assert.deepStrictEqual(
          roots.map(({ cid, pinError }) => [String(cid), pinError]),
          [[String(two), ""]]
        )
        const expected = [cids.get("d"), cids.get("f"), String(cid), String(data), String(two)]
        assert.sameMembers(
          (yield* own(a)).map(([cid]) => cid),
          expected
        )
        assert.deepStrictEqual(yield* own(projects.node(project("b"))), [])
        assert.sameMembers([...state.pins.keys()], expected)
        assert.deepStrictEqual(
          (yield* pinsOf(a, [cids.get("d")!, cids.get("f")!])).map(([, , name]) => name),
          ["named", "named"]
        )

        const cut = Stream.concat(Stream.make(utf8("half")), Stream.fail("cut" as const))
        assert.strictEqual(yield* Effect.flip(Stream.runDrain(a.add([{ content: cut }]))), "cut")
        assert.strictEqual((yield* own(a)).length, 5)
        // incomplete content is not pinned, and the ledger does not keep the intention
        state.blocks.delete(String(data))
        yield* a.pinRm(String(data))
        assert.match(yield* messageOf(a.pinAdd(String(data))), /could not find/)
        assert.isFalse(state.pins.has(String(data)))
      })
    ))

  test("whatever projects do in whatever order, each has what a plain model says, and the node has it all", () =>
    Effect.scoped(
      Effect.gen(function* () {
        for (let seed = 0; seed < Random.runs(4); seed++) {
          const random = Random.make(8100 + seed)
          const state = Memory.empty()
          const all = content(state)
          const names = Object.keys(all) as ReadonlyArray<keyof typeof all>
          const textOf = (name: keyof typeof all) => Cid.toText(all[name])
          const elsewhere = Random.pick(random, names)
          state.pins.set(textOf(elsewhere), "recursive")
          const database = yield* kind.fresh
          const ids = ["a", "b", "c"]
          const model = new Map<string, Kept>(ids.map((id) => [id, new Map()]))
          const limit = 400
          const storedOf = (kept: Kept) =>
            names.reduce((sum, name) => {
              const pin = kept.get(textOf(name))
              return sum + (pin === undefined ? 0 : SIZES[name][pin.recursive ? 1 : 0])
            }, 0)

          for (let round = 0; round < 3; round++) {
            // each round starts a new service with the state of the previous round
            yield* Effect.scoped(
              Effect.gen(function* () {
                const projects = yield* open(state, database, { limits: { stored: limit } })
                for (let step = 0; step < 40; step++) {
                  const id = Random.pick(random, ids)
                  const kept = model.get(id)!
                  const node = projects.node(project(id))
                  const name = Random.pick(random, names)
                  const cid = textOf(name)
                  const recursive = random() < 0.6
                  const pin = kept.get(cid)
                  switch (Random.int(random, 3)) {
                    case 0: {
                      const label = `n${step}`
                      const { _tag } = yield* Effect.exit(node.pinAdd(cid, { recursive, name: label }))
                      const next: Kept = new Map(kept).set(cid, { recursive, name: label })
                      const isAllowed =
                        !(pin?.recursive === true && !recursive) &&
                        (storedOf(next) <= limit || pin?.recursive === recursive)
                      assert.strictEqual(_tag, isAllowed ? "Success" : "Failure", `${seed} ${step} ${id} pins ${name}`)
                      if (isAllowed) model.set(id, next)
                      break
                    }
                    case 1: {
                      const { _tag } = yield* Effect.exit(node.pinRm(cid, { recursive }))
                      const isAllowed = pin !== undefined && (recursive || !pin.recursive)
                      assert.strictEqual(
                        _tag,
                        isAllowed ? "Success" : "Failure",
                        `${seed} ${step} ${id} unpins ${name}`
                      )
                      if (isAllowed) kept.delete(cid)
                      break
                    }
                    case 2: {
                      const to = textOf(Random.pick(random, names))
                      const { _tag } = yield* Effect.exit(node.pinUpdate(cid, to, { unpin: recursive }))
                      const next: Kept = new Map(kept)
                      if (pin?.recursive === true && cid !== to) {
                        next.set(to, pin)
                        if (recursive) next.delete(cid)
                      }
                      const isAllowed =
                        pin?.recursive === true && (storedOf(next) <= limit || storedOf(next) <= storedOf(kept))
                      assert.strictEqual(_tag, isAllowed ? "Success" : "Failure", `${seed} ${step} ${id} moves ${name}`)
                      if (isAllowed) model.set(id, next)
                    }
                  }
                }
                for (const id of ids) {
                  const kept = model.get(id)!
                  assert.sameDeepMembers(
                    yield* own(projects.node(project(id))),
                    Array.from(kept, ([cid, { name, recursive }]) => [cid, recursive ? "recursive" : "direct", name])
                  )
                  const usage = yield* projects.usage(project(id))
                  assert.deepStrictEqual([usage.stored, usage.pins], [storedOf(kept), kept.size])
                }
                const needed = new Set([textOf(elsewhere), ...ids.flatMap((id) => [...model.get(id)!.keys()])])
                assert.sameMembers([...state.pins.keys()], [...needed])
                for (const id of ids) {
                  for (const [cid, { recursive }] of model.get(id)!) {
                    if (recursive) assert.strictEqual(state.pins.get(cid), "recursive")
                  }
                }
              })
            )
          }
        }
      })
    ))

  test("killed at any step, the node has all that projects have, and the next start lets go of the rest", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const { leaf, one, other, two } = content(state)
        state.pins.set(String(other), "recursive")
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        const left: Array<{ readonly what: string; readonly image: Image; readonly state: Memory.State }> = []
        const step = (what: string) =>
          Effect.gen(function* () {
            left.push({ what, image: yield* imageOf(sql, "memory"), state: Memory.copy(state) })
          })
        const projects = yield* open(state, database, { step })
        const a = projects.node(project("a"))
        const b = projects.node(project("b"))
        yield* a.pinAdd(String(two))
        yield* b.pinAdd(String(one), { recursive: false })
        yield* a.pinAdd(String(one))
        yield* b.pinAdd(String(other))
        yield* a.add([{ content: utf8("added") }]).pipe(Stream.runDrain)
        yield* a.blockPut(utf8("put"), { pin: true })
        yield* a.pinUpdate(String(two), String(leaf))
        yield* a.pinRm(String(one))
        yield* b.pinRm(String(one))
        yield* b.pinRm(String(other))
        assert.isAtLeast(left.length, 12)
        let surplus = 0
        for (const [i, { image, state, what }] of left.entries()) {
          const name = `killed ${i}`
          yield* restore(sql, image, name)
          const before = [...state.pins.keys()]
          yield* Effect.scoped(
            Effect.gen(function* () {
              const projects = yield* open(state, database, { name })
              const owned = yield* Effect.forEach(["a", "b"], (id) => own(projects.node(project(id))))
              const needed = new Set([String(other), ...owned.flat().map(([cid]) => cid!)])
              for (const cid of needed) assert.isTrue(before.includes(cid), `${what}: ${cid} is not held`)
              surplus += before.length - needed.size
              assert.sameMembers([...state.pins.keys()], [...needed], what)
              const again = yield* projects.reconcile
              assert.deepStrictEqual(again, { removed: 0, restored: 0, lost: 0 })
            })
          )
        }
        assert.isAtLeast(surplus, 3, "it was never killed between the node and the ledger")
      })
    ))

  test("what the node has lost is pinned again at the start if its content is there, and counted if it is not", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const { one, two } = content(state)
        const database = yield* kind.fresh
        yield* Effect.scoped(
          Effect.gen(function* () {
            const a = (yield* open(state, database)).node(project("a"))
            yield* a.pinAdd(String(one))
            yield* a.pinAdd(String(two), { recursive: false })
          })
        )
        state.pins.clear()
        state.blocks.delete(String(two))
        const projects = yield* open(state, database)
        assert.deepStrictEqual([...state.pins], [[String(one), "recursive"]])
        assert.deepStrictEqual(yield* projects.reconcile, { removed: 0, restored: 0, lost: 1 })
        state.pins.clear()
        assert.deepStrictEqual(yield* projects.reconcile, { removed: 0, restored: 1, lost: 1 })
        assert.strictEqual((yield* own(projects.node(project("a")))).length, 2)
      })
    ))

  test("a node that fails costs a project nothing but time: what it holds too much goes at the next start", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const { one, two } = content(state)
        const database = yield* kind.fresh
        const broken = Effect.fail(
          new IpfsNodeError.IpfsNodeError({ reason: new IpfsNodeError.Failed({ doing: "asking", detail: "EIO" }) })
        )
        const working = Memory.make(state)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const projects = yield* over({ ...working, pinRm: () => broken }, database)
            const a = projects.node(project("a"))
            yield* a.pinAdd(String(one))
            yield* a.pinRm(String(one))
            assert.deepStrictEqual(yield* own(a), [])
            assert.isTrue(state.pins.has(String(one)))
            // The node failed to unpin, so it still has its pin. The project can pin the same content again.
            yield* a.pinAdd(String(one))
            yield* a.pinRm(String(one))
          })
        )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const deaf: IpfsNode.IpfsNodeCommands = {
              ...working,
              pinLs: () => Stream.fromEffectDrain(broken),
              pinAdd: () => broken
            }
            const projects = yield* over(deaf, database)
            const a = projects.node(project("a"))
            assert.strictEqual(yield* messageOf(a.pinAdd(String(two))), "asking: EIO")
            assert.deepStrictEqual(yield* own(a), [])
            assert.strictEqual(yield* messageOf(projects.reconcile), "asking: EIO")
          })
        )
        assert.isTrue(state.pins.has(String(one)))
        yield* over(working, database)
        assert.deepStrictEqual([...state.pins], [])
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))
})
