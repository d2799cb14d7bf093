/** Measures the decoding of an answer of many lines, from bytes to typed values, without a network. */
import { IpfsClient } from "@plumbline/ipfs-client"
import { Effect, Layer, Redacted, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

import type { Row } from "../../measure/measuredRow.ts"

const LINES = 2000

/** Returns this many lines, each a recursive pin as Kubo writes it. */
export const textOf = (lines: number): string =>
  Array.from({ length: lines }, (_, i) =>
    JSON.stringify({ Cid: "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD", Type: "recursive", Name: `pin ${i}` })
  ).join("\n") + "\n"

/** Reads the text like a node's answer, and returns the number of lines and the last line. */
export const read = (text: string): (() => Promise<string>) => {
  const bytes = new TextEncoder().encode(text)
  const http = HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response(bytes))))
  const layer = IpfsClient.layer({ url: "http://node.invalid", apiKey: "k", apiKeySecret: Redacted.make("s") }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
  )
  const program = IpfsClient.IpfsClient.use((ipfs) => Stream.runCollect(ipfs.pinLs()))
  return async () => {
    const pins = await Effect.runPromise(Effect.provide(program, layer))
    return `${pins.length} ${JSON.stringify(pins.at(-1))}`
  }
}

const text = textOf(LINES)

/** The row of this benchmark. Its yardstick, a plain `JSON.parse`, checks nothing. */
export const lines: Row = {
  name: "NDJSON, a line, typed",
  operations: LINES,
  ceiling: 5e3,
  waits: true,
  ours: read(text),
  peers: {},
  yardsticks: {
    "JSON.parse of each line": async () => {
      const body = await new Response(text).text()
      return body.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])).length
    }
  }
}
