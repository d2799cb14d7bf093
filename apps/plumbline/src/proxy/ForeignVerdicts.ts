/**
 * Counts members `plumbline` that a node adds to its answers, as another door does. They never pass, because only
 * `result` and `error` are read. The count shows the operator that the node claims its own verdicts.
 */
import type { WebSocketClass } from "@plumbline/jsonrpc-core/webSocket/WebSocketTransport"
import { type ClientOptions, WebSocket } from "ws"

/** Maximum number of bytes of a body that are searched: as many as a transport reads. */
const MAX_BYTES = 32 * 1024 * 1024

/** Returns a `fetch` that does the same, and reports the number of such members in each body that has any. */
export const watchingFetch =
  (fetch: typeof globalThis.fetch, found: (members: number) => void): typeof globalThis.fetch =>
  async (...request) => {
    const response = await fetch(...request)
    void look(response.clone(), found)
    return response
  }

/** Returns a class of sockets that does the same with each message. */
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
      // leaving the loop cancels the rest
      if (length > MAX_BYTES) return
      chunks.push(chunk)
    }
  } catch {
    // the one who asked sees the failure too
    return
  }
  tell(Buffer.concat(chunks), found)
}

/** Most bodies do not hold the name at all, and are not parsed. */
const tell = (bytes: Buffer, found: (members: number) => void): void => {
  if (!bytes.includes(NAME)) return
  const count = countIn(bytes.toString())
  if (count > 0) found(count)
}

const NAME = '"plumbline"'

/** Counts the members in a packet of answers; those inside of a result are the result's. */
const countIn = (text: string): number => {
  try {
    const packet: unknown = JSON.parse(text)
    return [packet].flat().filter((answer) => typeof answer === "object" && answer !== null && "plumbline" in answer)
      .length
  } catch {
    return 0
  }
}
