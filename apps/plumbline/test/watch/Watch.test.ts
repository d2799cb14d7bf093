/** `plumbline watch` as a process, with a light client, on a chain that mines and reorganises, with anvil as the oracle. */
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { assert, describe, expect, it } from "@effect/vitest"
import * as Random from "@plumbline/seeded/Random"

import * as Children from "../support/Children.ts"
import * as LiveBeacon from "../support/LiveBeacon.ts"
import * as Mortal from "../support/Mortal.ts"

/** A program behind a watch: it keeps what it was told, and drops a line whose cursor it knows already. */
class Reader {
  readonly logs = new Map<string, any>()
  readonly heads: Array<string> = []
  doubles = 0
  removed = 0
  #last = ""
  /** Takes the lines of one run. Only the first one may repeat the last one of the run before. */
  take(lines: ReadonlyArray<string>): void {
    for (const [at, line] of lines.entries()) {
      const { anchor, cursor, head, log, removed, verdict } = JSON.parse(line)
      assert.deepStrictEqual([verdict, anchor.kind], ["VERIFIED", "light-client"])
      assert.match(anchor.finality, /^(?:optimistic|finalized)$/u)
      if (line === this.#last) {
        assert.strictEqual(at, 0)
        this.doubles++
        continue
      }
      this.#last = line
      assert.strictEqual(cursor.watch, head === undefined ? "logs" : "heads")
      if (head !== undefined) {
        if (removed === true) assert.strictEqual(this.heads.pop(), head.hash)
        else {
          if (this.heads.length > 0) assert.strictEqual(head.parentHash, this.heads.at(-1))
          this.heads.push(head.hash)
        }
      } else if (removed === true) {
        const gone = [...this.logs].filter(([, { blockHash }]) => blockHash === log.blockHash)
        for (const [id] of gone) this.logs.delete(id)
      } else {
        const id = `${log.blockHash} ${log.logIndex}`
        assert.isFalse(this.logs.has(id), `told twice: ${id}`)
        this.logs.set(id, log)
      }
      if (removed === true) this.removed++
    }
  }
}

const linesOf = (stdout: string): ReadonlyArray<string> => stdout.split("\n").slice(0, -1)

const kill = async ({ ended, process }: Children.Running, signal: NodeJS.Signals): Promise<Children.Ended> => {
  process.kill(signal)
  return ended
}

/** Answers each call of a packet with an error. */
const errorOf =
  (code: number, message: string) =>
  (packet: any): LiveBeacon.Fault => {
    const one = ({ id }: any) => ({ jsonrpc: "2.0", id, error: { code, message } })
    return {
      status: 200,
      body: JSON.stringify(Array.isArray(packet) ? packet.map(one) : one(packet)),
      headers: { "content-type": "application/json" }
    }
  }

/** True if standard output tells something of each of these blocks. A line names other blocks too: anchor and cursor. */
const tells =
  (...blocks: ReadonlyArray<string>) =>
  (stdout: string): boolean => {
    const told = new Set(
      linesOf(stdout).map((line) => {
        const { head, log } = JSON.parse(line)
        return head?.hash ?? log?.blockHash
      })
    )
    return blocks.every((hash) => told.has(hash))
  }

