/**
 * Counts the members `plumbline` that a node adds to its answers, as another proving proxy does. These members never
 * pass, because only `result` and `error` are read. The count shows the operator that the node claims its own verdicts.
 */
import type { WebSocketClass } from "@plumbline/jsonrpc-core/webSocket/WebSocketTransport"
import { type ClientOptions, WebSocket } from "ws"

/** Maximum number of bytes of a body that are searched. A transport reads no larger body. */
const MAX_BYTES = 32 * 1024 * 1024

/** Returns a wrapped `fetch` that also reports the number of `plumbline` members in each body with any. */
export const watchingFetch =
  (fetch: typeof globalThis.fetch, found: (members: number) => void): typeof globalThis.fetch =>
  async (...request) => {
    const response = await fetch(...request)
    void look(response.clone(), found)
    return response
  }

/** Returns a wrapped WebSocket class that also reports the number of `plumbline` members in each message with any. */
export const watchingSocket = (found: (members: number) => void): WebSocketClass =>
  class extends WebSocket {
    constructor(url: string, protocols?: string | Array<string>, options?: ClientOptions) {
      super(url, protocols, options)
      this.on("message", (data: Buffer) => tell(data, found))
    }
  }

const look = async ({ body }: Response, found: (members: number) => void): Promise<void> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length
      // leaving the loop cancels the rest of the body
      if (length > MAX_BYTES) return
      chunks.push(chunk)
    }
  } catch {
    // the caller reads its own copy of the body, and gets the same failure there
    return
  }
  tell(Buffer.concat(chunks), found)
}

/** Reports the number of `plumbline` members in a body. Most bodies do not contain the name and are not parsed. */
const tell = (bytes: Buffer, found: (members: number) => void): void => {
  if (!bytes.includes(NAME)) return
  const count = countIn(bytes.toString())
  if (count > 0) found(count)
}

const NAME = '"plumbline"'

/** Counts the `plumbline` members in a packet of answers; members inside a `result` are not counted. */
const countIn = (text: string): number => {
  try {
    const packet: unknown = JSON.parse(text)
    return [packet].flat().filter((answer) => typeof answer === "object" && answer !== null && "plumbline" in answer)
      .length
  } catch {
    return 0
  }
}
