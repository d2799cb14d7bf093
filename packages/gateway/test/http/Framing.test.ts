/** Tests requests that two servers could read differently, and bytes that follow a complete request. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

const BODY = Service.call("eth_chainId")
const result = new TextEncoder().encode('"0x1"')
const LENGTH = `content-length: ${BODY.length}\r\n`

const request = (headers: string, body = BODY, start = `POST /v3/${KEY} HTTP/1.1\r\n`) =>
  `${start}${headers}\r\n${body}`
const good = (last = "") => request(`host: x\r\n${LENGTH}${last}`)
const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`

/** Requests with a hidden second request. The hidden request must not run, even if another server would find it. */
const cases: ReadonlyArray<readonly [what: string, status: number, text: string]> = [
  ["two hosts", 400, request(`host: a\r\nhost: b\r\n${LENGTH}`)],
  ["the same host twice", 400, request(`host: a\r\nHOST: a\r\n${LENGTH}`)],
  ["two hosts in one header", 400, request(`host: a, b\r\n${LENGTH}`)],
  ["a host with a path", 400, request(`host: a/b\r\n${LENGTH}`)],
  ["a host with a user name", 400, request(`host: u@a\r\n${LENGTH}`)],
  ["no host", 400, request(LENGTH)],
  ["a coding before chunked", 501, request("host: x\r\ntransfer-encoding: gzip, chunked\r\n", chunked)],
  [
    "a coding before chunked, in two headers",
    501,
    request("host: x\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n", chunked)
  ],
  ["chunked twice", 400, request("host: x\r\ntransfer-encoding: chunked, chunked\r\n", chunked)],
  ["a coding behind chunked", 400, request("host: x\r\ntransfer-encoding: chunked, identity\r\n", chunked)],
  ["a coding alone", 400, request("host: x\r\ntransfer-encoding: gzip\r\n", chunked)],
  ["identity", 400, request("host: x\r\ntransfer-encoding: identity\r\n", chunked)],
  ["a coding with a tab", 400, request("host: x\r\ntransfer-encoding:\tx\u000bchunked\r\n", chunked)],
  ["a length beside chunks", 400, request(`host: x\r\n${LENGTH}transfer-encoding: chunked\r\n`, chunked)],
  ["chunks beside a length", 400, request(`host: x\r\ntransfer-encoding: chunked\r\n${LENGTH}`, chunked)],
  ["two lengths", 400, request(`host: x\r\n${LENGTH}content-length: 5\r\n`)],
  ["the same length twice", 400, request(`host: x\r\n${LENGTH}${LENGTH}`)],
  ["two lengths in one header", 400, request(`host: x\r\ncontent-length: ${BODY.length}, ${BODY.length}\r\n`)],
  ["a length with a sign", 400, request(`host: x\r\ncontent-length: +${BODY.length}\r\n`)],
  ["a length in hex", 400, request(`host: x\r\ncontent-length: 0x${BODY.length.toString(16)}\r\n`)],
  ["a folded header", 400, request(`host: x\r\nx-a: b\r\n c: d\r\n${LENGTH}`)],
  ["a space before a colon", 400, request(`host: x\r\ncontent-length : ${BODY.length}\r\n`)],
  ["a bare carriage return", 400, request(`host: x\r\nx-a: b\rc: d\r\n${LENGTH}`)],
  ["a NUL", 400, request(`host: x\r\nx-a: b\0\r\n${LENGTH}`)],
  ["a chunk size that is none", 400, request("host: x\r\ntransfer-encoding: chunked\r\n", "zz\r\n\r\n")],
  [
    "a chunk that is longer than it says",
    400,
    request("host: x\r\ntransfer-encoding: chunked\r\n", `1\r\n${BODY}\r\n0\r\n\r\n`)
  ]
]

describe("a request with", () => {
  for (const [what, status, text] of cases) {
    it.live(`${what} is refused, and nothing behind it is done`, () =>
      Effect.gen(function* () {
        let asked = 0
        const service = yield* Service.start({ call: () => Effect.sync(() => (asked++, result)) })
        const answer = yield* Service.raw(service, text + good("connection: close\r\n"))
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `, "u"))
        assert.match(answer, /connection: close/iu)
        assert.strictEqual(answer.split("HTTP/1.1 ").length, 2)
        assert.strictEqual(asked, 0)
      }).pipe(Effect.scoped)
    )
  }

  it.live("one host and one coding is answered", () =>
    Effect.gen(function* () {
      const service = yield* Service.start({ call: () => Effect.succeed(result) })
      for (const host of ["x", "x:80", "[::1]:8645", "live.localhost.", ""]) {
        const answer = yield* Service.raw(service, request(`host: ${host}\r\nconnection: close\r\n${LENGTH}`))
        assert.match(answer, /^HTTP\/1\.1 200 /u, host)
      }
      for (const coding of ["chunked", "Chunked"]) {
        const head = `host: x\r\nconnection: close\r\ntransfer-encoding: ${coding}\r\n`
        assert.match(yield* Service.raw(service, request(head, chunked)), /^HTTP\/1\.1 200 /u, coding)
      }
    }).pipe(Effect.scoped)
  )
})

describe("requests before nonsense", () => {
  it.live.each([1, 3, 20])("are answered, all %d of them, and then it is refused", (count) =>
    Effect.gen(function* () {
      const open = yield* Deferred.make<Uint8Array>()
      const begun = yield* Deferred.make<void>()
      let asked = 0
      const service = yield* Service.start({
        call: () =>
          Effect.suspend(() =>
            Effect.andThen(++asked === count ? Deferred.succeed(begun, undefined) : Effect.void, Deferred.await(open))
          )
      })
      const heard = yield* Effect.forkChild(Service.raw(service, good().repeat(count), "nonsense\r\n\r\n"))
      yield* Deferred.await(begun)
      yield* Effect.sleep("20 millis")
      yield* Deferred.succeed(open, result)
      const statuses = [...(yield* Fiber.join(heard)).matchAll(/HTTP\/1\.1 (\d+) /gu)].map((match) => match[1])
      assert.deepStrictEqual(statuses, [...Array.from({ length: count }, () => "200"), "400"])
    }).pipe(Effect.scoped)
  )
})
