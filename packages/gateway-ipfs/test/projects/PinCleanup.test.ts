/** Abandoned state: pins of removed projects, and the unfinished work of processes that have ended. */
import { assert, describe, it } from "@effect/vitest"
import { Accounts } from "@plumbline/gateway"
import * as Databases from "@plumbline/gateway/support/databases"
import { Block, Cid, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Context, Deferred, Effect, Exit, Layer, Logger, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Memory from "../support/ipfsMemoryNode.ts"
import { connect, over, project } from "../support/ipfsProjects.ts"

const raw = (state: Memory.State, fill: number) => String(Memory.put(state, Block.RAW, new Uint8Array(10).fill(fill)))

const broken = Effect.fail(
  new IpfsNodeError.IpfsNodeError({
    reason: new IpfsNodeError.Failed({ doing: "asking the node", detail: "connection lost" })
  })
)

/** Waits 20 ms, because the database needs real time, and advances the clock by half a minute. */
const passes = Effect.andThen(
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20))),
  TestClock.adjust("30 seconds")
)

/** Repeats a check until it is true. Real time passes between the checks. */
const until = <E>(is: Effect.Effect<boolean, E>) =>
  Effect.gen(function* () {
    for (let turn = 0; !(yield* is); turn++) {
      assert.isBelow(turn, 2000)
      yield* passes
    }
  })

const pinsOf = (node: IpfsNode.IpfsNodeCommands) => Stream.runCollect(node.pinLs([], { type: "recursive" }))

