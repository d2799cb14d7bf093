/** The IPFS commands against a service: stored content is read back and proven. */
import { execFileSync } from "node:child_process"
import { lstat, mkdir, readFile, readlink, symlink, writeFile } from "node:fs/promises"
import * as path from "node:path"

import { describe, expect, it } from "@effect/vitest"
import { isWhole } from "@plumbline/seeded/Random"
import { Stream } from "effect"

import * as Children from "../support/Children.ts"
import * as Ipfs from "../support/Ipfs.ts"
import * as RunCli from "../support/RunCli.ts"

const service = Ipfs.service()

/** The tests of this file run at the same time: on a busy machine, the service can be silent for more than the usual 10 s. */
const where = () => ["--data", service().folder, "--timeout", "240"]

const ipfs = (...args: ReadonlyArray<string>) => RunCli.run(["ipfs", ...args, ...where()])
const json = (...args: ReadonlyArray<string>) => RunCli.json(["ipfs", ...args, ...where()])

// CIDs from Kubo's documentation and its test/cli/cid_profiles_test.go.
const HELLO_WORLD = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"
const HELLO_WORLD_V1 = "bafkreifjjcie6lypi6ny7amxnfftagclbuxndqonfipmb64f2km2devei4"
const HELLO = "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN"
const EMPTY_FILE = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
const EMPTY_DIRECTORY = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn"

/** An entry without a mode and a time, in the form of Kubo. */
const UNSAID = { Mode: 0, ModTime: "0001-01-01T00:00:00Z" }

describe("an address as browsers show it", () => {
  it("names files with percent signs, and a path does not", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/site/sub dir`, { recursive: true })
    await writeFile(`${folder.path}/site/sub dir/b ü.txt`, "hello\n")
    await writeFile(`${folder.path}/site/100%.txt`, "hello world\n")
    const { answer } = await json("add", `${folder.path}/site`)
    const root = answer.anchor.hash
    expect((await ipfs("cat", `ipfs://${root}/sub%20dir/b%20%C3%BC.txt`)).stdout).toBe("hello\n")
    expect((await ipfs("cat", `ipfs://${root}/100%.txt`)).stdout).toBe("hello world\n")
    expect((await ipfs("cat", `/ipfs/${root}/sub dir/b ü.txt`)).stdout).toBe("hello\n")
    expect((await json("ls", `/ipfs/${root}/sub%20dir`)).exitCode).toBe(1)
    for (const name of ["sub%2Fdir", "%2E%2E", "a%00b"]) {
      const wrong = await json("ls", `ipfs://${root}/${name}`)
      expect([wrong.exitCode, wrong.answer.error.tag]).toEqual([1, "UsageError"])
    }
  })
})

