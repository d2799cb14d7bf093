/** A service that lies about IPFS: each lie is refuted by its check, or the command fails. No lie is believed. */
import { mkdir, readdir, writeFile } from "node:fs/promises"

import { describe, expect, it } from "@effect/vitest"
import { Stream } from "effect"

import * as Children from "../support/Children.ts"
import * as Ipfs from "../support/Ipfs.ts"
import * as LyingIpfs from "../support/LyingIpfs.ts"
import * as RunCli from "../support/RunCli.ts"

const service = Ipfs.service()
const flags = (url: string): ReadonlyArray<string> => {
  const { key, secret } = service()
  return ["--url", url, "--api-key", key, "--api-key-secret", secret]
}

/** Adds content through the honest service. */
const add = async (content: Uint8Array): Promise<string> => {
  const { answer } = await RunCli.json(["ipfs", "add", "-", ...flags(service().url)], {
    stdin: Stream.succeed(content)
  })
  return answer.value[0].Hash
}

/** Adds a directory with two files through the honest service. */
const addDirectory = async (folder: string, seed: string) => {
  await mkdir(`${folder}/d`)
  await writeFile(`${folder}/d/large`, Ipfs.bytesOf(seed, 600_000))
  await writeFile(`${folder}/d/small`, seed)
  const { answer } = await RunCli.json(["ipfs", "add", `${folder}/d`, ...flags(service().url)])
  const hashes = answer.value.map(({ Hash, Name }: { Hash: string; Name: string }) => [Name, Hash])
  return Object.fromEntries(hashes) as Readonly<Record<"d" | "d/large" | "d/small", string>>
}

/** Returns the command's output when the service tells this lie. */
const told = async (lie: LyingIpfs.Lie, args: ReadonlyArray<string>, surroundings?: RunCli.Surroundings) => {
  await using liar = await LyingIpfs.telling(service().url, lie)
  return await RunCli.json(["ipfs", ...args, ...flags(liar.url)], surroundings)
}

const swapped =
  (from: string, to: string): LyingIpfs.Lie["change"] =>
  (body) =>
    Buffer.from(body.toString("utf8").replaceAll(from, to))

const OTHER = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"

describe("bytes that are not what their CID names", () => {
  it("are refuted by every command that reads them, with the block's CID", async () => {
    await using folder = await Children.folder()
    const { d: root, "d/small": small } = await addDirectory(folder.path, "wrong bytes")
    const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, liedAbout: string]> = [
      [["cat", small], small],
      [["cat", `${root}/small`], small],
      [["cat", `${root}/small`], root],
      [["ls", root], root],
      [["ls", root], small],
      [["object", "get", root], root],
      [["block", "get", small], small],
      [["get", small, "-o", `${folder.path}/got`], small],
      [["pin", "add", `${root}/small`], root]
    ]
    for (const [args, liedAbout] of cases) {
      const lie: LyingIpfs.Lie = {
        command: "block/get",
        when: (query) => query.get("arg") === liedAbout,
        change: (body) => LyingIpfs.flipped(body)
      }
      const { answer, exitCode } = await told(lie, args)
      expect(answer, args.join(" ")).toEqual({
        verdict: "REFUTED",
        value: null,
        anchor: { kind: "cid", hash: liedAbout },
        proven: [],
        claimed: [],
        refuted: {
          check: "block hash",
          expected: expect.stringMatching(/^[0-9a-f]{64}$/u),
          got: expect.stringMatching(/^[0-9a-f]{64}$/u)
        }
      })
      expect(exitCode, args.join(" ")).toBe(2)
    }
  })

  it("are refuted in the middle of a file: what was printed before is right, and the end is said", async () => {
    const content = Ipfs.bytesOf("middle", 3_000_000)
    const cid = await add(content)
    const links = await RunCli.json(["ipfs", "object", "get", cid, ...flags(service().url)])
    const wrong = links.answer.value.Links[9].Hash
    await using liar = await LyingIpfs.telling(service().url, {
      command: "block/get",
      when: (query) => query.get("arg") === wrong,
      change: (body) => LyingIpfs.flipped(body)
    })
    const { exitCode, stderr, stdout } = await RunCli.raw(["ipfs", "cat", cid, ...flags(liar.url)])
    expect(exitCode).toBe(2)
    expect(stdout.length).toBeLessThanOrEqual(9 * 262_144)
    expect(Buffer.compare(stdout, content.subarray(0, stdout.length))).toBe(0)
    expect(stderr).toMatch(/^REFUTED {2}the node's answer is not true against CID Qm\w+\n {2}check +block hash\n/u)
  })

  it("are never written, and nothing is left of what was right before them", async () => {
    await using folder = await Children.folder()
    const { d: root, "d/large": large } = await addDirectory(folder.path, "never written")
    const links = await RunCli.json(["ipfs", "object", "get", large, ...flags(service().url)])
    const wrong = links.answer.value.Links[2].Hash
    const lie: LyingIpfs.Lie = {
      command: "block/get",
      when: (query) => query.get("arg") === wrong,
      change: (body) => LyingIpfs.flipped(body)
    }
    for (const path of [root, `${root}/large`]) {
      const { exitCode } = await told(lie, ["get", path, "-o", `${folder.path}/got`])
      expect(exitCode).toBe(2)
      expect(await readdir(folder.path)).toEqual(["d"])
    }
  })
})

