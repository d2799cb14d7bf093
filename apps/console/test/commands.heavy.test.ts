/**
 * Tests the commands of IPFS in the playground: forms, programs that run when they are pasted, and verdicts in
 * Chromium.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import { type Browser, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

import * as CommandForms from "../src/commands/CommandForms.ts"
import * as CommandPrograms from "../src/commands/CommandPrograms.ts"
import * as ProgramParts from "../src/programs/ProgramParts.ts"
import * as Pages from "./support/Pages.ts"
import * as Service from "./support/Service.ts"

/** The button that runs a command. */
const SUBMIT = "form.sheet button[type=submit]"

const HELLO = "Hello from the playground\n"

/** Returns the CID of a block, with node:crypto: version 1, sha2-256, in base32. */
const cidOf = (codec: number, bytes: Uint8Array | string): string => {
  const cid = Buffer.concat([Buffer.from([1, codec, 0x12, 0x20]), createHash("sha256").update(bytes).digest()])
  const bits = Array.from(cid, (byte) => byte.toString(2).padStart(8, "0")).join("")
  const letters = bits
    .match(/.{1,5}/gu)!
    .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[Number.parseInt(five.padEnd(5, "0"), 2)])
  return `b${letters.join("")}`
}

/** The CID of the file as one raw block. `VALUE` is the CID of `{"a":1}` in dag-cbor. */
const FILE = cidOf(0x55, HELLO)
const VALUE = cidOf(0x71, Uint8Array.of(0xa1, 0x61, 0x61, 0x01))

const command = (name: string): CommandForms.DescribedCommand => CommandForms.all.find((one) => one.name === name)!

describe("a form", () => {
  test("is made for every command of the service, with every argument", () => {
    const names = CommandForms.all.map(({ name }) => name).toSorted()
    expect(names).toEqual(Object.keys(IpfsApi.commands).filter(CommandForms.hasForm).toSorted())
    for (const { args, name, upload } of CommandForms.all) {
      const own: ReadonlyArray<{ readonly name: string; readonly kind: string }> = IpfsApi.commands[name].args
      expect(args.map(({ name }) => name)).toEqual(own.flatMap(({ kind, name }) => (kind === "string" ? [name] : [])))
      expect(upload?.name).toBe(own.find(({ kind }) => kind === "file")?.name)
    }
  })

  test.for([
    ["cat", { "ipfs-path": FILE, offset: "6", length: "4" }, [FILE], { offset: 6, length: 4 }],
    ["ls", { "ipfs-path": `${FILE}\n ${VALUE} \n\n` }, [FILE, VALUE], {}],
    [
      "pin/add",
      { "ipfs-path": FILE, recursive: "false", name: "a note" },
      [FILE],
      { recursive: false, name: "a note" }
    ],
    ["pin/update", { "from-path": FILE, "to-path": VALUE, unpin: "true" }, [FILE, VALUE], { unpin: true }],
    [
      "add",
      { "cid-version": "1", chunker: "size-1024", timeout: "1m30s" },
      [],
      { "cid-version": 1, chunker: "size-1024", timeout: "1m30s" }
    ],
    ["version", {}, [], {}]
  ] as const)(
    "of %s with %j asks with %j and %j, and is filled again from its link",
    ([name, texts, args, options]) => {
      const { mistakes, question } = CommandForms.read(command(name), texts)
      expect(mistakes).toEqual({})
      expect(question).toEqual({ name, args, options })
      const again = CommandForms.write(command(name), CommandForms.toText(question))
      expect(CommandForms.read(command(name), again).question).toEqual(question)
    }
  )

  test.for([
    ["cat", {}, "ipfs-path"],
    ["cat", { "ipfs-path": FILE, offset: "half" }, "offset"],
    ["cat", { "ipfs-path": FILE, timeout: "soon" }, "timeout"],
    ["add", { mode: "-1" }, "mode"],
    ["pin/update", { "from-path": FILE }, "to-path"]
  ] as const)("of %s with %j names the field that is wrong: %s", ([name, texts, wrong]) => {
    expect(Object.keys(CommandForms.read(command(name), texts).mistakes)).toEqual([wrong])
  })

  test("survives any list of a link", () => {
    for (const one of CommandForms.all) {
      for (const text of ["[]", "[1,2]", "[[null,{}],[]]", '[["a"],{"offset":{"a":1},"__proto__":1}]', "[{},null]"]) {
        expect(Array.isArray(CommandForms.read(one, CommandForms.write(one, text)).question.args)).toBe(true)
      }
    }
  })
})

