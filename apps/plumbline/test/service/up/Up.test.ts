/**
 * `plumbline up` as a child process: its announcement, its service, and its shutdown. `History.test.ts` tests the
 * answers of its second network.
 */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { readFile, stat, writeFile } from "node:fs/promises"
import { createServer, type IncomingMessage, request } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import { JsonRpcProvider } from "ethers"
import { createPublicClient, http } from "viem"

import * as Invocation from "../../../src/home/Invocation.ts"
import * as Children from "../../support/Children.ts"
import * as Prepared from "../../support/Prepared.ts"
import * as Wire from "../../support/Wire.ts"

interface Announcement {
  readonly url: string
  readonly wsUrl: string
  readonly apiKey: string
  readonly apiKeySecret: string
  readonly networks: ReadonlyArray<{ readonly name: string; readonly host: string; readonly chainId: number }>
}

const up = async (data: string, ...args: ReadonlyArray<string>) => {
  const child = Children.start(["up", "--json", "--port", "0", "--data", data, ...args])
  const announcement: Announcement = JSON.parse(await child.firstLine)
  const pid = child.process.pid!
  return { ...child, announcement, pid, chain: Children.childrenOf(pid) }
}

const { allTypes } = Prepared
const { token } = PreparedState.contracts

describe("a service", () => {
  let folder: Awaited<ReturnType<typeof Children.folder>>
  let service: Awaited<ReturnType<typeof up>>
  beforeAll(async () => {
    folder = await Children.folder()
    service = await up(folder.path)
  })
  afterAll(async () => {
    service.process.kill("SIGTERM")
    await service.ended
    await folder[Symbol.asyncDispose]()
  })

  const endpoint = () => `${service.announcement.url}/v3/${service.announcement.apiKey}`

  const post = async (method: string, params: ReadonlyArray<unknown>, headers: Record<string, string> = {}) => {
    const response = await fetch(endpoint(), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params })
    })
    expect(response.status).toBe(200)
    return response.json()
  }

  const overWebSocket = async (
    calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, result: unknown]>
  ) => {
    const socket = new WebSocket(`${service.announcement.wsUrl}/ws/v3/${service.announcement.apiKey}`)
    const answers = new Map<number, unknown>()
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener("error", () => reject(new Error("the WebSocket failed")))
      socket.addEventListener("open", () => {
        calls.forEach(([method, params], id) => socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })))
      })
      socket.addEventListener("message", ({ data }) => {
        const { id, ...answer } = JSON.parse(String(data))
        answers.set(id, answer)
        if (answers.size === calls.length) resolve()
      })
    })
    socket.close()
    return calls.map((_, id) => answers.get(id))
  }

  it("announces itself in one line of JSON", async () => {
    const announcement = JSON.parse(await service.firstLine)
    expect(Object.keys(announcement)).toEqual([
      "url",
      "wsUrl",
      "apiKey",
      "apiKeySecret",
      "ipfsUrl",
      "consoleUrl",
      "adminToken",
      "networks",
      "beaconUrl",
      "checkpoint",
      "beaconNetwork",
      "metricsUrl"
    ])
    const { port } = new URL(announcement.url)
    const at = (name: string) => ({ url: `http://127.0.0.1:${port}/${name}`, wsUrl: `ws://127.0.0.1:${port}/${name}` })
    expect(announcement).toEqual({
      url: `http://127.0.0.1:${port}`,
      wsUrl: `ws://127.0.0.1:${port}`,
      apiKey: expect.stringMatching(/^[0-9a-f]{32}$/),
      apiKeySecret: expect.stringMatching(/^[0-9a-f]{32}$/),
      ipfsUrl: `http://127.0.0.1:${port}`,
      consoleUrl: `http://127.0.0.1:${port}/console/`,
      adminToken: expect.stringMatching(/^[0-9a-f]{64}$/),
      networks: [
        { name: "live", host: `live.localhost:${port}`, chainId: 31_337, ...at("live") },
        { name: "history", host: `history.localhost:${port}`, chainId: 7771, ...at("history") },
        {
          name: "starknet-pool",
          host: `starknet-pool.localhost:${port}`,
          chainId: 88_288_695_111_500,
          ...at("starknet-pool")
        }
      ],
      beaconUrl: `http://127.0.0.1:${port}/live_beacon`,
      checkpoint: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      beaconNetwork: `${folder.path}/beacon-network.json`,
      metricsUrl: null
    })
  })

  /** The interface's methods, with their answers on the prepared chain. */
  const calls: ReadonlyArray<readonly [method: string, params: ReadonlyArray<unknown>, result: unknown]> = [
    ["eth_getBlockByHash", [allTypes.hash, false], { hash: allTypes.hash, number: Wire.quantity(allTypes.number) }],
    ["eth_getTransactionByHash", [allTypes.transactions[1]!.hash], { hash: allTypes.transactions[1]!.hash }],
    [
      "eth_getTransactionByBlockHashAndIndex",
      [allTypes.hash, "0x1"],
      { hash: allTypes.transactions[1]!.hash, transactionIndex: "0x1" }
    ],
    // the live chain has no uncles
    ["eth_getUncleByBlockNumberAndIndex", ["latest", "0x0"], null],
    ["eth_getStorageAt", [token.address, "0x0", "latest"], expect.stringMatching(/^0x[0-9a-f]{64}$/)],
    [
      "eth_getProof",
      [token.address, [`0x${"00".repeat(32)}`], "latest"],
      { address: token.address, accountProof: expect.arrayContaining([expect.stringMatching(/^0xf/)]) }
    ]
  ]

  it("answers the six methods of the interface over HTTP", async () => {
    for (const [method, params, result] of calls) {
      const answer = await post(method, params)
      expect(answer).toMatchObject({ jsonrpc: "2.0", id: 7, result })
      expect(answer).not.toHaveProperty("error")
    }
  })

  it("answers the six methods of the interface over WebSocket", async () => {
    const answers = await overWebSocket(calls)
    calls.forEach(([, , result], id) => expect(answers[id]).toMatchObject({ jsonrpc: "2.0", result }))
  })

  it("takes a number and each tag where a block is named", async () => {
    for (const block of [Wire.quantity(allTypes.number), "latest", "earliest", "pending", "safe", "finalized"]) {
      const storage = await post("eth_getStorageAt", [token.address, "0x0", block])
      expect(storage.result, block).toMatch(/^0x[0-9a-f]{64}$/)
      const proof = await post("eth_getProof", [token.address, [], block])
      expect(proof.result.address, block).toBe(token.address)
      const found = await post("eth_getBlockByNumber", [block, false])
      expect(found.result.transactions, block).toBeInstanceOf(Array)
      expect(await post("eth_getUncleByBlockNumberAndIndex", [block, "0x0"])).toMatchObject({ result: null })
    }
  })

  it("answers null for hashes that nobody has", async () => {
    expect(await post("eth_getBlockByHash", [Wire.HASH, true])).toMatchObject({ result: null })
    expect(await post("eth_getTransactionByHash", [Wire.HASH])).toMatchObject({ result: null })
    expect(await post("eth_getTransactionByBlockHashAndIndex", [Wire.HASH, "0x0"])).toMatchObject({ result: null })
    expect(await post("eth_getTransactionByBlockHashAndIndex", [allTypes.hash, "0xff"])).toMatchObject({ result: null })
  })

  it("is read by viem and ethers as they are", async () => {
    const viem = createPublicClient({ transport: http(endpoint()) })
    const block = await viem.getBlock({ blockHash: allTypes.hash, includeTransactions: true })
    expect(block.number).toBe(BigInt(allTypes.number))
    expect(block.transactions.map((transaction) => transaction.type)).toEqual(
      allTypes.transactions.map(({ form }) => viemTypes[form])
    )
    const transaction = await viem.getTransaction({ hash: allTypes.transactions[0]!.hash })
    expect(transaction.blockHash).toBe(allTypes.hash)
    expect(await viem.getBlockNumber()).toBe(BigInt(PreparedState.head.number))

    const ethers = new JsonRpcProvider(endpoint())
    try {
      expect((await ethers.getBlock(allTypes.hash))?.number).toBe(allTypes.number)
      expect((await ethers.getTransaction(allTypes.transactions[0]!.hash))?.blockNumber).toBe(allTypes.number)
      expect((await ethers.getBlock("latest"))?.hash).toBe(PreparedState.head.hash)
    } finally {
      ethers.destroy()
    }
  })

  it("is found by the reading commands, on the network that is named", async () => {
    const commands = [
      ["block", allTypes.hash, "--full"],
      ["block", allTypes.hash, "--network", "live"],
      ["tx", allTypes.transactions[0]!.hash, "--network", "live"],
      ["tx", "--block", allTypes.hash, "--index", "3"]
    ]
    for (const command of commands) {
      const { code, stdout } = await Children.run([...command, "--json", "--data", folder.path])
      expect(code).toBe(0)
      expect(JSON.parse(stdout).verdict).toBe("VERIFIED")
    }
    const env = { PLUMBLINE_DATA: folder.path }
    const unknown = await Children.run(["block", "latest", "--json", "--network", "mainnet"], env)
    expect(unknown.code).toBe(1)
    expect(JSON.parse(unknown.stdout).error).toEqual({
      tag: "UnknownNetworkError",
      message: 'the service has no network "mainnet", only: live, history, starknet-pool',
      network: "mainnet",
      known: ["live", "history", "starknet-pool"]
    })
  })

  it("has its newest block proven by a light client, without a flag and with those that it announces", async () => {
    const { beaconNetwork, beaconUrl, checkpoint } = JSON.parse(await service.firstLine)
    const told = ["--checkpoint", checkpoint, "--beacon", beaconUrl, "--beacon-network", beaconNetwork]
    for (const flags of [[], ["--network", "live"], ["--url", endpoint(), ...told]]) {
      const { code, stdout } = await Children.run(
        ["block", "latest", "--full", ...flags, "--json", "--data", folder.path],
        {}
      )
      const { anchor, verdict } = JSON.parse(stdout)
      expect([code, verdict, anchor]).toEqual([
        0,
        "VERIFIED",
        {
          kind: "light-client",
          hash: PreparedState.head.hash,
          checkpoint,
          slot: expect.stringMatching(/^[0-9]+$/),
          finality: "optimistic",
          participation: [expect.any(Number), 512],
          age: expect.stringMatching(/^[0-9]{1,2}$/)
        }
      ])
    }
    // the other chain has no beacon chain, so its newest block is only claimed
    const other = await Children.run(["block", "latest", "--network", "history", "--json", "--data", folder.path])
    expect(JSON.parse(other.stdout)).toMatchObject({ verdict: "CLAIMED", anchor: null })
  })

  it("has calls of its live chain proven, by that chain's own rules", async () => {
    const holder = PreparedState.accounts[0]!.address
    const data = `0x70a08231${holder.slice(2).toLowerCase().padStart(64, "0")}`
    const { token } = PreparedState.contracts
    const args = ["call", token.address, "balanceOf(address)(uint256)", holder, "--json", "--data", folder.path]
    const { code, stdout } = await Children.run(args, {})
    const said = await post("eth_call", [{ to: token.address, data }, "latest"])
    const { anchor, value, verdict } = JSON.parse(stdout)
    expect([code, verdict, anchor.kind]).toEqual([0, "VERIFIED", "light-client"])
    expect(value).toMatchObject({ result: said.result, decoded: [BigInt(said.result).toString()] })
  })

  it("keeps its record to its owner", async () => {
    const file = `${folder.path}/service.json`
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const {
      beaconNetwork: networkFile,
      beaconUrl: url,
      checkpoint,
      consoleUrl: _,
      metricsUrl: _metricsUrl,
      ...announced
    } = JSON.parse(await service.firstLine)
    const beacon = { url, checkpoint, networkFile, networks: ["live"], isDefault: true }
    // other tests of the file make changes of accounts meanwhile
    const accounts = { changes: expect.any(Number), projects: expect.any(Number) }
    const record = JSON.parse(await readFile(file, "utf8"))
    expect(record).toEqual({ version: 1, pid: service.pid, ...announced, accounts, beacon })
    const state = await Promise.all(
      ["state.sqlite", "state.sqlite-wal"].map(async (name) => {
        expect((await stat(`${folder.path}/${name}`)).mode & 0o777).toBe(0o600)
        return readFile(`${folder.path}/${name}`, "latin1")
      })
    )
    // the store of accounts has only digests
    for (const secret of [announced.apiKey, announced.apiKeySecret, announced.adminToken]) {
      expect(state.join("")).not.toContain(secret)
    }
  })

  it("does not let a second one onto its folder", async () => {
    const { code, stdout } = await Children.run(["up", "--json", "--port", "0", "--data", folder.path])
    expect(code).toBe(1)
    const { url } = service.announcement
    expect(JSON.parse(stdout).error).toMatchObject({
      tag: "AlreadyRunningError",
      folder: folder.path,
      url,
      pid: service.pid
    })
    expect(await post("eth_chainId", [])).toMatchObject({ result: "0x7a69" })
  })

  it("does not start on a port that is busy, when that one was asked for", async () => {
    await using other = await Children.folder()
    const { port } = new URL(service.announcement.url)
    const { code, stdout } = await Children.run(["up", "--json", "--port", port, "--data", other.path])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({
      tag: "GatewayError",
      reason: { tag: "CannotListen", host: "127.0.0.1", port: Number(port), code: "EADDRINUSE" }
    })
  })
})

