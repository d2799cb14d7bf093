/** `plumbline ipfs get` writes the whole content to its destination, or writes nothing. */
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import { Block, BlockSource, Cid, DirectoryCid, FileCid, Multihash, UnixFsData } from "@plumbline/ipfs-client"
import { Effect, Result, Stream } from "effect"

import * as IpfsContent from "../../src/ipfs/IpfsContent.ts"
import * as TreeWriter from "../../src/ipfs/TreeWriter.ts"
import * as Children from "../support/Children.ts"
import * as Ipfs from "../support/Ipfs.ts"
import * as RunCli from "../support/RunCli.ts"
import * as Servers from "../support/Servers.ts"

const service = Ipfs.service()
const json = (...args: ReadonlyArray<string>) => RunCli.json(["ipfs", ...args, "--data", service().folder])

/** Adds a directory with a file `a`, and a file `b` in a directory `sub`. */
const addTree = async (folder: string, seed: string): Promise<string> => {
  await mkdir(`${folder}/source/sub`, { recursive: true })
  await writeFile(`${folder}/source/a`, `${seed} a`)
  await writeFile(`${folder}/source/sub/b`, `${seed} b`)
  return (await json("add", `${folder}/source`)).answer.anchor.hash
}

/** Puts a block into the service unchanged. */
const put = async ({ bytes }: Block.Block): Promise<void> => {
  const { key, secret, url } = service()
  const body = new FormData()
  body.set("file", new Blob([Uint8Array.from(bytes)]))
  const response = await fetch(`${url}/api/v0/block/put?format=v0`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${key}:${secret}`)}` },
    body
  })
  expect(response.status).toBe(200)
}

const file = { cid: Cid.fromTextUnsafe("QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN"), totalSize: 14 }

describe("the place that ipfs get writes to", () => {
  it("is in a directory that is there, under the last name of the path, and else what was named", async () => {
    await using folder = await Children.folder()
    const root = await addTree(folder.path, "place")
    await mkdir(`${folder.path}/there`)
    const places = [
      [root, `${folder.path}/there`, `${folder.path}/there/${root}`],
      [`${root}/sub`, `${folder.path}/there`, `${folder.path}/there/sub`],
      [`${root}/sub/b`, `${folder.path}/there`, `${folder.path}/there/b`],
      [`${root}/sub/b`, `${folder.path}/new`, `${folder.path}/new`],
      [`${root}/sub`, `${folder.path}/not/yet/there`, `${folder.path}/not/yet/there`]
    ] as const
    for (const [path, output, target] of places) {
      expect((await json("get", path, "-o", output)).answer.value.path).toBe(target)
    }
    const data = ["--data", service().folder]
    const [again, named] = ["there", "fresh"].map((name) =>
      RunCli.run(["ipfs", "get", `${root}/a`, "-o", `${folder.path}/${name}`, ...data])
    )
    expect((await again!).stdout).toContain("there is a directory, so the content has its own name in it.")
    expect((await named!).stdout).not.toContain("is a directory")
    expect(await readFile(`${folder.path}/there/${root}/sub/b`, "utf8")).toBe("place b")
    expect(await readFile(`${folder.path}/there/b`, "utf8")).toBe("place b")
    expect(await readFile(`${folder.path}/new`, "utf8")).toBe("place b")
    expect(await readFile(`${folder.path}/not/yet/there/b`, "utf8")).toBe("place b")
    // The temporary file is gone.
    expect((await readdir(folder.path)).sort()).toEqual(["fresh", "new", "not", "source", "there"])
  })

  it("is not one where something is already", async () => {
    await using folder = await Children.folder()
    const root = await addTree(folder.path, "taken")
    await writeFile(`${folder.path}/taken`, "mine")
    await symlink("nowhere", `${folder.path}/dangling`)
    await mkdir(`${folder.path}/there/sub`, { recursive: true })
    for (const [path, output, target] of [
      [root, "taken", "taken"],
      [`${root}/a`, "taken", "taken"],
      [`${root}/a`, "dangling", "dangling"],
      [`${root}/sub`, "there", "there/sub"]
    ] as const) {
      const { answer, exitCode } = await json("get", path, "-o", `${folder.path}/${output}`)
      expect([exitCode, answer.error.tag, answer.error.path]).toEqual([
        1,
        "AlreadyExistsError",
        `${folder.path}/${target}`
      ])
    }
    expect(await readFile(`${folder.path}/taken`, "utf8")).toBe("mine")
    expect(await readdir(`${folder.path}/there/sub`)).toEqual([])
    // No node is asked for content if the target cannot be written.
    const args = ["ipfs", "get", root, "-o", `${folder.path}/taken`, "--url", await Servers.nobody()]
    expect((await RunCli.json(args)).answer.error.tag).toBe("AlreadyExistsError")
  })

  it("is not one that was taken while the content was on its way", async () => {
    await using folder = await Children.folder()
    const target = `${folder.path}/target`
    const content = new TextEncoder().encode("late")
    const cid = Result.getOrThrow(Block.cidOf(Block.RAW, content))
    const directory = Result.getOrThrow(DirectoryCid.make([["file", { cid, totalSize: 4 }]]))
    for (const root of [cid, directory.cid]) {
      await rm(target, { force: true })
      const source: BlockSource.BlockSource = (wanted) =>
        Effect.promise(async () => {
          await writeFile(target, "mine")
          return Cid.equals(wanted, cid) ? content : directory.blocks[0]!.bytes
        })
      const write = Effect.gen(function* () {
        yield* TreeWriter.refuseTaken(target)
        return yield* TreeWriter.write(yield* IpfsContent.open(source, root), source, {
          target,
          force: false,
          onWritten: () => undefined
        })
      })
      const error = await Effect.runPromise(Effect.flip(Effect.scoped(write)).pipe(Effect.provide(NodeServices.layer)))
      expect(error).toMatchObject({ _tag: "AlreadyExistsError", path: target })
      expect(await readFile(target, "utf8")).toBe("mine")
      expect(await readdir(folder.path)).toEqual(["target"])
    }
  })

  it("is one that cannot be written, and that is said", async () => {
    await using folder = await Children.folder()
    const root = await addTree(folder.path, "cannot")
    await writeFile(`${folder.path}/file`, "")
    const { answer, exitCode } = await json("get", root, "-o", `${folder.path}/file/below`)
    expect([exitCode, answer.error.tag, answer.error.problem]).toEqual([1, "DataError", "Unwritable"])
  })
})

