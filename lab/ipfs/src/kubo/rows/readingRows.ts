/** Rows that read files and directories, and missing content. */
import { keyStream } from "../../suite/content.ts"
import { linesOf } from "../askNode.ts"
import type { Given, Row } from "../comparedRow.ts"
import { missing, partial } from "./holeRows.ts"

const CONTENT = keyStream("kubo/reading", 600_000)

const setUp = async ({ ask }: Given): Promise<{ readonly file: string; readonly dir: string }> => {
  const parts = [
    { body: CONTENT, name: "d/file" },
    { body: "hello", name: "d/in/small.txt" },
    { body: "in/small.txt", name: "d/link", type: "application/symlink" }
  ]
  const added = linesOf((await ask("add?pin=false", { parts })).body)
  const hashOf = (name: string): string => added.find(({ Name }) => Name === name).Hash
  return { file: hashOf("d/file"), dir: hashOf("d") }
}

const row = (name: string, path: string): Row => ({
  name: `${name}: ${path}`,
  run: async (given) => {
    const { dir, file } = await setUp(given)
    return given.see(path.replaceAll("FILE", file).replaceAll("DIR", dir))
  }
})

const paths = [
  "cat?arg=FILE",
  "cat/FILE",
  "cat?arg=/ipfs/FILE",
  "cat?arg=ipfs://FILE",
  "cat?arg=ipfs:DIR/in/small.txt",
  "ls?arg=IPFS://DIR/in",
  "dag/resolve?arg=ipfs://DIR/in/small.txt",
  "cat?arg=http://FILE",
  "cat?arg=FILE/",
  "cat?arg=DIR/file",
  "cat?arg=/ipfs/DIR//file",
  "cat?arg=DIR/in/small.txt",
  "cat?arg=DIR/link",
  "cat?arg=DIR/none",
  "cat?arg=DIR/in/none/deeper",
  "cat?arg=FILE/none",
  "cat?arg=DIR",
  "cat?arg=FILE&offset=0&length=5",
  "cat?arg=FILE&offset=262143&length=2",
  "cat?arg=FILE&offset=599999",
  "cat?arg=FILE&offset=600000",
  "cat?arg=FILE&offset=700000",
  "cat?arg=FILE&length=0",
  "cat?arg=FILE&length=700000",
  "cat?arg=FILE&offset=-1",
  "cat?arg=FILE&length=-1",
  "cat?arg=FILE&offset=x",
  "cat?arg=FILE&arg=DIR/in/small.txt",
  "cat?arg=FILE&arg=DIR/in/small.txt&offset=599998&length=4",
  "cat?arg=FILE&arg=DIR",
  "cat?arg=DIR/in/small.txt&arg=DIR/none",
  "cat",
  "cat?arg=",
  "cat?arg=nonsense",
  "cat?arg=/ipns/nonsense",
  "cat?arg=/foo/FILE",
  "cat?arg=QmInvalid",
  "cat?arg=FILE&encoding=text",
  "cat?arg=FILE&encoding=json",
  "cat?arg=FILE&encoding=xml",
  "cat?arg=FILE&unknown=1",
  "cat?arg=FILE&offset=1&offset=2",
  "cat?arg=FILE&timeout=1h",
  "cat?arg=FILE&timeout=nonsense",
  "cat?arg=FILE&progress=true",
  "cat?arg=bafkqaaqha4",
  "get?arg=FILE",
  "get?arg=DIR",
  "get?arg=DIR/in/small.txt",
  "get?arg=DIR/link",
  "get?arg=DIR&archive=true",
  "get?arg=DIR&compress=true",
  "get?arg=FILE&compression-level=0&compress=true",
  "get?arg=FILE&compression-level=10&compress=true",
  "get?arg=DIR/none",
  "get?arg=nonsense",
  "get",
  "ls?arg=DIR",
  "ls?arg=FILE",
  "ls?arg=DIR/in/small.txt",
  "ls?arg=DIR/in",
  "ls?arg=DIR/in&arg=DIR",
  "ls?arg=/ipfs/DIR/in",
  "ls?arg=DIR/link",
  "ls?arg=DIR&stream=true",
  "ls?arg=DIR&size=false",
  "ls?arg=DIR&resolve-type=false",
  "ls?arg=DIR&size=false&resolve-type=false",
  "ls?arg=FILE&size=false&resolve-type=false",
  "ls?arg=DIR/in&size=false&resolve-type=false&stream=true",
  "ls?arg=DIR&cid-base=base32",
  "ls?arg=DIR&long=true",
  "ls?arg=DIR/none",
  "ls?arg=bafkqaaqha4",
  "ls",
  "files/stat?arg=/ipfs/DIR",
  "files/stat?arg=/ipfs/FILE",
  "files/stat?arg=/ipfs/DIR/in/small.txt",
  "files/stat?arg=/ipfs/DIR/link",
  "files/stat?arg=/ipfs/DIR/none",
  "files/stat?arg=/ipfs/bafkqaaqha4",
  "files/stat?arg=/ipfs/DIR&hash=true",
  "files/stat?arg=/ipfs/DIR&size=true",
  "files/stat?arg=/ipfs/DIR&with-local=true",
  "files/stat?arg=DIR",
  "files/stat",
  "object/get?arg=DIR",
  "object/stat?arg=DIR",
  "object/data?arg=DIR",
  "block/get?arg=FILE",
  "block/get?arg=DIR/in/small.txt",
  "block/get?arg=DIR/none",
  "block/get?arg=nonsense",
  "block/get",
  "block/stat?arg=FILE",
  "block/stat?arg=DIR/file",
  "block/stat?arg=nonsense",
  "dag/resolve?arg=DIR/in/small.txt",
  "dag/resolve?arg=DIR/none",
  "dag/resolve?arg=FILE",
  "dag/resolve?arg=DIR/Links/0",
  "dag/get?arg=DIR",
  "dag/get?arg=FILE",
  "dag/get?arg=DIR/in/small.txt",
  "dag/get?arg=DIR/Links/0/Name",
  "dag/get?arg=DIR/Links/0/Hash",
  "dag/get?arg=DIR&output-codec=dag-cbor",
  "dag/get?arg=DIR&output-codec=dag-pb",
  "dag/get?arg=DIR&output-codec=raw",
  "dag/get?arg=DIR&output-codec=json",
  "dag/get?arg=DIR&output-codec=cbor",
  "dag/get?arg=DIR&output-codec=nonsense",
  "dag/export?arg=DIR",
  "dag/export?arg=DIR/in",
  "dag/export?arg=DIR/none",
  "dag/export?arg=DIR&progress=true",
  "dag/export?arg=nonsense"
].map((path) => row("read", path))

