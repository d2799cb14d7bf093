/** Checks that no output shows the API key, except that `up` prints it when the service is ready. */
import { writeFile } from "node:fs/promises"
import type { RequestListener } from "node:http"
import { fileURLToPath } from "node:url"

import { describe, expect, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"

import * as Children from "../support/Children.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"
import * as Wire from "../support/Wire.ts"

const KEY = "0123456789abcdef0123456789abcdef"
const SECRET = "fedcba9876543210fedcba9876543210"
const LAYOUT = fileURLToPath(PreparedState.layoutFile(PreparedState.contracts.token))
const commands = [
  ["block", "latest"],
  ["block", Wire.HASH, "--full"],
  ["tx", Wire.HASH],
  ["tx", "--block", Wire.HASH, "--index", "0"],
  ["uncle", Wire.HASH],
  ["uncle", "5", "0", "--trust", Wire.HASH],
  ["proof", Wire.ADDRESS, "0"],
  ["read-slot", Wire.ADDRESS, "0", "--block", "5"],
  ["call", Wire.ADDRESS, "0x18160ddd", "--chain-id", "1", "--block", "5"],
  ["read", Wire.ADDRESS, "name", "--layout", LAYOUT],
  ["diff", Wire.ADDRESS, "--layout", LAYOUT, "--from", "1", "--to", Wire.HASH],
  ["prove", Wire.ADDRESS, "--layout", LAYOUT, "-o", "/nonexistent/place.car", "--trust", Wire.HASH]
]

/** Servers that put the key into their answers, and servers that do not. */
const services: Readonly<Record<string, RequestListener>> = {
  "says that the key is wrong, and repeats it": (request, response) => {
    response.writeHead(401).end(`no such key: ${request.url}`)
  },
  "answers with an error that repeats it": (request, response) => {
    const message = `${request.url} ${request.headers.authorization ?? ""} ${KEY}`
    const error = { code: -32_000, message, data: { url: `http://127.0.0.1${request.url}` } }
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }))
  },
  "answers with no JSON": (_, response) => response.end(`<html>/v3/${KEY}`),
  "answers to something else": (_, response) => response.end(`{"jsonrpc":"2.0","id":"${KEY}","result":null}`),
  "answers with something else": (_, response) => {
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { hash: KEY } }))
  },
  "answers with nothing": (_, response) => response.end(),
  "does not answer": (request) => request.socket.destroy(),
  "redirects to a URL with it": (request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1${request.url}` }).end()
  }
}

describe("the API key is in no output of a reading command", () => {
  for (const [does, listener] of Object.entries(services)) {
    it(`when the service ${does}`, async () => {
      await using server = await Servers.serve(listener)
      expect((await outputs(server.url)).filter(isTelling)).toEqual([])
    })
  }

  it("when the service is not there", async () => {
    expect((await outputs(await Servers.nobody())).filter(isTelling)).toEqual([])
  })
})

describe("a URL with the key that stands where it does not belong", () => {
  it("is not repeated", async () => {
    const url = `http://127.0.0.1:8645/v3/${KEY}`
    const mistakes = [
      ["block", url],
      ["block", "latest", url],
      ["tx", url],
      ["tx", "--block", url, "--index", "0"],
      ["tx", "--block", Wire.HASH, "--index", url],
      ["block", "latest", "--trust", url],
      ["uncle", url],
      ["uncle", "5", url],
      ["proof", url],
      ["proof", Wire.ADDRESS, "0", url],
      ["proof", Wire.ADDRESS, "--block", url],
      ["read-slot", url, "0"],
      ["read-slot", Wire.ADDRESS, url],
      ["read-slot", Wire.ADDRESS, "0", url],
      ["call", url, "f()"],
      ["call", Wire.ADDRESS, url],
      ["call", Wire.ADDRESS, "f(uint256)", url],
      ["call", Wire.ADDRESS, "f()", "--hardfork", url, "--chain-id", "1"],
      ["block", "latest", "--network", url, "--url", url],
      ["block", "latest", `--ulr=${url}`],
      ["block", "latest", "--ulr", url],
      [url],
      ["up", "--port", url],
      ["block", "latest", "--url", `${url}\u0000`],
      ["block", "latest", "--url", `ftp://127.0.0.1/v3/${KEY}`],
      ...[url, `http://${KEY}:${SECRET}@127.0.0.1:1/`].flatMap((url) => [
        ["slots", url, "--layout", LAYOUT],
        ["slots", `map["${url}"]`, "--layout", LAYOUT],
        ["slots", "--layout", url],
        ["slots", "--layout", `${url}.sol`],
        ["slots", "--layout", LAYOUT, "--contract", url],
        ["read", url, "name", "--layout", LAYOUT],
        ["read", Wire.ADDRESS, url, "--layout", LAYOUT],
        ["read", Wire.ADDRESS, "--layout", url, "--url", url],
        ["diff", Wire.ADDRESS, "--layout", LAYOUT, "--from", url],
        ["diff", Wire.ADDRESS, "--layout", LAYOUT, "--from", "1", "--to", url],
        ["prove", Wire.ADDRESS, "--layout", LAYOUT, "-o", url, "--block", "pending", "--url", "http://127.0.0.1:1"],
        ["publish", url],
        ["verify", url, "--trust", Wire.HASH],
        ["verify", "none.car", "--trust", url],
        ["verify", "none.car", "--trust", Wire.HASH, "--layout", LAYOUT, "--address", url],
        ["verify", "none.car", url, "--trust", Wire.HASH],
        ["verify", "none.car", "--trust", Wire.HASH, "--layout", url]
      ])
    ]
    for (const args of mistakes) {
      for (const flags of [[], ["--json"]]) {
        const { exitCode, stderr, stdout } = await RunCli.run([...args, ...flags])
        expect(exitCode, args.join(" ")).toBe(1)
        expect([stdout + stderr, isTelling(stdout + stderr)], args.join(" ")).toEqual([stdout + stderr, false])
      }
    }
  })
})

/** True if an output shows a secret. An empty output counts as true, because it would prove nothing. */
const isTelling = (output: string): boolean => output === "" || output.includes(KEY) || output.includes(SECRET)

/** Returns the output of each command, for every way to reach a service: by its URL, and by its record. */
const outputs = async (url: string): Promise<ReadonlyArray<string>> => {
  await using folder = await Children.folder()
  const networks = [{ name: "live", host: "live.localhost:1", chainId: 1 }]
  const running = { url, wsUrl: "ws://127.0.0.1:1", pid: process.pid, networks }
  const record = { version: 1, apiKey: KEY, apiKeySecret: SECRET, ...running }
  await writeFile(`${folder.path}/service.json`, JSON.stringify(record))
  const ways = [
    ["--url", `${url}/v3/${KEY}`],
    ["--url", `${url}/v3/${KEY}`, "--network", "live"],
    ["--url", url.replace("//", `//${KEY}:${SECRET}@`)],
    ["--url", `${url}/?key=${KEY}`],
    ["--data", folder.path],
    ["--data", folder.path, "--network", "live"],
    ["--data", folder.path, "--network", "mainnet"],
    ["--data", folder.path, "--log-level=debug"]
  ]
  const outcomes = await Promise.all(
    commands.flatMap((command) =>
      ways.flatMap((way) => [RunCli.run([...command, ...way]), RunCli.run([...command, ...way, "--json"])])
    )
  )
  return outcomes.map(({ stderr, stdout }) => stdout + stderr)
}
