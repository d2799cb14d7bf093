import { assert, describe, it } from "@effect/vitest"
import { JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Duration, Result } from "effect"

import * as CallSession from "../../src/session/callSession.ts"

/** Makes a session over a wire that only records messages. The outcomes of the session's calls are kept as texts. */
const make = (options: Partial<CallSession.SessionOptions> = {}) => {
  const sent: Array<any> = []
  const reasons: Array<JsonRpcError.Reason> = []
  const timers: Array<() => void> = []
  const session = CallSession.make({
    maxInFlight: 100,
    maxBytes: 10_000,
    timeout: Duration.seconds(30),
    unread: { items: 10, bytes: 10_000 },
    redact: (text) => text.replaceAll("hunter2", "<redacted>"),
    after: (_, work) => {
      timers.push(work)
      return () => void timers.splice(timers.indexOf(work), 1)
    },
    onWanted: () => {},
    ...options
  })
  const wire: CallSession.SessionConnection = {
    send: (text) => void sent.push(JSON.parse(text)),
    isWritable: () => true,
    whenWritable: () => {},
    giveUp: (reason) => {
      reasons.push(reason)
      session.reset(reason)
    }
  }
  const open = () => session.open(wire)
  open()

  /** Sends calls, and returns the array in which their outcomes appear. */
  const send = (
    ...methods: ReadonlyArray<string>
  ): { readonly outcomes: Array<unknown>; readonly exchange: CallSession.SessionExchange } => {
    const outcomes: Array<unknown> = []
    const calls: ReadonlyArray<Transport.WireCall> = methods.map((method) => ({ method, params: [] }))
    const exchange = session.exchange(calls, (settled) => outcomes.push(...settled.map(show)))
    return { outcomes, exchange }
  }

  const receive = (...messages: ReadonlyArray<unknown>) =>
    messages.forEach((message) => session.receive(JSON.stringify(message)))

  return { session, sent, reasons, timers, wire, open, send, receive }
}

const show = (outcome: Result.Result<unknown, JsonRpcError.Reason>): unknown =>
  Result.isSuccess(outcome) ? outcome.success : `${outcome.failure._tag}: ${outcome.failure.message}`

const result = (id: unknown, value: unknown) => ({ jsonrpc: "2.0", id, result: value })
const refusal = (id: unknown, message = "slow down", code = -32005) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

const MISSING = "ProtocolError: no answer to this call in the answer to the batch"
const DOUBLE = "ProtocolError: more than one answer to this call in the answer to the batch"