describe("ipfs get --force", () => {
  it("replaces files, and keeps what else is in directories", async () => {
    await using folder = await Children.folder()
    const root = await addTree(folder.path, "fresh")
    const out = `${folder.path}/out/${root}`
    await mkdir(`${out}/sub`, { recursive: true })
    await writeFile(`${out}/a`, "old")
    await chmod(`${out}/a`, 0o400)
    await writeFile(`${out}/sub/kept`, "kept")
    const { exitCode } = await json("get", root, "-o", `${folder.path}/out`, "--force")
    expect(exitCode).toBe(0)
    expect(await readFile(`${out}/a`, "utf8")).toBe("fresh a")
    expect(await readFile(`${out}/sub/b`, "utf8")).toBe("fresh b")
    expect(await readFile(`${out}/sub/kept`, "utf8")).toBe("kept")
    expect(await readdir(`${folder.path}/out`)).toEqual([root])
  })

  it("never writes through a symlink: it replaces one, or refuses", async () => {
    await using folder = await Children.folder()
    const root = await addTree(folder.path, "outside")
    await mkdir(`${folder.path}/outside`)
    await writeFile(`${folder.path}/outside/a`, "not yours")
    const out = `${folder.path}/out/${root}`
    await mkdir(out, { recursive: true })
    await symlink(`${folder.path}/outside/a`, `${out}/a`)
    expect((await json("get", root, "-o", `${folder.path}/out`, "--force")).exitCode).toBe(0)
    expect((await lstat(`${out}/a`)).isFile()).toBe(true)

    const other = await addTree(`${folder.path}/more`, "through")
    const next = `${folder.path}/out/${other}`
    await mkdir(next)
    await symlink(`${folder.path}/outside`, `${next}/sub`)
    const { answer, exitCode } = await json("get", other, "-o", `${folder.path}/out`, "--force")
    expect([exitCode, answer.error.tag, answer.error.path]).toEqual([1, "DataError", `${next}/sub`])
    // the command failed before it moved any file to the destination
    expect(await readdir(next)).toEqual(["sub"])
    expect(await readFile(`${folder.path}/outside/a`, "utf8")).toBe("not yours")
    expect(await readdir(`${folder.path}/outside`)).toEqual(["a"])
  })

  it("does not put a file in the place of a directory, nor a directory in that of a file", async () => {
    await using folder = await Children.folder()
    const root = await addTree(folder.path, "kinds")
    await mkdir(`${folder.path}/one/a`, { recursive: true })
    const overDirectory = await json("get", `${root}/a`, "-o", `${folder.path}/one`, "--force")
    expect(overDirectory.answer.error.detail).toBe("there is a directory already")
    await writeFile(`${folder.path}/one/sub`, "a file")
    const overFile = await json("get", `${root}/sub`, "-o", `${folder.path}/one`, "--force")
    expect(overFile.answer.error.detail).toBe("there is no directory already")
    expect(await readFile(`${folder.path}/one/sub`, "utf8")).toBe("a file")
  })
})

