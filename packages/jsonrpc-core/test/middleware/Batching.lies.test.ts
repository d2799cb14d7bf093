/** Batching with the real assignment of replies, against a server that answers batches in every wrong way. */
import { assert, it } from "@effect/vitest"
import { Batching, type Transport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Exit, Fiber, Result } from "effect"

import type * as Envelope from "../../src/transport/envelope.ts"
import * as PacketTransport from "../../src/transport/packetTransport.ts"
import * as RandomJson from "../support/randomJson.ts"

/** The server's treatment of one call in one packet. */
type Deed = "refused" | "good" | "error" | "tooLarge" | "bad"

interface Request {
  readonly id: number
  readonly params: readonly [token: string]
}

const value = (token: string): string => `the value of ${token}`
const complaint = (token: string): string => `the error of ${token}`
const LIE = "a lie"

const makeServer = (random: Random.Random) => {
  const deeds = new Map<string, Array<Deed>>()
  const limit = random() < 0.3 ? 1000 : 1 + Random.int(random, 12)
  const faults = random() < 0.2 ? 0 : random() * 0.6
  const ids: Array<number> = []

  const note = (call: Request, deed: Deed): void => {
    deeds.set(call.params[0], [...(deeds.get(call.params[0]) ?? []), deed])
  }
  const result = (id: unknown, result: unknown) => ({ jsonrpc: "2.0", id, result })
  const error = (id: unknown, code: number, message: string) => ({ jsonrpc: "2.0", id, error: { code, message } })

  /**
   * Returns the replies to one call, and the deed that produced them. Exactly one of the replies is an answer, except
   * for the deed "bad".
   */
  const replies = ({ id, params: [token] }: Request): readonly [Deed, ReadonlyArray<unknown>] => {
    const good = result(id, value(token))
    if (random() >= faults) {
      return ["good", [good]]
    }
    return Random.pick<readonly [Deed, ReadonlyArray<unknown>]>(random, [
      ["good", [good, result(`${id}`, LIE)]],
      ["good", [{ ...result([id], LIE) }, { extra: LIE, ...good }]],
      ["error", [error(id, -32000, complaint(token))]],
      ["tooLarge", [error(id, -32003, "response too large")]],
      ["bad", []],
      ["bad", [good, good]],
      ["bad", [good, result(id, LIE)]],
      ["bad", [good, error(id, -32000, LIE)]],
      ["bad", [result(`${id}`, value(token))]],
      ["bad", [result(id + 0.5, LIE)]],
      ["bad", [result(null, LIE)]],
      ["bad", [{ id, result: LIE }]],
      ["bad", [{ jsonrpc: "1.0", id, result: LIE }]],
      ["bad", [{ jsonrpc: "2.0", id }]],
      ["bad", [{ ...good, error: { code: -32000, message: LIE } }]],
      ["bad", [{ jsonrpc: "2.0", id, error: LIE }]]
    ])
  }

  /**
   * Returns replies that no call of the packet requested: with unknown ids, with ids of other packets' calls, without
   * an id, and values that are not replies at all.
   */
  const extras = (own: ReadonlySet<number>): ReadonlyArray<unknown> => {
    const other = ids.filter((id) => !own.has(id))
    return Array.from({ length: random() < faults ? 1 + Random.int(random, 3) : 0 }, () =>
      Random.pick<unknown>(random, [
        result(1_000_000 + Random.int(random, 10), LIE),
        result(other.length === 0 ? -1 : Random.pick(random, other), LIE),
        result(null, LIE),
        error(null, -32000, LIE),
        42,
        null,
        [],
        LIE
      ])
    )
  }

  const refuse = (calls: ReadonlyArray<Request>): Envelope.EnvelopeAnswer =>
    Random.pick<Envelope.EnvelopeAnswer>(random, [
      { text: JSON.stringify([error(calls[0]!.id, -32600, "batch too large")]) },
      { text: JSON.stringify(error(null, -32600, "batch too large")) },
      { text: JSON.stringify(error(null, -32014, "too many RPC calls in batch request")), failedStatus: 413 },
      { text: JSON.stringify({ code: 413 }), failedStatus: 413 },
      { text: "<html>413 Request Entity Too Large</html>", failedStatus: 413 },
      { text: "", failedStatus: 413 },
      { text: JSON.stringify(calls.map(({ id }) => error(id, -32005, "batch limit exceeded"))) }
    ])

  const answer = (text: string): Envelope.EnvelopeAnswer => {
    const packet: Request | ReadonlyArray<Request> = JSON.parse(text)
    const calls = "id" in packet ? [packet] : packet
    ids.push(...calls.map(({ id }) => id))
    if (calls.length > limit) {
      calls.forEach((call) => note(call, "refused"))
      return refuse(calls)
    }
    const answers = calls.flatMap((call) => {
      const [deed, own] = replies(call)
      // If a call has two answers, neither counts.
      note(call, "id" in packet && own.length !== 1 ? "bad" : deed)
      return own
    })
    if ("id" in packet) {
      return { text: answers.length === 1 ? JSON.stringify(answers[0]) : JSON.stringify(answers) }
    }
    return {
      text: JSON.stringify(RandomJson.shuffled(random, [...answers, ...extras(new Set(calls.map(({ id }) => id)))]))
    }
  }

  return { deeds, answer }
}