describe("a session matches", () => {
  it("answers by id, in any order", () => {
    const { send, receive, sent } = make()
    const a = send("a")
    const b = send("b")
    assert.deepStrictEqual(sent, [
      { jsonrpc: "2.0", id: 1, method: "a", params: [] },
      { jsonrpc: "2.0", id: 2, method: "b", params: [] }
    ])
    receive(result(2, "b"))
    assert.deepStrictEqual([a.outcomes, b.outcomes], [[], ["b"]])
    receive(result(1, null))
    assert.deepStrictEqual(a.outcomes, [null])
  })

  it("no answer that names another call, or names it otherwise", () => {
    const { send, receive, session } = make()
    const { outcomes } = send("a")
    receive(result(2, "x"), result("1", "x"), result(1.5, "x"), result([1], "x"), result(true, "x"), result(0, "x"))
    assert.deepStrictEqual(outcomes, [])
    assert.strictEqual(session.counts().ignored, 6)
    receive(result(1, "a"), result(1, "again"))
    assert.deepStrictEqual(outcomes, ["a"])
    assert.strictEqual(session.counts().ignored, 7)
  })

  it("answers whose envelope is broken to the call they name", () => {
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [{ id: 1, result: 1 }, 'the answer has no jsonrpc "2.0"'],
      [{ jsonrpc: "2.0", id: 1, result: 1, error: null }, "the answer has both result and error"],
      [{ jsonrpc: "2.0", id: 1 }, "the answer has no result and no error"],
      [{ jsonrpc: "2.0", id: 1, error: "no" }, "the error has no code or no message"]
    ]
    for (const [message, detail] of cases) {
      const { send, receive } = make()
      const { outcomes } = send("a")
      receive(message)
      assert.deepStrictEqual(outcomes, [`ProtocolError: ${detail}`])
    }
  })

  it("requests of the server to nobody, even if their id is one of ours", () => {
    const { send, receive, session } = make()
    const { outcomes } = send("a")
    receive(
      { jsonrpc: "2.0", id: 1, method: "client_hello", params: [] },
      { jsonrpc: "2.0", method: "log", params: {} }
    )
    assert.deepStrictEqual(outcomes, [])
    assert.strictEqual(session.counts().ignored, 2)
  })

  it("replies to a batch in one array or one by one", () => {
    const { send, receive } = make()
    const one = send("a", "b", "c")
    const other = send("d", "e")
    receive(result(5, "e"), [result(3, "c"), result(1, "a"), refusal(2)])
    assert.deepStrictEqual(one.outcomes, ["a", "RemoteError: slow down", "c"])
    assert.deepStrictEqual(other.outcomes, [])
    receive(result(4, "d"))
    assert.deepStrictEqual(other.outcomes, ["d", "e"])
  })

  it("what is missing or double in the array of a batch to its calls alone", () => {
    const { send, receive, session } = make()
    const { outcomes } = send("a", "b", "c")
    const other = send("d")
    receive([result(1, 1), result(3, 3), result(1, 1), null, 7, result(99, 9), result("2", 2)])
    assert.deepStrictEqual(outcomes, [DOUBLE, MISSING, 3])
    assert.deepStrictEqual(other.outcomes, [])
    receive(result(2, "late"))
    assert.deepStrictEqual(other.outcomes, [])
    assert.strictEqual(session.counts().inFlight, 1)
  })

  it("one array that answers several packets to each of them", () => {
    const { send, receive } = make()
    const batch = send("a", "b")
    const single = send("c")
    const untouched = send("d", "e")
    receive([result(3, "c"), result(2, "b")])
    assert.deepStrictEqual(batch.outcomes, [MISSING, "b"])
    assert.deepStrictEqual(single.outcomes, ["c"])
    assert.deepStrictEqual(untouched.outcomes, [])
  })

  it("the refusal of a whole batch to each of its calls", () => {
    const whole = "RemoteError: batch too large"
    for (const message of [
      [refusal(1, "batch too large", -32600)],
      refusal(1, "batch too large", -32600),
      refusal(null, "batch too large", -32600),
      [refusal(null, "batch too large", -32600)]
    ]) {
      const { send, receive } = make()
      const { outcomes } = send("a", "b")
      receive(message)
      assert.deepStrictEqual(outcomes, [whole, whole])
    }
  })

  it("the refusal of one call of a batch to it, when others are answered already", () => {
    const { send, receive } = make()
    const { outcomes } = send("a", "b", "c")
    receive(result(1, "a"), refusal(2, "invalid request", -32600), result(3, "c"))
    assert.deepStrictEqual(outcomes, ["a", "RemoteError: invalid request", "c"])
  })

  it("calls that are not JSON to their failure, and the others to their answers", () => {
    const { session, receive, sent } = make()
    const outcomes: Array<unknown> = []
    const calls = [
      { method: "a", params: [1n] },
      { method: "b", params: [] }
    ]
    session.exchange(calls, (settled) => outcomes.push(...settled.map(show)))
    assert.deepStrictEqual(sent, [[{ jsonrpc: "2.0", id: 2, method: "b", params: [] }]])
    receive([result(2, "b")])
    assert.deepStrictEqual(outcomes, ["EncodeError: params: not JSON", "b"])
  })

  it("binary messages as text", () => {
    const { send, session } = make()
    const { outcomes } = send("a")
    session.receive(new TextEncoder().encode(JSON.stringify(result(1, "漢字"))).buffer)
    assert.deepStrictEqual(outcomes, ["漢字"])
  })
})

