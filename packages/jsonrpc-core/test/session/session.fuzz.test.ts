import { assert, describe, it } from "@effect/vitest"
import { JsonRpcError } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Duration, Result } from "effect"

import * as CallSession from "../../src/session/callSession.ts"
import type * as Envelope from "../../src/transport/envelope.ts"
import * as RandomJson from "../support/randomJson.ts"

interface Asked {
  readonly exchange: CallSession.SessionExchange
  readonly size: number
  /** The lists of outcomes that the caller received. There must be exactly one list. */
  readonly told: Array<ReadonlyArray<Envelope.EnvelopeOutcome>>
  isWithdrawn: boolean
}

const reply = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":"r${id}"}`

const mutate = (random: Random.Random, text: string): string => {
  const at = Random.int(random, text.length + 1)
  switch (Random.int(random, 5)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return text.slice(0, at) + Random.pick(random, Array.from('{}[],:"0123456789null')) + text.slice(at + 1)
    case 2:
      return text.slice(0, at) + text.slice(at + 1)
    case 3:
      return text.replace('"result"', Random.pick(random, ['"error"', '"method"', '"id"', '"results"']))
    default:
      return text.replace(/"id":[0-9]+/, `"id":${RandomJson.jsonText(random, 1)}`)
  }
}

/** Runs one conversation of a session with a server that answers at random. */
const converse = (seed: number, chaos: number) => {
  const random = Random.make(seed)
  const timers = new Set<() => void>()
  const heard: Array<string> = []
  const asked: Array<Asked> = []
  let unanswered: Array<number> = []
  let isOpen = false

  const session = CallSession.make({
    maxInFlight: 1 + Random.int(random, 12),
    maxBytes: 2000,
    timeout: Duration.seconds(30),
    unread: { items: 5, bytes: 2000 },
    redact: (text) => text,
    after: (_, work) => {
      timers.add(work)
      return () => void timers.delete(work)
    },
    onWanted: () => {}
  })
  const lost = () => new JsonRpcError.TransportError({ detail: "connection lost", retryable: true })
  const reset = (reason: JsonRpcError.Reason): void => {
    isOpen = false
    unanswered = []
    session.reset(reason)
  }
  const wire: CallSession.SessionConnection = {
    send: (text) => {
      const packet = JSON.parse(text)
      unanswered.push(...[packet].flat().map(({ id }) => id))
    },
    isWritable: () => true,
    whenWritable: () => {},
    giveUp: reset
  }
  const hear = (text: string): void => {
    if (isOpen) {
      heard.push(text)
      session.receive(random() < 0.1 ? new TextEncoder().encode(text).buffer : text)
    }
  }
  const ask = (): void => {
    const size = random() < 0.6 ? 1 : 2 + Random.int(random, 4)
    const told: Asked["told"] = []
    const calls = Array.from({ length: size }, () => ({ method: "m", params: [] }))
    asked.push({ exchange: session.exchange(calls, (outcomes) => told.push(outcomes)), size, told, isWithdrawn: false })
  }
  const answerSome = (): void => {
    unanswered = RandomJson.shuffled(random, unanswered)
    const ids = unanswered.splice(0, Random.int(random, 4))
    if (ids.length > 1 && random() < 0.5) {
      hear(`[${ids.map(reply).join(",")}]`)
    } else {
      ids.forEach((id) => hear(reply(id)))
    }
  }
  const misbehave = (): void => {
    const id = Random.pick(random, [...unanswered, 1, 999_999])
    const error = `"error":{"code":${Random.pick(random, [-32600, -32005])},"message":"no"}`
    const texts = [
      mutate(random, reply(id)),
      mutate(random, `[${reply(id)},${reply(Random.int(random, 50))}]`),
      RandomJson.jsonText(random),
      `{"jsonrpc":"2.0","id":null,${error}}`,
      `[{"jsonrpc":"2.0","id":${id},${error}}]`,
      `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":1}}`,
      reply(id) + reply(id),
      `[${reply(id)},${reply(id)}]`,
      "x".repeat(Random.int(random, 2) * 3000)
    ]
    hear(Random.pick(random, texts))
  }

  for (let step = 0; step < 120; step++) {
    const dice = random()
    if (!isOpen && dice < 0.3) {
      isOpen = true
      session.open(wire)
    } else if (dice < 0.4) {
      ask()
    } else if (dice < 0.4 + chaos) {
      misbehave()
    } else if (dice < 0.95) {
      answerSome()
    } else if (dice < 0.97 && asked.length > 0) {
      const one = Random.pick(random, asked)
      one.isWithdrawn ||= one.told.length === 0
      session.withdraw(one.exchange)
    } else if (dice < 0.98 && isOpen) {
      reset(lost())
    } else if (dice < 0.99) {
      ;[...timers].slice(0, 2).forEach((expire) => expire())
    }
  }
  return { session, asked, timers, heard, finish: () => ((isOpen = true), session.open(wire), answerAll()) }

  function answerAll(): void {
    while (unanswered.length > 0) {
      hear(reply(unanswered.shift()!))
    }
  }
}