/** Yields a few times, so that packets and callers interleave. */
const wander = (random: Random.Random) =>
  Effect.forEach(Array.from({ length: Random.int(random, 4) }), () => Effect.yieldNow, { discard: true })

const check = (
  token: string,
  isIdempotent: boolean,
  deeds: ReadonlyArray<Deed>,
  outcome: Transport.WireOutcome
): void => {
  const story = `${token}: ${deeds.join(", ")}`
  const said = Result.isSuccess(outcome) ? outcome.success : outcome.failure.reason.message
  switch (deeds.at(-1)) {
    case "good":
      assert.strictEqual(said, value(token), story)
      break
    case "error":
      assert.strictEqual(said, complaint(token), story)
      break
    case "tooLarge":
      assert.strictEqual(said, "response too large", story)
      break
    default:
      assert(Result.isFailure(outcome), story)
      // A lie about the whole packet may appear as the server's error, but never as a result.
      assert(said === LIE || outcome.failure.reason._tag === "ProtocolError", story)
  }
  // The call was sent again only if that was allowed.
  const mayRepeat: ReadonlyArray<Deed> = isIdempotent ? ["refused", "tooLarge"] : ["refused"]
  assert(
    deeds.slice(0, -1).every((deed) => mayRepeat.includes(deed)),
    story
  )
}

it.effect("no call gets another call's answer, every call ends, and one good reply is enough", () =>
  Effect.gen(function* () {
    const random = Random.make(20_261)
    const seen = new Map<Deed, number>()
    for (let run = 0; run < Random.runs(400); run++) {
      const { deeds, answer } = makeServer(random)
      const transport = Batching.make({ size: 1 + Random.int(random, 40) })(
        PacketTransport.make({
          exchange: (text) =>
            Effect.andThen(
              wander(random),
              Effect.sync(() => answer(text))
            ),
          redact: (text) => text
        })
      )
      const makeCall = (n: number): Transport.WireCall => {
        const token = `call ${run}.${n}`
        return random() < 0.2
          ? { method: "send", params: [token], idempotent: false }
          : { method: "get", params: [token] }
      }
      const checkOne = (call: Transport.WireCall, outcome: Transport.WireOutcome): void => {
        const token = String(call.params[0])
        check(token, call.idempotent !== false, deeds.get(token) ?? [], outcome)
      }
      const calls = Array.from({ length: 1 + Random.int(random, 40) }, (_, n) => makeCall(n))
      const fibers = yield* Effect.forEach(calls, (call, index) =>
        Effect.forkChild(
          Effect.gen(function* () {
            yield* wander(random)
            if (index % 7 !== 0) {
              checkOne(call, yield* Effect.result(transport.call(call)))
              return
            }
            const together = [
              call,
              ...Array.from({ length: Random.int(random, 20) }, (_, n) => makeCall(index * 100 + n + 100))
            ]
            const outcomes = yield* transport.callAll(together)
            assert.strictEqual(outcomes.length, together.length)
            together.forEach((each, position) => checkOne(each, outcomes[position]!))
          })
        )
      )
      const doomed = random() < 0.5 ? fibers.filter(() => random() < 0.2) : []
      yield* wander(random)
      yield* Fiber.interruptAll(doomed)
      for (const fiber of fibers) {
        const exit = yield* Fiber.await(fiber)
        if (!doomed.includes(fiber)) {
          assert(Exit.isSuccess(exit), String(exit))
        }
      }
      for (const deed of [...deeds.values()].flat()) {
        seen.set(deed, (seen.get(deed) ?? 0) + 1)
      }
    }
    // Every deed of the server occurred.
    for (const deed of ["refused", "good", "error", "tooLarge", "bad"] as const) {
      assert.isAbove(seen.get(deed) ?? 0, 50, deed)
    }
  })
)
