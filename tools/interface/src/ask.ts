/** Plain requests, without any of our clients. */
import { Agent, request, type IncomingHttpHeaders } from "node:http"

import { WebSocket } from "ws"

import "./localhost.ts"
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
  /** The agent whose connections the request may use (default: a connection of its own). */
  readonly agent?: Agent
}

/** One request. */
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

/** A call as the interface shows it. */
export const call = (method: string, params: ReadonlyArray<unknown> = [], id: unknown = 1): string =>
  JSON.stringify({ jsonrpc: "2.0", method, params, id })

/** There are many calls, and a few connections are enough for them. */
const connections = new Agent({ keepAlive: true, maxSockets: 16 })

/** The whole answer to a call. */
export const answer = async (
  target: Target,
  network: NetworkName,
  method: string,
  params: ReadonlyArray<unknown> = []
): Promise<any> =>
  JSON.parse(
    (await http(rpcUrl(target, network), { headers: JSON_TYPE, body: call(method, params), agent: connections })).text
  )

/** The result of a call, which must have one. */
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

/** The texts that come back over a WebSocket for the texts that are sent. */
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

/** An IPFS command with its query, by the project with a card. */
export const ipfs = (target: Target, command: string, sent: Sent = {}): Promise<Reply> =>
  http(`${baseUrl(target)}/api/v0/${command}`, {
    ...sent,
    headers: { authorization: authorization(target.projects.open), ...sent.headers }
  })

/** The JSON values of an answer, one on each line. */
export const lines = ({ text }: Reply): ReadonlyArray<any> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** A body with one file in the field `file`, and its headers. */
export const multipart = (content: string | Uint8Array, name = "file"): Required<Pick<Sent, "body" | "headers">> => {
  const boundary = "----one-file"
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${boundary}--\r\n`)])
  }
}
