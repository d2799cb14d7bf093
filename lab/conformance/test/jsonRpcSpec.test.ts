/** The examples of the JSON-RPC 2.0 specification, section 7, through the dispatcher. */
import { assert, it } from "@effect/vitest"
import { Dispatcher, ErrorObject } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"

import { conformance, json } from "./support/fixtures.ts"

const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

/** The methods that the specification's server has. */
const call: Dispatcher.DispatcherOptions<never>["call"] = ({ method, params }) => {
  const numbers = (Array.isArray(params) ? params : []).map(Number)
  const named: Readonly<Record<string, unknown>> =
    Array.isArray(params) || params === undefined ? {} : Object.fromEntries(Object.entries(params))
  switch (method) {
    case "subtract": {
      const [minuend = named["minuend"], subtrahend = named["subtrahend"]] = numbers
      return Effect.succeed(encode(Number(minuend) - Number(subtrahend)))
    }
    case "sum":
      return Effect.succeed(encode(numbers.reduce((total, number) => total + number, 0)))
    case "get_data":
      return Effect.succeed(encode(["hello", 5]))
    case "update":
    case "notify_hello":
    case "notify_sum":
      return Effect.succeed(encode(null))
    default:
      return Effect.fail(ErrorObject.methodNotFound(method))
  }
}

interface Case {
  readonly name: string
  readonly request: string
  readonly response: unknown
}

/**
 * Returns an answer without its error text. The specification does not prescribe texts, but it does prescribe codes,
 * ids and results.
 */
const withoutTexts = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(withoutTexts)
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return answer
  const { code } = answer.error as { code: number }
  return { ...answer, error: { code } }
}

/** Answers of a batch may come in any order. */
const byId = (answer: unknown): unknown => {
  if (!Array.isArray(answer)) return answer
  const key = (one: { readonly id: unknown; readonly error?: unknown }): string => JSON.stringify([one.id, one.error])
  return answer.toSorted((a, b) => key(a).localeCompare(key(b)))
}

conformance("JSON-RPC 2.0 specification", () => {
  const dispatcher = Dispatcher.make({ call })
  const cases: ReadonlyArray<Case> = json("7-jsonrpc/spec-examples.json").cases
  for (const example of cases) {
    it(`answers ${example.name}`, async () => {
      const bytes = await Effect.runPromise(dispatcher.handle(example.request))
      const answer: unknown = bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes))
      const sorted = (value: unknown): unknown => byId(withoutTexts(value))
      assert.deepStrictEqual(sorted(answer), sorted(example.response))
    })
  }
})