describe("a refusal that names no call", () => {
  it("is that of the only packet under way", () => {
    for (const id of [null, undefined]) {
      const { send, receive } = make()
      const { outcomes } = send("a")
      receive(refusal(id, "hunter2 is too fast"))
      assert.deepStrictEqual(outcomes, ["RemoteError: <redacted> is too fast"])
    }
  })

  it("waits for the answers to the others", () => {
    const { send, receive } = make()
    const a = send("a")
    const b = send("b", "c")
    const d = send("d")
    receive(refusal(null))
    const later = send("later")
    receive(result(4, "d"))
    assert.deepStrictEqual([a.outcomes, b.outcomes], [[], []])
    receive(result(1, "a"))
    assert.deepStrictEqual(b.outcomes, ["RemoteError: slow down", "RemoteError: slow down"])
    assert.deepStrictEqual([a.outcomes, d.outcomes, later.outcomes], [["a"], ["d"], []])
  })

  it("may be one of several", () => {
    const { send, receive } = make()
    const [a, b, c] = [send("a"), send("b"), send("c")]
    receive(refusal(null), refusal(null))
    assert.deepStrictEqual([a.outcomes, b.outcomes, c.outcomes], [[], [], []])
    receive(result(2, "b"))
    assert.deepStrictEqual([a.outcomes, c.outcomes], [["RemoteError: slow down"], ["RemoteError: slow down"]])
  })

  it("gives no call a reason that may be another's", () => {
    const { send, receive } = make()
    const [a, b] = [send("a"), send("b")]
    receive(refusal(null, "slow down"), refusal(null, "daily quota exceeded"))
    const unclear =
      "ProtocolError: refused, together with other calls, and the server does not say which for what reason"
    assert.deepStrictEqual([a.outcomes, b.outcomes], [[unclear], [unclear]])
  })

  it("is not that of a call that was sent later", () => {
    const { send, receive, session } = make()
    const a = send("a")
    session.withdraw(a.exchange)
    receive(refusal(null))
    const b = send("b")
    assert.deepStrictEqual(b.outcomes, [])
    receive(result(2, "b"))
    assert.deepStrictEqual([a.outcomes, b.outcomes], [[], ["b"]])
  })

  it("may be that of a call that nobody waits for any more", () => {
    const { send, receive, session } = make()
    const gone = send("gone")
    const a = send("a")
    session.withdraw(gone.exchange)
    receive(refusal(null))
    assert.deepStrictEqual(a.outcomes, [])
    receive(result(1, "late"))
    assert.deepStrictEqual(a.outcomes, ["RemoteError: slow down"])
    assert.deepStrictEqual(gone.outcomes, [])
  })

  it("that was the end of a call nobody waits for, is not waited for", () => {
    const { send, receive, session } = make()
    session.withdraw(send("gone").exchange)
    receive(refusal(null))
    const { outcomes } = send("a")
    receive(refusal(null))
    assert.deepStrictEqual(outcomes, ["RemoteError: slow down"])
  })

  it("is nobody's when too many calls were given up", () => {
    const { send, receive, session } = make({ maxInFlight: 2 })
    for (let n = 0; n < 3; n++) {
      session.withdraw(send("gone").exchange)
    }
    const a = send("a")
    receive(refusal(null), result(1, ""), result(2, ""), result(3, ""), refusal(null))
    assert.deepStrictEqual(a.outcomes, [])
    receive(result(4, "a"))
    assert.deepStrictEqual(a.outcomes, ["a"])
  })

  it("is ignored when nothing is under way", () => {
    const { receive, session, reasons } = make()
    receive(refusal(null), [refusal(null)])
    assert.strictEqual(session.counts().ignored, 2)
    assert.deepStrictEqual(reasons, [])
  })
})

describe("a message that is not JSON-RPC", () => {
  const broken: ReadonlyArray<readonly [string | ArrayBuffer, string]> = [
    ["", "the answer is empty"],
    ["<html>", "the answer is HTML, not JSON"],
    ['{"jsonrpc":"2.0"', "the answer is JSON that breaks off"],
    ["nonsense", "the answer is not JSON"],
    [new Uint8Array([0x22, 0xff, 0x22]).buffer, "the answer is not UTF-8"],
    ["{}", "the answer is not JSON-RPC"],
    ["7", "the answer is not JSON-RPC"],
    ["null", "the answer is not JSON-RPC"],
    ["[]", "the answer is not JSON-RPC"],
    ["[[]]", "the answer is not JSON-RPC"],
    ['{"jsonrpc":"2.0","id":null,"result":1}', "the answer is not JSON-RPC"]
  ]

  it("answers the only packet under way", () => {
    for (const [message, detail] of broken) {
      const { send, session, reasons } = make()
      const { outcomes } = send("a", "b")
      session.receive(message)
      assert.deepStrictEqual(outcomes, [`ProtocolError: ${detail}`, `ProtocolError: ${detail}`])
      assert.deepStrictEqual(reasons, [])
    }
  })

  it("ends the connection when it may be the answer to any of several packets", () => {
    for (const [message, detail] of broken) {
      const { send, session, reasons } = make()
      const [a, b] = [send("a"), send("b")]
      session.receive(message)
      assert.deepStrictEqual([a.outcomes, b.outcomes], [[`ProtocolError: ${detail}`], [`ProtocolError: ${detail}`]])
      assert.lengthOf(reasons, 1)
    }
  })

  it("is ignored when nothing is under way", () => {
    const { session, reasons } = make()
    broken.forEach(([message]) => session.receive(message))
    assert.strictEqual(session.counts().ignored, broken.length)
    assert.deepStrictEqual(reasons, [])
  })
})

