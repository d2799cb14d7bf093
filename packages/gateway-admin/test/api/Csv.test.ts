/** Tests exports as CSV: an independent parser must read them, and they must be safe in a spreadsheet. */
import { spawnSync } from "node:child_process"

import { assert, describe, it } from "@effect/vitest"
import { Metering } from "@plumbline/gateway"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Random from "@plumbline/seeded/Random"
import { Effect } from "effect"

import * as Csv from "../../src/api/csv.ts"
import * as Admin from "../support/admin.ts"

/** Parses CSV with Python's `csv` module in strict mode. */
const parsed = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const program =
    "import csv,io,json,sys; t=sys.stdin.buffer.read().decode(); print(json.dumps(list(csv.reader(io.StringIO(t,newline=''),strict=True))))"
  const { status, stderr, stdout } = spawnSync("python3", ["-c", program], { input: text, encoding: "utf8" })
  assert.strictEqual(status, 0, stderr)
  return JSON.parse(stdout)
}

const hasPython = spawnSync("python3", ["--version"]).status === 0

describe("CSV", () => {
  it.effect.skipIf(!hasPython)("is read by another parser as it was written, whatever the fields are", () =>
    Effect.gen(function* () {
      const random = Random.make(3)
      const pieces = ["a", "é", "🪺", '"', '""', ",", " ", "'", ";", "\u2028", "x=1", "0"]
      const rows = Array.from({ length: 2500 }, () =>
        Array.from({ length: 4 }, () =>
          Array.from({ length: Random.int(random, 5) }, () => Random.pick(random, pieces)).join("")
        )
      )
      const text = yield* Csv.text(["one", "two", "three", "four"], rows)
      assert.isTrue(text.endsWith("\r\n"))
      assert.lengthOf(text.split("\r\n"), rows.length + 2)
      assert.deepStrictEqual(parsed(text), [["one", "two", "three", "four"], ...rows])
    })
  )

  it.effect("leaves no field that a spreadsheet runs, and no control character", () =>
    Effect.gen(function* () {
      const cells = [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "\n=cmd|' /C calc'!A0",
        "＝1",
        "|x",
        "%0A",
        "a\u0000b"
      ]
      const text = yield* Csv.text(
        ["x"],
        cells.map((cell) => [cell])
      )
      const lines = text.split("\r\n").slice(1, -1)
      assert.lengthOf(lines, cells.length)
      for (const line of lines) {
        assert.match(line, /^"?'/u)
        assert.notMatch(line, /\p{Cc}/u)
      }
      // Numbers stay numbers, with all their digits and their sign.
      assert.strictEqual(yield* Csv.text(["n"], [[-5], [2n ** 62n]]), "n\r\n-5\r\n4611686018427387904\r\n")
    })
  )
})

describe.each(Databases.kinds)("the export of usage over $name", (kind) => {
  it.live.skipIf(kind.skipped)("has the rows of the report, to the last digit", () =>
    Effect.flatMap(kind.fresh, ({ layer }) =>
      Effect.gen(function* () {
        const admin = yield* Admin.client()
        const { recordAll } = yield* Metering.Metering
        const usage = {
          product: "rpc",
          network: "live",
          status: 200,
          key: "k",
          calls: 1,
          bytesIn: 3,
          bytesOut: 4
        } as const
        yield* recordAll([
          { ...usage, project: "=evil", method: "eth_call", credits: 2 ** 40 },
          { ...usage, project: "=evil", method: "eth_call", credits: 2 ** 40 - 1 },
          { ...usage, project: 'a "b", c', method: "eth_chainId", credits: 5 }
        ])
        const report = yield* admin.usage.report({ query: {} })
        const text = yield* admin.exports.usage({ query: {} })
        const range = `${report.from},${report.to}`
        assert.strictEqual(
          text,
          [
            "from,to,project,projectName,product,network,method,status,calls,credits,bytesIn,bytesOut",
            `${range},'=evil,,rpc,live,eth_call,200,2,2199023255551,6,8`,
            `${range},"a ""b"", c",,rpc,live,eth_chainId,200,1,5,3,4`,
            ""
          ].join("\r\n")
        )
        const one = yield* admin.exports.usage({ query: { project: "nobody" } })
        assert.strictEqual(one.split("\r\n").length, 2)
        const wrong = yield* Effect.flip(admin.exports.usage({ query: { to: 5 } }))
        assert.strictEqual(wrong._tag, "BadRequest")
      }).pipe(Effect.provide(Admin.service(layer)))
    ).pipe(Effect.scoped)
  )
})
