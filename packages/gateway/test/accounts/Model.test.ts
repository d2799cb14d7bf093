/**
 * Makes random changes by two processes, and compares the answers of both with a model in memory, at once and a second
 * later.
 */
import { assert, describe, it } from "@effect/vitest"
import { Accounts, Allowlist, ProjectLimits } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"

import * as Databases from "../support/databases.ts"

type Store = Accounts.Accounts["Service"]

interface Known {
  readonly apiKey: string
  readonly project: string
  endsAt: number | null
  gone: boolean
}

/** The expected state, in plain maps. The model keeps ended and removed keys, so that the test looks them up too. */
class Model {
  readonly accounts = new Map<string, { name: string; card: boolean }>()
  readonly projects = new Map<string, { account: string; name: string; suspended: boolean; credits: number }>()
  readonly keys = new Map<string, Known>()

  isLive({ endsAt, gone }: Known, now: number): boolean {
    return !gone && (endsAt === null || endsAt > now)
  }

  keysOf(project: string, now: number): ReadonlyArray<string> {
    return [...this.keys].filter(([, key]) => key.project === project && this.isLive(key, now)).map(([id]) => id)
  }

  expected(key: Known, now: number) {
    const project = this.projects.get(key.project)
    if (project === undefined || !this.isLive(key, now)) return undefined
    const account = this.accounts.get(project.account)!
    return [account.name, account.card, key.project, project.name, project.suspended, project.credits, key.endsAt]
  }
}

/** Returns the store's answer for a key, in the form of the model. */
const holderOf = (store: Store, apiKey: string) =>
  Effect.map(store.lookup(apiKey), (holder) =>
    holder === undefined
      ? undefined
      : [
          holder.account.name,
          holder.account.card,
          holder.project.id,
          holder.project.name,
          holder.project.suspended,
          holder.project.limits.creditsPerDay,
          holder.key.endsAt
        ]
  )

const agree = Effect.fnUntraced(function* (store: Store, model: Model, now: number, step: string) {
  for (const key of model.keys.values()) {
    assert.deepStrictEqual(yield* holderOf(store, key.apiKey), model.expected(key, now), step)
  }
})

