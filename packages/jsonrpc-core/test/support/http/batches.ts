/** Packets of several calls. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

import { error, result, asking, type Subject } from "./subject.ts"

export const batches = ({ name, make }: Subject): void => {
  const { outcomesOf } = asking(make)

  describe(`${name}: a batch`, () => {
    const missing = (n: number) => `m${n}: no answer to this call in the answer to the batch`

    it.effect("matches replies by id, in any order", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* outcomesOf(3, (ids) => Response.json(ids.toReversed().map((id) => result(id, id - ids[0]!)))),
          [0, 1, 2]
        )
      })
    )

    it.effect("fails only the call whose reply is missing, double, unknown or broken", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomesOf(3, ([a, , c]) => Response.json([result(a, "a"), result(c, "c")])), [
          "a",
          missing(1),
          "c"
        ])
        assert.deepStrictEqual(
          yield* outcomesOf(2, ([a, b]) => Response.json([result(a, 1), result(a, 2), result(b, "b")])),
          ["m0: more than one answer to this call in the answer to the batch", "b"]
        )
        assert.deepStrictEqual(
          yield* outcomesOf(2, ([a, b]) =>
            Response.json([result(999_999, 1), result(`${a}`, 1), null, 7, result(b, "b")])
          ),
          [missing(0), "b"]
        )
        assert.deepStrictEqual(
          yield* outcomesOf(3, ([a, b, c]) => Response.json([{ jsonrpc: "2.0", id: a }, error(b), result(c, null)])),
          ["m0: the answer has no result and no error", "m1: header not found (code -32000)", null]
        )
        assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json([])), [missing(0), missing(1)])
      })
    )

    it.effect("that is refused as a whole gives each call the reason", () =>
      Effect.gen(function* () {
        const refusal = [0, 1].map((n) => `m${n}: batch too large (code -32600)`)
        const object = (id: unknown) => error(id, -32600, "batch too large")
        assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json(object(null))), refusal)
        assert.deepStrictEqual(yield* outcomesOf(2, ([a]) => Response.json(object(a))), refusal)
        assert.deepStrictEqual(yield* outcomesOf(2, ([a]) => Response.json([object(a)])), refusal)
        assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json([object(null)])), refusal)
        assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json(object(null), { status: 413 })), refusal)
      })
    )

    it.effect("is not refused as a whole by what names one of its calls, or none of them", () =>
      Effect.gen(function* () {
        const refused = error(undefined, -32600, "invalid request")
        assert.deepStrictEqual(yield* outcomesOf(3, ([, b]) => Response.json([{ ...refused, id: b }])), [
          missing(0),
          "m1: invalid request (code -32600)",
          missing(2)
        ])
        for (const id of [999_999, "1", {}]) {
          assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json([{ ...refused, id }])), [
            missing(0),
            missing(1)
          ])
          assert.deepStrictEqual(
            yield* outcomesOf(2, () => Response.json({ ...refused, id })),
            [0, 1].map((n) => `m${n}: no array in answer to a batch`)
          )
        }
      })
    )

    it.effect("is not refused as a whole by what is a result too", () =>
      Effect.gen(function* () {
        const both = { ...error(null, -32600, "batch too large"), result: 1 }
        assert.deepStrictEqual(
          yield* outcomesOf(2, () => Response.json(both)),
          [0, 1].map((n) => `m${n}: no array in answer to a batch`)
        )
        assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json([both])), [missing(0), missing(1)])
        assert.deepStrictEqual(yield* outcomesOf(2, ([a]) => Response.json([{ ...both, id: a }])), [
          "m0: the answer has both result and error",
          missing(1)
        ])
      })
    )

    it.effect("whose only reply is an error of one call leaves the others missing", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* outcomesOf(2, ([a]) => Response.json([error(a)])), [
          "m0: header not found (code -32000)",
          missing(1)
        ])
      })
    )

    it.effect("fails as one with the packet that carries it", () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [() => Response, string]> = [
          [() => new Response(""), "the answer is empty"],
          [() => new Response("<html>"), "the answer is HTML, not JSON"],
          [() => Response.json(result(1, 1)), "no array in answer to a batch"],
          [() => new Response("", { status: 502 }), "HTTP status 502"],
          [() => Response.json([], { status: 429 }), "HTTP status 429"]
        ]
        for (const [respond, message] of cases) {
          assert.deepStrictEqual(yield* outcomesOf(2, respond), [`m0: ${message}`, `m1: ${message}`])
        }
      })
    )
  })
}
