/**
 * `plumbline prove`, `publish` and `verify`: a proof is made from a node's answers, stored as a file, checked without
 * any network, published on IPFS and fetched again.
 */
import { execFileSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Address, Hash32 } from "@plumbline/codec"
import { HistoryChain, PreparedState } from "@plumbline/devnet"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Cid } from "@plumbline/ipfs-client"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { BundleIpfs, ProofBundle } from "@plumbline/proof-bundle"
import { Effect, Layer, Result } from "effect"
import * as viem from "viem"

import * as BundleView from "../../src/bundle/BundleView.ts"
import * as Style from "../../src/terminal/Style.ts"
import * as Devnet from "../support/Devnet.ts"
import * as HistoryNode from "../support/HistoryNode.ts"
import * as Ipfs from "../support/Ipfs.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const node = HistoryNode.lyingNode()
const anvil = Devnet.lyingNode()
const ipfs = Ipfs.service()

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "plumbline-test-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The system's command that makes a pipe. */
const MAKE_PIPE = "mkfifo"

let files = 0
const fresh = () => path.join(folder, `${files++}.car`)

const { cabinet, token } = HistoryChain.contracts
const { hash: head } = HistoryChain.head
const trusted = Hash32.fromHexUnsafe(head)
const layoutOf = (contract: PreparedState.PreparedContract) => fileURLToPath(PreparedState.layoutFile(contract))
const holder = HistoryChain.accounts[0]!.address
const paths = ["totalSupply", `balanceOf[${holder}]`]

const prove = (output: string, args: ReadonlyArray<string> = ["--trust", head], url = node().url) =>
  RunCli.json(["prove", token.address, ...paths, "--layout", layoutOf(token), "-o", output, ...args, "--url", url])

/** Verifies a bundle without a node: the flags name no node, and no service runs from this folder. */
const verify = (bundle: string, ...args: ReadonlyArray<string>) =>
  RunCli.json(["verify", bundle, "--data", folder, ...args])