/** Every streaming command, for a missing root and for a root with missing parts. */
const HOLES = [
  "cat?arg=CID",
  "cat?arg=CID&offset=300000",
  "cat?arg=CID&length=10",
  "get?arg=CID",
  "get?arg=CID&compress=true",
  "get?arg=CID&compress=true&archive=true",
  "ls?arg=CID",
  "ls?arg=CID&stream=true",
  "ls?arg=CID&size=false&resolve-type=false",
  "files/stat?arg=/ipfs/CID",
  "dag/get?arg=CID",
  "dag/get?arg=CID/x",
  "dag/resolve?arg=CID",
  "dag/resolve?arg=CID/x",
  "dag/export?arg=CID",
  "dag/export?arg=CID/x",
  "block/get?arg=CID",
  "block/stat?arg=CID",
  "pin/add?arg=CID",
  "pin/add?arg=CID&recursive=false",
  "pin/add?arg=CID&progress=true",
  "pin/ls?arg=CID",
  "pin/rm?arg=CID",
  "cat?arg=CID/x"
]

const holes: ReadonlyArray<Row> = Object.entries({ ...missing, ...partial }).flatMap(([what, make]) =>
  HOLES.map((path) => ({
    name: `${what}: ${path}`,
    run: async (given) => {
      const cid = await make(given)
      const seen = await given.see(path.replaceAll("CID", cid))
      // Removes the direct pin, because the next rows need content that is not pinned directly.
      await given.ask(`pin/rm?arg=${cid}`)
      return seen
    }
  }))
)

export const rows: ReadonlyArray<Row> = [...paths, ...holes]
