/** CARs that are not the requested DAG. */
import { keyStream } from "../../suite/content.ts"
import { changing, type Family, flipped, type Lie, withBody } from "../lie.ts"
import * as Truth from "../trueContent.ts"

const { cids } = Truth

/** Makes a lie about a CAR. */
const car = (name: string, make: (body: Uint8Array) => Uint8Array | Promise<Uint8Array>): Lie => ({
  name,
  read: "export",
  commands: { "dag/export": changing(async (answer) => withBody(answer, await make(answer.body))) }
})

const [root, first, second, third] = Truth.fileBlocks

const cars: Family = {
  name: "CARs",
  lies: [
    car("one bit of a block is changed", flipped),
    car("one bit of a CID is changed", (bytes) => flipped(bytes, 80)),
    car("another root", () => Truth.carOf([cids.other], Truth.otherBlocks)),
    car("the right blocks under another root", () => Truth.carOf([cids.other], Truth.fileBlocks)),
    car("two roots", () => Truth.carOf([cids.file, cids.other], Truth.fileBlocks)),
    car("no root", () => Truth.carOf([], Truth.fileBlocks)),
    car("a block is missing in the middle", () => Truth.carOf([cids.file], [root!, first!, third!])),
    car("the last block is missing", () => Truth.carOf([cids.file], [root!, first!, second!])),
    car("no block at all", () => Truth.carOf([cids.file], [])),
    car("a block that nothing links to", () => Truth.carOf([cids.file], [...Truth.fileBlocks, Truth.otherBlocks[0]!])),
    car("two blocks are swapped under their CIDs", () =>
      Truth.carOf(
        [cids.file],
        [root!, { cid: first!.cid, bytes: second!.bytes }, { cid: second!.cid, bytes: first!.bytes }, third!]
      )
    ),
    car("a length of nine bytes", (bytes) => Buffer.concat([bytes, Uint8Array.of(...Array(9).fill(255), 1)])),
    car("something behind the last block", (bytes) => Buffer.concat([bytes, Uint8Array.of(3, 1, 2)])),
    car("no CAR", () => keyStream("none", 1000))
  ]
}

/** A verifying client reads a whole file from a CAR. Other clients request the file itself, and get it. */
const files: Family = {
  name: "Files by their CARs",
  lies: cars.lies.map((lie) => ({ ...lie, name: `for a file, ${lie.name}`, read: "cat" as const }))
}

export const families: ReadonlyArray<Family> = [cars, files]