describe("an answer to add that is not about what was sent", () => {
  const sent = new TextEncoder().encode("what was sent")
  const lies: ReadonlyArray<readonly [what: string, change: LyingIpfs.Lie["change"], outcome: string]> = [
    ["another CID", (body) => Buffer.from(body.toString("utf8").replaceAll(/Qm\w{44}/gu, OTHER)), "2 added CID"],
    ["another size", swapped('"Size":"21"', '"Size":"22"'), "2 added size"],
    ["nothing", () => new Uint8Array(), "1 ProtocolError"],
    [
      "an error behind the answer",
      (body) => Buffer.concat([body, Buffer.from('{"Message":"no","Code":0,"Type":"error"}\n')]),
      "1 StreamError"
    ],
    ["a page", () => Buffer.from("<html>"), "1 ProtocolError"],
    [
      "a CID that is none",
      (body) => Buffer.from(body.toString("utf8").replaceAll(/Qm\w{44}/gu, "Qm")),
      "1 DecodeError"
    ],
    [
      "half of a line, and then nothing more",
      (body, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        response.write(body.subarray(0, 20), () => response.destroy())
        return "handled"
      },
      "1 TransportError"
    ]
  ]
  for (const [what, change, outcome] of lies) {
    it(`is refused: ${what}`, async () => {
      const { answer, exitCode } = await told({ command: "add", change }, ["add", "-"], { stdin: Stream.succeed(sent) })
      expect(`${exitCode} ${answer.refuted?.check ?? answer.error.reason.tag}`).toBe(outcome)
      // The caller named no hash to check the answer against.
      expect(answer.anchor ?? null).toBeNull()
    })
  }

  it("is refused: a file of a directory left out, or another one beside it", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/d`)
    await writeFile(`${folder.path}/d/a`, "a")
    await writeFile(`${folder.path}/d/b`, "b")
    const without = await told(
      {
        command: "add",
        change: (body) =>
          Buffer.from(
            body
              .toString("utf8")
              .split("\n")
              .filter((line) => !line.includes('"d/a"'))
              .join("\n")
          )
      },
      ["add", `${folder.path}/d`]
    )
    expect([without.exitCode, without.answer.error.reason.tag]).toEqual([1, "ProtocolError"])
    const besides = await told({ command: "add", change: swapped('"Name":"d/a"', '"Name":"d/c"') }, [
      "add",
      `${folder.path}/d`
    ])
    expect([besides.exitCode, besides.answer.refuted]).toEqual([
      2,
      { check: "added name", expected: "one that was sent", got: "d/c" }
    ])
  })
})

describe("an answer about pins", () => {
  it("is refuted when it is about other content than was asked about", async () => {
    const cid = await add(new TextEncoder().encode("to be pinned"))
    for (const command of ["add", "rm"]) {
      const { answer, exitCode } = await told({ command: `pin/${command}`, change: swapped(cid, OTHER) }, [
        "pin",
        command,
        cid
      ])
      expect([exitCode, answer.verdict, answer.refuted]).toEqual([
        2,
        "REFUTED",
        { check: "pinned CID", expected: cid, got: OTHER }
      ])
    }
    const more = await told(
      { command: "pin/add", change: () => Buffer.from(`${JSON.stringify({ Pins: [cid, OTHER] })}\n`) },
      ["pin", "add", cid]
    )
    expect(more.answer.refuted.got).toBe(OTHER)
  })

  it("is refuted when it lists others than were asked about", async () => {
    const cid = await add(new TextEncoder().encode("asked about"))
    const one = await told({ command: "pin/ls", change: swapped(cid, OTHER) }, ["pin", "ls", cid])
    expect([one.exitCode, one.answer.refuted]).toEqual([2, { check: "pinned CID", expected: cid, got: OTHER }])
    const more = await told(
      {
        command: "pin/ls",
        change: (body) => Buffer.concat([body, Buffer.from(swapped(cid, OTHER)(body, undefined!))])
      },
      ["pin", "ls", cid]
    )
    expect([more.exitCode, more.answer.refuted?.got]).toEqual([2, OTHER])
    const none = await told({ command: "pin/ls", change: () => Buffer.alloc(0) }, ["pin", "ls", cid])
    expect([none.exitCode, none.answer.refuted?.check]).toEqual([2, "pinned CIDs"])
  })

  it("fails when it has no end", async () => {
    await add(new TextEncoder().encode("a pin in an endless list"))
    const { answer, exitCode } = await told(
      {
        command: "pin/ls",
        change: (_, response) => {
          const lines = `${JSON.stringify({ Cid: OTHER, Type: "recursive" })}\n`.repeat(1000)
          const more = (): void => {
            while (!response.destroyed && response.write(lines));
          }
          response.writeHead(200, { "content-type": "application/json" })
          response.on("drain", more)
          more()
          return "handled"
        }
      },
      ["pin", "ls"]
    )
    expect([exitCode, answer.error.reason]).toEqual([
      1,
      { tag: "ProtocolError", detail: "it lists more than 100000 pins" }
    ])
  })

  it("fails when it breaks off", async () => {
    await add(new TextEncoder().encode("a pin in the list"))
    const { answer, exitCode } = await told(
      {
        command: "pin/ls",
        change: (body, response) => {
          response.writeHead(200, { "content-type": "application/json" })
          response.write(body.subarray(0, body.length - 10), () => response.destroy())
          return "handled"
        }
      },
      ["pin", "ls"]
    )
    expect([exitCode, answer.error.reason.tag]).toEqual([1, "TransportError"])
  })
})

describe("a list of pins with an error behind it", () => {
  it("fails, though what came before it was in order", async () => {
    await add(new TextEncoder().encode("one more pin"))
    let te: string | undefined
    const { answer, exitCode } = await told(
      {
        command: "pin/ls",
        change: (body, response) => {
          // a service sends the reason only to clients that ask for trailers
          te = String(response.req.headers["te"])
          response.writeHead(200, { "content-type": "application/json", trailer: "X-Stream-Error" })
          response.write(body)
          response.addTrailers({ "X-Stream-Error": "the disk is gone" })
          response.end()
          return "handled"
        }
      },
      ["pin", "ls"]
    )
    expect([exitCode, answer.error.reason]).toEqual([
      1,
      { tag: "StreamError", message: "the disk is gone", where: "trailer" }
    ])
    expect(te).toBe("trailers")
  })
})

describe("a block without an end", () => {
  it("is given up", async () => {
    const cid = await add(Ipfs.bytesOf("endless", 1000))
    const { answer, exitCode } = await told(
      {
        command: "block/get",
        change: (_, response) => {
          const piece = Buffer.alloc(1024 * 1024)
          const more = () => {
            while (!response.destroyed && response.write(piece));
          }
          response.on("drain", more)
          more()
          return "handled"
        }
      },
      ["cat", cid]
    )
    expect([exitCode, answer.error.reason.tag]).toEqual([1, "ProtocolError"])
    expect(answer.error.reason.detail).toMatch(/^the answer is larger than \d+ bytes$/u)
  })
})

describe("a block that breaks off", () => {
  it("is a failure and not a lie: the same may work the next time", async () => {
    const cid = await add(Ipfs.bytesOf("cut", 1000))
    const { answer, exitCode } = await told(
      {
        command: "block/get",
        change: (body, response) => {
          response.writeHead(200, { "content-length": body.length })
          response.write(body.subarray(0, 500), () => response.destroy())
          return "handled"
        }
      },
      ["cat", cid]
    )
    expect([exitCode, answer.error.tag, answer.error.reason.tag]).toEqual([1, "IpfsError", "TransportError"])
  })

  it("is refuted when it says that this is all", async () => {
    const cid = await add(Ipfs.bytesOf("short", 1000))
    const { answer, exitCode } = await told({ command: "block/get", change: (body) => body.subarray(0, 500) }, [
      "cat",
      cid
    ])
    expect([exitCode, answer.refuted.check]).toEqual([2, "block hash"])
  })
})