describe("ipfs add", () => {
  it("gives a file the CID that Kubo gives it, proven, and its pin claimed", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/hello.txt`, "hello world\n")
    expect(await json("add", `${folder.path}/hello.txt`)).toEqual({
      exitCode: 0,
      answer: {
        verdict: "VERIFIED",
        value: [{ Name: "hello.txt", Hash: HELLO_WORLD, Size: "20" }],
        anchor: { kind: "cid", hash: HELLO_WORLD },
        proven: ["every CID and every size: computed here of what was sent, and the node says the same"],
        claimed: [{ field: "pin", reason: "that the node keeps it pinned is its word: no hash proves it" }]
      }
    })
  })

  it("shows people the CIDs, the sizes and the names", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/site/docs`, { recursive: true })
    await writeFile(`${folder.path}/site/index.html`, "hello\n")
    await writeFile(`${folder.path}/site/docs/a b+c.txt`, "hello world\n")
    const { exitCode, stderr, stdout } = await ipfs("add", `${folder.path}/site`)
    expect([exitCode, stderr]).toEqual([0, ""])
    expect(stdout).toMatchInlineSnapshot(`
      "Added 4 entries

        QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o   20 bytes of blocks  site/docs/a b+c.txt
        QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN   14 bytes of blocks  site/index.html
        QmUuxcPvFPt5At7p9sJgp7RHkGYw1PtTwckHMfLKaE1kww   75 bytes of blocks  site/docs
        QmU2KJ611J3XyFweaAT9SjeZgC89jWsWvdDsA9C35MNty9  191 bytes of blocks  site

      VERIFIED  against CID QmU2KJ611J3XyFweaAT9SjeZgC89jWsWvdDsA9C35MNty9
        proven    every CID and every size: computed here of what was sent, and the node says the same
        claimed   pin  that the node keeps it pinned is its word: no hash proves it
      "
    `)
  })

  it("takes standard input for -", async () => {
    const stdin = Stream.fromIterable(["hello", " world\n"].map((text) => new TextEncoder().encode(text)))
    const args = ["ipfs", "add", "-", ...where()]
    const { answer, exitCode } = await RunCli.json(args, { stdin })
    expect([exitCode, answer.value[0].Hash]).toEqual([0, HELLO_WORLD])
  })

  it("takes a pipe that is named, and none in a directory", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/d`)
    execFileSync("/bin/sh", ["-c", 'mkfifo "$1/pipe" "$1/d/pipe"', "sh", folder.path])
    await symlink("pipe", `${folder.path}/link`)
    for (const name of ["pipe", "link"]) {
      const written = writeFile(`${folder.path}/pipe`, "hello world\n")
      const { answer } = await json("add", `${folder.path}/${name}`)
      await written
      expect(answer.value).toEqual([{ Name: name, Hash: HELLO_WORLD, Size: "20" }])
    }
    const { answer, exitCode } = await json("add", `${folder.path}/d`)
    expect([exitCode, answer.error]).toMatchObject([1, { tag: "DataError", path: `${folder.path}/d/pipe` }])
  })

  it("refuses paths that are not there, or cannot be told apart, before anything is sent", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/a/same`, { recursive: true })
    await mkdir(`${folder.path}/b/same`, { recursive: true })
    const missing = await json("add", `${folder.path}/missing`)
    expect([missing.exitCode, missing.answer.error]).toMatchObject([
      1,
      { tag: "DataError", problem: "Unreadable", detail: "ENOENT", path: `${folder.path}/missing` }
    ])
    const twice = await json("add", `${folder.path}/a/same`, `${folder.path}/b/same/`)
    expect(twice.answer.error.problem).toMatch(/^path: two arguments have the same name/u)
    const flat = await json("add", `${folder.path}/a`, "--no-recursive")
    expect(flat.answer.error.problem).toMatch(/^path: a directory is added with all that is in it/u)
  })

  it("adds files and directories that are empty", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/nothing`)
    await writeFile(`${folder.path}/void`, "")
    const { answer } = await json("add", `${folder.path}/nothing`, `${folder.path}/void`)
    const hashes = answer.value.map(({ Hash, Name }: { Hash: string; Name: string }) => [Name, Hash])
    expect(Object.fromEntries(hashes)).toEqual({ nothing: EMPTY_DIRECTORY, void: EMPTY_FILE })
    // two separate arguments have no common directory, and so no outermost CID
    expect(answer.anchor).toBeNull()
    expect((await ipfs("add", `${folder.path}/nothing`, `${folder.path}/void`)).stdout).toContain(
      "\n\nVERIFIED\n  proven "
    )
  })

  it("cuts and names content as it is told", async () => {
    await using folder = await Children.folder()
    const file = `${folder.path}/hello.txt`
    await writeFile(file, "hello world\n")
    const hashOf = async (...flags: ReadonlyArray<string>) => (await json("add", file, ...flags)).answer.value[0].Hash
    expect(await hashOf("--cid-version", "1")).toBe(HELLO_WORLD_V1)
    expect(await hashOf("--raw-leaves")).toBe(HELLO_WORLD_V1)
    expect(await hashOf("--cid-version", "1", "--no-raw-leaves")).toMatch(/^bafybei/u)
    // 0x01551340 in base32: version 1, raw, sha2-512, 64 bytes
    expect(await hashOf("--hash", "sha2-512")).toMatch(/^bafkrgq/u)
    const { answer } = await json("add", file, "--chunker", "size-5")
    const node = await json("object", "get", answer.value[0].Hash)
    expect(node.answer.value.Links).toHaveLength(3)
  })

  it("says before it sends anything that it cannot compute a CID", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/file`, "x")
    const { answer, exitCode } = await json("add", `${folder.path}/file`, "--chunker", "rabin")
    expect(exitCode).toBe(1)
    expect(answer.error.tag).toBe("UnprovenError")
    const reason = "the CID of what is added with this chunker is not computed here"
    expect(answer.error.claims).toEqual([{ field: "value", reason }])
  })

  it("puts everything into one directory with --wrap", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/a.txt`, "hello\n")
    await writeFile(`${folder.path}/b.txt`, "hello world\n")
    const { answer } = await json("add", `${folder.path}/a.txt`, `${folder.path}/b.txt`, "--wrap")
    const { Hash, Name } = answer.value.at(-1)
    expect(Name).toBe("")
    expect(answer.anchor).toEqual({ kind: "cid", hash: Hash })
    const listed = await json("ls", Hash)
    expect(listed.answer.value).toEqual([
      { Name: "a.txt", Hash: HELLO, Size: 6, Type: 2, Target: "", ...UNSAID },
      { Name: "b.txt", Hash: HELLO_WORLD, Size: 12, Type: 2, Target: "", ...UNSAID }
    ])
  })

  it("does not pin with --no-pin", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/file`, "not to be kept")
    const { answer } = await json("add", `${folder.path}/file`, "--no-pin")
    expect(answer.claimed).toEqual([
      { field: "storage", reason: "that the node keeps it is its word: no hash proves it" }
    ])
    expect((await json("pin", "ls", answer.value[0].Hash)).exitCode).toBe(1)
  })
})

