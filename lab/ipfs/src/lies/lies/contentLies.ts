/** Complete and well-formed answers whose content is not the requested one. */
import * as DagCbor from "@ipld/dag-cbor"
import * as DagPb from "@ipld/dag-pb"
import type { CID } from "multiformats/cid"

import { keyStream } from "../../suite/content.ts"
import { type Answer, json, link, listing, missing } from "../answer.ts"
import { changing, type Family, flipped, forAll, type Lie, withBody } from "../lie.ts"
import * as Truth from "../trueContent.ts"

const { FILE, OTHER, SMALL, chunks, cids } = Truth

const flip = changing((answer) => withBody(answer, flipped(answer.body)))

/** Returns a behaviour that changes the body of a command's answer. */
const body = (change: (body: Uint8Array) => Uint8Array) => changing((answer) => withBody(answer, change(answer.body)))

/** Returns a behaviour that answers `block/get` for some blocks with other bytes. */
const blocks = (instead: ReadonlyMap<string, Uint8Array | undefined>): ReturnType<typeof changing> =>
  changing((answer, { args }) => {
    const key = args[0]!
    if (!instead.has(key)) return answer
    const bytes = instead.get(key)
    return bytes === undefined ? missing(key) : withBody(answer, bytes)
  })

const bytesOf = (cid: CID): Uint8Array => Truth.blockOf(cid)!

/** Returns the block of the directory with changed links. */
const directoryWith = (change: (links: ReadonlyArray<DagPb.PBLink>) => ReadonlyArray<DagPb.PBLink>) => {
  const node = DagPb.decode(bytesOf(cids.directory))
  const Links = [...change(node.Links)].sort((a, b) => (a.Name! < b.Name! ? -1 : 1))
  return blocks(new Map([[String(cids.directory), DagPb.encode({ Data: node.Data!, Links })]]))
}

const small = link("a.bin", cids.small, SMALL.length)
const large = link("b.bin", cids.file, FILE.length)

/** Makes a lie about the entries of a directory: in the listing, and in the block of the directory. */
const listed = (name: string, links: ReadonlyArray<unknown>, change: Parameters<typeof directoryWith>[0]): Lie => ({
  name,
  read: "ls",
  commands: { ls: changing(() => listing(links)), "block/get": directoryWith(change) }
})

const files: Family = {
  name: "Files and blocks",
  lies: [
    { name: "one bit of a file is changed", read: "cat", commands: forAll(["cat", "block/get"], flip) },
    {
      name: "another file",
      read: "cat",
      commands: {
        cat: body(() => OTHER),
        "block/get": blocks(
          new Map(Truth.fileBlocks.map(({ cid }, index) => [String(cid), Truth.otherBlocks[index]!.bytes]))
        )
      }
    },
    {
      name: "zeros",
      read: "cat",
      commands: forAll(
        ["cat", "block/get"],
        body((bytes) => new Uint8Array(bytes.length))
      )
    },
    {
      name: "an empty file",
      read: "cat",
      commands: forAll(
        ["cat", "block/get"],
        body(() => new Uint8Array())
      )
    },
    {
      name: "two blocks are swapped",
      read: "cat",
      commands: {
        cat: body(() =>
          Buffer.concat([FILE.subarray(262_144, 524_288), FILE.subarray(0, 262_144), FILE.subarray(524_288)])
        ),
        "block/get": blocks(
          new Map([
            [String(chunks[0]), bytesOf(chunks[1]!)],
            [String(chunks[1]), bytesOf(chunks[0]!)]
          ])
        )
      }
    },
    {
      name: "a block in the middle is left out",
      read: "cat",
      commands: {
        cat: body(() => Buffer.concat([FILE.subarray(0, 262_144), FILE.subarray(524_288)])),
        "block/get": blocks(new Map([[String(chunks[1]), undefined]]))
      }
    },
    {
      name: "the root links to another file",
      read: "cat",
      commands: {
        cat: body(() => OTHER),
        "block/get": blocks(new Map([[String(cids.file), bytesOf(cids.other)]]))
      }
    },
    {
      name: "a byte too many",
      read: "cat",
      commands: forAll(
        ["cat", "block/get"],
        body((bytes) => Buffer.concat([bytes, Uint8Array.of(0)]))
      )
    },
    {
      name: "a range from the start of the file",
      read: "range",
      commands: {
        cat: body(() => FILE.subarray(0, Truth.RANGE.length)),
        "block/get": blocks(new Map([[String(chunks[0]), bytesOf(chunks[1]!)]]))
      }
    },
    {
      name: "the whole file for a range",
      read: "range",
      commands: { cat: body(() => FILE) }
    },
    { name: "one bit of a block is changed", read: "block", commands: { "block/get": flip } },
    {
      name: "another block",
      read: "block",
      commands: { "block/get": blocks(new Map([[String(chunks[0]), bytesOf(chunks[1]!)]])) }
    },
    { name: "an empty block", read: "block", commands: { "block/get": body(() => new Uint8Array()) } },
    {
      name: "other data",
      read: "data",
      commands: forAll(
        ["dag/get", "block/get"],
        body(() => bytesOf(Truth.otherData))
      )
    },
    {
      name: "data that is none",
      read: "data",
      commands: forAll(
        ["dag/get", "block/get"],
        body(() => keyStream("none", 50))
      )
    },
    {
      name: "data with something behind it",
      read: "data",
      commands: forAll(
        ["dag/get", "block/get"],
        body((bytes) => Buffer.concat([bytes, DagCbor.encode(1)]))
      )
    },
    {
      name: "another size of a file",
      read: "stat",
      commands: {
        "files/stat": changing(() => statWith({ Size: 1 })),
        "block/get": blocks(new Map([[String(cids.file), bytesOf(cids.small)]]))
      }
    },
    {
      name: "another size of a DAG",
      read: "stat",
      commands: {
        "files/stat": changing(() => statWith({ CumulativeSize: 1 })),
        "block/get": blocks(
          new Map([[String(cids.file), DagPb.encode({ Data: DagPb.decode(bytesOf(cids.file)).Data!, Links: [] })]])
        )
      }
    },
    {
      name: "a directory for a file",
      read: "stat",
      commands: {
        "files/stat": changing(() => statWith({ Type: "directory" })),
        "block/get": blocks(new Map([[String(cids.file), bytesOf(cids.directory)]]))
      }
    },
    {
      name: "the CID of another file",
      read: "stat",
      commands: { "files/stat": changing(() => statWith({ Hash: String(cids.other) })) }
    }
  ]
}

