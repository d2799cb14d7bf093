/** Formats content on IPFS as text. Names are made printable, because any text can be a name. */
import type * as DagPbObject from "@plumbline/ipfs-client/block/DagPbObject"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"

import type { Style } from "../terminal/Style.ts"
import * as TerminalText from "../terminal/TerminalText.ts"
import * as Units from "../terminal/Units.ts"

/** Returns the lines of added entries: CIDs, the sizes of their DAGs, and names. */
export const added = (entries: ReadonlyArray<IpfsApi.AddedEntry>, style: Style): ReadonlyArray<string> => [
  style.title(`Added ${Units.count(entries.length, "entry", "entries")}`),
  "",
  ...table(
    entries.map(({ cid, name, size }) => [
      cid,
      `${bytes(size)} of blocks`,
      name === "" ? "(the directory around it)" : TerminalText.printable(name)
    ]),
    style
  )
]

/** Returns a directory's lines: kinds, sizes, CIDs and names. */
export const listed = (entries: ReadonlyArray<IpfsApi.ListedEntry>, style: Style): ReadonlyArray<string> => [
  style.title(entries.length === 0 ? "An empty directory" : Units.count(entries.length, "entry", "entries")),
  ...(entries.length === 0 ? [] : [""]),
  ...table(
    entries.map(({ cid, name, size, target = "", type }) => [
      cid,
      type === DIRECTORY ? "directory" : type === SYMLINK ? "symlink" : bytes(size),
      `${TerminalText.printable(name)}${type === DIRECTORY ? "/" : type === SYMLINK ? ` -> ${TerminalText.printable(target)}` : ""}`
    ]),
    style
  )
]

const DIRECTORY = 1
const SYMLINK = 4

/** Returns the lines of the files that were written, with their place. */
export const written = (
  target: string,
  /** The directory that `-o` names, if the content was written into it under its own name. */
  into: string | undefined,
  what: { readonly files: number; readonly directories: number; readonly symlinks: number; readonly size: number },
  style: Style
): ReadonlyArray<string> => {
  const { directories, files, size, symlinks } = what
  const parts = [
    ...(files === 0 ? [] : [Units.count(files, "file")]),
    ...(directories === 0 ? [] : [Units.count(directories, "directory", "directories")]),
    ...(symlinks === 0 ? [] : [Units.count(symlinks, "symlink")])
  ]
  return [
    style.title(`Wrote ${TerminalText.printable(target)}`),
    "",
    `  ${[...parts, bytes(size)].join(", ")}`,
    ...(into === undefined
      ? []
      : [`  ${TerminalText.printable(into)} is a directory, so the content has its own name in it.`])
  ]
}

/** Returns the lines of CIDs that were pinned or unpinned. */
export const pinned = (what: "pinned" | "let go", cids: ReadonlyArray<string>, style: Style): ReadonlyArray<string> => [
  style.title(what === "pinned" ? "Pinned" : "Let go"),
  "",
  ...cids.map((cid) => `  ${cid}`)
]

export const pins = (pins: ReadonlyArray<IpfsApi.Pin>, style: Style): ReadonlyArray<string> => [
  style.title(pins.length === 0 ? "No pins" : Units.count(pins.length, "pin")),
  ...(pins.length === 0 ? [] : [""]),
  ...table(
    pins.map(({ cid, name = "", type }) => [cid, type, TerminalText.printable(name)]),
    style
  )
]

/** Returns the lines of a dag-pb node: the size of its data, and its links. */
export const object = ({ data, links }: DagPbObject.DagPbObject, style: Style): ReadonlyArray<string> => [
  style.title(`A node with ${bytes(sizeOf(data))} of data and ${Units.count(links.length, "link")}`),
  "",
  `  ${style.label("data")}  ${data === "" ? "empty" : data.length <= WHOLE ? data : `${data.slice(0, SHOWN)}…  whole with --json`}`,
  ...(links.length === 0 ? [] : [""]),
  ...table(
    links.map(({ cid, name, size }) => [cid, bytes(size), TerminalText.printable(name)]),
    style
  )
]

const WHOLE = 64
const SHOWN = 32

/** Returns the number of bytes that a base64 text encodes. */
const sizeOf = (base64: string): number => (base64.length / 4) * 3 - (/={0,2}$/u.exec(base64)?.[0].length ?? 0)

const bytes = (n: number): string => Units.count(n, "byte")

/** Returns lines with columns for a CID, a remark and a name. A name that does not fit is printed below its CID. */
const table = (
  rows: ReadonlyArray<readonly [cid: string, about: string, name: string]>,
  style: Style
): ReadonlyArray<string> => {
  const width = (column: 0 | 1): number => rows.reduce((width, row) => Math.max(width, row[column].length), 0)
  const [cids, abouts] = [width(0), width(1)]
  return rows.flatMap(([cid, about, name]) => {
    const line = `  ${cid.padEnd(cids)}  ${style.label(about.padStart(abouts))}`
    if (name === "") return [line]
    return 6 + cids + abouts + name.length <= style.columns ? [`${line}  ${name}`] : [line, `    ${name}`]
  })
}
