/** The rules of the admin API, one request at a time: what a caller may do is said by its grants, and by nothing that it sends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as AdminRules from "../../src/api/AdminRules.ts"

const operator = (
  ...grants: ReadonlyArray<{ readonly role: "read-only" | "support"; readonly projects?: ReadonlyArray<string> }>
) => ({ _tag: "Operator", grants }) as const

/** Asks by the rules, and returns the refusal and the keys whose projects were looked up. */
const ask = (
  caller: AdminRules.RuledCaller,
  request: Pick<AdminRules.RuledRequest, "group" | "endpoint"> & Partial<AdminRules.RuledRequest>
) => {
  const looked: Array<string> = []
  const refused = Effect.runSync(
    AdminRules.refusal(caller, { id: undefined, projects: [], ...request }, (key) =>
      Effect.sync(() => {
        looked.push(key)
        return { "key of mine": "mine", "key of other": "other" }[key]
      })
    )
  )
  return { refused, looked }
}

const NOT_YOURS = { _tag: "NotYours" } as const

describe("the rules", () => {
  const mine = operator({ role: "support", projects: ["mine"] })

  it("take the project of a key from the key, whatever project stands beside it", () => {
    for (const endpoint of ["get", "update", "rotate", "revoke"]) {
      const key = { group: "keys", endpoint }
      const ofMine = { ...key, id: "key of mine" }
      const ofOther = { ...key, id: "key of other" }
      assert.deepStrictEqual(ask(mine, ofMine), { refused: undefined, looked: ["key of mine"] })
      assert.deepStrictEqual(ask(mine, { ...ofMine, projects: ["other"] }), {
        refused: undefined,
        looked: ["key of mine"]
      })
      assert.deepStrictEqual(ask(mine, ofOther), { refused: NOT_YOURS, looked: ["key of other"] })
      assert.deepStrictEqual(ask(mine, { ...ofOther, projects: ["mine"] }), {
        refused: NOT_YOURS,
        looked: ["key of other"]
      })
      assert.deepStrictEqual(ask(mine, { ...key, id: "no key" }), { refused: NOT_YOURS, looked: ["no key"] })
    }
  })

  it("look up no key for a caller with all projects", () => {
    const request = { group: "keys", endpoint: "revoke", id: "key of other" }
    assert.deepStrictEqual(ask(operator({ role: "support" }), request), { refused: undefined, looked: [] })
  })

  it("look up no key for a caller that no project would permit it", () => {
    const request = { group: "keys", endpoint: "revoke", id: "key of mine" }
    assert.deepStrictEqual(ask({ _tag: "Project", project: "mine" }, request), { refused: NOT_YOURS, looked: [] })
    const refused = { _tag: "Role", needs: "support" } as const
    const reader = operator({ role: "read-only", projects: ["mine"] })
    assert.deepStrictEqual(ask(reader, request), { refused, looked: [] })
  })

  it("permit what concerns every project to no caller of some, even if it names one of its own", () => {
    for (const request of [
      { group: "webhooks", endpoint: "list" },
      { group: "accounts", endpoint: "get", id: "account" },
      { group: "alerts", endpoint: "events" }
    ]) {
      assert.deepStrictEqual(ask(mine, { ...request, projects: ["mine"] }).refused, NOT_YOURS)
      const own = { _tag: "Project", project: "mine" } as const
      assert.deepStrictEqual(ask(own, { ...request, projects: ["mine"] }).refused, NOT_YOURS)
      assert.strictEqual(ask(operator({ role: "support" }), request).refused, undefined)
    }
  })

  it("let a project's own session read its settings, keys, limits, alerts, rules for tokens and usage, and nothing else", () => {
    const permitted = Object.entries(AdminRules.RULES).flatMap(([group, methods]) =>
      Object.keys(methods)
        .filter((endpoint) => {
          const own = { group, endpoint, id: "mine", projects: ["mine"] }
          const other = { group, endpoint, id: "other", projects: ["other"] }
          const caller = { _tag: "Project", project: "mine" } as const
          const isOpen = ask(caller, other).refused === undefined
          assert.strictEqual(isOpen, group === "session", `${group}.${endpoint}`)
          return ask(caller, own).refused === undefined
        })
        .map((endpoint) => `${group}.${endpoint}`)
    )
    const words = `session.create session.get session.remove projects.get limits.get standing.access standing.keyHistory
      keys.list tokens.get usage.report usage.totals usage.by usage.series usage.stored alerts.get alerts.fired`
    assert.deepStrictEqual(permitted, words.split(/\s+/u))
  })

  it("take the project in a path from the path, and of several parameters none", () => {
    const update = { group: "projects", endpoint: "update" }
    assert.strictEqual(ask(mine, { ...update, id: "mine" }).refused, undefined)
    assert.deepStrictEqual(ask(mine, { ...update, id: "other" }).refused, NOT_YOURS)
    assert.deepStrictEqual(ask(mine, { ...update, id: "other", projects: ["mine"] }).refused, NOT_YOURS)
    const totals = { group: "usage", endpoint: "totals" }
    assert.strictEqual(ask(mine, { ...totals, projects: ["mine"] }).refused, undefined)
    for (const projects of [[], ["other"], ["mine", "other"], ["other", "mine"], ["mine", "mine"]]) {
      assert.deepStrictEqual(ask(mine, { ...totals, projects }).refused, NOT_YOURS, projects.join())
      assert.deepStrictEqual(ask({ _tag: "Project", project: "mine" }, { ...totals, projects }).refused, NOT_YOURS)
    }
  })

  it("join no role of one grant with the projects of another", () => {
    const caller = operator({ role: "support", projects: ["mine"] }, { role: "read-only" })
    assert.strictEqual(ask(caller, { group: "projects", endpoint: "get", id: "other" }).refused, undefined)
    assert.deepStrictEqual(ask(caller, { group: "projects", endpoint: "update", id: "other" }).refused, NOT_YOURS)
    const split = operator({ role: "support", projects: ["mine"] }, { role: "read-only", projects: ["other"] })
    assert.strictEqual(ask(split, { group: "projects", endpoint: "get", id: "other" }).refused, undefined)
    assert.deepStrictEqual(ask(split, { group: "projects", endpoint: "update", id: "other" }).refused, NOT_YOURS)
    assert.deepStrictEqual(ask(split, { group: "accounts", endpoint: "get", id: "mine" }).refused, NOT_YOURS)
  })

  it("refuse a method without a rule to every caller, and name no role that has it", () => {
    const request = { group: "projects", endpoint: "rename", id: "mine" }
    for (const caller of [operator({ role: "support" }), { _tag: "Project", project: "mine" } as const]) {
      assert.deepStrictEqual(ask(caller, request).refused, { _tag: "Role", needs: undefined })
      assert.deepStrictEqual(ask(caller, { ...request, group: "rooms" }).refused, { _tag: "Role", needs: undefined })
    }
  })

  it("name the role that a method needs", () => {
    const request = { group: "projects", endpoint: "update", id: "mine" }
    const refused = { _tag: "Role", needs: "support" } as const
    assert.deepStrictEqual(ask(operator({ role: "read-only", projects: ["mine"] }), request).refused, refused)
    assert.deepStrictEqual(ask(operator(), request).refused, refused)
  })
})