describe.each(Databases.kinds)("over $name", (kind) => {
  const test = it.effect.skipIf(kind.skipped)

  test("a project that is removed lets go of its pins soon after, and of nobody else's", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const [shared, alone, direct] = [raw(state, 1), raw(state, 2), raw(state, 3)]
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        const accounts = Context.get(
          yield* Layer.build(Accounts.layer().pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, sql)))),
          Accounts.Accounts
        )
        const account = yield* accounts.createAccount({ name: "wallets" })
        const create = Effect.map(accounts.createProject({ account: account.id, name: "p" }), ({ project }) => project)
        const [stays, goes] = [yield* create, yield* create]
        const options = { removed: accounts.removedOf, limits: { uploaded: 1000 } }
        // two processes search at the same time
        const [projects] = yield* Effect.all([0, 1].map(() => over(Memory.make(state), database, options)))
        const node = projects!.node(goes)
        yield* node.blockPut(new Uint8Array(7))
        yield* node.pinAdd(shared)
        yield* node.pinAdd(alone)
        yield* node.pinAdd(direct, { recursive: false })
        yield* projects!.node(stays).pinAdd(shared)
        yield* passes
        yield* passes
        assert.strictEqual(state.pins.size, 3)

        yield* accounts.removeProject(goes.id)
        yield* until(Effect.map(projects!.stored(goes), (bytes) => bytes === 0))
        yield* until(Effect.sync(() => state.pins.size === 1))
        assert.deepStrictEqual([...state.pins.keys()], [shared])
        assert.strictEqual((yield* pinsOf(projects!.node(stays))).length, 1)
        assert.strictEqual((yield* projects!.usage(goes)).uploaded, 7)
        yield* until(Effect.map(sql`SELECT cid FROM ipfs_held`, ({ length }) => length === 1))
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))

  test("while it is not known who was removed, everybody keeps what they have", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const cid = raw(state, 1)
        let asked = 0
        const removed = () => Effect.suspend(() => (asked++, Effect.fail({ message: "no answer" })))
        const projects = yield* over(Memory.make(state), yield* kind.fresh, { removed })
        yield* projects.node(project("a")).pinAdd(cid)
        yield* until(Effect.sync(() => asked >= 2))
        assert.deepStrictEqual([...state.pins.keys()], [cid])
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))

  test("what the node may have let go of is asked for anew by whoever pins it next", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const cid = raw(state, 1)
        const whole = Memory.make(state)
        const database = yield* kind.fresh
        const node = { ...whole, pinRm: (path: string) => Effect.andThen(whole.pinRm(path), broken) }
        const projects = yield* over(node, database)
        yield* projects.node(project("a")).pinAdd(cid)
        yield* projects.node(project("a")).pinRm(cid)
        assert.isFalse(state.pins.has(cid))
        yield* projects.node(project("b")).pinAdd(cid)
        assert.isTrue(state.pins.has(cid))
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))

  test("what the node has not let go of may be pinned again, also by less", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const cid = raw(state, 1)
        const projects = yield* over({ ...Memory.make(state), pinRm: () => broken }, yield* kind.fresh)
        yield* projects.node(project("a")).pinAdd(cid)
        yield* projects.node(project("a")).pinRm(cid)
        yield* projects.node(project("b")).pinAdd(cid, { recursive: false })
        assert.strictEqual(state.pins.get(cid), "recursive")
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))

  test("what a process was at work on when it died is settled by one that lives", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        const [intended, owned, failing, living] = [raw(state, 1), raw(state, 2), raw(state, 3), raw(state, 4)]
        const whole = Memory.make(state)
        let asked = 0
        const node: IpfsNode.IpfsNodeCommands = {
          ...whole,
          pinRm: (path) => (path === failing ? broken : whole.pinRm(path)),
          pinAdd: (...given) => {
            asked++
            return whole.pinAdd(...given)
          }
        }
        const projects = yield* over(node, database)
        yield* projects.node(project("a")).pinAdd(owned)
        for (const cid of [intended, failing, living]) state.pins.set(cid, "recursive")
        const left = (cid: string, until: number) => sql`
          INSERT INTO ipfs_held (node, cid, strength, elsewhere, worker, until)
          VALUES ('memory', ${Cid.fromTextUnsafe(cid).bytes}, 1, 0, 'killed', ${until})`
        yield* left(intended, 1)
        yield* left(failing, 1)
        yield* left(living, Date.now() + 600_000)
        yield* sql`UPDATE ipfs_held SET worker = 'killed', until = 1 WHERE cid = ${Cid.fromTextUnsafe(owned).bytes}`
        const upload = (of: string, until: number) => sql`
          INSERT INTO ipfs_makers (node, project, cid, upload, until)
          VALUES ('memory', ${of}, ${Cid.fromTextUnsafe(owned).bytes}, ${of}, ${until})`
        yield* upload("dead", 1)
        yield* upload("alive", Date.now() + 600_000)
        const before = asked
        const stateOf = (cid: string) =>
          Effect.map(
            sql<{ readonly worker: string | null; readonly until: number | null }>`
              SELECT worker, until FROM ipfs_held WHERE cid = ${Cid.fromTextUnsafe(cid).bytes}`,
            ([row]) => row && [row.worker, row.until]
          )
        yield* until(Effect.sync(() => !state.pins.has(intended)))
        yield* until(Effect.map(stateOf(owned), (row) => row![1] === null))
        yield* until(Effect.map(sql`SELECT upload FROM ipfs_makers`, (rows) => rows.length === 1))
        assert.deepStrictEqual(yield* sql`SELECT upload FROM ipfs_makers`, [{ upload: "alive" }])
        // Failed work stays in the table and is continued later.
        yield* until(Effect.map(stateOf(failing), (row) => row![0] === null && row![1] === 0))
        yield* until(Effect.map(stateOf(intended), (row) => row === undefined))
        // the node was not asked about two of the pins: one exists already, and another process works on the other
        assert.strictEqual(asked, before)
        assert.strictEqual((yield* stateOf(living))![0], "killed")
        assert.sameMembers([...state.pins.keys()], [owned, failing, living])
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))

  test("a round that is cut short leaves the rest to the next one", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const cid = raw(state, 1)
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        const asked = yield* Deferred.make<void>()
        const stuck = {
          ...Memory.make(state),
          pinRm: () => Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
        }
        const scope = yield* Scope.make()
        yield* Scope.provide(over(stuck, database), scope)
        state.pins.set(cid, "recursive")
        yield* sql`
          INSERT INTO ipfs_held (node, cid, strength, elsewhere, worker, until)
          VALUES ('memory', ${Cid.fromTextUnsafe(cid).bytes}, 1, 0, 'killed', 1)`
        yield* until(Deferred.isDone(asked))
        yield* over(Memory.make(state), database)
        assert.isTrue(state.pins.has(cid))
        yield* Scope.close(scope, Exit.void)
        yield* until(Effect.sync(() => !state.pins.has(cid)))
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))

  test("what the node would not let go of is let go when it does", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const cid = raw(state, 1)
        const whole = Memory.make(state)
        let isDown = true
        const node = { ...whole, pinRm: (path: string) => (isDown ? broken : whole.pinRm(path)) }
        const projects = yield* over(node, yield* kind.fresh)
        yield* projects.node(project("a")).pinAdd(cid)
        yield* projects.node(project("a")).pinRm(cid)
        yield* passes
        assert.isTrue(state.pins.has(cid))
        isDown = false
        yield* until(Effect.sync(() => !state.pins.has(cid)))
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))
})