describe("a directory on IPFS that was made to do harm", () => {
  it("cannot write outside, whatever its names are", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/hello`, "hello\n")
    await json("add", `${folder.path}/hello`)
    for (const name of ["..", ".", "../escaped", "sub/../../escaped", "/tmp/escaped", "a/b", "a\u0000b", ""]) {
      const bytes = dagPb(UnixFsData.encode({ kind: "directory", blockSizes: [] }), ["fine", name])
      const cid = Result.getOrThrow(Block.cidOf(Block.DAG_PB, bytes, Multihash.SHA2_256))
      await put({ bytes, cid })
      const { answer, exitCode } = await json("get", Cid.toText(cid), "-o", `${folder.path}/out`)
      expect([exitCode, answer.error.tag], JSON.stringify(name)).toEqual([1, "MalformedBlock"])
      expect(await readdir(folder.path)).toEqual(["hello"])
    }
  })

  it("cannot write through a symlink of its own", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/hello`, "hello\n")
    await json("add", `${folder.path}/hello`)
    const link = DirectoryCid.symlink(folder.path)
    const inside = Result.getOrThrow(DirectoryCid.make([["escaped", file]]))
    await put(link)
    for (const block of inside.blocks) await put(block)
    // A symlink and a directory whose names differ only in case. Some file systems treat them as the same name.
    const entries = [
      ["Sub", { cid: link.cid, totalSize: 20 }],
      ["sub", inside]
    ] as const
    const { blocks, cid } = Result.getOrThrow(DirectoryCid.make(entries))
    for (const block of blocks) await put(block)
    await json("get", Cid.toText(cid), "-o", `${folder.path}/out`)
    expect((await readdir(folder.path)).includes("escaped")).toBe(false)
    expect(await readlink(`${folder.path}/out/Sub`)).toBe(folder.path)
  })

  it("ends at a bound when it repeats itself", async () => {
    await using folder = await Children.folder()
    let level = Result.getOrThrow(DirectoryCid.make([]))
    const blocks = [...level.blocks]
    for (let depth = 0; depth < 20; depth++) {
      level = Result.getOrThrow(DirectoryCid.make([0, 1, 2, 3].map((name) => [String(name), level])))
      blocks.push(...level.blocks)
    }
    const source = BlockSource.fromBlocks(blocks)
    const write = Effect.flatMap(IpfsContent.open(source, level.cid), (content) =>
      TreeWriter.write(content, source, {
        target: `${folder.path}/bomb`,
        force: false,
        onWritten: () => undefined,
        maxEntries: 100
      })
    )
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(write)).pipe(Effect.provide(NodeServices.layer)))
    expect(error).toMatchObject({ _tag: "LimitExceeded", bound: "maxEntries", limit: 100 })
    expect(await readdir(folder.path)).toEqual([])
  })
})

describe("a name of a directory on IPFS", () => {
  it("is a file's where it cannot be anything else", () => {
    const good = ["a", "a b", "ünï", "...", "..a", "a\\b", "c:", "con.txt", "a."]
    const bad = ["", ".", "..", "a/b", "/", "a\u0000"]
    expect(good.filter((name) => TreeWriter.isFileName(name, "/"))).toEqual(good)
    expect([...good, ...bad].filter((name) => TreeWriter.isFileName(name, "\\"))).toEqual([
      "a",
      "a b",
      "ünï",
      "..a",
      "con.txt"
    ])
    expect(bad.filter((name) => TreeWriter.isFileName(name, "/"))).toEqual([])
  })
})