const statWith = (changes: object): Answer =>
  json({
    Hash: String(cids.file),
    Size: FILE.length,
    CumulativeSize: Truth.added[1].size,
    Blocks: 3,
    Type: "file",
    ...changes
  })

const directories: Family = {
  name: "Directories",
  lies: [
    listed("an entry that is not there", [small, large, link("c.bin", cids.other, OTHER.length)], (links) => [
      ...links,
      DagPb.createLink("c.bin", 600_000, cids.other)
    ]),
    listed("an entry is left out", [small], (links) => links.slice(0, 1)),
    listed("an entry that leads out of the directory", [small, large, link("../../evil", cids.other, 1)], (links) => [
      ...links,
      DagPb.createLink("../../evil", 1, cids.other)
    ]),
    listed("an entry leads to another file", [small, link("b.bin", cids.other, FILE.length)], ([first, second]) => [
      first!,
      DagPb.createLink("b.bin", second!.Tsize!, cids.other)
    ]),
    listed("an entry has another name", [small, link("c.bin", cids.file, FILE.length)], ([first, second]) => [
      first!,
      DagPb.createLink("c.bin", second!.Tsize!, cids.file)
    ]),
    listed("an entry has another size", [small, link("b.bin", cids.file, 1)], ([first]) => [
      first!,
      DagPb.createLink("b.bin", 1, cids.file)
    ]),
    listed("a directory without entries", [], () => []),
    {
      name: "the archive has another file under a name",
      read: "get",
      commands: {
        get: changing(async (answer) => withBody(answer, await archive(["a.bin", SMALL], ["b.bin", OTHER]))),
        "block/get": blocks(new Map([[String(cids.file), bytesOf(cids.other)]]))
      }
    },
    {
      name: "one bit of a file in the archive is changed",
      read: "get",
      commands: {
        get: changing(async (answer) => withBody(answer, await archive(["a.bin", SMALL], ["b.bin", flipped(FILE)]))),
        "block/get": blocks(new Map([[String(chunks[1]), flipped(bytesOf(chunks[1]!))]]))
      }
    },
    {
      name: "the archive has a file that leads out of the directory",
      read: "get",
      commands: {
        get: changing(async (answer) =>
          withBody(answer, await archive(["a.bin", SMALL], ["b.bin", FILE], ["../../evil", SMALL]))
        ),
        "block/get": directoryWith((links) => [...links, DagPb.createLink("../../evil", 1, cids.small)])
      }
    },
    {
      name: "the archive lacks a file",
      read: "get",
      commands: {
        get: changing(async (answer) => withBody(answer, await archive(["a.bin", SMALL]))),
        "block/get": directoryWith((links) => links.slice(0, 1))
      }
    }
  ]
}

const archive = (...files: ReadonlyArray<readonly [string, Uint8Array]>) => Truth.tarOf(files)

export const families: ReadonlyArray<Family> = [files, directories]
