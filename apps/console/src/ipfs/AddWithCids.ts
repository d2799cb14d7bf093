/**
 * Adds files: the page first computes every CID, then sends the files and compares the CIDs in the service's answers.
 *
 * Files are laid out as Kubo does with `--cid-version=1`: chunks of 256 KiB, raw leaves, SHA-256.
 */
import * as DirectoryCid from "@plumbline/ipfs-client/build/DirectoryCid"
import * as FileCid from "@plumbline/ipfs-client/build/FileCid"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsFailure } from "@plumbline/ipfs-client/client/IpfsClient"
import type * as Upload from "@plumbline/ipfs-client/commands/Upload"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type * as PageSession from "../chain/PageSession.ts"
import type { VerdictName } from "../look/VerdictMark.tsx"
import * as IpfsStore from "./IpfsStore.ts"

/** A file that the reader chose or dropped, or a directory without entries. */
export interface ChosenFile {
  readonly path: ReadonlyArray<string>
  readonly file: File | undefined
}

/**
 * Maximum number of files and directories, and of bytes, that the page adds at a time, because it holds an upload in
 * memory.
 */
export const MAX_ENTRIES = 5000
export const MAX_BYTES: number = 256 * 1024 * 1024

/** Returns the sentence that refuses the given files; undefined if they can be added. */
export const refusalOf = (given: ReadonlyArray<ChosenFile>): string | undefined => {
  const bytes = sizeOf(given)
  if (given.length === 0) return "The folder is empty. Choose files, or a folder with files."
  if (given.length > MAX_ENTRIES || bytes > MAX_BYTES) {
    return `A page adds at most ${MAX_ENTRIES} files and ${MAX_BYTES / 1024 / 1024} MiB at a time. Use "plumbline ipfs add" for more.`
  }
  return undefined
}

/** Reads the dropped files, and everything in the dropped folders. */
export const dropped = async (transfer: DataTransfer): Promise<ReadonlyArray<ChosenFile>> => {
  // the entries must be taken before the first wait, because the browser empties the list after the event
  const entries = Array.from(transfer.items).flatMap((item) => item.webkitGetAsEntry() ?? [])
  const found: Array<ChosenFile> = []
  const walk = async (entry: FileSystemEntry, above: ReadonlyArray<string>): Promise<void> => {
    // one entry above the limit is enough to refuse the drop
    if (found.length > MAX_ENTRIES) return
    const path = [...above, entry.name]
    if (isFile(entry)) {
      found.push({ path, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) })
      return
    }
    if (!isDirectory(entry)) return
    const reader = entry.createReader()
    let isEmpty = true
    for (;;) {
      const some = await new Promise<ReadonlyArray<FileSystemEntry>>((resolve, reject) =>
        reader.readEntries(resolve, reject)
      )
      if (some.length === 0) break
      isEmpty = false
      for (const one of some) await walk(one, path)
    }
    if (isEmpty) found.push({ path, file: undefined })
  }
  for (const entry of entries) await walk(entry, [])
  return found
}

// Chromium has no global classes of entries, so their kinds are told by their properties
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

/** Reads the files that were chosen in a field. */
export const chosen = (files: Iterable<File>): ReadonlyArray<ChosenFile> =>
  Array.from(files, (file) => ({
    path: (file.webkitRelativePath === "" ? file.name : file.webkitRelativePath).split("/"),
    file
  }))

/** The CIDs that the page computed, by path. A directory that wraps several files has the empty path. */
export interface ComputedCids {
  readonly root: Cid.Cid
  /** The path of the root. */
  readonly name: string
  readonly isWrapped: boolean
  readonly cids: ReadonlyMap<string, Cid.Cid>
  readonly bytes: number
}

interface Tree {
  readonly entries: Map<string, Tree | File>
}

const treeOf = (given: ReadonlyArray<ChosenFile>): Tree => {
  const top: Tree = { entries: new Map() }
  for (const { file, path } of given) {
    let at = top
    for (const name of path.slice(0, -1)) {
      const next = at.entries.get(name)
      const below: Tree = next === undefined || next instanceof File ? { entries: new Map() } : next
      at.entries.set(name, below)
      at = below
    }
    const last = path.at(-1) ?? ""
    if (file !== undefined) at.entries.set(last, file)
    else if (!at.entries.has(last)) at.entries.set(last, { entries: new Map() })
  }
  return top
}

