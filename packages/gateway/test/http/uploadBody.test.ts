import { PassThrough } from "node:stream"

import { assert, it } from "@effect/vitest"
import { Effect, Scheduler } from "effect"

import type { HttpExchange } from "../../src/http/httpExchange.ts"
import { UploadBody } from "../../src/http/uploadBody.ts"

/** Maximum silence in milliseconds. A read that misses bytes waits for all of it, and fails. */
const IDLE = 5000

it("misses no bytes that come while its fiber lets others run", async () => {
  const request = new PassThrough()
  const exchange = { request, bytesIn: 0, continue: () => undefined } as unknown as HttpExchange
  const body = new UploadBody(exchange, IDLE)
  // a fiber that gives way after three operations: it does so between its look at the bytes and its wait
  const read = Effect.provideService(body.read, Scheduler.MaxOpsBeforeYield, 3)
  for (let turns = 0; turns < 12; turns++) {
    const reading = Effect.runPromise(read)
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    request.write(`turn ${turns}`)
    assert.strictEqual(Buffer.from((await reading)!).toString(), `turn ${turns}`)
  }
  request.end()
  assert.isUndefined(await Effect.runPromise(read))
})