describe("a watch as a process", () => {
  it("loses no log and tells none twice over kills at any moment and a reorganisation", async () => {
    await using chain = await LiveBeacon.start()
    const random = Random.make(3)
    const file = path.join(chain.folder, "cursor.json")
    const from = `0x${(BigInt(await chain.ask("eth_blockNumber")) + 1n).toString(16)}`
    const args = [
      "watch",
      "logs",
      "--json",
      "--address",
      chain.token,
      "--from",
      from,
      "--cursor",
      file,
      "--poll",
      "0.1"
    ]
    const reader = new Reader()
    let units = 1
    for (let round = Math.max(2, Random.sized(6)); round > 0; round--) {
      const child = Children.start([...args, ...chain.flags])
      for (let sent = 0; sent < 3; sent++) await chain.transfer(units++)
      // the process is killed while it starts, while it prints, and while it waits
      const most = 1 + Random.int(random, 3)
      await child.printed((stdout) => linesOf(stdout).length >= most)
      const { stdout } = await kill(child, "SIGKILL")
      reader.take(linesOf(stdout))
    }
    const snapshot = await chain.ask("evm_snapshot")
    const gone = [await chain.transfer(units++), await chain.transfer(units++)]
    const child = Children.start([...args, ...chain.flags])
    await child.printed(tells(...gone.map(({ blockHash }) => blockHash)))
    // two blocks leave the chain, and others come in their place
    await chain.ask("evm_revert", [snapshot])
    for (let sent = 0; sent < 4; sent++) await chain.transfer(1000 + units++)
    const wanted = await chain.logs(from)
    await child.printed(tells(...wanted.slice(-4).map(({ blockHash }) => blockHash)))
    const { code, stderr, stdout } = await kill(child, "SIGTERM")
    expect(code).toBe(0)
    // anvil forgets the block that the light client still names
    const [begun, ...notices] = linesOf(stderr)
    expect(begun).toMatch(/^watches chain 31337 up to its latest block, on from block \d+: logs of \{"address":\["0x/u)
    for (const line of notices) expect(line).toMatch(/^waits: /u)
    reader.take(linesOf(stdout))
    const idOf = ({ blockHash, logIndex }: any): string => `${blockHash} ${BigInt(logIndex)}`
    expect([...reader.logs.values()].map(idOf)).toEqual(wanted.map(idOf))
    expect(reader.removed).toBe(2)
    // after a clean end nothing is repeated
    const { line, watch } = JSON.parse(readFileSync(file, "utf8"))
    expect([line, watch]).toEqual([undefined, "logs"])
  })

  it("tells each head once over kills, goes on over outages, and says so", async () => {
    await using chain = await LiveBeacon.start()
    const file = path.join(chain.folder, "cursor.json")
    const args = ["watch", "heads", "--json", "--cursor", file, "--poll", "0.1", "--retries", "1", ...chain.flags]
    const reader = new Reader()
    const first = Children.start(args)
    await first.firstLine
    await chain.transfer(1)
    const second = await chain.transfer(2)
    await first.printed(tells(second.blockHash))
    reader.take(linesOf((await kill(first, "SIGKILL")).stdout))
    for (let sent = 0; sent < 3; sent++) await chain.transfer(10 + sent)
    const child = Children.start(args)
    await child.firstLine
    await chain.node.die()
    await child.said("the node does not answer")
    const newest = await chain.transfer(20)
    await chain.node.revive()
    await child.said("the node answers again")
    await child.printed(tells(newest.blockHash))
    const { code, stderr, stdout } = await kill(child, "SIGINT")
    expect(code).toBe(0)
    const [begun, ...notices] = linesOf(stderr)
    expect(begun).toMatch(/^watches chain 31337 up to its latest block, on from block \d+: blocks$/u)
    expect(notices).toHaveLength(2)
    reader.take(linesOf(stdout))
    const numberOf = (hash: string): Promise<any> => chain.ask("eth_getBlockByHash", [hash, false])
    const wanted = [(await numberOf(reader.heads[0]!)).number]
    while (BigInt(wanted.at(-1)) < BigInt(newest.blockNumber))
      wanted.push(`0x${(BigInt(wanted.at(-1)) + 1n).toString(16)}`)
    const hashes = await Promise.all(
      wanted.map(async (number) => (await chain.ask("eth_getBlockByNumber", [number, false])).hash)
    )
    expect(reader.heads).toEqual(hashes)
    expect(hashes.length).toBeGreaterThan(6)
  })

  it("goes on over every failure that can pass, says each, and ends when the node refuses for good", async () => {
    await using chain = await LiveBeacon.start()
    const args = ["watch", "heads", "--json", "--poll", "0.1", "--retries", "0", ...chain.flags]
    const child = Children.start(args)
    await child.firstLine
    const faults: ReadonlyArray<readonly [string, (packet: any) => LiveBeacon.Fault]> = [
      ["internal error", errorOf(-32_603, "internal error")],
      ["header not found", errorOf(-32_000, "header not found")],
      ["HTTP status 500", () => ({ status: 500, body: "" })],
      ["not JSON", () => ({ status: 200, body: "<html>Sorry</html>", headers: { "content-type": "text/html" } })],
      ["HTTP status 429", () => ({ status: 429, body: "", headers: { "retry-after": "0" } })]
    ]
    for (const [at, [text, fault]] of faults.entries()) {
      chain.fault.of = fault
      await child.said(text)
      delete chain.fault.of
      const { blockHash } = await chain.transfer(at + 1)
      await child.printed(tells(blockHash))
    }
    const endings: ReadonlyArray<readonly [string, (packet: any) => LiveBeacon.Fault]> = [
      ["401", () => ({ status: 401, body: "" })],
      ["403", () => ({ status: 403, body: "" })],
      ["-32601", errorOf(-32_601, "no such method")]
    ]
    for (const [at, [text, fault]] of endings.entries()) {
      const ending = at === 0 ? child : Children.start(args)
      await ending.firstLine
      chain.fault.of = fault
      const { code, stderr, stdout } = await ending.ended
      delete chain.fault.of
      expect([code, linesOf(stdout).at(-1)]).toEqual([1, expect.stringContaining(text)])
      const outages = at === 0 ? faults.length : 0
      expect(stderr.match(/the node does not answer/gu) ?? []).toHaveLength(outages)
      expect(stderr.match(/the node answers again/gu) ?? []).toHaveLength(outages)
    }
  })

  it("warns of a --from above the head, and prints a log's transaction and data apart from its topics", async () => {
    await using chain = await LiveBeacon.start()
    const at = BigInt(await chain.ask("eth_blockNumber")) + 2n
    const child = Children.start(["watch", "logs", "--poll", "0.1", "--from", at.toString(), ...chain.flags])
    await child.said(`from block ${at}: logs of {}`)
    await chain.transfer(1)
    const { blockNumber, logs, transactionHash } = await chain.transfer(2)
    expect(BigInt(blockNumber)).toBe(at)
    const text = await child.firstLine
    const { code, stderr } = await kill(child, "SIGTERM")
    expect([code, stderr]).toEqual([0, expect.stringContaining(`--from ${at} is above the latest block`)])
    const [log] = logs
    expect(text).toContain(`  transaction ${transactionHash}  `)
    expect(text).toContain(`  ${log.topics.at(-1)}  data 0x`)
  })

  it("warns of a cursor above the head, and of none that the chain has reached", async () => {
    await using chain = await LiveBeacon.start()
    const file = path.join(chain.folder, "cursor.json")
    const args = ["watch", "heads", "--json", "--cursor", file, "--poll", "0.1", ...chain.flags]
    const newest = Number(await chain.ask("eth_blockNumber"))
    const stderrOf = async (ahead: number) => {
      const hash = `0x${"11".repeat(32)}`
      const blocks = ahead === 0 ? [] : [{ number: newest + ahead, hash, told: 1, whole: true }]
      writeFileSync(
        file,
        JSON.stringify({ watch: "heads", chain: "31337", place: { from: newest, parent: null, blocks } })
      )
      const child = Children.start(args)
      if (ahead === 0) await child.firstLine
      else await child.said("to begin anew")
      return (await kill(child, "SIGTERM")).stderr
    }
    const told = await stderrOf(1000)
    expect(told).toContain(`--cursor: its block, ${newest + 1000}, is above the latest block, ${newest}: `)
    expect(told).toContain(`delete ${file} to begin anew`)
    expect(await stderrOf(0)).not.toContain("--cursor")
  })

  it("does not promise to ask again if the node cannot be reached at the start", async () => {
    await using chain = await LiveBeacon.start()
    await chain.node.die()
    const { code, stderr } = await Children.run(["watch", "heads", "--retries", "0", ...chain.flags])
    expect([code, stderr]).toEqual([1, expect.not.stringContaining("sking again")])
  })

  it("names a service or network that is not there before it speaks of trust", async () => {
    await using folder = await Children.folder()
    const watch = await Children.run(["watch", "heads", "--data", folder.path])
    const block = await Children.run(["block", "latest", "--data", folder.path])
    expect([watch.code, watch.stderr]).toEqual([block.code, block.stderr])
    expect(watch.stderr).not.toContain("trust that moves")
  })

  it("repairs logs that the node leaves out and says so, and ends with code 2 for a forged receipt", async () => {
    await using chain = await LiveBeacon.start()
    const args = ["watch", "logs", "--json", "--address", chain.token, "--poll", "0.1", ...chain.flags]
    chain.lies.set("eth_getLogs", () => [])
    const child = Children.start([...args, "--from", "0"])
    const { blockHash } = await chain.transfer(5)
    await child.printed(tells(blockHash))
    await child.said("up to block")
    chain.lies.set("eth_getBlockReceipts", (receipts) =>
      receipts.map((receipt: any) => ({ ...receipt, logs: receipt.logs.map((log: any) => ({ ...log, data: "0x" })) }))
    )
    await chain.transfer(6)
    const { code, stdout } = await child.ended
    expect(code).toBe(2)
    const last = JSON.parse(linesOf(stdout).at(-1)!)
    expect([last.verdict, last.value, typeof last.refuted.check]).toEqual(["REFUTED", null, "string"])
  })

  it("ends on a signal although its reader has stopped reading, and loses no head by that", async () => {
    await using chain = await LiveBeacon.start()
    // a line has 2 kB or more, so these are more than a pipe holds
    await chain.ask("anvil_mine", ["0xdc"])
    const { blockHash } = await chain.transfer(1)
    const file = path.join(chain.folder, "cursor.json")
    const args = ["watch", "heads", "--json", "--cursor", file, "--poll", "0.1", "--from", "0", ...chain.flags]
    const child = Children.start(args, {}, { reads: false })
    const stuck = async (before = ""): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const now = existsSync(file) ? readFileSync(file, "utf8") : ""
      // a line that waits for its reader, after others
      const { line, place } = now === "" ? {} : JSON.parse(now)
      if (line === undefined || place.blocks.at(-1).number < 5 || now !== before) await stuck(now)
    }
    await stuck()
    child.process.kill("SIGTERM")
    await once(child.process, "exit")
    child.process.stdout!.resume()
    const { code, stderr, stdout } = await child.ended
    expect([code, stderr]).toEqual([0, "watches chain 31337 up to its latest block, from block 0: blocks\n"])
    const reader = new Reader()
    reader.take(linesOf(stdout))
    expect(reader.heads.length).toBeGreaterThan(1)
    expect(reader.heads).not.toContain(blockHash)
    const next = Children.start(args)
    await next.printed(tells(blockHash))
    reader.take(linesOf((await kill(next, "SIGTERM")).stdout))
    expect(reader.heads.length).toBe(Number(await chain.ask("eth_blockNumber")) + 1)
  })

  it("ends without a word when its reader does, also in text, and tells that reader's last line again", async () => {
    await using chain = await LiveBeacon.start()
    const file = path.join(chain.folder, "cursor.json")
    const watch = ["watch", "heads", "--poll", "0.1", "--from", "0", ...chain.flags]
    // a watch meets the closed pipe with its next line, and may have told all blocks of a chain before `head` ends
    using _mining = setInterval(() => void chain.ask("anvil_mine").catch(() => undefined), 500)
    const headOf = (command: ReadonlyArray<string>) =>
      Children.launch("sh", ["-c", '"$@" | head -1', "sh", process.execPath, Children.MAIN, ...command], { env: {} })
    const text = await headOf(watch).ended
    expect([linesOf(text.stderr).length, linesOf(text.stdout).length]).toEqual([1, 1])
    const args = [...watch, "--json", "--cursor", file]
    const { stderr, stdout } = await headOf(args).ended
    expect([linesOf(stderr).length, linesOf(stdout).length]).toEqual([1, 1])
    // what the system took from the watch is printed, even if its reader did not read it
    const { line, place } = JSON.parse(readFileSync(file, "utf8"))
    const next = Children.start(args)
    const told = JSON.parse(await next.firstLine)
    await kill(next, "SIGTERM")
    if (line === undefined) assert.strictEqual(BigInt(told.head.number), BigInt(place.blocks.at(-1).number) + 1n)
    else assert.deepEqual(told, { ...line, cursor: { watch: "heads", chain: "31337", place } })
  })

  it("keeps its cursor file from a second watch, and takes over that of a killed one", async () => {
    await using chain = await LiveBeacon.start()
    const file = path.join(chain.folder, "cursor.json")
    const args = ["watch", "heads", "--json", "--cursor", file, "--poll", "0.1", ...chain.flags]
    const first = Children.start(args)
    await first.firstLine
    const { code, stdout } = await Children.run(args)
    const { error } = JSON.parse(stdout)
    expect([code, error.tag, error.pid]).toEqual([1, "CursorInUseError", first.process.pid])
    expect(error.message).toContain("--cursor")
    await kill(first, "SIGKILL")
    const second = Children.start(args)
    await chain.transfer(1)
    await second.firstLine
    expect((await kill(second, "SIGTERM")).code).toBe(0)
  })

  it("ends at once over a node of another chain alone, and leaves it out beside others, with both chain ids", async () => {
    await using chain = await LiveBeacon.start()
    const [, url, ...others] = chain.flags
    chain.lies.set("eth_chainId", () => "0xa")
    const other = "the node is of chain 10, and the trust of the watch is of chain 31337"
    const args = ["watch", "heads", "--json", "--poll", "0.1", "--from", "0", ...others]
    const alone = await Children.run([...args, "--url", url!])
    const { error } = JSON.parse(linesOf(alone.stdout).at(-1)!)
    expect([alone.code, error.message]).toEqual([1, expect.stringContaining(other)])
    expect(error.message).toContain("Name a node of chain 31337 with --url")
    const named = `${new URL(url!).origin} fails: `
    for (const urls of [
      [url!, chain.honest],
      [chain.honest, url!]
    ]) {
      const child = Children.start([...args, ...urls.flatMap((each) => ["--url", each])])
      await child.said(other)
      await child.printed(tells((await chain.transfer(1)).blockHash))
      const { code, stderr } = await kill(child, "SIGTERM")
      expect([code, linesOf(stderr).filter((line) => line.startsWith(named))]).toEqual([
        0,
        [expect.stringContaining(other)]
      ])
    }
    // a node that does not tell its chain is read, because its answers are proven
    chain.lies.set("eth_chainId", () => {
      throw new Error("not here")
    })
    const untold = Children.start([...args, "--url", url!, "--url", "http://127.0.0.1:1"])
    await untold.firstLine
    expect((await kill(untold, "SIGTERM")).stderr).not.toContain(named)
  })

  it("names each of several nodes when it begins to fail and when it answers again, once, and ends if all refuse", async () => {
    await using chain = await LiveBeacon.start()
    const [, url, ...others] = chain.flags
    const key = "0123456789abcdef0123456789abcdef"
    await using refusing = await Mortal.serve((_, response) => void response.writeHead(401).end())
    const name = new URL(url!).origin
    const urls = ["--url", `${refusing.url}/v3/${key}`, "--url", `${url}/v3/${key}`]
    const child = Children.start(["watch", "heads", "--json", "--poll", "0.1", ...others, ...urls])
    await child.firstLine
    await chain.node.die()
    await child.said("no node of --url answers. Asking again")
    const { blockHash } = await chain.transfer(1)
    await chain.node.revive()
    await child.printed(tells(blockHash))
    await child.said("the watch goes on")
    chain.fault.of = () => ({ status: 403, body: "" })
    const { code, stderr, stdout } = await child.ended
    expect([code, JSON.parse(linesOf(stdout).at(-1)!).error.tag]).toEqual([1, "JsonRpcError"])
    const of = (node: string) => linesOf(stderr).filter((line) => line.startsWith(node))
    expect(of(refusing.url)).toEqual([expect.stringContaining("fails: eth_")])
    expect(of(name).map((line) => /fails|answers again/u.exec(line)?.[0])).toEqual(["fails", "answers again", "fails"])
    expect(stderr).not.toContain(key)
  })

  it("leaves a node that lies and a dead one for the next, says so, and ends when all lie", async () => {
    await using chain = await LiveBeacon.start()
    const [, url, ...others] = chain.flags
    const key = "0123456789abcdef0123456789abcdef"
    const lying = `${url}/v3/${key}`
    for (const by of ["Number", "Hash"]) {
      chain.lies.set(`eth_getBlockBy${by}`, (block) => (block === null ? null : { ...block, gasUsed: "0x1" }))
    }
    const args = ["watch", "heads", "--json", "--poll", "0.1", ...others, "--url", lying]
    const child = Children.start([...args, "--url", "http://127.0.0.1:1", "--url", chain.honest])
    await child.firstLine
    for (const units of [1, 2, 3]) await child.printed(tells((await chain.transfer(units)).blockHash))
    const { code, stderr, stdout } = await kill(child, "SIGTERM")
    expect(code).toBe(0)
    new Reader().take(linesOf(stdout))
    const told = linesOf(stderr).filter((line) => line.includes(" lies"))
    // on a slow machine its rest may end, and it lies again
    expect([...new Set(told)]).toEqual([`header hash: ${new URL(lying).origin} lies, and is asked last for a time`])
    expect(stderr).not.toContain(key)
    expect(stderr.match(/^http:\/\/127\.0\.0\.1:1 fails: eth_/gmu)).toHaveLength(1)
    expect(stderr).not.toContain("no node of --url answers")
    const alone = await Children.run([...args, "--url", lying])
    expect([alone.code, JSON.parse(linesOf(alone.stdout).at(-1)!).refuted.check]).toEqual([2, "header hash"])
  })
})