/**
 * Returns the files and the empty directories in the order in which they are hashed and sent, so that a number of bytes
 * says how far each of them is.
 */
export const ordered = (given: ReadonlyArray<ChosenFile>): ReadonlyArray<ChosenFile> => {
  const found: Array<ChosenFile> = []
  const walk = (node: Tree | File, path: ReadonlyArray<string>): void => {
    if (node instanceof File) found.push({ path, file: node })
    else if (node.entries.size === 0) found.push({ path, file: undefined })
    else for (const [name, below] of node.entries) walk(below, [...path, name])
  }
  for (const [name, node] of treeOf(given).entries) walk(node, [name])
  return found
}

/** Returns the number of bytes of all files. */
export const sizeOf = (given: ReadonlyArray<ChosenFile>): number =>
  given.reduce((sum, { file }) => sum + (file?.size ?? 0), 0)

/** Returns the part of each file that is done, from 0 to 1, when a part of all bytes is done. */
export const partsOf = (given: ReadonlyArray<ChosenFile>, part: number): ReadonlyArray<number> => {
  const done = part * sizeOf(given)
  let before = 0
  return given.map(({ file }) => {
    const size = file?.size ?? 0
    const own = size === 0 ? (done >= before ? 1 : 0) : Math.max(0, Math.min(1, (done - before) / size))
    before += size
    return own
  })
}

