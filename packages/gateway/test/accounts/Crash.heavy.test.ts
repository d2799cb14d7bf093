/** Kills a process that changes accounts, at many different moments, and then opens its database again. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

import { assert, describe, it } from "@effect/vitest"
import { Accounts } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Deferred, Effect, Layer } from "effect"

import * as Databases from "../support/databases.ts"

const writer = fileURLToPath(new URL("../fixtures/accounts-writer.ts", import.meta.url))

/** Returns the output of a process that is killed after it has acknowledged the given number of changes. */
const saidUntilKilled = (place: ReadonlyArray<string>, changes: number) =>
  Effect.gen(function* () {
    const enough = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    let said = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [writer, ...place], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    child.stdout.on("data", (data) => {
      said += String(data)
      // The first line says that the process is ready.
      if (said.split("\n").length - 2 >= changes) Deferred.doneUnsafe(enough, Effect.void)
    })
    child.once("close", () => Deferred.doneUnsafe(ended, Effect.void))
    yield* Effect.raceFirst(Deferred.await(enough), Deferred.await(ended))
    assert.isTrue(child.kill("SIGKILL"), "it ended by itself")
    yield* Deferred.await(ended)
    return said.split("\n").slice(1, -1)
  }).pipe(Effect.scoped)

/** Returns the state of a project according to the store; `apiKey` is the key of the last acknowledged step. */
const stepOf = Effect.fnUntraced(function* (accounts: Accounts.Accounts["Service"], id: string, apiKey: string) {
  const project = yield* accounts.project(id)
  const holder = yield* accounts.lookup(apiKey)
  const known = yield* accounts.keys(id)
  if (holder !== undefined) assert.deepStrictEqual([holder.project.id, holder.key], [id, known[0]])
  assert.isDefined(project)
  if (known.length === 0) return "revoked"
  if (project.name === "updated") return "updated"
  return holder === undefined ? "rotated, to a key that nobody was told" : "created"
})

/** The states that are permitted after an acknowledged step: the state of this step, or of the next step. */
const after: Readonly<Record<string, ReadonlyArray<string>>> = {
  created: ["created", "rotated, to a key that nobody was told"],
  // after a rotation, a project looks as it did after its creation, but with the new key
  rotated: ["created", "updated"],
  updated: ["updated", "revoked"],
  revoked: ["revoked"]
}

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`accounts over ${name}`, () => {
    it.live("whenever the process is killed, every change that it acknowledged is there", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const owed = new Map<string, { readonly step: string; readonly apiKey: string }>()
        const further = new Set<string>()
        const moments = Random.isWhole ? [0, 1, 6, 17, 60] : [1, 60]
        for (const moment of moments) {
          for (const line of yield* saidUntilKilled(database.place, moment)) {
            const [step, project, apiKey] = line.split(" ")
            owed.set(project!, { step: step!, apiKey: apiKey! })
          }
          const accounts = Context.get(
            yield* Layer.build(Layer.fresh(Accounts.layer().pipe(Layer.provide(database.layer)))),
            Accounts.Accounts
          )
          for (const [id, { apiKey, step }] of owed) {
            const found = yield* stepOf(accounts, id, apiKey)
            assert.include(after[step]!, found, step)
            if (found !== after[step]![0]) further.add(id)
          }
        }
        assert.isAbove([...owed.values()].filter(({ step }) => step === "revoked").length, 5)
        // The writer makes three changes at a time, so at most three unacknowledged changes are found after each kill.
        assert.isAtMost(further.size, 3 * moments.length)
      }).pipe(Effect.scoped)
    )
  })
}
