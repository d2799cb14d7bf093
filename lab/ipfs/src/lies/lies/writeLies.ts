/** Answers to an upload that do not name the sent content. */
import { CID } from "multiformats/cid"

import { addedLine as line, type Answer, json, lines } from "../answer.ts"
import { changing, type Change, type Family, forAll, type Lie } from "../lie.ts"
import * as Truth from "../trueContent.ts"

const { cids } = Truth

/** Makes a lie about an added file. */
const added = (name: string, answer: Answer): Lie => ({
  name,
  read: "add",
  commands: { add: changing(() => answer) }
})

const [a, b, around] = Truth.added
const truly = (index: 0 | 1 | 2) => line(Truth.added[index].path, Truth.added[index].cid, Truth.added[index].size)

/** Makes a lie about an added directory. */
const wrapped = (name: string, answer: Answer): Lie => ({
  name,
  read: "addAll",
  commands: { add: changing(() => answer) }
})

const put = (read: "blockPut" | "dataPut", name: string, change: Change): Lie => ({
  name,
  read,
  commands: forAll(["block/put", "dag/put"], changing(change))
})

const writes: Family = {
  name: "Added content",
  lies: [
    added("another CID", lines([line(b.path, cids.other, b.size)])),
    added("the CID of an empty file", lines([line(b.path, "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH", 6)])),
    added("another size", lines([line(b.path, b.cid, 1)])),
    added("a name that was not sent", lines([line("c.bin", b.cid, b.size)])),
    added("only how far it is", lines([{ Name: b.path, Bytes: 600_000 }])),
    added("nothing", lines([])),
    added("the right CID, then another", lines([truly(1), line(b.path, cids.other, b.size)])),
    added(
      "as raw leaves, which were not asked for",
      lines([line(b.path, CID.createV1(0x70, b.cid.multihash), b.size)])
    ),
    wrapped("another CID of the directory", lines([truly(0), truly(1), line("", cids.other, around.size)])),
    wrapped("another CID of a file in it", lines([line(a.path, cids.other, a.size), truly(1), truly(2)])),
    wrapped("two CIDs are swapped", lines([line(a.path, b.cid, b.size), line(b.path, a.cid, a.size), truly(2)])),
    wrapped("a file is left out", lines([truly(0), truly(2)])),
    wrapped("the directory is left out", lines([truly(0), truly(1)])),
    wrapped("a file that was not sent", lines([truly(0), truly(1), line("c.bin", cids.other, 1), truly(2)])),
    put("blockPut", "another CID of a block", () => json({ Key: String(cids.small), Size: 1000 })),
    put("blockPut", "another size of a block", () => json({ Key: String(Truth.block), Size: 1 })),
    put("blockPut", "a CID with another codec", () =>
      json({ Key: String(CID.createV1(0x71, Truth.block.multihash)), Size: 1000 })
    ),
    put("dataPut", "another CID of data", () => json({ Cid: { "/": String(Truth.otherData) } })),
    put("dataPut", "the CID of the data as bytes", () =>
      json({ Cid: { "/": String(CID.createV1(0x55, Truth.data.multihash)) } })
    )
  ]
}

export const families: ReadonlyArray<Family> = [writes]