describe("a directory on its way to IPFS and back", () => {
  it("is the same, but for hidden files, which --hidden takes along", async () => {
    await using folder = await Children.folder()
    const tree = `${folder.path}/tree`
    await mkdir(`${tree}/deep/deeper`, { recursive: true })
    await mkdir(`${tree}/empty`)
    await mkdir(`${tree}/.git`)
    await writeFile(`${tree}/.git/config`, "x")
    await writeFile(`${tree}/deep/.env`, "y")
    await writeFile(`${tree}/deep/deeper/big`, Ipfs.bytesOf("big", 700_000))
    await writeFile(`${tree}/ünï cödé %2e+&?#`, "hello\n")
    await symlink("../deep/nowhere", `${tree}/deep/link`)

    const plain = (await json("add", tree)).answer
    const names = plain.value.map(({ Name }: { Name: string }) => Name)
    expect(names.filter((name: string) => name.includes("/."))).toEqual([])
    const { answer } = await json("add", tree, "--hidden")
    const root = answer.anchor.hash
    expect(root).not.toBe(plain.anchor.hash)

    const got = await json("get", root, "-o", `${folder.path}/copy`)
    expect(got.answer).toEqual({
      verdict: "VERIFIED",
      value: { path: `${folder.path}/copy`, files: 4, directories: 5, symlinks: 1, size: 700_008 },
      anchor: { kind: "cid", hash: root },
      proven: ["all that was written: every block hashes to its CID"],
      claimed: []
    })
    for (const name of [".git/config", "deep/.env", "deep/deeper/big", "ünï cödé %2e+&?#"]) {
      expect(await readFile(`${folder.path}/copy/${name}`)).toEqual(await readFile(`${tree}/${name}`))
    }
    expect(await readlink(`${folder.path}/copy/deep/link`)).toBe("../deep/nowhere")
    expect((await lstat(`${folder.path}/copy/empty`)).isDirectory()).toBe(true)
  })

  it("follows symlinks that are named if it shall, and keeps those in directories", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/real`)
    await writeFile(`${folder.path}/real/file`, "hello\n")
    await symlink("file", `${folder.path}/real/alias`)
    await symlink("real", `${folder.path}/link`)
    const kept = (await json("add", `${folder.path}/link`)).answer
    expect(kept.value).toHaveLength(1)
    const followed = (await json("add", `${folder.path}/link`, "--dereference-args")).answer
    // a slash at the end follows the link to its directory
    expect((await json("add", `${folder.path}/link/`)).answer).toEqual(followed)
    const { answer } = await json("ls", followed.anchor.hash)
    expect(answer.value).toEqual([
      expect.objectContaining({ Name: "alias", Type: 4, Target: "file" }),
      { Name: "file", Hash: HELLO, Size: 6, Type: 2, Target: "", ...UNSAID }
    ])
  })

  it("keeps the bytes of where a symlink leads, UTF-8 or not", async () => {
    await using folder = await Children.folder()
    // The expected CID is that of Kubo 0.43 for an upload whose part has the type application/symlink and these bytes.
    await symlink(Buffer.from("\xef\xbb\xbff\xff", "latin1"), `${folder.path}/l`)
    const { answer } = await json("add", `${folder.path}/l`)
    expect(answer.anchor.hash).toBe("QmXpX6gghfTNXjMJobPNRJc1h8iHrfp5LR2efXufZtb4qW")
  })

  it("may have many files", async () => {
    await using folder = await Children.folder()
    const many = `${folder.path}/many`
    await mkdir(many)
    const count = isWhole ? 300 : 60
    await Promise.all(Array.from({ length: count }, (_, i) => writeFile(`${many}/${i}`, `number ${i}`)))
    const { answer } = await json("add", many)
    expect(answer.error).toBeUndefined()
    expect(answer.value).toHaveLength(count + 1)
    await json("get", answer.anchor.hash, "-o", `${folder.path}/copy`)
    for (const i of [0, count / 2, count - 1])
      expect(await readFile(`${folder.path}/copy/${i}`, "utf8")).toBe(`number ${i}`)
  })
})

describe("a large file on its way to IPFS and back", () => {
  it("is the same, through add, cat and get", async () => {
    await using folder = await Children.folder()
    const content = Ipfs.bytesOf("large", 20 * 1024 * 1024 + 1)
    await writeFile(`${folder.path}/large`, content)
    const { answer } = await json("add", `${folder.path}/large`)
    const cid = answer.value[0].Hash
    const read = await RunCli.raw(["ipfs", "cat", cid, ...where()])
    expect(Buffer.compare(read.stdout, content)).toBe(0)
    expect(read.stderr).toBe(
      `VERIFIED  against CID ${cid}\n  proven    all 20,971,521 bytes: every block of the file hashes to its CID\n`
    )
    const got = await ipfs("get", cid, "-o", `${folder.path}/copy`)
    expect(got.stdout).toContain("1 file, 20,971,521 bytes")
    expect(Buffer.compare(await readFile(`${folder.path}/copy`), content)).toBe(0)
    // The content is larger than one JSON object may be.
    const object = await json("cat", cid)
    expect([object.exitCode, object.answer.error.tag]).toEqual([1, "UsageError"])
  })
})

describe("ipfs cat", () => {
  const content = Ipfs.bytesOf("cat", 600_000)
  const add = async (): Promise<string> => {
    const args = ["ipfs", "add", "-", ...where()]
    return (await RunCli.json(args, { stdin: Stream.succeed(content) })).answer.value[0].Hash
  }

  it("reads the range that is asked for", async () => {
    const cid = await add()
    const ranges: ReadonlyArray<readonly [offset: number, length: number | undefined]> = [
      [0, 0],
      [0, 1],
      [262_143, 2],
      [262_144, 262_144],
      [599_999, 1],
      [599_999, 100],
      [600_000, 1],
      [700_000, 10],
      [5, undefined]
    ]
    for (const [offset, length] of ranges) {
      const flags = ["--offset", String(offset), ...(length === undefined ? [] : ["--length", String(length)])]
      const { exitCode, stdout } = await RunCli.raw(["ipfs", "cat", cid, ...flags, ...where()])
      const wanted = content.subarray(offset, length === undefined ? undefined : offset + length)
      expect([exitCode, Buffer.compare(stdout, wanted)], flags.join(" ")).toEqual([0, 0])
    }
  })

  it("has the content as base64 in JSON", async () => {
    const cid = await add()
    const { answer, exitCode } = await json("cat", cid, "--offset", "10", "--length", "3")
    expect([exitCode, answer]).toEqual([
      0,
      {
        verdict: "VERIFIED",
        value: { size: 3, base64: Buffer.from(content.subarray(10, 13)).toString("base64") },
        anchor: { kind: "cid", hash: cid },
        proven: ["3 bytes from byte 10 on: every block with them hashes to its CID"],
        claimed: []
      }
    ])
  })

  it("follows a path, and says what is not there, what is not a file, and what is not a path", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/d/e`, { recursive: true })
    await writeFile(`${folder.path}/d/e/f.txt`, "hello\n")
    const root = (await json("add", `${folder.path}/d`)).answer.anchor.hash
    for (const prefix of ["", "/ipfs/"]) {
      const { stderr, stdout } = await ipfs("cat", `${prefix}${root}/e/f.txt`)
      expect(stdout).toBe("hello\n")
      expect(stderr).toContain(`the path: every directory on the way from ${root} hashes to its CID`)
    }
    const problems: ReadonlyArray<readonly [path: string, tag: string]> = [
      [`${root}/e/g.txt`, "NoSuchEntry"],
      [`${root}/e/f.txt/g`, "WrongKind"],
      [`${root}/e`, "WrongKind"],
      [`${root}/../e`, "UsageError"],
      ["nonsense", "UsageError"],
      ["/ipns/example.org", "UnprovenError"]
    ]
    for (const [path, tag] of problems) {
      const { answer, exitCode } = await json("cat", path)
      expect([path, exitCode, answer.error.tag]).toEqual([path, 1, tag])
    }
  })

  it("reads what has never been asked of the node: content within its own CID", async () => {
    expect((await ipfs("cat", "bafkqaaqha4")).stdout).toBe("\u0007\u0007")
  })
})

