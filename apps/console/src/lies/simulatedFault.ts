/** Simulates faults of the connection in the page, with a `fetch` that answers wrongly or not at all. */
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type { ConnectionFault } from "@plumbline/tamper/lie/Lie"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/**
 * The time that the page waits for a slow answer, in milliseconds. It is short, so that the reader sees the limit soon.
 */
export const TIMEOUT = 2000

/** Maximum number of bytes that the page reads in the lie that sends a huge answer. */
export const MAX_BYTES = 1024 * 1024

/** Returns the `fetch` of a node with the fault. */
export const fetchOf =
  (fault: ConnectionFault, node: Transport["Service"]): typeof globalThis.fetch =>
  async (_, init) => {
    const body = JSON.parse(init?.body as string) as Message | ReadonlyArray<Message>
    const isBatch = Array.isArray(body)
    const answers = await Promise.all((isBatch ? body : [body as Message]).map((message) => answer(node, message)))
    const told = fault === "wrong-id" ? answers.map((one) => ({ ...one, id: `${one.id}0` })) : answers
    const text = JSON.stringify(isBatch ? told : told[0])
    switch (fault) {
      case "wrong-id":
        return json(text)
      case "html":
        return new Response("<!doctype html><title>Sign in</title>", { headers: { "content-type": "text/html" } })
      case "slow":
        return new Promise((_, reject) => {
          init?.signal?.addEventListener("abort", () => reject(new DOMException("given up", "AbortError")))
        })
      case "cut":
        return json(streamOf([text.slice(0, text.length / 2)], true))
      case "huge":
        return json(streamOf([text.slice(0, -1), ...Array.from({ length: 64 }, () => " ".repeat(MAX_BYTES))], false))
    }
  }

interface Message {
  readonly id: string | number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const answer = async (node: Transport["Service"], { id, method, params }: Message) => {
  const found = await Effect.runPromise(Effect.result(node.call({ method, params })))
  return Result.isSuccess(found)
    ? { jsonrpc: "2.0", id, result: found.success }
    : { jsonrpc: "2.0", id, error: { code: -32_000, message: "the node did not answer" } }
}

const json = (body: BodyInit): Response => new Response(body, { headers: { "content-type": "application/json" } })

/** Makes a body that arrives in pieces, and then ends or breaks. A piece is made when the reader requests it. */
const streamOf = (pieces: ReadonlyArray<string>, breaks: boolean): ReadableStream<Uint8Array> => {
  let next = 0
  return new ReadableStream({
    pull: (controller) => {
      const piece = pieces[next++]
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece))
      else if (breaks) controller.error(new TypeError("the connection broke"))
      else controller.close()
    }
  })
}