describe("prove", () => {
  it("writes what `verify` reads without any network: the values that `read` answers with", async () => {
    const file = fresh()
    const made = await prove(file)
    expect(made.exitCode).toBe(0)
    expect(made.answer).toMatchObject({ verdict: "VERIFIED", anchor: { kind: "block", hash: head }, claimed: [] })
    const read = await RunCli.json([
      "read",
      token.address,
      ...paths,
      "--layout",
      layoutOf(token),
      "--trust",
      head,
      "--url",
      node().url
    ])
    expect(made.answer.value).toEqual(read.answer.value)
    expect(made.answer.block).toEqual(read.answer.block)
    const bytes = await readFile(file)
    expect(made.answer.bundle).toMatchObject({ file, bytes: bytes.length, accounts: [token.address] })

    const checked = await verify(file, "--trust", head, "--layout", layoutOf(token), ...paths)
    expect(checked.exitCode).toBe(0)
    expect(checked.answer).toMatchObject({
      verdict: "VERIFIED",
      value: read.answer.value,
      block: read.answer.block,
      anchor: { kind: "block", hash: head },
      claimed: []
    })
    const root = Cid.fromTextUnsafe(made.answer.bundle.root)
    expect([root.code, viem.bytesToHex(root.multihash.digest)]).toEqual([0x90, head])
  })

  it("writes the same bytes every time, and over a file only when told to", async () => {
    const file = fresh()
    await prove(file)
    const before = await readFile(file)
    const refused = await prove(file)
    expect(refused).toMatchObject({ exitCode: 1, answer: { error: { tag: "AlreadyExistsError" } } })
    const again = await prove(file, ["--trust", head, "--force"])
    expect(again.exitCode).toBe(0)
    expect((await readFile(file)).equals(before)).toBe(true)
  })

  it("is CLAIMED where the node alone says which block it is, and proves the same", async () => {
    const [claimed, verified] = [fresh(), fresh()]
    const made = await prove(claimed, [])
    expect(made).toMatchObject({ exitCode: 0, answer: { verdict: "CLAIMED", anchor: null } })
    await prove(verified)
    expect((await readFile(claimed)).equals(await readFile(verified))).toBe(true)
    expect((await verify(claimed, "--trust", head)).answer.verdict).toBe("VERIFIED")
  })

  it("proves every variable of a contract, at an older block, on anvil too", async () => {
    const file = fresh()
    const { number } = HistoryChain.head
    const made = await RunCli.json([
      "prove",
      cabinet.address,
      "--layout",
      layoutOf(cabinet),
      "-o",
      file,
      "--code",
      "--block",
      String(number - 1),
      "--trust",
      head,
      "--url",
      node().url
    ])
    expect(made).toMatchObject({ exitCode: 0, answer: { verdict: "VERIFIED", anchor: { hash: head } } })
    const older = HistoryChain.blocks[number - 1]!.hash
    const checked = await verify(file, "--trust", older, "--layout", layoutOf(cabinet))
    expect(checked).toMatchObject({ exitCode: 0, answer: { verdict: "VERIFIED" } })
    expect(checked.answer.value).toEqual(made.answer.value)
    expect(Object.keys(checked.answer.value).length).toBeGreaterThan(10)

    const live = fresh()
    const onAnvil = await RunCli.json([
      "prove",
      PreparedState.contracts.cabinet.address,
      "--layout",
      layoutOf(cabinet),
      "-o",
      live,
      "--trust",
      PreparedState.head.hash,
      "--url",
      anvil().url
    ])
    expect(onAnvil).toMatchObject({ exitCode: 0, answer: { verdict: "VERIFIED" } })
    const there = await verify(live, "--trust", PreparedState.head.hash, "--layout", layoutOf(cabinet))
    expect(there.answer).toMatchObject({ verdict: "VERIFIED", value: onAnvil.answer.value })
  })

  it("refutes a node that lies, and writes nothing", async () => {
    const file = fresh()
    const url = node().telling({
      method: "eth_getProof",
      change: (proof: any) => ({
        ...proof,
        storageProof: proof.storageProof.map((one: any) => ({ ...one, value: "0x1" }))
      })
    })
    const made = await prove(file, ["--trust", head], url)
    expect(made).toMatchObject({ exitCode: 2, answer: { verdict: "REFUTED", anchor: { hash: head } } })
    await expect(readFile(file)).rejects.toThrow("ENOENT")
  })
})

