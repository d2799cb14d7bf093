/** The mistakes that newcomers make. Each error ends with the flag, the word or the command that helps. */
import { existsSync } from "node:fs"
import { mkdtempDisposable } from "node:fs/promises"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"

import * as Children from "../support/Children.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const HASH = `0x${"12".repeat(32)}`

/** Invalid arguments, their error, and the command whose help is named in the line after the error. */
const misused: ReadonlyArray<readonly [args: ReadonlyArray<string>, error: string, help: string]> = [
  [["blokc"], 'plumbline has no command "blokc". Did you mean block?', "plumbline"],
  [
    ["receipt", "0x12"],
    'plumbline has no command "receipt". Start "plumbline proxy", and send eth_getTransactionReceipt to it; "plumbline tx" proves the transaction itself',
    "plumbline"
  ],
  [["help", "blokc"], 'plumbline has no command "blokc". Did you mean block?', "plumbline"],
  [["ipfs", "ad", "x"], 'plumbline ipfs has no command "ad". Did you mean add?', "plumbline ipfs"],
  [["block"], "<block> is missing", "plumbline block"],
  [["keys", "list"], "<project> is missing", "plumbline keys list"],
  [
    ["read", "0x12", "a"],
    "--layout is missing: name the contract's .sol file, or what its compiler or build tool wrote",
    "plumbline read"
  ],
  [
    ["config", "check", "--config", "f"],
    "plumbline config check has no flag --config. Name the file as the argument",
    "plumbline config check"
  ],
  [["verify", "x.car"], "--trust is missing: name the hash of a block that you trust", "plumbline verify"],
  [["prove", "0x1", "--out", "x"], "plumbline prove has no flag --out. Did you mean --output?", "plumbline prove"],
  [["block", "latest", "--ful"], "plumbline block has no flag --ful. Did you mean --full?", "plumbline block"],
  [["block", "latest", "17"], '"17": too many arguments', "plumbline block"],
  [["block", "latest", "--data"], "--data must be folder", "plumbline block"],
  [["block", "latest", "--trust", "0x12"], "--trust must be 0x and 64 hex digits", "plumbline block"],
  [["block", "latest", "--url", "localhost"], "--url must be an http:// or https:// URL", "plumbline block"],
  [["tx", HASH, "--index", "1"], "give either a transaction's hash, or --block and --index", "plumbline tx"],
  [["up", "--port", "http"], '--port must be a finite number, and is "http"', "plumbline up"],
  [["up", "--port", "99999"], "--port must be a number from 0 to 65535", "plumbline up"],
  [["tamper", "--rate", "2"], "--rate must be a number from 0 to 1", "plumbline tamper"],
  [["tamper", "--lie", "nope"], "--lie: there is no lie nope; see --list", "plumbline tamper"],
  [
    ["ipfs", "cat", "hello"],
    "path must be a CID, optionally followed by names: this does not begin with one",
    "plumbline ipfs cat"
  ],
  [
    ["block", "latest", "--beacon", "http://127.0.0.1:9", "--beacon-network", "main", "--url", "http://127.0.0.1:9"],
    `--beacon-network: there is no network "main", only mainnet, sepolia, hoodi, or the path of a network's file`,
    "plumbline block"
  ]
]

describe("arguments that make no sense", () => {
  for (const [args, error, help] of misused) {
    it(`plumbline ${args.join(" ")}`, async () => {
      expect(await RunCli.run(args)).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: `error: ${error}\nsee    ${help} --help\n`
      })
    })
  }
})

describe("a failure that a flag mends", () => {
  it("is a service that does not run", async () => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), "plumbline-"))
    const { stderr } = await RunCli.run(["block", "latest", "--data", folder.path])
    expect(stderr).toMatch(
      /Start it with "plumbline up", or name the folder of another with --data, or pass --url\.\n$/u
    )
  })

  it("is a node, a node of IPFS or a service that does not listen", async () => {
    const url = await Servers.nobody()
    for (const args of [
      ["block", "latest", "--retries", "0"],
      ["ipfs", "cat", "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy", "--retries", "0"]
    ]) {
      const { stderr } = await RunCli.run([...args, "--url", url])
      expect(stderr).toMatch(/Check that a node runs there, or name another with --url\n$/u)
    }
    const { stderr } = await RunCli.run(["status", "--url", url, "--admin-token", "0123"])
    expect(stderr).toMatch(/Start it with "plumbline up", or name another with --url\n$/u)
  })

  it("is a beacon node that does not listen", async () => {
    const { stderr } = await RunCli.run(
      ["block", "latest", "--checkpoint", HASH, "--beacon", await Servers.nobody(), "--url", await Servers.nobody()],
      { env: { PLUMBLINE_DATA: "/nowhere" } }
    )
    expect(stderr).toMatch(/Check that a beacon node runs there, or name another with --beacon\n$/u)
  })

  it("is a URL without its key, or without its path", async () => {
    for (const status of [401, 403, 404]) {
      await using server = await Servers.serve((_, response) => response.writeHead(status).end())
      const { stderr } = await RunCli.run(["block", "latest", "--url", server.url])
      expect(stderr).toMatch(/Check the path and the API key of --url\n$/u)
    }
  })

  it("is a method that the node does not have", async () => {
    await using server = await Servers.serve((_, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}')
    )
    const { stderr } = await RunCli.run(["block", "latest", "--url", server.url])
    expect(stderr).toMatch(/Name a node that has this method with --url, or another network with --network\n$/u)
  })

  it("is an error of the node that another node, block or time removes", async () => {
    const cases: ReadonlyArray<readonly [code: number, message: string, way: RegExp]> = [
      [-32_000, "missing trie node 0x12 (path 0a)", /an archive, with --url, or ask for a newer block\n$/u],
      [-32_000, "header not found", /Ask for a block that the node has, or name another node with --url\n$/u],
      [-32_005, "daily request count exceeded", /Ask again later, or name another node with --url\n$/u],
      [-32_603, "internal error", /Ask again later, or name another node with --url\n$/u],
      [-32_602, "invalid params", /\(code -32602\)\n$/u]
    ]
    for (const [code, message, way] of cases) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message } })
      await using server = await Servers.serve((_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(body)
      )
      const { stderr } = await RunCli.run(["block", "latest", "--retries", "0", "--url", server.url])
      expect(stderr, message).toMatch(way)
    }
  })

  it("is a port that is taken", async () => {
    await using folder = await mkdtempDisposable(path.join(tmpdir(), "plumbline-"))
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    try {
      const address = taken.address()
      const port = typeof address === "object" ? String(address?.port) : ""
      const { code, stderr } = await Children.run(["up", "--port", port, "--data", folder.path])
      expect(code).toBe(1)
      expect(stderr).toMatch(/The port is taken\. Choose another with --port\n$/u)
      // nothing that takes time was started
      expect(existsSync(path.join(folder.path, "ipfs"))).toBe(false)
    } finally {
      taken.close()
    }
  })
})

describe("help", () => {
  it("is the help of the program, or of the command behind it", async () => {
    for (const [asked, meant] of [
      [["help"], ["--help"]],
      [
        ["help", "block"],
        ["block", "--help"]
      ],
      [
        ["help", "ipfs", "add"],
        ["ipfs", "add", "--help"]
      ]
    ] as const) {
      const outcome = await RunCli.run(asked)
      expect(outcome).toEqual(await RunCli.run(meant))
      expect(outcome.exitCode).toBe(0)
    }
  })
})
