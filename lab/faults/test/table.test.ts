import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import * as Seen from "../src/clientObservation.ts"
import * as Ours from "../src/clients/ourContenders.ts"
import { type Fault, http, saying, trueAnswer } from "../src/fault.ts"
import * as Case from "../src/faultCase.ts"
import { families } from "../src/faults/index.ts"
import * as Table from "../src/faultTable.ts"
import * as Server from "../src/faultyServer.ts"
import * as Truth from "../src/liveAnswers.ts"
import * as Verdict from "../src/verdict.ts"

const truth = await Effect.runPromise(Truth.read)

const fault: Fault = { name: "f", read: "transaction", server: saying(trueAnswer), ours: "the truth" }
const trueValue = Seen.value(Case.trueShown("transaction", truth)[0]!)
const falseValue = Seen.value("0")
const error = (text: string) => Seen.failed("Kind", new Error(text))

const verdictOf = (seen: ReadonlyArray<Seen.Seen>, more: Partial<Fault> = {}) => {
  const { flaws, showsKey, text } = Verdict.judge({ ...fault, ...more }, { seen, tries: 1, milliseconds: 0 }, truth)
  return [text, [...flaws], showsKey]
}

describe("the judgement", () => {
  it("tells a true value from a false one, and both from absence", () => {
    assert.deepStrictEqual(verdictOf([trueValue]), ["the truth", [], false])
    assert.deepStrictEqual(verdictOf([falseValue]), ["false value", ["false value"], false])
    assert.deepStrictEqual(verdictOf([Seen.absent]), ["absent", ["fault as absence"], false])
  })

  it("wants an error where nothing true came, and none where it did", () => {
    assert.deepStrictEqual(verdictOf([error("")]), ["Kind", [], false])
    assert.deepStrictEqual(verdictOf([error("")], { honest: true }), ["Kind", ["needless error"], false])
  })

  it("wants the server's words in an error, and not the key", () => {
    const words = "header not found"
    assert.deepStrictEqual(verdictOf([error(`no: ${words}`)], { words }), ["Kind", [], false])
    assert.deepStrictEqual(verdictOf([error("no")], { words }), ["Kind", ["words lost"], false])
    assert.deepStrictEqual(verdictOf([error(`at http://node/${Server.KEY}`)]), ["Kind", [], true])
  })

  it("judges each of several calls by what was there for it", () => {
    const [a, b, c] = Case.trueShown("three", truth).map(Seen.value)
    const fault: Partial<Fault> = { read: "three", honest: [0, 2] }
    assert.deepStrictEqual(verdictOf([a!, error(""), c!], fault), ["the truth / Kind / the truth", [], false])
    assert.deepStrictEqual(verdictOf([error(""), error(""), error("")], fault), ["Kind", ["needless error"], false])
    assert.deepStrictEqual(verdictOf([b!, a!, c!], fault), [
      "false value / false value / the truth",
      ["false value"],
      false
    ])
  })

  it("wants heads in order, and a gap where one is missing", () => {
    const heads = (...seen: ReadonlyArray<number | Seen.Seen>) =>
      verdictOf(
        seen.map((each) => (typeof each === "number" ? Seen.value(`${each}`) : each)),
        { read: "heads", honest: true }
      )
    assert.deepStrictEqual(heads(1, 2, 3), ["1 2 3", [], false])
    assert.deepStrictEqual(heads(1, Seen.gap, 3, 4), ["1 gap 3 4", [], false])
    assert.deepStrictEqual(heads(1, 3), ["1 3", ["silent gap"], false])
    assert.deepStrictEqual(heads(1, Seen.gap, 3, 5), ["1 gap 3 5", ["silent gap"], false])
    assert.deepStrictEqual(heads(1, 2, 2), ["1 2 2", ["false value"], false])
    assert.deepStrictEqual(heads(99), ["99", ["false value"], false])
    assert.deepStrictEqual(heads(1, Seen.unsettled), ["1 no end", ["no end"], false])
    assert.deepStrictEqual(heads(1, Seen.escaped), ["1 ends the process", ["ends the process"], false])
  })
})

describe("a case", () => {
  it.live("of an honest server gives the truth to each read, proven or not", () =>
    Effect.gen(function* () {
      for (const read of ["transaction", "block", "slot", "account", "twice", "three"] as const) {
        for (const proven of [{}, { proven: true }] as const) {
          const honest: Fault = { ...fault, ...proven, read, honest: true }
          for (const contender of [Ours.overFetch, Ours.overUndici, Ours.overWebSocket]) {
            const outcome = yield* Case.run(honest, contender, truth)
            assert.strictEqual(Verdict.judge(honest, outcome, truth).text, "the truth")
          }
        }
      }
    })
  )

  it.live("counts what the server saw, and leaves no server behind", () =>
    Effect.gen(function* () {
      let url = ""
      const server = http((exchange) => {
        url = exchange.url
        exchange.response.end(trueAnswer(exchange))
      })
      const outcome = yield* Case.run({ ...fault, server, read: "twice" }, Ours.overFetch, truth)
      assert.strictEqual(outcome.tries, 2)
      const refused = yield* Effect.flip(Effect.tryPromise(() => fetch(url)))
      assert.include(String((refused.cause as Error).cause), "ECONNREFUSED")
    })
  )
})

describe("the table", () => {
  const faults = families.flatMap((family) => family.faults)
  const result = (flaws: ReadonlyArray<Verdict.Flaw>, tries: number): Table.Result => ({
    fault,
    outcome: { seen: [trueValue], tries, milliseconds: 1234 },
    verdict: { text: "Kind", flaws: new Set(flaws), showsKey: true }
  })

  it("has a row per fault, and no two with the same name in a family", () => {
    const lines = Table.chapters(families, []).split("\n")
    for (const { faults, name } of families) {
      const from = lines.indexOf(`### ${name}`) + 4
      assert.deepStrictEqual(
        lines.slice(from, from + faults.length),
        faults.map((fault) => `| ${fault.name} |`)
      )
      assert.strictEqual(new Set(faults.map((fault) => fault.name)).size, faults.length)
    }
    assert.strictEqual(lines.filter((line) => line.startsWith("| ")).length, faults.length + families.length * 2)
  })

  it("has a cell per client: what it made of the fault, what is wrong with that, and how often it tried", () => {
    const columns = [
      { title: "a", results: new Map([[fault, result([], 1)]]) },
      { title: "b", results: new Map([[fault, result(["words lost"], 4)]]) },
      { title: "c", results: new Map() }
    ]
    const rows = Table.chapters([{ name: "F", faults: [fault] }], columns).split("\n")
    assert.strictEqual(rows[2], "| fault | a | b | c |")
    assert.strictEqual(rows[4], "| f | Kind | ✗ Kind, words lost; 4 tries in 1.2 s | - |")
    const summary = Table.summary(columns).split("\n")
    assert.include(summary, "| flawed outcomes | 0 | 1 | 0 |")
    assert.include(summary, "| - an error without the server's words | 0 | 1 | 0 |")
    assert.include(summary, "| errors that show the key of the URL | 1 | 1 | 0 |")
    assert.include(summary, "| tries | 1 | 4 | 0 |")
  })
})
