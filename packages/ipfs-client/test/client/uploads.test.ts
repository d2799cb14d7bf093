import { assert, it } from "@effect/vitest"

import * as BrowserUploads from "../../src/client/browserUploads.ts"

/** A stream of two pieces. */
const stream = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      controller.enqueue(Uint8Array.of(1, 2))
      controller.enqueue(Uint8Array.of(3))
      controller.close()
    }
  })

/** Makes a `fetch` that sends nothing, and records the options that it gets. */
const noting = () => {
  const sent: Array<RequestInit | undefined> = []
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(init)
    return new Response()
  }
  return { fetch, sent }
}

it("a browser sends a stream whole, and nothing of the rest changes", async () => {
  const { fetch, sent } = noting()
  const send = BrowserUploads.fetchOf(fetch, true)!
  const init = { method: "POST", headers: { a: "b" }, body: stream(), duplex: "half", credentials: "omit" } as const
  await send("http://node.example", init)
  const [{ body, ...rest }] = sent as [RequestInit]
  assert.deepStrictEqual(rest, { method: "POST", headers: { a: "b" }, credentials: "omit" })
  assert.deepStrictEqual(new Uint8Array(body as ArrayBuffer), Uint8Array.of(1, 2, 3))
  await send("http://node.example", { body: "text" })
  assert.deepStrictEqual(sent[1], { body: "text" })
})

it("another runtime sends the stream as it is", async () => {
  const { fetch } = noting()
  assert.strictEqual(BrowserUploads.fetchOf(fetch, false), fetch)
  assert.isUndefined(BrowserUploads.fetchOf(undefined, false))
})
