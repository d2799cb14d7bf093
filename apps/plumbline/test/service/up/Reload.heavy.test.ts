/**
 * A configuration that is read again while the service runs: changes that take effect at once, changes that the service
 * reports as needing a restart, and connections that stay open.
 */
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import { createWalletClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"

import * as EarlySighup from "../../../src/home/EarlySighup.ts"
import * as Children from "../../support/Children.ts"
import * as Upped from "../../support/Upped.ts"

/** Starts a node that answers with its name. It answers `eth_call` only after the test calls `letGo`. */
const nodeOf = async (name: string) => {
  const waiting: Array<() => void> = []
  let calls = 0
  const answer = (response: ServerResponse, id: unknown) =>
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: `0x${Buffer.from(name).toString("hex")}` }))
  const server = createServer((request, response) => {
    request.setEncoding("utf8").once("data", (text: string) => {
      const { id, method } = JSON.parse(text)
      response.setHeader("content-type", "application/json")
      // the service asks for the chain id, and uses no node of another chain
      if (method === "eth_chainId") return void response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }))
      calls += 1
      if (method === "eth_call") waiting.push(() => answer(response, id))
      else answer(response, id)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/s3cret`,
    calls: () => calls,
    letGo: () => waiting.splice(0).forEach((go) => go()),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

const hex = (name: string): string => `0x${Buffer.from(name).toString("hex")}`

/** Opens a WebSocket. Each call returns its own answer, found by its id. */
const socketOf = async (url: string) => {
  const socket = new WebSocket(url)
  const answers = new Map<number, (answer: any) => void>()
  let last = 0
  let closed = false
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data))
    answers.get(answer.id)?.(answer)
  })
  socket.addEventListener("close", () => (closed = true))
  await once(socket, "open")
  return {
    call: (method: string, params: ReadonlyArray<unknown>) => {
      const id = ++last
      const answer = new Promise<any>((resolve) => answers.set(id, resolve))
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
      return answer
    },
    isClosed: () => closed,
    close: () => socket.close()
  }
}

/** The published key of anvil's first account, which is worth nothing. */
const KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

const CALL = ["eth_call", [{ to: `0x${"11".repeat(20)}` }, "latest"]] as const

describe("SIGHUP", { concurrent: false }, () => {
  it("changes networks under a WebSocket and a call in flight, which go on", async () => {
    await using folder = await Children.folder()
    await using first = await nodeOf("first")
    await using second = await nodeOf("second")
    const file = `${folder.path}/plumbline.yaml`
    const write = (text: string) => writeFile(file, text)
    const network = (url: string) =>
      `networks: { a: { chainId: 1, upstreams: [{ url: "${url}" }] } }\nipfs: { node: none }\n`
    await write(network(first.url))
    const service = await Upped.start(folder.path, ["--config", file])
    const { apiKey, wsUrl } = service.announcement
    expect(service.announcement).toMatchObject({ ipfsUrl: null, networks: [{ name: "a", chainId: 1 }] })

    const socket = await socketOf(`${wsUrl}/ws/v3/${apiKey}`)
    expect(await socket.call("eth_gasPrice", [])).toMatchObject({ result: hex("first") })
    const credits = async () => {
      const { rows } = await service.admin("GET", "/usage?window=15m")
      return rows
        .filter(({ method }: { method: string }) => method === "eth_gasPrice")
        .reduce((sum: number, row: { credits: number | string }) => sum + Number(row.credits), 0)
    }
    const before = await credits()
    const [overHttp, overSocket] = [service.call(...CALL), socket.call(...CALL)]
    while (first.calls() < 3) await new Promise((resolve) => setTimeout(resolve, 5))

    // changes the node, a price and a rule
    await write(`${network(second.url)}costs: { methods: { eth_gasPrice: 3 } }\npolicies: { card: { rpc: true } }\n`)
    service.process.kill("SIGHUP")
    // the names of what changed, and no value
    await service.said("was read again; changed: costs.methods, networks.a.upstreams[0].url, policies.card.rpc")
    expect((await service.call("eth_gasPrice", [])).body).toMatchObject({ result: hex("second") })
    expect(await socket.call("eth_gasPrice", [])).toMatchObject({ result: hex("second") })
    expect(socket.isClosed()).toBe(false)

    // calls in flight end on the nodes on which they began
    first.letGo()
    expect((await overHttp).body).toMatchObject({ result: hex("first") })
    expect(await overSocket).toMatchObject({ result: hex("first") })
    expect(socket.isClosed()).toBe(false)
    // two calls at the new price
    expect((await credits()) - before).toBe(6)

    // a wrong configuration changes nothing, and its mistake is reported without the value
    await write(network("ftp://s3cret"))
    service.process.kill("SIGHUP")
    await service.said("networks.a.upstreams[0].url  must be a URL")
    expect(await socket.call("eth_gasPrice", [])).toMatchObject({ result: hex("second") })

    // another chain under the same name is refused, because callers would get the answers of both
    await write(network(second.url).replace("chainId: 1", "chainId: 5"))
    service.process.kill("SIGHUP")
    await service.said("networks.a.chainId: was 1 and would be 5")
    expect(await socket.call("eth_gasPrice", [])).toMatchObject({ result: hex("second") })

    // a setting that needs a restart is named, and the other changes take effect
    await write(`${network(first.url)}server: { host: 0.0.0.0 }\nmetering: { gather: 5ms }\n`)
    service.process.kill("SIGHUP")
    await service.said("server.host, metering")
    expect(await socket.call("eth_gasPrice", [])).toMatchObject({ result: hex("first") })

    // a request to the admin API also makes the service read the configuration again
    await write(network(second.url))
    expect(await service.admin("POST", "/reload")).toMatchObject({ restart: [] })
    expect(await socket.call("eth_gasPrice", [])).toMatchObject({ result: hex("second") })
    expect(socket.isClosed()).toBe(false)
    socket.close()

    const ended = await service.stop()
    expect(ended.code).toBe(0)
    expect(ended.stdout + ended.stderr).not.toContain("s3cret")
  })

  it("adds and takes away networks, and the record follows; a chain of the service stays as it is", async () => {
    await using folder = await Children.folder()
    const file = `${folder.path}/plumbline.yaml`
    await writeFile(file, "networks: { live: { upstreams: [{ embedded: live }] } }\nipfs: { node: none }")
    const service = await Upped.start(folder.path, [], { PLUMBLINE_CONFIG: file })
    // Sends a transaction. A newly started chain would not have it.
    const { apiKey, url } = service.announcement
    const account = privateKeyToAccount(KEY)
    const wallet = createWalletClient({ account, transport: http(`${url}/v3/${apiKey}`) })
    const hash = await wallet.sendTransaction({ to: account.address, chain: null })
    const receipt = async () => (await service.call("eth_getTransactionReceipt", [hash])).body.result?.transactionHash
    while ((await receipt()) !== hash) await new Promise((resolve) => setTimeout(resolve, 20))
    const names = async () => {
      const { stdout } = await Children.run([
        "block",
        "latest",
        "--json",
        "--network",
        "nowhere",
        "--data",
        folder.path
      ])
      return JSON.parse(stdout).error.known
    }
    expect(await names()).toEqual(["live"])
    await writeFile(
      file,
      "networks: { main: { upstreams: [{ embedded: live }] }, old: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }"
    )
    service.process.kill("SIGHUP")
    await service.said("was read again; changed: networks.live, networks.main, networks.old")
    expect(await names()).toEqual(["main", "old"])
    expect(await receipt()).toBe(hash)
    await service.stop()
  })

  it("stops a chain that no network has any more, and starts it anew when one has it again", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "plumbline.yaml")
    const history = "history: { upstreams: [{ embedded: history }] }"
    const live = "live: { upstreams: [{ embedded: live }] }"
    await writeFile(file, `networks: { ${live}, ${history} }\nipfs: { node: none }`)
    const service = await Upped.start(folder.path, ["--config", file])
    const chains = Children.childrenOf(service.pid)
    expect(chains.length).toBeGreaterThan(0)
    await writeFile(file, `networks: { ${history} }\nipfs: { node: none }`)
    service.process.kill("SIGHUP")
    // the service stops the chain, and does not treat the end of the chain as a crash
    await Children.gone(chains)
    expect((await service.call("eth_chainId", [])).body.result).toBe("0x1e5b")
    await writeFile(file, `networks: { ${live}, ${history} }\nipfs: { node: none }`)
    service.process.kill("SIGHUP")
    let answer = ""
    while (answer !== "0x7a69") answer = (await service.call("eth_chainId", [])).body.result
    expect(Children.childrenOf(service.pid).length).toBeGreaterThan(0)
    expect(await service.stop()).toMatchObject({ code: 0 })
  })

  it("is kept from the first moment on, while the program is still loaded", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "plumbline.yaml")
    await writeFile(file, "networks: { history: { upstreams: [{ embedded: history }] } }\nipfs: { node: none }")
    const child = Children.start(["up", "--json", "--port", "0", "--data", folder.path, "--config", file])
    const status = `/proc/${child.process.pid}/status`
    // the mask of the signals that the process listens for; the lowest bit of the mask is SIGHUP
    while ((parseInt(/^SigCgt:.*(.)$/mu.exec(await readFile(status, "utf8"))?.[1] ?? "0", 16) & 1) === 0) {
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    child.process.kill("SIGHUP")
    await child.firstLine
    // a hangup from before the service was ready is handled as soon as the service is ready
    child.process.kill("SIGTERM")
    expect(await child.ended).toMatchObject({ code: 0 })
    expect(EarlySighup.isExpected(["up", "--config", "x"], {})).toBe(true)
    expect(EarlySighup.isExpected(["up", "--config=x"], {})).toBe(true)
    expect(EarlySighup.isExpected(["up"], { PLUMBLINE_CONFIG: "x" })).toBe(true)
    expect(EarlySighup.isExpected(["up"], {})).toBe(false)
    expect(EarlySighup.isExpected(["block", "latest"], { PLUMBLINE_CONFIG: "x" })).toBe(false)
  })

  it("takes no node from a call in flight, also where the service ends before it", async () => {
    await using folder = await Children.folder()
    await using first = await nodeOf("first")
    await using second = await nodeOf("second")
    const file = `${folder.path}/plumbline.yaml`
    const network = (url: string) =>
      `networks: { a: { chainId: 1, upstreams: [{ url: "${url}" }] } }\nipfs: { node: none }\n`
    await writeFile(file, network(first.url))
    const service = await Upped.start(folder.path, ["--config", file])
    const inFlight = service.call(...CALL)
    while (first.calls() < 1) await new Promise((resolve) => setTimeout(resolve, 5))
    await writeFile(file, network(second.url))
    service.process.kill("SIGHUP")
    await service.said("was read again; changed: networks.a.upstreams[0].url")
    const ended = service.stop()
    await service.said("SIGTERM: stopping")
    // waits until after the moment at which the service would close the removed node
    await new Promise((resolve) => setTimeout(resolve, 200))
    first.letGo()
    expect((await inFlight).body).toMatchObject({ result: hex("first") })
    expect((await ended).code).toBe(0)
  })

  it("ends a service that has no configuration, as it ends any program", async () => {
    await using folder = await Children.folder()
    const service = await Upped.start(folder.path)
    expect(await service.stop("SIGHUP")).toMatchObject({ code: null, signal: "SIGHUP" })
  })
})

describe("a configuration that cannot be used", () => {
  it("starts nothing, and every mistake is said", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/plumbline.yaml`, "server:\n  prot: 1\n")
    const args = ["up", "--json", "--data", `${folder.path}/data`, "--config", `${folder.path}/plumbline.yaml`]
    const { code, stdout } = await Children.run(args)
    expect(code).toBe(1)
    expect(JSON.parse(stdout).error).toMatchObject({
      tag: "ConfigError",
      mistakes: [{ path: "server.prot", problem: "no such setting; is port meant?", line: 2, column: 3 }]
    })
    const missing = await Children.run(["up", "--json", "--config", `${folder.path}/none.yaml`])
    expect(JSON.parse(missing.stdout).error).toMatchObject({
      tag: "DataError",
      problem: "Unreadable",
      detail: "ENOENT"
    })
  })

  it("gives way to flags, and to the environment", async () => {
    await using folder = await Children.folder()
    const file = `${folder.path}/plumbline.yaml`
    await writeFile(file, "server: { port: 1, host: 127.0.0.1 }\nstate: { folder: other }\nipfs: { node: none }\n")
    const service = await Upped.start(`${folder.path}/data`, ["--config", file], {
      PLUMBLINE_SERVER__HOST: "localhost"
    })
    expect(service.announcement.url).toMatch(/^http:\/\/localhost:\d+$/)
    await service.stop()
    const inFolder = await Upped.start(undefined, ["--config", file])
    expect(JSON.parse(await readFile(`${folder.path}/other/service.json`, "utf8")).pid).toBe(inFolder.pid)
    await inFolder.stop()
  })
})
