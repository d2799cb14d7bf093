/**
 * A `fetch` that sends the caller's Host header, which Node's `fetch` silently drops.
 *
 * This `fetch` is for services that select the network by host, if the URL has an IP address or `localhost`. A
 * certificate is still checked against the host of the URL.
 */
import * as http from "node:http"
import * as https from "node:https"
import { isIP } from "node:net"
import { Readable } from "node:stream"

/**
 * Makes a `fetch` that sends this Host. It supports the parts that a JSON-RPC transport needs: a URL, a method,
 * headers, a text, a signal.
 */
export const make =
  (host: string): typeof globalThis.fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const body = await request.text()
    const response = await send(request, host, body)
    const headers = new Headers()
    for (const [name, values] of Object.entries(response.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value)
    }
    const status = response.statusCode ?? 0
    if (bodiless.has(status)) response.resume()
    return new Response(bodiless.has(status) ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>), {
      status,
      headers
    })
  }

const send = (request: Request, host: string, body: string): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { hostname, protocol } = new URL(request.url)
    const options: https.RequestOptions = {
      method: request.method,
      headers: { ...Object.fromEntries(request.headers), host, "content-length": Buffer.byteLength(body) },
      signal: request.signal
    }
    const sent =
      protocol === "https:"
        ? https.request(request.url, { ...options, servername: isIP(hostname) === 0 ? hostname : "" }, resolve)
        : http.request(request.url, options, resolve)
    sent.on("error", reject)
    sent.end(body)
  })

/** Statuses of answers without a body. For these, `Response` refuses a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])
