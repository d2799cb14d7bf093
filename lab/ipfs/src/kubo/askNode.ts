/** Asks a node over plain HTTP, and keeps the parts of the answer that a client can see. */
import * as Http from "node:http"

import { digestOf } from "../suite/content.ts"
import type { Endpoint } from "../suite/npmClients.ts"

/** A part of an upload. */
export interface Part {
  readonly body: Uint8Array | string
  /** The name of the field, which may end with the mode and the time after a question mark. Default: `file`. */
  readonly field?: string
  readonly name?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A call of a command: its path, with options as a query. */
export interface Call {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly parts?: ReadonlyArray<Part>
}

/** An answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Buffer
  readonly trailer: string | undefined
  /** False if the answer was cut before its end. */
  readonly isWhole: boolean
}

/** Sends a call to one node. */
export type Ask = (path: string, call?: Call) => Promise<Reply>

const BOUNDARY = "the-boundary-of-the-comparison"

/** Milliseconds that an answer may take. */
const LIMIT = 60_000

/**
 * Returns the function that asks a node at a URL. It accepts trailers, because without them our service cuts off an
 * answer that Kubo ends with a trailer. A path that begins with a slash is sent to the node's gateway.
 */
export const at =
  (endpoint: Endpoint, gateway: string): Ask =>
  (path, { headers = {}, method = "POST", parts } = {}) =>
    new Promise((resolve, reject) => {
      const body = parts === undefined ? undefined : multipart(parts)
      const request = Http.request(
        path.startsWith("/") ? `${gateway}${path}` : `${endpoint.url}/api/v0/${path}`,
        {
          method,
          timeout: LIMIT,
          headers: {
            ...endpoint.headers,
            te: "trailers",
            ...(body === undefined
              ? {}
              : { "content-type": `multipart/form-data; boundary=${BOUNDARY}`, "content-length": body.length }),
            ...headers
          }
        },
        (response) => {
          const pieces: Array<Buffer> = []
          let isOver = false
          const end = (isWhole: boolean) => {
            if (isOver) return
            isOver = true
            resolve({
              status: response.statusCode!,
              headers: response.headers,
              body: Buffer.concat(pieces),
              trailer: response.trailers["x-stream-error"],
              isWhole
            })
          }
          response.on("data", (piece: Buffer) => pieces.push(piece))
          response.on("end", () => end(response.complete))
          response.on("error", () => end(false))
          response.on("close", () => end(false))
        }
      )
      request.on("timeout", () => request.destroy(new Error("no answer")))
      request.on("error", reject)
      request.end(body)
    })

const multipart = (parts: ReadonlyArray<Part>): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ body, field = "file", headers = {}, name, type = "application/octet-stream" }) => [
      Buffer.from(
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"${
          name === undefined ? "" : `; filename="${encodeURIComponent(name)}"`
        }\r\nContent-Type: ${type}\r\n${Object.entries(headers)
          .map(([key, value]) => `${key}: ${value}\r\n`)
          .join("")}\r\n`
      ),
      Buffer.from(body),
      Buffer.from("\r\n")
    ]),
    Buffer.from(`--${BOUNDARY}--\r\n`)
  ])

/** The headers that are compared, because clients depend on them. */
const WEIGHTY = ["content-type", "x-content-length", "x-stream-output", "x-chunked-output", "allow"]

/** Returns the parts of an answer that are compared: JSON as values, other bytes as their number and digest. */
export const shown = ({ body, headers, isWhole, status, trailer }: Reply): Record<string, unknown> => ({
  status,
  ...Object.fromEntries(WEIGHTY.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
  ...bodyOf(body, String(headers["content-type"])),
  ...(trailer === undefined ? {} : { trailer }),
  ...(isWhole ? {} : { cut: true })
})

const bodyOf = (body: Buffer, type: string): Record<string, unknown> => {
  if (type.startsWith("application/json")) {
    const lines = linesOf(body)
    return lines.length === 1 ? { json: lines[0] } : { lines }
  }
  const text = body.toString("utf8")
  const isText = body.length < 300 && Buffer.from(text).equals(body) && !/[^\t\n\r\u0020-\u{10ffff}]/u.test(text)
  return isText ? { text } : { bytes: digestOf(body) }
}

/** Returns the JSON values of a body's lines. A line that is not JSON is returned as text. */
export const linesOf = (body: Buffer): ReadonlyArray<any> =>
  body
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      try {
        return JSON.parse(line) as unknown
      } catch {
        return line
      }
    })