describe("ipfs ls", () => {
  it("shows people kinds, sizes and names, and a symlink's target", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/d/e`, { recursive: true })
    await writeFile(`${folder.path}/d/f.txt`, Ipfs.bytesOf("ls", 1_234_567))
    await symlink("f.txt", `${folder.path}/d/l`)
    const root = (await json("add", `${folder.path}/d`)).answer.anchor.hash
    expect((await ipfs("ls", root)).stdout).toMatchInlineSnapshot(`
      "3 entries

        QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn        directory  e/
        QmepJCiN3hyaCgMwgqck4862Ak5Vuy15i1ebKUFFMuYqyN  1,234,567 bytes  f.txt
        QmPLboBUqqF7L8ioyFX1bFhMsWRWTqhue7mT41CLCZKdCP          symlink  l -> f.txt

      VERIFIED  against CID Qma9Bk672Hu3v1kZpqN7mNzfY67B39n31sY7ACtP5VknUc
        proven    every entry, its kind and its size, and that there are no more: the blocks of the directory and the first one of each entry hash to their CIDs
      "
    `)
    expect((await ipfs("ls", `${root}/e`)).stdout).toContain("An empty directory\n\nVERIFIED")
  })
})

describe("ipfs pin", () => {
  it("adds, lists and removes pins; all of it is claimed", async () => {
    await using folder = await Children.folder()
    await mkdir(`${folder.path}/pinned`)
    await writeFile(`${folder.path}/pinned/a`, "a pin's content")
    const { answer: added } = await json("add", `${folder.path}/pinned`, "--no-pin")
    const root = added.anchor.hash
    const file = added.value[0].Hash
    const word = (what: string) => [
      { field: "value", reason: `${what} is the node's word about itself: no hash proves it` }
    ]
    // The client resolves a path by reading, and sends the CID to the node.
    expect((await json("pin", "add", `${root}/a`)).answer).toEqual({
      verdict: "CLAIMED",
      value: { Pins: [file] },
      anchor: null,
      proven: [`the path: every directory on the way from ${root} hashes to its CID`],
      claimed: word("that it is pinned")
    })
    expect((await json("pin", "add", root, "--no-recursive")).answer.value).toEqual({ Pins: [root] })
    const { answer: list } = await json("pin", "ls")
    expect(list.verdict).toBe("CLAIMED")
    expect(list.claimed).toEqual(word("which pins there are"))
    expect(list.value).toContainEqual({ Cid: file, Type: "recursive" })
    expect(list.value).toContainEqual({ Cid: root, Type: "direct" })
    expect((await json("pin", "ls", root)).answer.value).toEqual([{ Cid: root, Type: "direct" }])
    const direct = (await json("pin", "ls", "--type", "direct")).answer.value
    expect(direct.every(({ Type }: { Type: string }) => Type === "direct")).toBe(true)
    const removed = await json("pin", "rm", file, root)
    expect([removed.exitCode, removed.answer.value, removed.answer.claimed]).toEqual([
      0,
      { Pins: [file, root] },
      word("that the pin is gone")
    ])
    const again = await json("pin", "rm", file)
    expect([again.exitCode, again.answer.error.reason.tag]).toEqual([1, "FailedError"])
    expect(again.answer.error.reason.message).toBe("not pinned or pinned indirectly")
  })

  it("keeps names", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/named`, "a named pin's content")
    const { answer } = await json("add", `${folder.path}/named`, "--no-pin")
    const cid = answer.anchor.hash
    await json("pin", "add", cid, "--name", "mine")
    expect((await json("pin", "ls", cid, "--names")).answer.value).toEqual([
      { Cid: cid, Type: "recursive", Name: "mine" }
    ])
    const { stdout } = await ipfs("pin", "ls", cid, "--names")
    expect(stdout).toContain(`1 pin\n\n  ${cid}  recursive  mine\n\nCLAIMED  not proven`)
  })
})

describe("ipfs object get and block get", () => {
  it("show a node as the interface has it, and a block as it is", async () => {
    await using folder = await Children.folder()
    await writeFile(`${folder.path}/file`, "hello\n")
    const root = (await json("add", folder.path, "--wrap")).answer.anchor.hash
    const name = path.basename(folder.path)
    const { answer } = await json("object", "get", `${root}/${name}`)
    expect([answer.verdict, answer.value]).toEqual([
      "VERIFIED",
      { Links: [{ Name: "file", Hash: HELLO, Size: 14 }], Data: "CAE=" }
    ])
    const { stdout } = await ipfs("object", "get", `${root}/${name}`)
    expect(stdout).toContain(`A node with 2 bytes of data and 1 link\n\n  data  CAE=\n\n  ${HELLO}  14 bytes  file\n`)
    const block = await RunCli.raw(["ipfs", "block", "get", HELLO, ...where()])
    // the dag-pb frame around "hello\n"
    expect(Buffer.from(block.stdout).toString("hex")).toBe("0a0c0802120668656c6c6f0a1806")
    expect(block.stderr).toContain(`VERIFIED  against CID ${HELLO}`)
    expect((await json("block", "get", HELLO)).answer.value).toEqual({
      size: 14,
      base64: Buffer.from(block.stdout).toString("base64")
    })
  })
})

describe("another node", () => {
  it("is named by its URL, with its key and secret in flags, in the environment, or in the URL", async () => {
    const { key, secret, url } = service()
    const there = ["ipfs", "cat", "bafkqaaqha4"]
    const list = ["ipfs", "pin", "ls", "--url"]
    expect((await RunCli.run([...there, "--url", url])).exitCode).toBe(0)
    const ways: ReadonlyArray<readonly [ReadonlyArray<string>, Readonly<Record<string, string>>]> = [
      [[url, "--api-key", key, "--api-key-secret", secret], {}],
      [[`${url}/api/v0`], { PLUMBLINE_API_KEY: key, PLUMBLINE_API_KEY_SECRET: secret }],
      [[url, "--api-key", key], { PLUMBLINE_API_KEY_SECRET: secret }],
      [[`${url}/v3/${key}`, "--api-key-secret", secret], { PLUMBLINE_API_KEY: "other" }],
      [[url.replace("//", `//${key}:${secret}@`)], { PLUMBLINE_API_KEY: "other", PLUMBLINE_API_KEY_SECRET: "other" }]
    ]
    for (const [args, env] of ways) {
      expect((await RunCli.run([...list, ...args], { env })).exitCode, Object.keys(env).join()).toBe(0)
    }
    const without = await RunCli.json([...list, url])
    expect([without.exitCode, without.answer.error.reason.tag]).toEqual([1, "UnauthorizedError"])
    const path = await RunCli.json([...list, `${url}/v3/${key}`])
    expect(path.answer.error.problem).toBe("--api-key-secret: a key and its secret stand together")
    const half = await RunCli.json([...list, url, "--api-key", key])
    expect(half.answer.error.problem).toBe("--api-key-secret: a key and its secret stand together")
    const alone = await RunCli.json(["ipfs", "pin", "ls", "--api-key", key])
    expect(alone.answer.error.problem).toBe("--api-key needs --url. The service that runs here has its own key")
    const ftp = await RunCli.json([...list, "ftp://127.0.0.1"])
    expect(ftp.answer.error.problem).toBe("--url must be an http:// or https:// URL")
  })

  it("is not asked for the service that a folder has not", async () => {
    await using folder = await Children.folder()
    const { answer } = await RunCli.json(["ipfs", "pin", "ls", "--data", folder.path])
    expect(answer.error).toMatchObject({ tag: "NoServiceError", state: "never" })
  })
})

describe("help about ipfs", () => {
  it("is there for every command, with examples, and named where arguments make no sense", async () => {
    const commands = ["add", "cat", "get", "ls", "pin add", "pin rm", "pin ls", "object get", "block get"]
    for (const command of commands) {
      const { exitCode, stdout } = await RunCli.run(["ipfs", ...command.split(" "), "--help"])
      expect([exitCode, stdout.includes("EXAMPLES"), stdout.includes("--api-key-secret")]).toEqual([0, true, true])
    }
    for (const group of ["", "pin", "object", "block"]) {
      const { exitCode, stdout } = await RunCli.run(["ipfs", ...group.split(" ").filter(Boolean), "--help"])
      expect([exitCode, stdout.includes("SUBCOMMANDS")]).toEqual([0, true])
    }
    expect((await RunCli.run(["ipfs", "pin", "add", "nonsense"])).stderr).toBe(
      "error: path must be a CID, optionally followed by names: this does not begin with one\n" +
        "see    plumbline ipfs pin add --help\n"
    )
    expect((await RunCli.run(["ipfs", "cat"])).stderr).toBe(
      "error: <path> is missing\nsee    plumbline ipfs cat --help\n"
    )
  })
})
