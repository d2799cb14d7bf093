/** Sends plain requests, without any of our clients. */
import { Agent, request, type IncomingHttpHeaders } from "node:http"

import { WebSocket } from "ws"
import "@plumbline/seeded/Localhost"

import { authorization, baseUrl, type NetworkName, rpcUrl, socketUrl, type Target } from "./target.ts"

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly trailers: NodeJS.Dict<string>
  readonly body: Buffer
  readonly text: string
}

export interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** The agent whose connections the request may use. Default: a new connection. */
  readonly agent?: Agent
}

/** Sends one request. */
export const http = (url: string, { agent, body, headers = {}, method = "POST" }: Sent = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: agent ?? false }, (response) => {
      const pieces: Array<Buffer> = []
      response.on("data", (piece: Buffer) => pieces.push(piece))
      response.on("error", reject)
      response.on("end", () => {
        const body = Buffer.concat(pieces)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          trailers: response.trailers,
          body,
          text: body.toString("utf8")
        })
      })
    })
    sent.on("error", reject)
    sent.end(body)
  })

export const JSON_TYPE = { "content-type": "application/json" }

/** Returns a call in the form that the interface documents. */
export const call = (method: string, params: ReadonlyArray<unknown> = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params, id })

/** A few connections that stay open are enough for the many calls. */
const connections = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a call, and returns its whole answer. */
export const answer = async (
  target: Target,
  network: NetworkName,
  method: string,
  params: ReadonlyArray<unknown> = []
): Promise<any> =>
  JSON.parse(
    (await http(rpcUrl(target, network), { headers: JSON_TYPE, body: call(method, params), agent: connections })).text
  )

/** Sends a call, and returns its result. Throws if the answer is an error. */
export const result = async (
  target: Target,
  network: NetworkName,
  method: string,
  params: ReadonlyArray<unknown> = []
): Promise<any> => {
  const said = await answer(target, network, method, params)
  if (said.error !== undefined) throw new Error(`${method}: ${JSON.stringify(said.error)}`)
  return said.result
}

/** Sends texts over a WebSocket, and returns the texts that come back. */
export const overSocket = (
  target: Target,
  network: NetworkName,
  ...texts: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(socketUrl(target, network))
    const heard: Array<string> = []
    socket.on("error", reject)
    socket.on("close", (code) => reject(new Error(`closed with ${code}`)))
    socket.on("open", () => texts.forEach((text) => socket.send(text)))
    socket.on("message", (data) => {
      heard.push((data as Buffer).toString("utf8"))
      if (heard.length < texts.length) return
      resolve(heard)
      socket.terminate()
    })
  })

/** Sends an IPFS command with its query, for the project whose account has a billing card. */
export const ipfs = (target: Target, command: string, sent: Sent = {}): Promise<Reply> =>
  http(`${baseUrl(target)}/api/v0/${command}`, {
    ...sent,
    headers: { authorization: authorization(target.projects.open), ...sent.headers }
  })

/** Returns the JSON values of an answer that has one value per line. */
export const lines = ({ text }: Reply): ReadonlyArray<any> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Returns a body with one file in the field `file`, and the headers for this body. */
export const multipart = (content: string | Uint8Array, name = "file"): Required<Pick<Sent, "body" | "headers">> => {
  const boundary = "----one-file"
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${boundary}--\r\n`)])
  }
}