test("a search finds commands by name, by topic and by what they do", () => {
  const names = (text: string) => CommandForms.search(text).map(({ name }) => name)
  expect(names("")).toHaveLength(CommandForms.all.length)
  expect(names("PIN/RM")).toEqual(["pin/rm"])
  expect(names("tar archive")).toEqual(["get"])
  expect(names("nothing like it")).toEqual([])
})

describe("with a service", () => {
  let service: Service.Service
  // the folder is below this package, so that programs in it find their imports
  const folder = mkdtempSync(path.join(import.meta.dirname, ".commands-"))
  /** The CID of a directory that contains the file. */
  let directory = ""

  const post = async (query: string, body?: FormData): Promise<Response> => {
    const authorization = `Basic ${btoa(`${service.apiKey}:${service.apiKeySecret}`)}`
    const answer = await fetch(`${service.url}/api/v0/${query}`, {
      method: "POST",
      headers: { authorization },
      ...(body === undefined ? {} : { body })
    })
    if (!answer.ok) throw new Error(`${query}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const bytesOf = async (query: string): Promise<Buffer> => Buffer.from(await (await post(query)).arrayBuffer())

  beforeAll(async () => {
    service = await Service.start({ hasIpfs: true })
    const form = new FormData()
    form.append("file", new Blob([HELLO]), "hello.txt")
    const added = await (await post("add?cid-version=1&wrap-with-directory=true", form)).text()
    directory = JSON.parse(added.trim().split("\n").at(-1)!).Hash
    writeFileSync(path.join(folder, "hello.txt"), HELLO)
    writeFileSync(path.join(folder, 'it\'s "one".json'), `{"a":1}`)
    writeFileSync(path.join(folder, "value.json"), `{"a":1}`)
    writeFileSync(path.join(folder, "node.pb"), await bytesOf(`block/get?arg=${directory}`))
    writeFileSync(path.join(folder, "tree.car"), await bytesOf(`dag/export?arg=${directory}`))
    const value = new FormData()
    value.append("file", new Blob([`{"a":1}`]))
    await post("dag/put", value)
  })
  afterAll(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  let runs = 0
  const run = ({ name, text }: ProgramParts.Program): string => {
    const pasted = text
      .replaceAll(ProgramParts.YOUR_KEY, service.apiKey)
      .replaceAll(ProgramParts.YOUR_SECRET, service.apiKeySecret)
    const file = path.join(folder, `program-${++runs}.mjs`)
    writeFileSync(file, pasted)
    const [shell, ...args] = name === "curl" ? ["sh", "-c", pasted] : [process.execPath, file]
    const { status, stderr, stdout } = spawnSync(shell, args, { cwd: folder, encoding: "utf8" })
    expect(status, `${pasted}\n${stdout}\n${stderr}`).toBe(0)
    return stdout
  }

  /** A question, the text that every program must print, and the preparation before each program. */
  interface Row {
    readonly sent: () => Omit<CommandPrograms.SentCommand, "files"> & { readonly files?: ReadonlyArray<string> }
    readonly says: () => string
    /** False if kubo-rpc-client has no such call. */
    readonly kubo?: false
    readonly before?: () => Promise<unknown>
  }
  const row = (
    name: CommandForms.FormCommandName,
    args: ReadonlyArray<string>,
    options: CommandForms.CommandQuestion["options"] = {}
  ) => ({
    name,
    args,
    options
  })
  const rows: Readonly<Record<string, Row>> = {
    "add of a file": {
      sent: () => ({ ...row("add", [], { "cid-version": 1 }), files: ["hello.txt"] }),
      says: () => FILE
    },
    "add of several files, one with quotes in its name": {
      sent: () => ({ ...row("add", [], { "cid-version": 1 }), files: ['it\'s "one".json', "hello.txt"] }),
      says: () => FILE
    },
    "add of no file yet": { sent: () => row("add", [], { "cid-version": 1 }), says: () => FILE },
    cat: { sent: () => row("cat", [FILE]), says: () => HELLO },
    "cat of a part": {
      sent: () => row("cat", [`${directory}/hello.txt`], { offset: 6, length: 4 }),
      says: () => "from"
    },
    "cat of two": { sent: () => row("cat", [FILE, FILE]), says: () => `${HELLO}${HELLO}`, kubo: false },
    get: { sent: () => row("get", [FILE]), says: () => HELLO },
    ls: { sent: () => row("ls", [directory]), says: () => "hello.txt" },
    "files/stat": { sent: () => row("files/stat", [`/ipfs/${FILE}`]), says: () => FILE },
    "block/get": { sent: () => row("block/get", [FILE]), says: () => HELLO },
    "block/put": {
      sent: () => ({ ...row("block/put", [], { "cid-codec": "raw" }), files: ["hello.txt"] }),
      says: () => FILE
    },
    "block/stat": { sent: () => row("block/stat", [FILE]), says: () => String(HELLO.length) },
    "dag/put": { sent: () => ({ ...row("dag/put", []), files: ["value.json"] }), says: () => VALUE },
    "dag/get": { sent: () => row("dag/get", [VALUE]), says: () => `"a":1` },
    "dag/resolve": { sent: () => row("dag/resolve", [`${directory}/hello.txt`]), says: () => FILE },
    "dag/export": { sent: () => row("dag/export", [FILE]), says: () => HELLO },
    "dag/import": { sent: () => ({ ...row("dag/import", []), files: ["tree.car"] }), says: () => directory },
    "object/get": { sent: () => row("object/get", [directory]), says: () => "hello.txt", kubo: false },
    "object/data": { sent: () => row("object/data", [directory]), says: () => "\b\u0001", kubo: false },
    "object/stat": { sent: () => row("object/stat", [directory]), says: () => ":1", kubo: false },
    "object/put": { sent: () => ({ ...row("object/put", []), files: ["node.pb"] }), says: () => "Qm", kubo: false },
    "pin/add": { sent: () => row("pin/add", [FILE]), says: () => FILE },
    "pin/ls": { sent: () => row("pin/ls", [], { type: "recursive" }), says: () => directory },
    "pin/ls of one": { sent: () => row("pin/ls", [directory]), says: () => directory },
    "pin/rm": {
      sent: () => row("pin/rm", [VALUE]),
      says: () => VALUE,
      before: () => post(`pin/add?arg=${VALUE}`)
    },
    "pin/update": {
      sent: () => row("pin/update", [directory, FILE], { unpin: false }),
      says: () => FILE
    },
    id: { sent: () => row("id", []), says: () => "plumbline" },
    version: { sent: () => row("version", []), says: () => "0." }
  }

  test("every command has a row", () => {
    const named = new Set(Object.values(rows).map(({ sent }) => sent().name))
    expect([...named].toSorted()).toEqual(Object.keys(IpfsApi.commands).filter(CommandForms.hasForm).toSorted())
  })

  test.for(Object.entries(rows))(
    "the programs of %s run as they are pasted",
    async ([, { before, kubo, says, sent }]) => {
      const programs = CommandPrograms.of({ files: [], ...sent() }, service.url)
      expect(programs.map(({ name }) => name)).toEqual(
        kubo === false ? ["curl", "Plumbline"] : ["curl", "kubo-rpc-client", "Plumbline"]
      )
      for (const program of programs) {
        expect(program.text).not.toContain(service.apiKey)
        await before?.()
        expect(run(program), program.name).toContain(says())
      }
    }
  )

  describe.skipIf(Service.skipped)("in a browser", { concurrent: false }, () => {
    let browser: Browser

    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: Service.chromium!, args: ["--no-sandbox"] })
    })
    afterAll(() => browser?.close())

    const open = async (name: string, question?: Omit<CommandForms.CommandQuestion, "name">, options = {}) => {
      const opened = await Pages.open(browser, { reducedMotion: "reduce", ...options })
      opened.page.setDefaultTimeout(60_000)
      const query =
        question === undefined ? "" : `?params=${encodeURIComponent(JSON.stringify([question.args, question.options]))}`
      const below = name === "" ? "" : `/${encodeURIComponent(name)}`
      await opened.page.goto(`${service.url}/console/ipfs/commands${below}${query}`)
      return opened
    }

    const withKey = async (page: Page, secret = service.apiKeySecret): Promise<void> => {
      await page.click(SUBMIT)
      await page.fill("[aria-label='API key']", service.apiKey)
      await page.fill("[aria-label='API key secret']", secret)
      await page.click("text=Use it")
      await page.click(SUBMIT)
    }

    const outcome = (page: Page, word: string) => page.waitForSelector(`.answer[data-outcome=${word}]`)

    test.each(["light", "dark"] as const)(
      "the list, a form and an answer have no flaw that axe finds: %s",
      async (colorScheme) => {
        const { close, page, requests, wrong } = await open("", undefined, { colorScheme })
        await page.fill("[aria-label='Find a command']", "bytes of a file")
        await page.click(".methods a >> text=cat")
        await page.waitForSelector("#field-ipfs-path")
        expect(await Pages.violations(page)).toBe("")
        await page.fill("#field-ipfs-path", FILE)
        await withKey(page)
        await outcome(page, "VERIFIED")
        expect(await page.textContent(".answer .code")).toContain("Hello from the playground")
        expect(await page.textContent(".answer")).toContain(`Each block below ${FILE} was hashed in this page`)
        expect(await Pages.violations(page)).toBe("")
        expect(wrong).toEqual([])
        expect(requests.filter((url) => !url.startsWith(service.url))).toEqual([])
        const kept = await Pages.kept(page)
        expect(kept).toContain(FILE)
        for (const secret of [service.apiKey, service.apiKeySecret]) {
          expect(kept).not.toContain(secret)
          expect(await page.innerHTML("body")).not.toContain(secret)
        }
        await close()
      }
    )

    test("a file is added, and its CID is that of node:crypto", async () => {
      const { close, page } = await open("add", { args: [], options: { "cid-version": 1 } })
      await page.click(SUBMIT)
      await page.waitForSelector("#fault-upload")
      await page.setInputFiles("#field-upload", path.join(folder, "hello.txt"))
      await withKey(page)
      await outcome(page, "VERIFIED")
      expect(await page.textContent(".answer .code")).toContain(FILE)
      expect(await page.textContent(".answer")).toContain("pin: that the node keeps it is the node's word")
      expect(await page.textContent("[aria-label=Request] .code")).toContain("hello.txt")
      await close()
    })

    test("another file under the CID is refuted, and no byte of it is shown", async () => {
      const { close, page } = await open("block/get", { args: [FILE], options: {} })
      await page.route("**/api/v0/block/get?*", (route) =>
        route.fulfill({ body: "evil bytes", contentType: "application/vnd.ipld.raw" })
      )
      await withKey(page)
      await outcome(page, "REFUTED")
      expect(await page.textContent(".none-shown")).toBe("No value")
      const checked = await page.textContent(".checked")
      for (const bytes of [HELLO, "evil bytes"]) {
        expect(checked).toContain(createHash("sha256").update(bytes).digest("hex"))
      }
      expect(await page.innerHTML("body")).not.toContain("evil bytes")
      await close()
    })

    test("a CID that the node answers for other bytes is refuted", async () => {
      const { close, page } = await open("block/put", { args: [], options: { "cid-codec": "raw" } })
      await page.route("**/api/v0/block/put?*", (route) =>
        route.fulfill({ json: { Key: cidOf(0x55, "another"), Size: HELLO.length } })
      )
      await page.setInputFiles("#field-upload", path.join(folder, "hello.txt"))
      await withKey(page)
      await outcome(page, "REFUTED")
      expect(await page.textContent(".checked")).toContain(FILE)
      await close()
    })

    test("an answer that no CID proves is claimed, with the reason", async () => {
      const { close, page } = await open("pin/ls", { args: [], options: { type: "recursive" } })
      await withKey(page)
      await outcome(page, "CLAIMED")
      expect(await page.textContent(".answer")).toContain("which content is pinned is the node's word")
      expect(await page.textContent(".answer .code")).toContain(directory)
      await close()
    })

    test("a mistake, a wrong secret and missing content have each a next step, on a phone", async () => {
      const { close, page } = await open(
        "cat",
        { args: [cidOf(0x55, "nobody has this")], options: {} },
        {
          viewport: { width: 390, height: 844 },
          hasTouch: true
        }
      )
      await page.click("summary")
      await page.fill("#field-offset", "x")
      await page.click(SUBMIT)
      await page.waitForSelector("#fault-offset")
      await page.fill("#field-offset", "")
      await withKey(page, "0".repeat(32))
      await page.waitForSelector("text=The service does not accept this key and secret")
      await page.fill("[aria-label='API key']", service.apiKey)
      await page.fill("[aria-label='API key secret']", service.apiKeySecret)
      await page.click("text=Use this one")
      await page.click(SUBMIT)
      await page.waitForSelector(".answer[data-outcome=FAILED]:not(:has(.state))")
      expect(await page.textContent(".answer")).toContain("Nothing is claimed or refuted")
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
      await close()
    })
  })
})