describe("modes and times that were stored", () => {
  it("are those of what is written, without rights that go beyond reading, writing and running", async () => {
    await using folder = await Children.folder()
    const content = new TextEncoder().encode("#!/bin/sh\n")
    const message = {
      kind: "file",
      data: content,
      fileSize: content.length,
      blockSizes: [],
      mode: 0o4751,
      mtime: { seconds: 1_000_000_000n }
    } as const
    const bytes = dagPb(UnixFsData.encode(message))
    const cid = Result.getOrThrow(Block.cidOf(Block.DAG_PB, bytes))
    const source = BlockSource.fromBlocks([{ cid, bytes }])
    const write = Effect.flatMap(IpfsContent.open(source, cid), (file) =>
      TreeWriter.write(file, source, { target: `${folder.path}/run`, force: false, onWritten: () => undefined })
    )
    await Effect.runPromise(Effect.scoped(write).pipe(Effect.provide(NodeServices.layer)))
    const { mode, mtimeMs } = await stat(`${folder.path}/run`)
    expect([mode & 0o7777, mtimeMs]).toEqual([0o751, 1_000_000_000_000])
  })
})

/** Writes a block of dag-pb by hand: the data, and links to `file` with these names, which can be any bytes. */
const dagPb = (data: Uint8Array, names: ReadonlyArray<string> = []): Uint8Array => {
  const bytesOf = (field: number, bytes: Uint8Array) => [field, bytes.length, ...bytes]
  const links = names.map((name) => {
    const encoded = new TextEncoder().encode(name)
    return Uint8Array.of(...bytesOf(0x0a, file.cid.bytes), ...bytesOf(0x12, encoded), 0x18, file.totalSize)
  })
  return Uint8Array.of(...links.flatMap((link) => bytesOf(0x12, link)), ...bytesOf(0x0a, data))
}

/**
 * A file of three parts, and a node that sends all parts but the last. The node reports the request for the last part.
 */
const stalling = async () => {
  const blocks = await Effect.runPromise(
    Stream.runCollect(FileCid.blocks(Stream.succeed(Ipfs.bytesOf("stop", 600_000))))
  )
  const asked = Promise.withResolvers<void>()
  const server = await Servers.serve((request, response) => {
    const arg = new URL(request.url ?? "", "http://node").searchParams.get("arg")
    const found = blocks.findIndex(({ cid }) => Cid.toText(cid) === arg)
    if (found === blocks.length - 2) asked.resolve()
    else response.end(blocks[found]?.bytes)
  })
  return Object.assign(server, { cid: Cid.toText(blocks.at(-1)!.cid), asked: asked.promise })
}

describe("ipfs get that is told to stop", () => {
  it("takes away what it has written", async () => {
    await using folder = await Children.folder()
    await using node = await stalling()
    const shutdown = Effect.as(
      Effect.promise(() => node.asked),
      "SIGINT"
    )
    const args = ["ipfs", "get", node.cid, "-o", `${folder.path}/out`, "--url", node.url]
    const { answer, exitCode } = await RunCli.json(args, { shutdown })
    expect([exitCode, answer.error]).toEqual([
      1,
      { tag: "StoppedError", message: "SIGINT: nothing was written", reason: "SIGINT" }
    ])
    expect(await readdir(folder.path)).toEqual([])
  })

  it("does so at Ctrl-C", async () => {
    await using folder = await Children.folder()
    await using node = await stalling()
    const child = Children.start(["ipfs", "get", node.cid, "-o", `${folder.path}/out`, "--url", node.url])
    await node.asked
    expect(await readdir(folder.path)).toEqual([expect.stringMatching(/^\.plumbline-/u)])
    child.process.kill("SIGINT")
    expect(await child.ended).toMatchObject({ code: 1, stdout: "", stderr: "error: SIGINT: nothing was written\n" })
    expect(await readdir(folder.path)).toEqual([])
  })
})