describe("the end of a service", () => {
  it("is in order at SIGTERM and SIGINT, and leaves no chain; the key stays, also after SIGKILL", async () => {
    await using folder = await Children.folder()
    const endings = [
      ["SIGTERM", 0],
      ["SIGKILL", null],
      ["SIGINT", 0]
    ] as const
    const keys = new Set<string>()
    for (const [signal, code] of endings) {
      const service = await up(folder.path)
      keys.add(`${service.announcement.apiKey}:${service.announcement.apiKeySecret}`)
      expect(service.chain).not.toEqual([])
      service.process.kill(signal)
      const ended = await service.ended
      expect([ended.code, ended.signal]).toEqual([code, code === null ? signal : null])
      // The output is one line, without anything that looks like a fault.
      expect(ended.stdout.split("\n")).toHaveLength(2)
      expect(ended.stderr).not.toMatch(/error|ERROR/)
      await Children.gone(service.chain)
      const record = JSON.parse(await readFile(`${folder.path}/service.json`, "utf8"))
      expect(record.apiKey).toBe(service.announcement.apiKey)
      expect(record.pid).toBe(code === null ? service.pid : null)
      expect(record.url).toBe(code === null ? service.announcement.url : null)
      const { stdout } = await Children.run(["block", "latest", "--json", "--data", folder.path])
      expect(JSON.parse(stdout).error).toMatchObject({
        tag: "NoServiceError",
        state: code === null ? "gone" : "stopped"
      })
    }
    expect(keys.size).toBe(1)
  })

  it("comes with the end of the package manager that runs it, which may be told alone", async () => {
    await using folder = await Children.folder()
    // The chain of processes of `npx pnpm start`: a package manager, a shell, the program.
    const script = `"${process.execPath}" "${Children.MAIN}" up --json --port 0 --data "${folder.path}"; :`
    const manager = Children.launch("/bin/sh", ["-c", '/bin/sh -c "$0"; :', script], {
      env: { npm_lifecycle_event: "start" },
      argv0: "npm"
    })
    await manager.firstLine
    const { pid } = JSON.parse(await readFile(`${folder.path}/service.json`, "utf8"))
    const chain = Children.childrenOf(pid)
    expect(chain).not.toEqual([])
    manager.process.kill("SIGKILL")
    await Children.gone([pid, ...chain])
    expect((await manager.ended).stderr).toContain("the package manager ended: stopping")
    expect(JSON.parse(await readFile(`${folder.path}/service.json`, "utf8")).pid).toBeNull()
  })

  it("does not come with the end of its chain, which is said and starts again", async () => {
    await using folder = await Children.folder()
    const service = await up(folder.path)
    for (const pid of service.chain) process.kill(pid, "SIGKILL")
    await service.said("the live chain ended, and starts again")
    await service.said("the live chain runs again")
    const { apiKey, url } = service.announcement
    const called = await fetch(`${url}/v3/${apiKey}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
    })
    expect(await called.json()).toMatchObject({ result: "0x7a69" })
    service.process.kill("SIGTERM")
    expect((await service.ended).code).toBe(0)
  })

  it("waits for a request that is being answered", async () => {
    await using folder = await Children.folder()
    const service = await up(folder.path)
    const { apiKey, url } = service.announcement
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] })
    const headers = { "content-type": "application/json", "content-length": body.length, expect: "100-continue" }
    const answer = Promise.withResolvers<IncomingMessage>()
    const asked = request(`${url}/v3/${apiKey}`, { method: "POST", headers }, answer.resolve).on("error", answer.reject)
    // waits until the server asks for the body: then it has accepted the request
    asked.flushHeaders()
    await once(asked, "continue")
    service.process.kill("SIGTERM")
    await service.said("stopping")
    asked.end(body)
    const response = await answer.promise
    expect(await json(response)).toEqual({ jsonrpc: "2.0", id: 1, result: "0x7a69" })
    expect((await service.ended).code).toBe(0)
  })
})

describe("the usual port", () => {
  it("is given up for another when it is busy and was not asked for, and that is said", async () => {
    const usual = createServer()
    // If another process already uses the port, the port is busy too.
    await new Promise<void>((resolve) => {
      usual.once("error", () => resolve())
      usual.listen(8645, "127.0.0.1", resolve)
    })
    await using folder = await Children.folder()
    const child = Children.start(["up", "--data", folder.path])
    await child.firstLine
    await child.said("port 8645 is busy")
    let text = ""
    await child.printed((stdout) => (text = stdout).includes("Ctrl-C stops it"))
    const [, url] = /address +(\S+)/u.exec(text) ?? []
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(url).not.toBe("http://127.0.0.1:8645")
    // the commands in the text can be pasted: they find the folder, and the new port of the service
    const [, next] = text.split("\nNext\n")
    const [block, variable, call, ...others] = next!.split("\n").filter((line) => line.startsWith("    "))
    expect(others).toEqual([])
    const run = (line: string) => {
      const [program, ...args] = line.trim().split(" ")
      expect(program).toBe(Invocation.words(Children.MAIN, {}, process.cwd()))
      return Children.run(args)
    }
    for (const [line, what] of [
      [block!, "Block 16"],
      [variable!, "totalSupply"]
    ] as const) {
      const { code, stdout } = await run(line)
      expect(code, line).toBe(0)
      expect(stdout).toContain(what)
      expect(stdout).toContain("VERIFIED")
    }
    expect(JSON.parse(execFileSync("sh", ["-c", call!], { encoding: "utf8" }))).toMatchObject({ result: "0x10" })
    child.process.kill("SIGTERM")
    expect((await child.ended).code).toBe(0)
    usual.close()
  })

  it("and everything else may follow `--`, as `pnpm start -- --port 0` passes it on", async () => {
    await using folder = await Children.folder()
    const child = Children.start(["up", "--", "--json", "--port", "0", "--data", folder.path])
    expect(JSON.parse(await child.firstLine).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u)
    child.process.kill("SIGTERM")
    expect((await child.ended).code).toBe(0)
  })
})

describe("a service that cannot start", () => {
  it("says that its record is damaged, and leaves it as it is", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/service.json`, '{"apiKey": "0123456789abcdef"')
    const { code, stdout } = await Children.run(["up", "--json", "--port", "0", "--data", folder.path])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({ tag: "DataError", problem: "Damaged" })
    expect(stdout).not.toContain("0123456789abcdef")
    expect(await readFile(`${folder.path}/service.json`, "utf8")).toBe('{"apiKey": "0123456789abcdef"')
  })

  it("says that its folder cannot be made", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/file`, "")
    const { code, stdout } = await Children.run(["up", "--json", "--port", "0", "--data", `${folder.path}/file/data`])
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({ tag: "DataError", problem: "Unwritable" })
  })
})

describe("a record of a service that is gone", () => {
  it("gives way, though another program answers at its URL", async () => {
    await using folder = await Children.folder()
    const first = await up(folder.path)
    first.process.kill("SIGKILL")
    await first.ended
    // A server of another program at the same port, which also answers `/health`.
    const heard: Array<string | undefined> = []
    const other = createServer((request, response) => {
      heard.push(request.url)
      response.end('{"status":"ok","networks":[]}')
    })
    await new Promise<void>((resolve, reject) => {
      other.once("error", reject)
      other.listen(Number(new URL(first.announcement.url).port), "127.0.0.1", resolve)
    })
    try {
      await Children.run(["block", "latest", "--json", "--data", folder.path])
      const second = await up(folder.path)
      expect(second.announcement.apiKey).toBe(first.announcement.apiKey)
      expect((other.address() as AddressInfo).port).not.toBe(Number(new URL(second.announcement.url).port))
      second.process.kill("SIGTERM")
      expect((await second.ended).code).toBe(0)
      // The command did not send the key to this server.
      expect(heard.join()).not.toContain(first.announcement.apiKey)
    } finally {
      other.close()
      other.closeAllConnections()
    }
  })
})

const viemTypes = { legacy: "legacy", accessList: "eip2930", dynamicFee: "eip1559", setCode: "eip7702" } as const