/** The browser cannot read files that were chosen: each with its path and the reason. */
export interface UnreadableFiles {
  readonly message: string
  readonly files: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

/**
 * Computes the CID of everything. `progress` receives the number of hashed bytes. Fails with all files that the browser
 * cannot read, so that the reader can leave them out at once.
 */
export const compute = Effect.fnUntraced(function* (
  given: ReadonlyArray<ChosenFile>,
  progress: (bytes: number) => void
): Effect.fn.Return<ComputedCids, UnreadableFiles> {
  const top = treeOf(given)
  const cids = new Map<string, Cid.Cid>()
  const files: Array<UnreadableFiles["files"][number]> = []
  let bytes = 0
  type Made = { readonly cid: Cid.Cid; readonly totalSize: number }
  const hash = (file: File, path: string) => {
    const before = bytes
    const chunks = Stream.fromReadableStream({
      evaluate: () => file.stream(),
      onError: (error) => ({ message: error instanceof Error ? error.message : "the browser gives no reason" })
    })
    const counted = Stream.tap(chunks, ({ length }) =>
      Effect.sync(() => {
        bytes += length
        progress(bytes)
      })
    )
    return Effect.catch(FileCid.ofStream(counted, FileCid.KUBO_V1), ({ message: why }) =>
      Effect.sync((): Made | undefined => {
        bytes = before + file.size
        files.push({ path, why })
        return undefined
      })
    )
  }
  /** Returns the CID; undefined if a file in it cannot be read. */
  const make = (node: Tree | File, path: string): Effect.Effect<Made | undefined, UnreadableFiles> =>
    Effect.gen(function* () {
      let made: Made | undefined
      if (node instanceof File) made = yield* hash(node, path)
      else {
        const entries: Array<readonly [string, Made]> = []
        for (const [name, below] of node.entries) {
          const one = yield* make(below, path === "" ? name : `${path}/${name}`)
          if (one !== undefined) entries.push([name, one])
        }
        if (entries.length < node.entries.size) return undefined
        const directory = DirectoryCid.make(entries, { cidVersion: 1, hash: "sha2-256" })
        made = yield* Effect.mapError(Effect.fromResult(directory), ({ message }) => ({ message, files: [] }))
      }
      if (made !== undefined) cids.set(path, made.cid)
      return made
    })
  const [[name, only]] = [...top.entries] as [readonly [string, Tree | File], ...ReadonlyArray<unknown>]
  const isWrapped = top.entries.size > 1
  const root = isWrapped ? yield* make(top, "") : yield* make(only, name)
  if (root === undefined) return yield* Effect.fail({ message: "The browser cannot read everything.", files })
  return { root: root.cid, name: isWrapped ? "" : name, isWrapped, cids, bytes }
})

/** A path with both CIDs. */
export interface ComparedCid {
  readonly path: string
  readonly computed: Cid.Cid | undefined
  /** The CID in the service's answer; undefined if the service sent none. */
  readonly said: string | undefined
  readonly word: VerdictName
}

/** Returns the name of what is added: that of the file or the folder, or of the first of several. */
export const nameOf = (given: ReadonlyArray<ChosenFile>, { isWrapped, name }: ComputedCids): string =>
  isWrapped ? `${given[0]!.path[0]} and more` : name

/** Sends everything, and compares each answer. `progress` receives the part that was sent, from 0 to 1. */
export const send = Effect.fnUntraced(function* (
  access: PageSession.ProjectAccess,
  given: ReadonlyArray<ChosenFile>,
  computed: ComputedCids,
  progress: (part: number) => void
): Effect.fn.Return<ReadonlyArray<ComparedCid>, IpfsFailure | IpfsStore.NeedsAccessError> {
  const { cids, isWrapped } = computed
  // finds a wrong secret before the upload, because a refused upload would make the browser ask for a password
  const asked = yield* Effect.result((yield* IpfsStore.clientOf(access)).version())
  if (Result.isFailure(asked) && isUnauthorized(asked.failure)) return yield* Effect.fail(asked.failure)
  const client = yield* IpfsStore.clientOf(access, uploading(progress))
  const entries = given.map(({ file, path }): Upload.UploadEntry =>
    file === undefined ? { type: "directory", path: path.join("/") } : { path: path.join("/"), content: file }
  )
  const answers = yield* Stream.runCollect(
    client.addAll(entries, {
      cidVersion: 1,
      pin: true,
      pinName: pinNameOf(nameOf(given, computed)),
      wrapWithDirectory: isWrapped
    })
  )
  const said = new Map(answers.flatMap((answer) => ("cid" in answer ? [[answer.name, answer.cid] as const] : [])))
  const compared = [...cids].map(([path, computed]): ComparedCid => {
    const answer = said.get(path)
    return { path, computed, said: answer, word: answer === Cid.toText(computed) ? "VERIFIED" : "REFUTED" }
  })
  const more = [...said].filter(([path]) => !cids.has(path))
  return [
    ...compared.toReversed(),
    ...more.map(([path, said]): ComparedCid => ({ path, computed: undefined, said, word: "REFUTED" }))
  ]
})

/** Maximum number of bytes of a pin's name, in Kubo. */
const MAX_NAME = 255

/** Returns the name under which the service lists what was added: the text, or its first characters. */
const pinNameOf = (text: string): string => {
  let name = text
  while (new TextEncoder().encode(name).length > MAX_NAME) name = Array.from(name).slice(0, -1).join("")
  return name
}

const isUnauthorized = (error: IpfsFailure): boolean =>
  error._tag === "IpfsError" && error.reason._tag === "UnauthorizedError"

/**
 * Returns a `fetch` for uploads. It reports the number of sent bytes, and sends a stream as one body, because browsers
 * stream uploads only over HTTP/2.
 */
const uploading =
  (progress: (part: number) => void): typeof fetch =>
  async (input, init) => {
    const { body, headers, method = "GET", signal } = init ?? {}
    const bytes = body === null || body === undefined ? null : await new Response(body).arrayBuffer()
    const url = input instanceof Request ? input.url : String(input)
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(method, url)
      for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
      request.responseType = "arraybuffer"
      request.upload.addEventListener("progress", ({ loaded, total }) => progress(total === 0 ? 1 : loaded / total))
      request.addEventListener("error", () => reject(new TypeError("Failed to fetch")))
      request.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")))
      request.addEventListener("load", () => {
        const type = request.getResponseHeader("content-type")
        const after = request.getResponseHeader("retry-after")
        resolve(
          new Response(request.response as ArrayBuffer, {
            status: request.status,
            headers: {
              ...(type === null ? {} : { "content-type": type }),
              ...(after === null ? {} : { "retry-after": after })
            }
          })
        )
      })
      signal?.addEventListener("abort", () => request.abort())
      request.send(bytes)
    })
  }