/** Makes one random change in the model and in the store of one process. Returns the name of the change. */
const change = Effect.fnUntraced(function* (store: Store, model: Model, random: Random.Random, now: number) {
  // Returns a random id of the map, and sometimes an unknown id.
  const anyOf = (map: ReadonlyMap<string, unknown>) =>
    map.size === 0 || random() < 0.05 ? "nobody" : Random.pick(random, [...map.keys()])
  const tagOf = (effect: Effect.Effect<unknown, unknown>) =>
    Effect.match(effect, {
      onSuccess: () => "done",
      onFailure: (error) => (error as { readonly reason: { readonly _tag: string } }).reason._tag
    })
  const learn = ({ apiKey, key }: Accounts.IssuedKey) =>
    model.keys.set(key.id, { apiKey: Redacted.value(apiKey), project: key.project, endsAt: null, gone: false })
  const name = `name ${Random.int(random, 1000)}`

  const choice = Random.int(random, 20)
  if (choice < 1 || model.accounts.size === 0) {
    const { id } = yield* store.createAccount({ name })
    model.accounts.set(id, { name, card: false })
    return "createAccount"
  }
  if (choice < 5 || model.projects.size === 0) {
    const account = anyOf(model.accounts)
    const creating = store.createProject({ account, name, limits: { creditsPerDay: 7 }, allowlist: Allowlist.none })
    if (!model.accounts.has(account)) {
      assert.strictEqual(yield* tagOf(creating), "Absent")
      return "createProject of nobody"
    }
    const { issued, project } = yield* Effect.orDie(creating)
    model.projects.set(project.id, { account, name, suspended: false, credits: 7 })
    learn(issued)
    return "createProject"
  }
  if (choice < 7) {
    const id = anyOf(model.accounts)
    const card = random() < 0.5
    assert.strictEqual(yield* tagOf(store.updateAccount(id, { card })), model.accounts.has(id) ? "done" : "Absent")
    if (model.accounts.has(id)) model.accounts.get(id)!.card = card
    return "updateAccount"
  }
  if (choice < 8) {
    const id = anyOf(model.accounts)
    const used = [...model.projects.values()].some(({ account }) => account === id)
    assert.strictEqual(
      yield* tagOf(store.removeAccount(id)),
      !model.accounts.has(id) ? "Absent" : used ? "NotEmpty" : "done"
    )
    if (!used) model.accounts.delete(id)
    return "removeAccount"
  }
  if (choice < 11) {
    const id = anyOf(model.projects)
    const known = model.projects.get(id)
    const suspended = random() < 0.5
    const credits = Random.int(random, 100)
    const limits = { ...ProjectLimits.none, creditsPerDay: credits }
    assert.strictEqual(
      yield* tagOf(store.updateProject(id, { suspended, limits })),
      known === undefined ? "Absent" : "done"
    )
    if (known !== undefined) Object.assign(known, { suspended, credits })
    return "updateProject"
  }
  if (choice < 12) {
    const id = anyOf(model.projects)
    assert.strictEqual(yield* tagOf(store.removeProject(id)), model.projects.has(id) ? "done" : "Absent")
    model.projects.delete(id)
    for (const key of model.keys.values()) if (key.project === id) key.gone = true
    return "removeProject"
  }
  if (choice < 15) {
    const id = anyOf(model.projects)
    const full = model.keysOf(id, now).length >= Accounts.MAX_KEYS
    if (!model.projects.has(id) || full) {
      assert.strictEqual(yield* tagOf(store.issueKey(id)), full ? "TooManyKeys" : "Absent")
      return "issueKey refused"
    }
    learn(yield* Effect.orDie(store.issueKey(id)))
    return "issueKey"
  }
  const id = anyOf(model.keys)
  const key = model.keys.get(id)
  if (choice < 17) {
    const there = key !== undefined && !key.gone
    // The store may or may not have deleted a key that has ended, so such a key is left out.
    if (there && key.endsAt !== null && key.endsAt <= now) return "nothing"
    assert.strictEqual(yield* tagOf(store.revokeKey(id)), there ? "done" : "Absent")
    if (there) key.gone = true
    return "revokeKey"
  }
  if (key !== undefined && !key.gone && key.endsAt !== null && key.endsAt <= now) return "nothing"
  const overlap = Random.pick(random, [0, 300, 1500, 5000])
  const refusal =
    key === undefined || key.gone
      ? "Absent"
      : key.endsAt !== null
        ? "Ending"
        : overlap > 0 && model.keysOf(key.project, now).length >= Accounts.MAX_KEYS
          ? "TooManyKeys"
          : undefined
  const rotating = store.rotateKey(id, { overlap: Duration.millis(overlap) })
  if (refusal !== undefined) {
    assert.strictEqual(yield* tagOf(rotating), refusal)
    return `rotateKey ${refusal}`
  }
  learn(yield* Effect.orDie(rotating))
  if (overlap === 0) key!.gone = true
  else key!.endsAt = now + overlap
  return "rotateKey"
})

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`accounts over ${name}`, () => {
    it.effect("two processes agree with a model: who made a change at once, the other a second later", () =>
      Effect.gen(function* () {
        const seen = new Map<string, number>()
        for (let seed = 1; seed <= Random.runs(2); seed++) {
          const random = Random.make(seed)
          const database = yield* fresh
          const model = new Model()
          let now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const stores = yield* Effect.forEach([0, 1], () =>
            Effect.map(Layer.build(Layer.fresh(Accounts.layer().pipe(Layer.provide(database.layer)))), (context) =>
              Context.get(context, Accounts.Accounts)
            )
          )
          for (let turn = 0; turn < 50; turn++) {
            const [mine, other] = random() < 0.5 ? [stores[0]!, stores[1]!] : [stores[1]!, stores[0]!]
            const changes = Random.int(random, 3)
            let step = `seed ${seed}, turn ${turn}`
            for (let n = 0; n <= changes; n++) {
              const done = yield* change(mine, model, random, now)
              seen.set(done, (seen.get(done) ?? 0) + 1)
              step += `, ${done}`
            }
            yield* agree(mine, model, now, step)
            const pause = 1000 + Random.int(random, 500)
            yield* TestClock.adjust(Duration.millis(pause))
            now += pause
            yield* agree(other, model, now, step)
          }
          for (const store of stores) {
            const accounts = yield* store.accounts()
            assert.deepStrictEqual(new Map(accounts.map(({ card, id, name }) => [id, { name, card }])), model.accounts)
            const projects = yield* store.projects()
            assert.deepStrictEqual(new Set(projects.map(({ id }) => id)), new Set(model.projects.keys()))
            for (const { id } of projects) {
              assert.deepStrictEqual(
                new Set((yield* store.keys(id)).map((key) => key.id)),
                new Set(model.keysOf(id, now))
              )
            }
          }
        }
        // Every kind of change has happened at least once.
        for (const done of ["removeAccount", "removeProject", "rotateKey", "rotateKey Ending", "rotateKey Absent"]) {
          assert.isTrue(seen.has(done), done)
        }
      }).pipe(Effect.scoped)
    )
  })
}