describe("a message that is too large", () => {
  it("ends the connection, and blames the call only if it can be no other's", () => {
    const text = JSON.stringify(result(1, "x".repeat(100)))
    const one = make({ maxBytes: 100 })
    const { outcomes } = one.send("a")
    one.session.receive(text)
    assert.deepStrictEqual(outcomes, ["TransportError: the answer is larger than 100 bytes"])
    assert.deepInclude(one.reasons[0], { retryable: false })

    const several = make({ maxBytes: 100 })
    const [a, b] = [several.send("a"), several.send("b")]
    several.session.receive(new TextEncoder().encode(text).buffer)
    const lost = ["TransportError: connection lost (a message was larger than 100 bytes)"]
    assert.deepStrictEqual([a.outcomes, b.outcomes], [lost, lost])
    assert.deepInclude(several.reasons[0], { retryable: true })
  })
})

describe("a session sends", () => {
  it("no more calls than may be under way, and the others in their order", () => {
    const { send, receive, sent, session } = make({ maxInFlight: 3 })
    const a = send("a", "b")
    const c = send("c", "d")
    const e = send("e")
    assert.lengthOf(sent, 1)
    assert.deepStrictEqual(session.counts(), { inFlight: 2, waiting: 2, ignored: 0 })
    receive(result(1, "a"))
    assert.lengthOf(sent, 2)
    receive(result(2, "b"))
    assert.lengthOf(sent, 3)
    receive(result(3, "c"), result(5, "e"), result(4, "d"))
    assert.deepStrictEqual([a.outcomes, c.outcomes, e.outcomes], [["a", "b"], ["c", "d"], ["e"]])
  })

  it("a batch that is larger than that alone", () => {
    const { send, receive, sent } = make({ maxInFlight: 1 })
    const large = send("a", "b", "c")
    const next = send("d")
    assert.lengthOf(sent, 1)
    receive([result(1, 1), result(2, 2), result(3, 3)], result(4, 4))
    assert.deepStrictEqual([large.outcomes, next.outcomes], [[1, 2, 3], [4]])
  })

  it("nothing while the wire takes nothing", () => {
    let isWritable = true
    const resume: Array<() => void> = []
    const { send, sent, session, wire } = make()
    session.open({ ...wire, isWritable: () => isWritable, whenWritable: (work) => void resume.push(work) })
    send("a")
    isWritable = false
    send("b")
    send("c")
    assert.lengthOf(sent, 1)
    isWritable = true
    resume[0]!()
    assert.deepStrictEqual(
      sent.map(({ method }) => method),
      ["a", "b", "c"]
    )
  })

  it("nothing that was withdrawn before its turn", () => {
    const { send, receive, sent, session } = make({ maxInFlight: 1 })
    send("a")
    const [b, c] = [send("b"), send("c")]
    session.withdraw(b.exchange)
    session.withdraw(b.exchange)
    receive(result(1, "a"))
    assert.deepStrictEqual(
      sent.map(({ method }) => method),
      ["a", "c"]
    )
    receive(result(3, "c"))
    assert.deepStrictEqual([b.outcomes, c.outcomes], [[], ["c"]])
    assert.deepStrictEqual(session.counts(), { inFlight: 0, waiting: 0, ignored: 0 })
  })

  it("a probe past calls that take their time, and before all that waits", () => {
    const { send, receive, sent, session } = make({ maxInFlight: 1 })
    const [a, b] = [send("a"), send("b")]
    const told: Array<unknown> = []
    session.exchange([{ method: "urgent", params: [] }], () => {}, { lane: "urgent" })
    session.exchange([{ method: "probe", params: [] }], ([outcome]) => told.push(show(outcome!)), { lane: "probe" })
    const methods = () => sent.map(({ method }) => method)
    assert.deepStrictEqual(methods(), ["a", "probe"])
    receive(refusal(4, "no such method", -32601), result(1, "a"))
    assert.deepStrictEqual(methods(), ["a", "probe", "urgent"])
    receive(result(3, "urgent"), result(2, "b"))
    assert.deepStrictEqual([a.outcomes, b.outcomes, told], [["a"], ["b"], ["RemoteError: no such method"]])
  })

  it("no probe and nothing urgent on the next connection", () => {
    const { open, sent, session, wire } = make()
    session.open({ ...wire, isWritable: () => false })
    const told: Array<unknown> = []
    for (const lane of ["probe", "urgent", "usual"] as const) {
      session.exchange([{ method: lane, params: [] }], ([outcome]) => told.push(show(outcome!)), { lane })
    }
    session.reset(lost())
    open()
    assert.deepStrictEqual(told, ["TransportError: connection lost", "TransportError: connection lost"])
    assert.deepStrictEqual(
      sent.map(({ method }) => method),
      ["usual"]
    )
  })

  it("again at once from within an answer", () => {
    const { session, receive, sent } = make({ maxInFlight: 1 })
    const seen: Array<unknown> = []
    const next = (n: number): void =>
      void session.exchange([{ method: `m${n}`, params: [] }], ([outcome]) => {
        seen.push(show(outcome!))
        if (n < 3) {
          next(n + 1)
        }
      })
    next(1)
    receive(result(1, 1), result(2, 2), result(3, 3))
    assert.deepStrictEqual(seen, [1, 2, 3])
    assert.lengthOf(sent, 3)
  })
})

