/** Tests requests that two servers could read differently, and bytes that follow a complete request. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

import * as Ambiguous from "../support/ambiguousRequests.ts"
import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

const BODY = Service.call("eth_chainId")
const result = new TextEncoder().encode('"0x1"')
const LENGTH = `content-length: ${BODY.length}\r\n`
const START = `POST /v3/${KEY}`

const request = (headers: string, body = BODY) => Ambiguous.request(START, headers, body)
const good = (last = "") => request(`host: x\r\n${LENGTH}${last}`)

describe("a request with", () => {
  for (const { status, text, what } of Ambiguous.ambiguousRequests(START, BODY)) {
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
        assert.match(yield* Service.raw(service, request(head, Ambiguous.chunksOf(BODY))), /^HTTP\/1\.1 200 /u, coding)
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
