import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

import { assert, describe, it } from "@effect/vitest"
import { JsonRpcError, Subscription } from "@plumbline/jsonrpc-core"
import { Duration, Schema } from "effect"

import * as CallSession from "../../src/session/callSession.ts"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

const MEGABYTE = 1_000_000

/** Returns the number of heap bytes that are still in use after the work. */
const retained = (work: () => void): number => {
  const used = (): number => {
    // One collection does not free all garbage of earlier test files, so it is repeated until the heap no longer
    // shrinks.
    let last = Number.POSITIVE_INFINITY
    for (;;) {
      collectGarbage()
      const now = getHeapStatistics().used_heap_size
      if (last - now < MEGABYTE / 100) return now
      last = now
    }
  }
  const before = used()
  work()
  return used() - before
}

const { wire: names } = Subscription.make("eth", "newHeads", { params: [], item: Schema.Unknown })

/** Makes a connected session with a bound of 1 MB in every option, and records the messages that it sends. */
const make = () => {
  let lastId = 0
  const timers = new Set<() => void>()
  const session = CallSession.make({
    maxInFlight: 100,
    maxBytes: MEGABYTE,
    timeout: Duration.seconds(30),
    unread: { items: 1_000_000, bytes: MEGABYTE },
    redact: (text) => text,
    after: (_, work) => {
      timers.add(work)
      return () => void timers.delete(work)
    },
    onWanted: () => {}
  })
  const wire: CallSession.SessionConnection = {
    send: (text) => void (lastId = JSON.parse(text).id),
    isWritable: () => true,
    whenWritable: () => {},
    giveUp: (reason) => {
      session.reset(reason)
      session.open(wire)
    }
  }
  session.open(wire)
  const expire = () => [...timers].forEach((work) => work())
  const subscribe = () => session.subscribe({ wire: names, params: [] }).begin(() => {})
  return { session, expire, subscribe, lastId: () => lastId }
}

const padding = "x".repeat(10_000)

const note = (id: unknown, n: number): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":${JSON.stringify(id)},"result":"${n}${padding}"}}`

const answer = (id: unknown, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result })

// Each flood has 100 MB or more, and each bound is a few megabytes.
describe("a session keeps little of a flood of", () => {
  it("notifications that are not read", () => {
    const { lastId, session, subscribe } = make()
    subscribe()
    session.receive(answer(lastId(), "0x1"))
    const bytes = retained(() => {
      for (let n = 0; n < 10_000; n++) {
        session.receive(note("0x1", n))
      }
    })
    assert.isBelow(bytes, 5 * MEGABYTE)
    // The buffer of the session is full, so the session must keep about 1 MB.
    assert.isAbove(bytes, MEGABYTE / 2)
  })

  it("notifications of unknown ids, while a subscription is asked for", () => {
    const { session, subscribe } = make()
    subscribe()
    const bytes = retained(() => {
      for (let n = 0; n < 10_000; n++) {
        session.receive(note(n % 1000, n))
      }
    })
    assert.isBelow(bytes, 5 * MEGABYTE)
    assert.isAbove(bytes, MEGABYTE / 2)
  })

  it("answers, refusals and requests that nobody asked for", () => {
    const { session } = make()
    const error = `"error":{"code":-32005,"message":"${padding}"}`
    session.exchange([{ method: "one", params: [] }], () => {})
    session.exchange([{ method: "other", params: [] }], () => {})
    const bytes = retained(() => {
      for (let n = 0; n < 2500; n++) {
        session.receive(answer(n + 10, padding))
        session.receive(answer(`${n}`, padding))
        session.receive(`{"jsonrpc":"2.0","id":null,${error}}`)
        session.receive(`{"jsonrpc":"2.0","id":${n},"method":"${padding}"}`)
      }
    })
    assert.isBelow(bytes, MEGABYTE)
    assert.isAtLeast(session.counts().ignored, 7500)
  })

  it("connections that break under subscriptions", () => {
    const { lastId, session, subscribe } = make()
    subscribe()
    session.receive(answer(lastId(), "0x1"))
    const bytes = retained(() => {
      for (let n = 0; n < 10_000; n++) {
        for (let id = 0; id < 20; id++) {
          session.receive(`{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":${id},"result":1}}`)
        }
        session.receive(answer(lastId(), "0x1"))
        session.receive("nonsense")
      }
    })
    assert.isBelow(bytes, MEGABYTE)
  })

  it("its own calls that were interrupted, or ran out of time, and are never answered", () => {
    const { expire, session } = make()
    const ask = () => session.exchange([{ method: "m", params: [padding] }], () => {})
    const bytes = retained(() => {
      for (let round = 0; round < 100; round++) {
        Array.from({ length: 50 }, ask).forEach(session.withdraw)
        Array.from({ length: 50 }, ask)
        expire()
      }
    })
    assert.isBelow(bytes, MEGABYTE)
    assert.deepInclude(session.counts(), { inFlight: 0, waiting: 0 })
  })

  it("its own calls while there is no connection, once they have run out of time", () => {
    const { expire, session } = make()
    session.reset(new JsonRpcError.TransportError({ detail: "connection lost", retryable: true }))
    const bytes = retained(() => {
      for (let round = 0; round < 100; round++) {
        for (let n = 0; n < 100; n++) {
          session.exchange([{ method: "m", params: [padding] }], () => {})
        }
        expire()
      }
    })
    assert.isBelow(bytes, MEGABYTE)
    assert.deepInclude(session.counts(), { inFlight: 0, waiting: 0 })
  })
})
