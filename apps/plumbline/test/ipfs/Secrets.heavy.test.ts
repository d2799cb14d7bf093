/** No command prints the key of an IPFS service or its secret. */
import type { RequestListener } from "node:http"

import { describe, expect, it } from "@effect/vitest"
import { Stream } from "effect"

import * as Children from "../support/Children.ts"
import * as Ipfs from "../support/Ipfs.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const KEY = "0123456789abcdef0123456789abcdef"
const SECRET = "fedcba9876543210fedcba9876543210"
const CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"

const commands = [
  ["add", "-"],
  ["cat", CID],
  ["get", CID, "-o", "/nonexistent/place"],
  ["ls", CID],
  ["pin", "add", CID],
  ["pin", "rm", CID],
  ["pin", "ls"],
  ["object", "get", CID],
  ["block", "get", CID]
]

const tell = (request: {
  readonly url?: string | undefined
  readonly headers: { readonly authorization?: string | undefined }
}) => {
  const { authorization = "" } = request.headers
  const pair = Buffer.from(authorization.replace("Basic ", ""), "base64").toString()
  return `${request.url} ${authorization} ${pair} http://${pair}@127.0.0.1/`
}

/** Servers whose answers contain the secret, or no secret. */
const services: Readonly<Record<string, RequestListener>> = {
  "says that it is wrong, and repeats it": (request, response) => response.writeHead(401).end(tell(request)),
  "fails, and repeats it": (request, response) => {
    response.writeHead(500, { "content-type": "application/json" })
    response.end(JSON.stringify({ Message: tell(request), Code: 0, Type: "error" }))
  },
  "answers with it in a stream": (request, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    response.end(`${JSON.stringify({ Message: tell(request), Code: 0, Type: "error" })}\n`)
  },
  "answers with it where a CID should be": (request, response) =>
    response.end(
      JSON.stringify({ Hash: tell(request), Name: tell(request), Size: "1", Pins: [tell(request)], Keys: {} })
    ),
  "answers with nothing": (_, response) => response.end(),
  "does not answer": (request) => request.socket.destroy(),
  "redirects to a URL with it": (request, response) => response.writeHead(302, { location: tell(request) }).end()
}

describe("the secret is in no output of a command about IPFS", () => {
  for (const [does, listener] of Object.entries(services)) {
    it(`when the service ${does}`, async () => {
      await using server = await Servers.serve((request, response) => {
        request.resume().on("end", () => listener(request, response))
      })
      expect((await outputs(server.url)).filter(isTelling)).toEqual([])
    })
  }

  it("when the service is not there", async () => {
    expect((await outputs(await Servers.nobody())).filter(isTelling)).toEqual([])
  })

  it("when it stands where it does not belong", async () => {
    const url = `http://${KEY}:${SECRET}@127.0.0.1:1/`
    const mistakes = [
      ["add", url, "--url", "http://127.0.0.1:1"],
      ["add", url, url, "--url", "http://127.0.0.1:1"],
      ["cat", url],
      ["get", url],
      ["ls", `/ipfs/${url}`],
      ["pin", "add", url],
      ["pin", "ls", "--type", url],
      ["add", "-", "--cid-version", url],
      ["cat", CID, "--offset", url],
      ["cat", CID, "--url", `ftp://${KEY}:${SECRET}@127.0.0.1`],
      ["cat", CID, "--ulr", url],
      ["cat", CID, "--url", "http://127.0.0.1:1", "--api-key-secret", SECRET]
    ]
    for (const args of mistakes) {
      for (const flags of [[], ["--json"]]) {
        const { exitCode, stderr, stdout } = await RunCli.run(["ipfs", ...args, ...flags])
        expect([exitCode, isTelling(stdout + stderr)], args.join(" ")).toEqual([1, false])
      }
    }
  })
})

/** True if an output shows a secret. An empty output counts as true, because it would prove nothing. */
const isTelling = (output: string): boolean =>
  output === "" || [KEY, SECRET, btoa(`${KEY}:${SECRET}`)].some((secret) => output.includes(secret))

/** Runs each command with every way to pass a key, and returns all outputs. */
const outputs = async (url: string): Promise<ReadonlyArray<string>> => {
  await using folder = await Children.folder()
  await Ipfs.record(folder.path, { url, key: KEY, secret: SECRET })
  const env = { PLUMBLINE_API_KEY: KEY, PLUMBLINE_API_KEY_SECRET: SECRET }
  const ways: ReadonlyArray<readonly [flags: ReadonlyArray<string>, env: Readonly<Record<string, string>>]> = [
    [["--data", folder.path], {}],
    [["--url", url], env],
    [["--url", `${url}/v3/${KEY}`, "--api-key-secret", SECRET], {}],
    [["--url", url.replace("//", `//${KEY}:${SECRET}@`)], {}],
    [["--url", url, "--api-key", KEY, "--api-key-secret", SECRET, "--log-level=debug"], {}]
  ]
  const outcomes = await Promise.all(
    commands.flatMap((command) =>
      ways.flatMap(([flags, env]) =>
        [[], ["--json"]].map((json) => {
          const stdin = Stream.succeed(new TextEncoder().encode("x"))
          return RunCli.run(["ipfs", ...command, ...flags, ...json], { env, stdin })
        })
      )
    )
  )
  return outcomes.map(({ stderr, stdout }) => stdout + stderr)
}