/** Returns all messages about each id, read without our code. */
const said = (heard: ReadonlyArray<string>): ReadonlyMap<unknown, ReadonlyArray<any>> => {
  const byId = new Map<unknown, Array<any>>()
  for (const text of heard) {
    try {
      for (const message of [JSON.parse(text)].flat()) {
        byId.set(message?.id, [...(byId.get(message?.id) ?? []), message])
      }
    } catch {
      // The message is not JSON, so it is not about any call.
    }
  }
  return byId
}

describe("a session", () => {
  it("tells each call once, and nothing but what was said about it, whatever the server sends", () => {
    const counts = { results: 0, errors: 0, withdrawn: 0 }
    for (let seed = 1; seed <= Random.runs(400); seed++) {
      const { session, asked, timers, heard } = converse(seed, 0.3)
      // The remaining unanswered calls time out.
      ;[...timers].forEach((expire) => expire())
      assert.strictEqual(timers.size, 0)
      assert.deepInclude(session.counts(), { inFlight: 0, waiting: 0 }, `seed ${seed}`)
      const facts = said(heard)
      for (const { exchange, isWithdrawn, size, told } of asked) {
        assert.lengthOf(told, isWithdrawn ? 0 : 1, `seed ${seed}`)
        counts.withdrawn += Number(isWithdrawn)
        for (const [index, outcome] of (told[0] ?? []).entries()) {
          const about = facts.get(exchange.firstId + index) ?? []
          if (Result.isSuccess(outcome)) {
            counts.results++
            assert.isTrue(
              about.some(({ result }) => JSON.stringify(result) === JSON.stringify(outcome.success)),
              `seed ${seed}`
            )
          } else if (outcome.failure._tag === "RemoteError") {
            counts.errors++
            const batch = Array.from({ length: size }, (_, n) => facts.get(exchange.firstId + n) ?? []).flat()
            const nameless = [...(facts.get(null) ?? []), ...(facts.get(undefined) ?? [])]
            assert.isTrue(
              [...batch, ...nameless].some((message) => message?.error?.message === "no"),
              `seed ${seed}`
            )
          }
        }
      }
    }
    assert.isAbove(counts.results, 1000)
    assert.isAbove(counts.errors, 100)
    assert.isAbove(counts.withdrawn, 100)
  })

  it("gives each call its answer from a server that only shuffles, merges and splits", () => {
    for (let seed = 1; seed <= Random.runs(200); seed++) {
      const { asked, finish } = converse(seed, 0)
      finish()
      for (const { exchange, told, isWithdrawn } of asked) {
        assert.lengthOf(told, isWithdrawn ? 0 : 1, `seed ${seed}`)
        for (const [index, outcome] of (told[0] ?? []).entries()) {
          const own = Result.isSuccess(outcome) && outcome.success === `r${exchange.firstId + index}`
          const reason = Result.isFailure(outcome) ? outcome.failure.message : ""
          // An array can answer only a part of a batch; then the other calls have no answer.
          assert.isTrue(own || /connection lost|no answer/.test(reason), `seed ${seed}: ${reason}`)
        }
      }
    }
  })
})