describe("verify", () => {
  it("says what is in a bundle", async () => {
    const file = fresh()
    await prove(file)
    const { answer, exitCode } = await verify(file, "--trust", head)
    expect(exitCode).toBe(0)
    expect(answer).toMatchObject({
      verdict: "VERIFIED",
      value: { accounts: [token.address], bytes: (await readFile(file)).length },
      anchor: { kind: "block", hash: head }
    })
    const text = await RunCli.run(["verify", file, "--trust", head])
    expect(text.stdout).toContain(`VERIFIED  against block hash ${head}`)
    expect(text.stdout).toContain("eth-storage-trie")
  })

  it("is REFUTED after any change, of another block, and of no bundle", async () => {
    const file = fresh()
    await prove(file)
    const bytes = await readFile(file)
    const changed = fresh()
    for (let at = 0; at < bytes.length; at += 97) {
      const copy = Buffer.from(bytes)
      copy[at]! ^= 0x10
      await writeFile(changed, copy)
      const { answer, exitCode } = await verify(changed, "--trust", head)
      expect([at, exitCode, answer.verdict, answer.anchor.hash]).toEqual([at, 2, "REFUTED", head])
    }
    const other = HistoryChain.blocks[3]!.hash
    expect(await verify(file, "--trust", other)).toMatchObject({
      exitCode: 2,
      answer: { verdict: "REFUTED", refuted: { check: "root CID" } }
    })
    await writeFile(changed, "no bundle")
    expect(await verify(changed, "--trust", head)).toMatchObject({
      exitCode: 2,
      answer: { verdict: "REFUTED", refuted: { check: "bundle" } }
    })
  })

  it("says what is refuted: the bundle, or the answer of the node that it came from", async () => {
    const file = fresh()
    await prove(file)
    const refuted = await RunCli.run(["verify", file, "--trust", HistoryChain.blocks[3]!.hash])
    expect(refuted.stdout.split("\n")[0]).toBe(
      `REFUTED  the bundle is not true against block hash ${HistoryChain.blocks[3]!.hash}`
    )
    await using liar = await Servers.serve((_, response) => response.end("other bytes than were asked for"))
    const cid = Cid.toText(Cid.make(0x90, 0x1b, viem.hexToBytes(head)))
    const fetched = await RunCli.run(["verify", cid, "--trust", head, "--url", liar.url])
    expect(fetched.stdout.split("\n")[0]).toBe(`REFUTED  the node's answer is not true against block hash ${head}`)
  })

  it.skipIf(process.platform === "win32")("reads a pipe like a file, and not more than a bundle may have", async () => {
    const [file, pipe] = [fresh(), fresh()]
    await prove(file)
    execFileSync(MAKE_PIPE, [pipe])
    const writing = writeFile(pipe, await readFile(file))
    const { answer, exitCode } = await verify(pipe, "--trust", head)
    await writing
    expect([exitCode, answer.verdict]).toEqual([0, "VERIFIED"])
    const endless = await verify("/dev/zero", "--trust", head)
    expect(endless).toMatchObject({ exitCode: 1, answer: { error: { tag: "DataError", problem: "Unreadable" } } })
    expect(endless.answer.error.detail).toContain("more than a bundle may have")
    const nothing = await verify("/dev/null", "--trust", head)
    expect(nothing).toMatchObject({ exitCode: 2, answer: { verdict: "REFUTED", refuted: { check: "bundle" } } })
    const noFile = await verify(folder, "--trust", head)
    expect(noFile).toMatchObject({ exitCode: 1, answer: { error: { tag: "DataError", problem: "Unreadable" } } })
  })

  it("names a few of the accounts where it must be told which is meant", async () => {
    const accounts = HistoryChain.accounts.map(({ address }) => ({ address: Address.fromHexUnsafe(address) }))
    const eth = VerdictEthClient.layer().pipe(
      Layer.provide([HttpTransport.layer({ url: node().url }), TrustedBlock.layerNone()])
    )
    const making = ProofBundle.make({ block: trusted, accounts })
    const { value: bundle } = await Effect.runPromise(Effect.provide(making, eth))
    const file = fresh()
    await writeFile(file, ProofBundle.encode(bundle))
    const asked = await verify(file, "--trust", head, "--layout", layoutOf(token), "totalSupply")
    expect(asked).toMatchObject({ exitCode: 1, answer: { error: { tag: "UsageError" } } })
    expect(asked.answer.error.message).toMatch(
      /^--address must name the contract.*(?:0x\w{40}, ){7}0x\w{40} and others$/u
    )

    const crowd = { ...bundle, accounts: Array.from({ length: 5 }, () => bundle.accounts).flat() }
    const lines = BundleView.whole(crowd, Style.plain)
    expect(lines.filter((line) => /^ {2}account /u.test(line))).toHaveLength(32)
    expect(lines.join("\n")).toContain(`${crowd.accounts.length - 32} more, all with --json`)
  })

  it("names what a bundle does not hold, and does not take it for zero", async () => {
    const file = fresh()
    await prove(file)
    const { answer, exitCode } = await verify(
      file,
      "--trust",
      head,
      "--layout",
      layoutOf(token),
      `balanceOf[${HistoryChain.accounts[1]!.address}]`
    )
    expect(exitCode).toBe(1)
    expect(answer.error.tag).toBe("NotInBundleError")
    expect(answer.error.missing).toMatch(/^node of a storage trie bagm/)
    const stranger = await verify(
      file,
      "--trust",
      head,
      "--layout",
      layoutOf(token),
      "--address",
      cabinet.address,
      "totalSupply"
    )
    expect(stranger).toMatchObject({ exitCode: 1, answer: { error: { tag: "NotInBundleError" } } })
  })

  it("reads without paths all that a bundle has of the layout, and says what it has not", async () => {
    const file = fresh()
    await prove(file)
    const { answer, exitCode } = await verify(file, "--trust", head, "--layout", layoutOf(token))
    expect(exitCode).toBe(0)
    expect(answer.verdict).toBe("VERIFIED")
    expect(answer.value).toHaveProperty("totalSupply")
    expect(answer.missing.length).toBeGreaterThan(0)
    for (const path of answer.missing) expect(answer.value).not.toHaveProperty(path)
    const text = await RunCli.run(["verify", file, "--trust", head, "--layout", layoutOf(token)])
    expect(text.stdout).toContain(answer.missing[0])
  })

  it("names entries of mappings without being told the keys, and shows words without a name as they are", async () => {
    const file = fresh()
    const made = await prove(file)
    const entry = `balanceOf[${holder.toLowerCase()}]`
    const { answer } = await verify(file, "--trust", head, "--layout", layoutOf(token))
    expect(answer.value[entry]).toBe(made.answer.value[`balanceOf[${holder}]`])
    expect(answer.proven.join()).toContain("the keys of mappings that the bundle names")

    // viem computes the entry's slot, which is the hash of the preimage and is in the preimage's CID
    const opened = Result.getOrThrow(ProofBundle.open(await readFile(file), trusted))
    const places = await RunCli.json(["slots", entry, "--layout", layoutOf(token)])
    const { slot } = places.answer.value[entry]
    expect(opened.preimages.map((bytes) => viem.keccak256(bytes))).toEqual([slot])

    // A bundle without the preimage, as older versions made it, and a layout without the mapping.
    const bare = fresh()
    const rest = opened.blocks.filter(({ bytes }) => viem.keccak256(bytes) !== slot)
    await writeFile(bare, ProofBundle.encode(Result.getOrThrow(ProofBundle.fromBlocks(trusted, rest))))
    const old = await verify(bare, "--trust", head, "--layout", layoutOf(token))
    expect(old.exitCode).toBe(0)
    expect(old.answer.value).not.toHaveProperty([entry])
    const word = viem.numberToHex(BigInt(made.answer.value[`balanceOf[${holder}]`]), { size: 32 })
    expect(old.answer.unnamed).toContainEqual({ slot: null, slotHash: viem.keccak256(slot), word })
    const text = await RunCli.run(["verify", bare, "--trust", head, "--layout", layoutOf(token)])
    expect(text.stdout).toContain(`a slot whose hash is ${viem.keccak256(slot)}\n      ${word}`)

    const other = await verify(file, "--trust", head, "--layout", layoutOf(cabinet))
    expect(other.answer.unnamed).toContainEqual({ slot, slotHash: viem.keccak256(slot), word })
  })

  it("wants a hash, a file that is there, and a layout for paths", async () => {
    for (const args of [
      ["verify", "nothing.car"],
      ["verify", "nothing.car", "--trust", "0x12"],
      ["verify", "nothing.car", "--trust", head, "totalSupply"],
      ["verify", "nothing.car", "--trust", head, "--address", token.address],
      ["verify", "nothing.car", "--trust", head, "--contract", "Token"],
      ["verify", "nothing.car", "--trust", head, "--struct", "a=B@0"]
    ]) {
      expect(await RunCli.json(args)).toMatchObject({ exitCode: 1, answer: { error: { tag: "UsageError" } } })
    }
    const missing = await verify(path.join(folder, "nothing.car"), "--trust", head)
    expect(missing).toMatchObject({ exitCode: 1, answer: { error: { tag: "DataError", problem: "Unreadable" } } })
  })
})