describe("a call", () => {
  it("that is not answered in time fails, and a late answer is ignored", () => {
    const { send, receive, session, timers } = make()
    const a = send("a")
    const b = send("b", "c")
    receive(result(2, "b"))
    assert.lengthOf(timers, 2)
    timers.slice().forEach((expire) => expire())
    assert.deepStrictEqual(a.outcomes, ["TimeoutError: no answer within 30s"])
    assert.deepStrictEqual(b.outcomes, ["b", "TimeoutError: no answer within 30s"])
    receive(result(1, "late"), result(3, "late"))
    assert.deepStrictEqual([a.outcomes.length, b.outcomes.length], [1, 2])
    assert.deepStrictEqual(session.counts(), { inFlight: 0, waiting: 0, ignored: 2 })
  })

  it("whose result comes too late tells it to who wants to know, once, and tells no error", () => {
    const { receive, session, timers } = make()
    const late: Array<unknown> = []
    const told: Array<unknown> = []
    for (const method of ["a", "b", "c"]) {
      session.exchange([{ method, params: [] }], () => told.push(method), { onLate: (value) => late.push(value) })
    }
    receive(result(1, "in time"))
    timers.slice().forEach((expire) => expire())
    receive(refusal(3), result(2, "late"), result(2, "again"), result(1, "again"))
    assert.deepStrictEqual([told, late], [["a", "b", "c"], ["late"]])
  })

  it("leaves no timer behind", () => {
    const { send, receive, session, timers } = make({ maxInFlight: 1 })
    send("a")
    session.withdraw(send("b").exchange)
    send("c")
    receive(result(1, 1))
    session.reset(lost())
    send("d")
    session.close(lost())
    assert.deepStrictEqual(timers, [])
  })
})

const lost = (): JsonRpcError.Reason => new JsonRpcError.TransportError({ detail: "connection lost", retryable: true })

describe("a connection", () => {
  it("that is lost fails what was under way, and what waited is sent on the next", () => {
    const { send, receive, open, sent, session } = make({ maxInFlight: 2 })
    const [a, b, c] = [send("a"), send("b"), send("c", "d")]
    session.reset(lost())
    assert.deepStrictEqual(
      [a.outcomes, b.outcomes],
      [["TransportError: connection lost"], ["TransportError: connection lost"]]
    )
    assert.deepStrictEqual(session.counts(), { inFlight: 0, waiting: 1, ignored: 0 })
    assert.isTrue(session.isWanted())
    open()
    assert.lengthOf(sent, 3)
    // An answer meant for the old connection belongs to no call.
    receive(result(1, "a"), [result(3, "c"), result(4, "d")])
    assert.deepStrictEqual(c.outcomes, ["c", "d"])
    assert.deepStrictEqual(a.outcomes, ["TransportError: connection lost"])
    assert.isFalse(session.isWanted())
  })

  it("that cannot be made fails those who waited for it, not those who come later", () => {
    const { send, receive, open, session } = make()
    session.reset(lost())
    const a = send("a")
    session.refuse(lost())
    const b = send("b")
    assert.deepStrictEqual(a.outcomes, ["TransportError: connection lost"])
    open()
    receive(result(2, "b"))
    assert.deepStrictEqual(b.outcomes, ["b"])
  })

  it("that is closed for good fails all calls, also those to come", () => {
    const { send, session, sent } = make({ maxInFlight: 1 })
    const [a, b] = [send("a"), send("b")]
    session.close(lost())
    const c = send("c")
    for (const { outcomes } of [a, b, c]) {
      assert.deepStrictEqual(outcomes, ["TransportError: connection lost"])
    }
    assert.lengthOf(sent, 1)
    assert.isFalse(session.isWanted())
  })
})
