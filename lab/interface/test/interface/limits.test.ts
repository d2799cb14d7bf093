import { assert } from "@effect/vitest"
import { Costs } from "@plumbline/gateway"

import * as Ask from "../../src/ask.ts"
import * as Operator from "../../src/operator.ts"
import { rpcUrl, type Target } from "../../src/target.ts"
import { section } from "../support/section.ts"

const METHOD = "eth_getBlockByNumber"
const COST = Costs.defaults.methods[METHOD]!
const body = Ask.call(METHOD, ["latest", false])

/** Returns a project's usage of the method, for the calls that were answered with this status. */
const used = async (target: Target, project: string, status: number) => {
  const rows = await Operator.usage(target, project)
  const found = rows.filter((row) => row.method === METHOD && row.status === status)
  const sum = (of: "calls" | "credits" | "bytesIn" | "bytesOut") => found.reduce((sum, row) => sum + row[of], 0)
  return { calls: sum("calls"), credits: sum("credits"), bytesIn: sum("bytesIn"), bytesOut: sum("bytesOut") }
}

section("Limits", {
  "Usage is metered per project and usage is visible on the dashboard, and rate limits exist.": async (target) => {
    const { cardless, limited } = target.projects
    const before = await used(target, cardless.id, 200)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        Ask.http(rpcUrl(target, "history", cardless.key), { headers: Ask.JSON_TYPE, body })
      )
    )
    const after = await used(target, cardless.id, 200)
    assert.deepStrictEqual(
      {
        calls: after.calls - before.calls,
        credits: after.credits - before.credits,
        bytesIn: after.bytesIn - before.bytesIn,
        bytesOut: after.bytesOut - before.bytesOut
      },
      {
        calls: 20,
        credits: 20 * COST,
        bytesIn: 20 * body.length,
        bytesOut: answers.reduce((sum, answer) => sum + answer.body.length, 0)
      }
    )

    // With a hundred credits a day, one call of eighty credits passes, and a second one does not.
    const url = rpcUrl(target, "history", limited.key)
    const first = await Ask.http(url, { headers: Ask.JSON_TYPE, body })
    const second = await Ask.http(url, { headers: Ask.JSON_TYPE, body })
    assert.deepStrictEqual([first.status, second.status], [200, 429])
    const { error } = JSON.parse(second.text)
    assert.strictEqual(error.code, -32_005)
    assert.strictEqual(error.message, "daily request count exceeded, request rate limited")
    assert.match(String(second.headers["retry-after"]), /^[1-9][0-9]*$/u)
    assert.deepInclude(await used(target, limited.id, 200), { calls: 1, credits: COST })
    assert.deepInclude(await used(target, limited.id, 429), { calls: 1, credits: 0 })
  },
  "Rate limit values and size limits: not shown.": async (target) => {
    // 5 MiB, the limit of geth.
    const most = 5 * 1024 * 1024
    const ask = (length: number) =>
      Ask.http(rpcUrl(target, "history"), { headers: Ask.JSON_TYPE, body: body.padEnd(length) })
    assert.strictEqual((await ask(most)).status, 200)
    const over = await ask(most + 1)
    assert.deepStrictEqual([over.status, over.text], [413, `content length too large (${most + 1}>${most})\n`])
  }
})