describe("publish", () => {
  it("stores a bundle on the service's node, pinned, and it is VERIFIED from there by either CID", async () => {
    const file = fresh()
    await prove(file)
    const published = await RunCli.json(["publish", file, "--data", ipfs().folder])
    expect(published.exitCode).toBe(0)
    const { list, root } = published.answer.value
    expect(viem.bytesToHex(Cid.fromTextUnsafe(root).multihash.digest)).toBe(head)
    const pins = await RunCli.json(["ipfs", "pin", "ls", list, "--data", ipfs().folder])
    expect(JSON.stringify(pins.answer.value)).toContain(list)

    const local = await verify(file, "--trust", head, "--layout", layoutOf(token), ...paths)
    for (const cid of [root, list, `ipfs://${list}`]) {
      const fetched = await RunCli.json([
        "verify",
        cid,
        "--trust",
        head,
        "--layout",
        layoutOf(token),
        ...paths,
        "--data",
        ipfs().folder
      ])
      expect(fetched.exitCode).toBe(0)
      expect(fetched.answer).toMatchObject({ verdict: "VERIFIED", value: local.answer.value })
      // With the block's CID, the command finds only linked blocks. No block links to the key, so the key is missing.
      const { blocks, ...whole } = local.answer.bundle
      const withoutKey = { blocks: blocks - 1, root: whole.root, accounts: whole.accounts }
      expect(fetched.answer.bundle).toMatchObject(cid === root ? withoutKey : { blocks, ...whole })
    }
    const other = await RunCli.json(["verify", list, "--trust", HistoryChain.blocks[3]!.hash, "--data", ipfs().folder])
    expect(other).toMatchObject({ exitCode: 2, answer: { verdict: "REFUTED" } })
  })

  it("does not store what is not a bundle", async () => {
    const file = fresh()
    await prove(file)
    const bytes = await readFile(file)
    bytes[bytes.length - 1]! ^= 1
    await writeFile(file, bytes)
    expect(await RunCli.json(["publish", file, "--data", ipfs().folder])).toMatchObject({
      exitCode: 2,
      answer: { verdict: "REFUTED" }
    })
  })

  it("is REFUTED from a node that gives other bytes", async () => {
    const file = fresh()
    await prove(file)
    const { answer } = await RunCli.json(["publish", file, "--data", ipfs().folder])
    await using liar = await Servers.serve((_, response) => response.end("other bytes than were asked for"))
    for (const cid of [answer.value.root, answer.value.list]) {
      const fetched = await RunCli.json(["verify", cid, "--trust", head, "--url", liar.url])
      expect(fetched).toMatchObject({
        exitCode: 2,
        answer: { verdict: "REFUTED", anchor: { hash: head }, refuted: { check: "block hash" } }
      })
    }
  })

  it("says no key and no secret, whatever the node answers with", async () => {
    const [key, secret] = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"]
    const file = fresh()
    await prove(file)
    const list = Cid.toText(BundleIpfs.listOf(Result.getOrThrow(ProofBundle.open(await readFile(file), trusted))).cid)
    const told = `${key}:${secret} Basic ${btoa(`${key}:${secret}`)} http://${key}:${secret}@127.0.0.1/v3/${key}`
    const error = JSON.stringify({ Message: told, Code: 0, Type: "error" })
    for (const [status, body] of [
      [401, told],
      [500, error],
      [200, error],
      [200, JSON.stringify({ Root: { Cid: { "/": told }, PinErrorMsg: told } })],
      [200, JSON.stringify({ Root: { Cid: { "/": list }, PinErrorMsg: told } })]
    ] as const) {
      await using liar = await Servers.serve((request, response) =>
        request.resume().on("end", () => response.writeHead(status).end(body))
      )
      for (const command of [
        ["publish", file],
        ["verify", list, "--trust", head]
      ]) {
        for (const json of [[], ["--json"]]) {
          const url = liar.url.replace("//", `//${key}:${secret}@`)
          const { exitCode, stderr, stdout } = await RunCli.run([...command, "--url", url, ...json])
          for (const one of [key, secret, btoa(`${key}:${secret}`)]) expect(stdout + stderr).not.toContain(one)
          expect([status, exitCode, stdout + stderr === ""]).toEqual([status, exitCode === 2 ? 2 : 1, false])
        }
      }
    }
  })
})
